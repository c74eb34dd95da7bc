/** Shared by Jetstream and Tap: reads groups of messages in threads and delivers them in order. */
import { siblingModule } from '../../../util/sibling-module.ts'
import { grouped, inOrder } from '../../channel.ts'
import type { Delivery, SourceContext } from '../../source.ts'
import type { NetworkReaderOptions } from '../change-reader.ts'
import { type Clock, type ClockDoubt, whileClockHolds } from '../clock.ts'
import {
  type ParsedGroup,
  keptOfMessage,
  maxMessageBytes,
  type Message,
  type Notice,
} from './message-reader.ts'
import type { MessageWorkerData } from './message-worker.ts'
import { openThreads, type Threads } from '../threads.ts'

export interface MessageSourceOptions {
  readonly clock: Clock
  readonly name: string
  /** URL of the server, such as `wss://jetstream2.us-east.bsky.network`; its path is ignored. */
  readonly url: string
  readonly reader: NetworkReaderOptions
  /** At least 1. */
  readonly threads: number
}

/** Receives the messages of all connections in turn, and turns a parsed group of them into a delivery. */
export interface MessageStream {
  readonly receive: () => AsyncGenerator<Message>
  readonly deliver: (reading: ParsedGroup) => Omit<Delivery, 'events'>
}

/** Maximum bytes of messages in a group, when messages arrive faster than they are stored. */
const groupBytes = 1024 * 1024

/** Calls `open` again after this machine's clock was in doubt. */
export function deliverMessages(
  protocol: MessageWorkerData['protocol'],
  options: MessageSourceOptions,
  context: SourceContext,
  open: (context: SourceContext) => MessageStream,
): AsyncGenerator<Delivery> {
  const { clock, name, url, reader, threads } = options
  const data: MessageWorkerData = { protocol, name, reader }
  return whileClockHolds(options, context, async function* (signal): AsyncGenerator<Delivery | ClockDoubt> {
    const { receive, deliver } = open({ ...context, signal })
    await using workers: Threads<readonly Message[], ParsedGroup> = openThreads(
      siblingModule(import.meta.url, 'message-worker'),
      threads,
      data,
    )
    const read = async (group: readonly Message[]) => {
      const reading = await workers.read(group)
      const doubt = reading.isFuture ? await clock.doubt(url, signal) : null
      return { reading, doubt, events: group.length }
    }
    // Each message counts 500 bytes extra for its overhead in work and memory.
    const groups = grouped(receive(), groupBytes, ({ size }) => size + 500)
    for await (const { reading, doubt, events } of inOrder(groups, read, 2 * threads)) {
      if (doubt !== null) {
        yield { doubt }
        return
      }
      yield { ...deliver(reading), events }
    }
  })
}

/** Copies a message for a thread; only the beginning if it is over the limit, as it is refused. */
export function packMessage(data: string | Uint8Array, dictionary: Uint8Array | null): Message {
  const size = data.length
  if (size > maxMessageBytes) return { data: data.slice(0, keptOfMessage), size, dictionary }
  return { data: typeof data === 'string' ? data : new Uint8Array(data), size, dictionary }
}

export function describeError({ what }: Notice): string {
  return `The server ended the stream with the error "${what}".`
}
