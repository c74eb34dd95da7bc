/**
 * Streams over WebSockets: a connection that is opened again after every loss, with backpressure from the reader, and the
 * delivery of its messages in order, which threads read in groups.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { MessageOf } from '@atproto/ws-client'
import { CloseError, HeartbeatTimeoutError, IdleTimeoutError, websocket } from '@atproto/ws-client'
import { LRUCache } from 'lru-cache'
import type { Change } from '../../database/changes.ts'
import { cleanText } from '../../util/text/messages.ts'
import { grouped, inOrder, untilAborted } from '../channel.ts'
import type { Delivery, Source, SourceContext } from '../source.ts'
import type { NetworkReaderOptions } from './change-reader.ts'
import type { Clock } from './clock.ts'
import { openThreads, type Threads } from './threads.ts'

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Called at every connection; `send` rejects once the connection is lost. It must not throw. */
  readonly onConnect?: (send: (text: string) => Promise<void>) => void
  /** Whether this is the last message, even if the server leaves the connection open. */
  readonly isLast?: (message: MessageOf<'auto'>) => boolean
}

/**
 * Yields messages until the signal is aborted. `url` is called at every connection, to resume from the last cursor, and
 * must not throw. Messages that were not read when a connection broke are dropped; the server sends them again.
 */
export async function* openStream(
  url: () => URL | Promise<URL>,
  { onState, signal }: Pick<SourceContext, 'onState' | 'signal'>,
  { headers, onConnect, isLast }: StreamOptions = {},
): AsyncGenerator<MessageOf<'auto'>> {
  const connect = (): AsyncIterable<MessageOf<'auto'>> =>
    websocket(url, {
      signal,
      // The library passes these options on to `ws`. By default, invalid UTF-8 or a very large message would end every
      // connection at the same position for ever; with these options it is refused as one message.
      protocols: {
        headers: { 'user-agent': 'lexigraph', ...headers },
        skipUTF8Validation: true,
        maxPayload: maxMessageBytes,
        closeTimeout: 1_000,
      } as never,
      maxReconnectSeconds: 60,
      idleTimeoutMs,
      // The operator sees every failure, and a repaired source is found again.
      shouldReconnect: () => true,
      onConnect: (sender) => {
        onState('live', null)
        onConnect?.((text) => sender.send(text))
      },
      onReconnect: (error) => onState('unavailable', describe(error)),
    })
  onState('connecting', null)
  try {
    for (;;) {
      for await (const message of connect()) {
        yield message
        if (isLast?.(message) === true) break
      }
      onState('unavailable', 'The server ended the stream with an error.')
      await pause(reconnectMs, undefined, { signal })
    }
  } catch (error) {
    // An abort throws the signal's reason.
    if (!signal.aborted) throw error
  }
}

/** A URL on the server of `base`, in the given protocol and without user name and password. */
export function locate(base: URL, path: string, protocol: 'http' | 'ws'): URL {
  const url = new URL(path, base)
  url.protocol = base.protocol === 'https:' || base.protocol === 'wss:' ? `${protocol}s:` : `${protocol}:`
  url.username = ''
  url.password = ''
  return url
}

/** Passes on each notice once an hour, and a limited number of notices. */
export function createTeller({ onNotice }: Pick<SourceContext, 'onNotice'>): (text: string) => void {
  const recent = new LRUCache<string, true>({ max: maxNotices, ttl: 3_600_000 })
  return (text) => {
    recent.purgeStale()
    if (recent.has(text) || recent.size === maxNotices) return
    recent.set(text, true)
    onNotice(text)
  }
}

const maxNotices = 100

/** Same pause as after a closed connection: a server may end every connection at once. */
const reconnectMs = 1_000
/**
 * Far larger than any event; memory for a message that will be refused. The socket is paused with 1 MB waiting, so that
 * memory is bounded by that, one such message and what one packet decompresses to.
 */
const maxMessageBytes = 100_000_000
/**
 * Pings check the connection, because a filtered stream may be quiet for hours. They miss a server that answers pings
 * but sends nothing, or that never answers the request to connect.
 */
const idleTimeoutMs = 600_000

function describe(error: unknown): string {
  if (error instanceof CloseError) {
    const reason = error.reason === '' ? '' : `: ${cleanText(error.reason, 200)}`
    return `The server closed the connection with code ${error.code}${reason}.`
  }
  if (error instanceof HeartbeatTimeoutError) return 'The server no longer answers.'
  if (error instanceof IdleTimeoutError) return 'Nothing has come for ten minutes; connecting anew.'
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return `The connection failed: ${cleanText(cause instanceof Error ? cause.message : String(cause))}.`
}

export interface StreamSourceOptions {
  readonly name: string
  /** URL of the server, such as `wss://jetstream2.us-east.bsky.network`. */
  readonly url: string
  readonly reader: NetworkReaderOptions
  readonly clock: Clock
  /** At least 1. */
  readonly threads: number
}

export interface GroupContent {
  readonly changes: readonly Change[]
  /** Time of the last message that has one, in microseconds. */
  readonly at: bigint | null
  readonly isFuture: boolean
}

/** How a source turns the messages of its stream into deliveries; `workers`: of one opening, until its signal aborts. */
export type OpenGroups<Message, Request, Parsed> = (
  workers: Threads<Request, Parsed>,
  context: SourceContext,
) => {
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

/**
 * Reads groups of messages in threads and delivers them in order. After a doubt about this machine's clock, the stream
 * is closed and unavailable until the clocks agree, and then opened again from its cursor, so that no event is lost.
 * `thread`: the module and the `workerData` of threads. `begin` is called once for all openings of a stream.
 */
export function createStreamSource<
  Message extends { readonly length: number },
  Request,
  Parsed extends GroupContent,
>(
  { name, clock, url, threads }: StreamSourceOptions,
  thread: { readonly module: URL; readonly data: unknown },
  begin: () => OpenGroups<Message, Request, Parsed>,
): Source {
  const server = locate(new URL(url), '/', 'http').origin
  return { name, deliveries }

  async function* deliveries(context: SourceContext): AsyncGenerator<Delivery> {
    const open = begin()
    const { signal, onState } = context
    async function* readGroups(signal: AbortSignal): AsyncGenerator<Delivery | { readonly doubt: string }> {
      await using workers: Threads<Request, Parsed> = openThreads(thread.module, threads, thread.data)
      const { receive, read, deliver, onDoubt } = open(workers, { ...context, signal })
      const readGroup = async (group: readonly Message[]) => {
        const parsed = await read(group)
        const doubt = parsed.isFuture ? await clock.doubt(server, signal) : null
        return { parsed, doubt, events: group.length }
      }
      // Each message counts 500 bytes extra for its overhead in work and memory.
      const groups = grouped(receive(), groupBytes, ({ length }) => length + 500)
      for await (const { parsed, doubt: found, events } of inOrder(groups, readGroup, 2 * threads)) {
        // Just before it is stored: the clock may have been set since the group was read.
        const doubt = found ?? (await clock.doubt(server, signal, false))
        if (doubt !== null) onDoubt?.(parsed)
        const { changes, at: eventAt } = parsed
        yield doubt === null ? { changes, eventAt, events, ...deliver(parsed) } : { doubt }
      }
    }
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
          doubt = await clock.doubt(server, signal)
        }
      }
    } catch (error) {
      // A thread that was terminated at work rejects its requests.
      if (!signal.aborted) throw error
    }
  }
}
