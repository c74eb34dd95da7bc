/**
 * Jetstream as a source: a service that sends the network's events as JSON. Its second protocol has compression and
 * events for diverged repositories; the first is for older servers, and for filters that do not fit into a URL. Cursors
 * are microseconds, which all servers of both protocols accept.
 */
import { formatInstant, now } from '../../../util/instant.ts'
import type { Source, SourceContext } from '../../source.ts'
import { siblingModule } from '../../../util/sibling-module.ts'
import { type Connection, createFilters, negotiate } from './jetstream-connection.ts'
import { packMessage } from './message-reader.ts'
import type { MessageWorkerData, OpenMessages } from './message-worker.ts'
import { createStreamSource, createTeller, openStream, type StreamSourceOptions } from '../stream.ts'

export function createJetstreamSource(options: StreamSourceOptions): Source {
  const { name, reader } = options
  const data: MessageWorkerData = { protocol: 'jetstream', name, reader }
  const thread = { module: siblingModule(import.meta.url, 'message-worker'), data }
  return { ...createStreamSource(options, thread, () => openMessages(options)), crowded: true }
}

/** Microseconds read twice, because servers omit some events when they switch from replay to live events. */
const overlap = 2_000_000n
/** Microseconds for which servers of the first protocol store events. */
const serverRetention = 36n * 3_600_000_000n

function openMessages({ url, reader }: StreamSourceOptions): OpenMessages {
  const base = new URL(url)
  /** Time of the first connection, by our clock: where to resume until a delivery is stored. */
  let firstAt: bigint | null = null
  return ({ read }, context) => {
    const { signal } = context
    const filters = createFilters(reader, context.onNotice)
    const tell = createTeller(context)
    let connection: Connection | null = null
    let refused = false
    let from: bigint | null = null
    let reportedFrom: bigint | null = null

    const connect = async (): Promise<URL> => {
      const cursor = context.cursor()
      // Until a delivery is stored, resume from the first connection.
      const last = cursor === null ? firstAt : BigInt(cursor)
      from = last === null ? null : last - overlap
      connection = await negotiate(base, filters, from, refused, signal)
      // Servers of the second protocol send a notice themselves.
      if (!connection.second && from !== null && now() - from > serverRetention) reportMissed()
      return connection.url
    }

    /** Reports that events between the cursor and the current connection may be missing. */
    const reportMissed = (): void => {
      if (from === null || from === reportedFrom) return
      reportedFrom = from
      context.onNotice(
        `The server no longer has all that happened since ${formatInstant(from)}: unless it was quiet since, events ` +
          `were missed. To make up for them, run \`lexigraph backfill\` with ${whatToFetch(reader.publishers)}.`,
      )
    }

    return {
      read,
      deliver: ({ at, notices }) => {
        for (const { kind, what } of notices)
          if (kind === 'outdated') reportMissed()
          else tell(`The server ended the stream with the error "${what}".`)
        return { cursor: at === null ? null : String(at) }
      },
      receive: async function* () {
        const onState: SourceContext['onState'] = (state, detail) => {
          if (state === 'live') firstAt ??= now()
          // Status 400 may mean an unknown dictionary, for example one from another server behind the same URL.
          refused = /response: 400\b/.test(detail ?? '')
          context.onState(state, detail)
        }
        const onConnect = (send: (text: string) => Promise<void>): void => {
          // If sending fails, the connection is lost, and the next one sends it again.
          const hello = connection?.hello
          if (typeof hello === 'string') send(hello).catch(() => {})
        }
        for await (const data of openStream(connect, { onState, signal }, { onConnect }))
          yield packMessage(data, connection?.dictionary ?? null)
      },
    }
  }
}

function whatToFetch(publishers: ReadonlySet<string> | null): string {
  if (publishers === null) return 'the URL of a relay'
  return publishers.size > 5 ? "the publishers' DIDs" : [...publishers].join(' ')
}
