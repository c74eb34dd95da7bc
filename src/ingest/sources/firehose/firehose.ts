/**
 * The firehose of a host or relay as a source (https://atproto.com/specs/sync#firehose). Events are signed, so that no
 * intermediary needs to be trusted; threads verify signatures and proofs.
 */
import { grouped, inOrder } from '../../channel.ts'
import type { Delivery, Source, SourceContext } from '../../source.ts'
import { isErrorFrame, maxFrameBytes, type StreamNotice } from './firehose-frame.ts'
import type { FirehoseReaderOptions, FrameGroup, ParsedGroup } from './firehose-reader.ts'
import { type Clock, type ClockDoubt, whileClockHolds } from '../clock.ts'
import { askIfPds } from '../repos/pds.ts'
import { createTeller, locate, openStream } from '../stream.ts'
import { siblingModule } from '../../../util/sibling-module.ts'
import { openThreads, type Threads } from '../threads.ts'

interface FirehoseOptions extends FirehoseReaderOptions {
  readonly clock: Clock
  /** URL of the host or relay, or of its `com.atproto.sync.subscribeRepos`; `https:`, `wss:`, `http:` or `ws:`. */
  readonly url: string
  /** At least 1. */
  readonly threads: number
}

export function createFirehoseSource(options: FirehoseOptions): Source {
  return {
    name: options.name,
    crowded: true,
    deliveries: (context) => {
      const state: StreamState = { lastRead: null, isPds: null }
      return whileClockHolds(options, context, (signal) =>
        readDeliveries(options, { ...context, signal }, state),
      )
    },
  }
}

interface StreamState {
  /** The cursor to resume from until a delivery is stored. */
  lastRead: string | null
  /** Null until known. */
  isPds: boolean | null
}

/** Maximum bytes of frames in a group, when frames arrive faster than they are stored. */
const groupBytes = 1_000_000

async function* readDeliveries(
  { url, threads, name, reader, identity, clock }: FirehoseOptions,
  context: SourceContext,
  state: StreamState,
): AsyncGenerator<Delivery | ClockDoubt> {
  const { signal } = context
  const data: FirehoseReaderOptions = { name, reader, identity }
  await using workers: Threads<FrameGroup, ParsedGroup> = openThreads(
    siblingModule(import.meta.url, 'firehose-worker'),
    threads,
    data,
  )
  // Otherwise the threads would first resolve keys for all received frames.
  signal.addEventListener('abort', () => void workers[Symbol.asyncDispose](), { once: true })
  const tell = createTeller(context)
  const describe = createDescriber(url)
  let asked: string | null = null
  let refused: string | null = null

  const home = locate(new URL(url), '/', 'http')
  const connect = async (): Promise<URL> => {
    state.isPds ??= await askIfPds(home.href, fetch, signal)
    // Until a delivery is stored, resume after the last event that was read.
    const known = [context.cursor(), state.lastRead].find((cursor) => cursor !== null && cursor !== refused)
    asked = known ?? null
    return subscriptionUrl(url, asked)
  }
  const read = async (frames: readonly (string | Uint8Array)[]) => {
    const group = { ...pack(frames), pds: state.isPds === true ? home.host : null }
    const reading = await workers.read(group, [group.bytes.buffer])
    const doubt = reading.isFuture ? await clock.doubt(url, signal) : null
    const changed = reading.changes.flatMap((change) => (change.kind === 'identity' ? [change.did] : []))
    // A failure of a thread shows at its next request.
    if (changed.length > 0) workers.readInAll({ ...pack([]), changed }).catch(() => {})
    return { ...reading, doubt, events: frames.length }
  }
  const frames = openStream(connect, context, { isLast: isErrorFrame })
  // Each frame counts 500 bytes extra for its overhead in work and memory.
  const groups = grouped(frames, groupBytes, ({ length }) => length + 500)
  try {
    for await (const { changes, seq, before, at, notices, doubt, events } of inOrder(
      groups,
      read,
      2 * threads,
    )) {
      if (doubt !== null) {
        state.lastRead ??= before
        yield { doubt }
        return
      }
      state.lastRead = seq ?? state.lastRead
      for (const notice of notices) {
        if (notice.kind === 'error' && notice.name === 'FutureCursor') {
          refused = asked
          state.lastRead = null
        }
        tell(describe(notice))
      }
      yield { changes, cursor: seq, eventAt: at, events }
    }
  } catch (error) {
    // A thread that was terminated at work rejects its requests.
    if (!signal.aborted) throw error
  }
}

/** The URL of a host's events from `cursor` on; null for new events only. */
export function subscriptionUrl(address: string, cursor: string | null): URL {
  const base = new URL(address)
  const { pathname, search, username, password } = base
  const path = pathname.startsWith('/xrpc/') ? pathname : '/xrpc/com.atproto.sync.subscribeRepos'
  const url = Object.assign(locate(base, path + search, 'ws'), { username, password })
  if (cursor !== null) url.searchParams.set('cursor', cursor)
  return url
}

/** Copies frames into one buffer that can be transferred; frames over the limit only in part, as they are refused. */
function pack(frames: readonly (string | Uint8Array)[]): FrameGroup {
  const parts = frames.map((frame) =>
    (typeof frame === 'string' ? Buffer.from(frame) : frame).subarray(0, maxFrameBytes + 1),
  )
  const ends: number[] = []
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
    ends.push(end)
  }
  return { bytes, ends }
}

/** Explains a notice of the host to the operator. */
function createDescriber(url: string): (notice: StreamNotice) => string {
  const { protocol, host } = subscriptionUrl(url, null)
  const home = `${protocol === 'wss:' ? 'https' : 'http'}://${host}`
  const fetchAll = `To make up for events that were missed, run \`lexigraph backfill ${home}\`.`
  return ({ kind, name, message }) => {
    const said = `"${name}"${message === '' ? '' : `, ${message}`}`
    if (name === 'OutdatedCursor')
      return `${host} no longer keeps all events since the last connection. ${fetchAll}`
    if (name === 'FutureCursor')
      return `${host} does not know the cursor of the last connection; its events are read from now on. ${fetchAll}`
    if (name === 'ConsumerTooSlow')
      return `${host} ended the connection because its events were read too slowly; they are read on from the last one.`
    return kind === 'error' ? `${host} ended the connection with the error ${said}.` : `${host} says ${said}.`
  }
}
