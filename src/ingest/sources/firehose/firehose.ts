/**
 * The firehose of a host or relay as a source (https://atproto.com/specs/sync#firehose). Events are signed, so that no
 * intermediary needs to be trusted; threads verify signatures and proofs.
 */
import type { Source } from '../../source.ts'
import { isErrorFrame, maxFrameBytes, type StreamNotice } from './firehose-frame.ts'
import type { FirehoseReaderOptions, FrameGroup, ParsedGroup } from './firehose-reader.ts'
import { askIfPds } from '../repos/pds.ts'
import { createStreamSource, createTeller, locate, openStream } from '../stream.ts'
import type { OpenGroups, StreamSourceOptions } from '../stream.ts'
import { siblingModule } from '../../../util/sibling-module.ts'

/** `url`: of the host or relay, or of its `com.atproto.sync.subscribeRepos`; `https:`, `wss:`, `http:` or `ws:`. */
type FirehoseOptions = StreamSourceOptions & FirehoseReaderOptions

export function createFirehoseSource(options: FirehoseOptions): Source {
  const { name, url, reader, identity } = options
  const data: FirehoseReaderOptions = { name, reader, identity }
  const thread = { module: siblingModule(import.meta.url, 'firehose-worker'), data }
  return { ...createStreamSource(options, thread, () => openFrames(url)), crowded: true }
}

function openFrames(url: string): OpenGroups<string | Uint8Array, FrameGroup, ParsedGroup> {
  /** The cursor to resume from until a delivery is stored. */
  let lastRead: string | null = null
  let isPds: boolean | null = null
  const home = locate(new URL(url), '/', 'http')
  const describe = createDescriber(home)
  return (workers, context) => {
    const { signal } = context
    // Otherwise the threads would first resolve keys for all received frames.
    signal.addEventListener('abort', () => void workers[Symbol.asyncDispose](), { once: true })
    const tell = createTeller(context)
    let requested: string | null = null
    let refused: string | null = null

    const connect = async (): Promise<URL> => {
      isPds ??= await askIfPds(home.href, fetch, signal)
      // Until a delivery is stored, resume after the last event that was read.
      const known = [context.cursor(), lastRead].find((cursor) => cursor !== null && cursor !== refused)
      requested = known ?? null
      return subscriptionUrl(url, requested)
    }
    return {
      receive: () => openStream(connect, context, { isLast: isErrorFrame }),
      read: async (frames) => {
        const group = { ...pack(frames), pds: isPds === true ? home.host : null }
        const parsed = await workers.read(group, [group.bytes.buffer])
        const changed = parsed.changes.flatMap((change) => (change.kind === 'identity' ? [change.did] : []))
        // A failure of a thread shows at its next request.
        if (changed.length > 0) workers.readInAll({ ...pack([]), changed }).catch(() => {})
        return parsed
      },
      deliver: ({ seq, notices }) => {
        lastRead = seq ?? lastRead
        for (const notice of notices) {
          if (notice.kind === 'error' && notice.name === 'FutureCursor') {
            refused = requested
            lastRead = null
          }
          tell(describe(notice))
        }
        return { cursor: seq }
      },
      onDoubt: ({ before }) => {
        lastRead ??= before
      },
    }
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
