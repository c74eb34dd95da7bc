/**
 * The firehose of a host or relay as a source (https://atproto.com/specs/sync#firehose). Events are signed, so that no
 * intermediary needs to be trusted; threads verify signatures and proofs.
 */
import type { Source, SourceContext } from '../../source.ts'
import { isErrorFrame, maxFrameBytes, type StreamNotice } from './firehose-frame.ts'
import type { FirehoseReaderOptions, FrameGroup, ParsedGroup } from './firehose-reader.ts'
import { askIfPds } from '../repos/pds.ts'
import type { GroupStream, StreamSourceOptions } from '../stream.ts'
import { createTeller, locate, openStream, deliverGroups } from '../stream.ts'
import { siblingModule } from '../../../util/sibling-module.ts'
import type { Threads } from '../threads.ts'

/** `url`: of the host or relay, or of its `com.atproto.sync.subscribeRepos`; `https:`, `wss:`, `http:` or `ws:`. */
type FirehoseOptions = StreamSourceOptions & FirehoseReaderOptions

export function createFirehoseSource(options: FirehoseOptions): Source {
  const { name, reader, identity } = options
  const data: FirehoseReaderOptions = { name, reader, identity }
  return {
    name,
    crowded: true,
    deliveries: (context) => {
      const state: StreamState = { lastRead: null, isPds: null }
      const thread = { module: siblingModule(import.meta.url, 'firehose-worker'), data }
      return deliverGroups(options, context, thread, (workers: Threads<FrameGroup, ParsedGroup>, context) =>
        openFrames(options, context, state, workers),
      )
    },
  }
}

interface StreamState {
  /** The cursor to resume from until a delivery is stored. */
  lastRead: string | null
  isPds: boolean | null
}

function openFrames(
  { url }: FirehoseOptions,
  context: SourceContext,
  state: StreamState,
  workers: Threads<FrameGroup, ParsedGroup>,
): GroupStream<string | Uint8Array, ParsedGroup> {
  const { signal } = context
  // Otherwise the threads would first resolve keys for all received frames.
  signal.addEventListener('abort', () => void workers[Symbol.asyncDispose](), { once: true })
  const tell = createTeller(context)
  let requested: string | null = null
  let refused: string | null = null

  const home = locate(new URL(url), '/', 'http')
  const describe = createDescriber(home)
  const connect = async (): Promise<URL> => {
    state.isPds ??= await askIfPds(home.href, fetch, signal)
    // Until a delivery is stored, resume after the last event that was read.
    const known = [context.cursor(), state.lastRead].find((cursor) => cursor !== null && cursor !== refused)
    requested = known ?? null
    return subscriptionUrl(url, requested)
  }
  return {
    receive: () => openStream(connect, context, { isLast: isErrorFrame }),
    read: async (frames) => {
      const group = { ...pack(frames), pds: state.isPds === true ? home.host : null }
      const parsed = await workers.read(group, [group.bytes.buffer])
      const changed = parsed.changes.flatMap((change) => (change.kind === 'identity' ? [change.did] : []))
      // A failure of a thread shows at its next request.
      if (changed.length > 0) workers.readInAll({ ...pack([]), changed }).catch(() => {})
      return parsed
    },
    deliver: ({ seq, notices }) => {
      state.lastRead = seq ?? state.lastRead
      for (const notice of notices) {
        if (notice.kind === 'error' && notice.name === 'FutureCursor') {
          refused = requested
          state.lastRead = null
        }
        tell(describe(notice))
      }
      return { cursor: seq }
    },
    onDoubt: ({ before }) => {
      state.lastRead ??= before
    },
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
  let end = 0
  const ends = parts.map(({ length }) => (end += length))
  return { bytes: new Uint8Array(Buffer.concat(parts)), ends }
}

function createDescriber({ host, origin }: URL): (notice: StreamNotice) => string {
  const fetchAll = `To make up for events that were missed, run \`lexigraph backfill ${origin}\`.`
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
