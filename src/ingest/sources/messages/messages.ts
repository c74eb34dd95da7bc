/** What sources of messages share: reading them in threads beside the writing, in groups and in order. */
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
  /** Of the server, such as `wss://jetstream2.us-east.bsky.network`; its path does not matter. */
  readonly url: string
  readonly reader: NetworkReaderOptions
  /** At least 1. */
  readonly threads: number
}

/** The messages of one connection after the other, and what becomes of a group of them that was read. */
export interface MessageStream {
  readonly receive: () => AsyncGenerator<Message>
  readonly deliver: (reading: ParsedGroup) => Omit<Delivery, 'events'>
}

/** Bytes of messages that are read together at most, when they come faster than they are stored. */
const groupBytes = 1024 * 1024

/** `open` connects anew after the clock of this machine was in doubt. */
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
    // Small messages are counted as more than they are, because each costs work and memory.
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

/** A message as threads take it: with memory of its own, and not the whole of one that is refused anyway. */
export function packMessage(data: string | Uint8Array, dictionary: Uint8Array | null): Message {
  const size = data.length
  if (size > maxMessageBytes) return { data: data.slice(0, keptOfMessage), size, dictionary }
  return { data: typeof data === 'string' ? data : new Uint8Array(data), size, dictionary }
}

/** What the server says of an error, in a sentence. */
export function describeError({ what }: Notice): string {
  return `The server ended the stream with the error "${what}".`
}
