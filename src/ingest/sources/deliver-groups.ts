/**
 * Shared by all streams: reads groups of messages in threads and delivers them in order. After a doubt about this
 * machine's clock, a stream is closed and unavailable until the clocks agree, and then opened again from its cursor, so
 * that no event is lost.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { grouped, inOrder, untilAborted } from '../channel.ts'
import type { Change } from '../../database/changes.ts'
import type { Delivery, SourceContext } from '../source.ts'
import type { NetworkReaderOptions } from './change-reader.ts'
import type { Clock } from './clock.ts'
import { openThreads, type Threads } from './threads.ts'

export interface StreamSourceOptions {
  readonly name: string
  /** URL of the server, such as `wss://jetstream2.us-east.bsky.network`. */
  readonly url: string
  readonly reader: NetworkReaderOptions
  readonly clock: Clock
  /** At least 1. */
  readonly threads: number
}

/** The content of several messages, in order. */
export interface GroupContent {
  readonly changes: readonly Change[]
  /** Time of the last message that has one, in microseconds. */
  readonly at: bigint | null
  /** Whether an event seems to be from the future. */
  readonly isFuture: boolean
}

/** How a source turns the messages of its stream into deliveries. */
export interface GroupStream<Message, Parsed> {
  /** The messages of all connections in turn. */
  readonly receive: () => AsyncIterable<Message>
  readonly read: (group: readonly Message[]) => Promise<Parsed>
  readonly deliver: (parsed: Parsed) => Pick<Delivery, 'cursor' | 'acknowledge'>
  /** Called instead of `deliver` when the clock is in doubt. */
  readonly onDoubt?: (parsed: Parsed) => void
}

/** Maximum bytes of messages in a group, when messages arrive faster than they are stored. */
const groupBytes = 1024 * 1024
/** Milliseconds between comparisons of a clock in doubt. */
const firstWait = 1_000
const longestWait = 30_000

/** `thread`: the module and the `workerData` of threads. Calls `open` again after the clock was in doubt. */
export async function* deliverGroups<
  Message extends { readonly length: number },
  Request,
  Parsed extends GroupContent,
>(
  { clock, url, threads }: StreamSourceOptions,
  context: SourceContext,
  thread: { readonly module: URL; readonly data: unknown },
  open: (workers: Threads<Request, Parsed>, context: SourceContext) => GroupStream<Message, Parsed>,
): AsyncGenerator<Delivery> {
  async function* readGroups(signal: AbortSignal): AsyncGenerator<Delivery | { readonly doubt: string }> {
    await using workers: Threads<Request, Parsed> = openThreads(thread.module, threads, thread.data)
    const { receive, read, deliver, onDoubt } = open(workers, { ...context, signal })
    const readGroup = async (group: readonly Message[]) => {
      const parsed = await read(group)
      const doubt = parsed.isFuture ? await clock.doubt(url, signal) : null
      return { parsed, doubt, events: group.length }
    }
    // Each message counts 500 bytes extra for its overhead in work and memory.
    const groups = grouped(receive(), groupBytes, ({ length }) => length + 500)
    for await (const { parsed, doubt, events } of inOrder(groups, readGroup, 2 * threads)) {
      if (doubt !== null) onDoubt?.(parsed)
      const { changes, at: eventAt } = parsed
      yield doubt === null ? { changes, eventAt, events, ...deliver(parsed) } : { doubt }
    }
  }
  const { signal, onState } = context
  try {
    for (;;) {
      let doubt: string | null = null
      for await (const one of untilAborted(signal, readGroups)) {
        if ('doubt' in one) {
          doubt = one.doubt
          break
        }
        yield one
      }
      if (doubt === null) return
      for (let wait = firstWait; doubt !== null; wait = Math.min(2 * wait, longestWait)) {
        onState('unavailable', doubt)
        await pause(wait, undefined, { signal })
        doubt = await clock.doubt(url, signal)
      }
    }
  } catch (error) {
    // A thread that was terminated at work rejects its requests.
    if (!signal.aborted) throw error
  }
}
