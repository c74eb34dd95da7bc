/**
 * Jetstream, a service that passes on the network's events as JSON. Its second protocol is compressed and also
 * tells of repositories that have diverged; the first is what older servers speak, and the way to send filters
 * that do not fit into a URL. Cursors are microseconds, which every server of either protocol understands.
 */
import { formatInstant } from '../../util/instant.ts'
import type { Delivery, Source, SourceContext } from '../source.ts'
import type { NetworkReaderOptions } from './change-reader.ts'
import { type Clock, type ClockDoubt, whileClockHolds } from './clock.ts'
import { type Connection, createFilters, negotiate } from './jetstream-connection.ts'
import type { Message } from './message-reader.ts'
import { describeError, packMessage, readMessages } from './messages.ts'
import { createTeller, openStream } from './stream.ts'

interface JetstreamOptions {
  readonly clock: Clock
  readonly name: string
  /** Such as `wss://jetstream2.us-east.bsky.network`; its path does not matter. */
  readonly url: string
  readonly reader: NetworkReaderOptions
  /** At least 1. */
  readonly threads: number
}

export function createJetstreamSource(options: JetstreamOptions): Source {
  const { name, url, reader, threads, clock } = options
  return {
    name,
    crowded: true,
    deliveries: (context) => {
      const first: FirstConnection = { at: null }
      return whileClockHolds(options, context, async function* (signal): AsyncGenerator<
        Delivery | ClockDoubt
      > {
        const { receive, tellMissed } = openConnections(options, { ...context, signal }, first)
        const tell = createTeller(context)
        const data = { protocol: 'jetstream', name, reader } as const
        const readings = readMessages(receive(), threads, data, () => clock.doubt(url, signal))
        for await (const { changes, at, notices, events, doubt } of readings) {
          if (doubt !== null) {
            yield { doubt }
            return
          }
          for (const notice of notices)
            if (notice.kind === 'outdated') tellMissed()
            else tell(describeError(notice))
          yield { changes, cursor: at === null ? null : String(at), eventAt: at, events }
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
  { url, reader }: JetstreamOptions,
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
