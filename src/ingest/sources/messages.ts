/** What sources of messages share: reading them in threads beside the writing, in groups and in order. */
import { grouped, inOrder } from '../channel.ts'
import {
  type GroupReading,
  keptOfMessage,
  maxMessageBytes,
  type Message,
  type Notice,
} from './message-reader.ts'
import type { MessageWorkerData } from './message-worker.ts'
import { openThreads, type Threads } from './threads.ts'

interface MessagesReading extends GroupReading {
  /** What speaks against our clock where something seems to come from the future. */
  readonly doubt: string | null
  /** How many messages the group had. */
  readonly events: number
}

/** Bytes of messages that are read together at most, when they come faster than they are stored. */
const groupBytes = 1024 * 1024

export async function* readMessages(
  messages: AsyncIterable<Message>,
  threads: number,
  data: MessageWorkerData,
  doubt: () => Promise<string | null>,
): AsyncGenerator<MessagesReading> {
  await using workers: Threads<readonly Message[], GroupReading> = openThreads(
    'message-worker',
    threads,
    data,
  )
  const read = async (group: readonly Message[]): Promise<MessagesReading> => {
    const reading = await workers.read(group)
    return { ...reading, events: group.length, doubt: reading.isFuture ? await doubt() : null }
  }
  yield* inOrder(
    // Small messages are counted as more than they are, because each costs work and memory.
    grouped(messages, groupBytes, ({ size }) => size + 500),
    read,
    2 * threads,
  )
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
