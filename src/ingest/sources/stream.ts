/** A WebSocket that comes back whenever it is lost; what is read from it waits for whoever reads. */
import { setTimeout as pause } from 'node:timers/promises'
import {
  CloseError,
  HeartbeatTimeoutError,
  IdleTimeoutError,
  type MessageOf,
  websocket,
} from '@atproto/ws-client'
import { LRUCache } from 'lru-cache'
import { cleanText } from '../../util/text/clean.ts'
import type { SourceContext } from '../source.ts'

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** At every connection; what is sent when that one is gone is refused. It must not throw. */
  readonly onConnect?: (send: (text: string) => Promise<void>) => void
  /** Whether nothing comes after this message, even if the server leaves the connection open. */
  readonly isLast?: (message: MessageOf<'auto'>) => boolean
}

/**
 * Messages until the signal is aborted. `url` is asked at every connection, so that it can go on from the
 * last cursor, and must not throw. What was received but not read yet when a connection broke is gone, and
 * comes again.
 */
export async function* openStream(
  url: () => URL | Promise<URL>,
  { onState, signal }: Pick<SourceContext, 'onState' | 'signal'>,
  { headers, onConnect, isLast }: StreamOptions = {},
): AsyncGenerator<MessageOf<'auto'>> {
  const connect = (): AsyncIterable<MessageOf<'auto'>> =>
    websocket(url, {
      signal,
      // `ws` takes options here, which the library passes on to it: a text that is no UTF-8 or is very large would
      // otherwise end every connection at the same place for ever, while here it is refused as one message.
      protocols: {
        headers: { 'user-agent': 'lexigraph', ...headers },
        skipUTF8Validation: true,
        maxPayload: maxMessageBytes,
        closeTimeout: 1_000,
      } as never,
      maxReconnectSeconds: 60,
      idleTimeoutMs,
      // Whatever is wrong, the operator sees it, and a source that is mended is found again.
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
    // The signal's own reason.
    if (!signal.aborted) throw error
  }
}

/** Where something of a server is, whichever way its URL is written; name and password stay out of it. */
export function locate(base: URL, path: string, protocol: 'http' | 'ws'): URL {
  const url = new URL(path, base)
  url.protocol = base.protocol === 'https:' || base.protocol === 'wss:' ? `${protocol}s:` : `${protocol}:`
  url.username = ''
  url.password = ''
  return url
}

/** Tells each thing once an hour, and not more of them than an operator would read. */
export function createTeller({ onNotice }: Pick<SourceContext, 'onNotice'>): (text: string) => void {
  const told = new LRUCache<string, true>({ max: maxNotices, ttl: 3_600_000 })
  return (text) => {
    told.purgeStale()
    if (told.has(text) || told.size === maxNotices) return
    told.set(text, true)
    onNotice(text)
  }
}

const maxNotices = 100

/**
 * What `open` yields until `outer` is aborted or the reader stops; its signal is aborted first, so that nothing
 * waits for a message that does not come.
 */
export async function* untilAborted<Value>(
  outer: AbortSignal,
  open: (signal: AbortSignal) => AsyncIterable<Value>,
): AsyncGenerator<Value> {
  const stop = new AbortController()
  const values = open(AbortSignal.any([outer, stop.signal]))[Symbol.asyncIterator]()
  try {
    for (let next = await values.next(); next.done !== true; next = await values.next()) yield next.value
  } finally {
    stop.abort()
    await values.return?.()
  }
}

/** As after a connection that was closed: a server may end every one at once. */
const reconnectMs = 1_000
/**
 * Far more than any event has, and as much as is kept for a moment to be refused. With 1 MB waiting the socket
 * is paused; beyond that and one such message there is only what one packet unpacks to.
 */
const maxMessageBytes = 100_000_000
/**
 * A filtered stream may be quiet for hours, and pings tell whether the other side is there. But a server can
 * answer pings and be of no use, or never answer the request to connect, which no ping notices.
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
