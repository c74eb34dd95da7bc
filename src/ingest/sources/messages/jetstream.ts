/**
 * Jetstream, a service that passes on the network's events as JSON. Its second protocol is compressed and also
 * tells of repositories that have diverged; the first is what older servers speak, and the way to send filters
 * that do not fit into a URL. Cursors are microseconds, which every server of either protocol understands.
 */
import { formatInstant } from '../../../util/instant.ts'
import type { Source, SourceContext } from '../../source.ts'
import { type Connection, createFilters, negotiate } from './jetstream-connection.ts'
import type { Message } from './message-reader.ts'
import { deliverMessages, describeError, type MessageSourceOptions, packMessage } from './messages.ts'
import { createTeller, openStream } from '../stream.ts'

export function createJetstreamSource(options: MessageSourceOptions): Source {
  return {
    name: options.name,
    crowded: true,
    deliveries: (context) => {
      const first: FirstConnection = { at: null }
      return deliverMessages('jetstream', options, context, (context) => {
        const { receive, tellMissed } = openConnections(options, context, first)
        const tell = createTeller(context)
        return {
          receive,
          deliver: ({ changes, at, notices }) => {
            for (const notice of notices)
              if (notice.kind === 'outdated') tellMissed()
              else tell(describeError(notice))
            return { changes, cursor: at === null ? null : String(at), eventAt: at }
          },
        }
      })
    },
  }
}

/** Servers are known to leave out some events where they change from past ones to those that happen. */
const overlap = 2_000_000n
/** So long, in microseconds, do servers of the first protocol keep events. */
const kept = 36n * 3_600_000_000n

/** When it was made, by our clock: until something is stored, events are read from there. */
interface FirstConnection {
  at: bigint | null
}

interface Connections {
  /** Messages of one connection after the other. */
  readonly receive: () => AsyncGenerator<Message>
  /** Events between the cursor and the present connection may be missing. */
  readonly tellMissed: () => void
}

function openConnections(
  { url, reader }: MessageSourceOptions,
  context: SourceContext,
  first: FirstConnection,
): Connections {
  const { signal } = context
  const base = new URL(url)
  const filters = createFilters(reader, context.onNotice)
  let connection: Connection | null = null
  let refused = false
  let from: bigint | null = null
  let toldFrom: bigint | null = null

  const connect = async (): Promise<URL> => {
    const cursor = context.cursor()
    // As long as nothing is stored, what has come since the first connection is not to be lost.
    const last = cursor === null ? first.at : BigInt(cursor)
    from = last === null ? null : last - overlap
    connection = await negotiate(base, filters, from, refused, signal)
    // Servers of the second protocol say it themselves.
    if (!connection.second && from !== null && now() - from > kept) tellMissed()
    return connection.url
  }

  const tellMissed = (): void => {
    if (from === null || from === toldFrom) return
    toldFrom = from
    context.onNotice(
      `The server no longer has all that happened since ${formatInstant(from)}: unless it was quiet since, events ` +
        `were missed. To make up for them, run \`lexigraph backfill\` with ${whatToFetch(reader.publishers)}.`,
    )
  }

  return {
    tellMissed,
    receive: async function* () {
      const onState: SourceContext['onState'] = (state, detail) => {
        if (state === 'live') first.at ??= now()
        // So does a server answer that does not know a dictionary, though another one has handed it out.
        refused = /response: 400\b/.test(detail ?? '')
        context.onState(state, detail)
      }
      const onConnect = (send: (text: string) => Promise<void>): void => {
        // If it does not arrive, the connection is lost, and the next one says it again.
        const hello = connection?.hello
        if (typeof hello === 'string') send(hello).catch(() => {})
      }
      for await (const data of openStream(connect, { onState, signal }, { onConnect }))
        yield packMessage(data, connection?.dictionary ?? null)
    },
  }
}

function now(): bigint {
  return BigInt(Date.now()) * 1_000n
}

function whatToFetch(publishers: ReadonlySet<string> | null): string {
  if (publishers === null) return 'the URL of a relay'
  return publishers.size > 5 ? "the publishers' DIDs" : [...publishers].join(' ')
}
