/** Prometheus metrics of the index: its size, and the lag of its sources. */
import { Gauge, type Registry } from 'prom-client'
import type { IndexStatus, ReadDatabase } from '../../database/database.ts'
import { within } from '../../util/async/promises.ts'

interface IndexReadings {
  readonly status: IndexStatus
  readonly bytes: number
  /** Milliseconds since 1970. */
  readonly readAt: number
}

/** Reads the status on demand, and rarely, because it counts records. */
export function addIndexMetrics(
  registry: Registry,
  database: Pick<ReadDatabase, 'readStatus' | 'readSize'>,
): void {
  const read = createFigures(database)

  /** Without a status the gauge has no value: an old one would look current. */
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    show: (
      figures: IndexReadings,
    ) => readonly (readonly [labels: Record<string, string>, value: number | null])[],
  ): void => {
    const made = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [],
      async collect() {
        const figures = await read()
        this.reset()
        if (labelNames.length === 0) this.remove()
        if (figures === null) return
        for (const [labels, value] of show(figures)) if (value !== null) this.set(labels, value)
      },
    })
    registry.registerMetric(made)
  }

  gauge('lexigraph_records', 'Records that can be seen.', ['collection'], ({ status }) =>
    status.collections.map(({ name, records }) => [{ collection: name }, records]),
  )
  gauge('lexigraph_database_bytes', 'What the database takes.', [], ({ bytes }) => [[{}, bytes]])
  gauge(
    'lexigraph_source_lag_seconds',
    'How old the last event of a live source was when it was stored, and how old it is now of any other source.',
    ['source'],
    ({ status }) => status.sources.map(({ name, lagSeconds }) => [{ source: name }, lagSeconds]),
  )
  gauge('lexigraph_source_state', '1 for the state that a source is in.', ['source', 'state'], ({ status }) =>
    status.sources.map(({ name, state }) => [{ source: name, state }, 1]),
  )
  gauge(
    'lexigraph_repositories',
    'Repositories that are still to be fetched, and those given up on.',
    ['state'],
    ({ status: { repositories } }) =>
      (['waiting', 'failed'] as const).map((state) => [{ state }, repositories[state]]),
  )
  gauge(
    'lexigraph_expired_records',
    'Records that were removed because they are older than they are kept, or not stored for that, since the database was made.',
    ['collection'],
    ({ status }) =>
      status.collections.map(({ name, outcomes }) => [{ collection: name }, outcomes.expired ?? 0]),
  )
  gauge(
    'lexigraph_unfinished_purges',
    'Purges that were broken off; `lexigraph purge` finishes them.',
    [],
    ({ status }) => [[{}, status.unfinishedPurges]],
  )
  gauge(
    'lexigraph_index_read_timestamp_seconds',
    'When these figures of the index were read; absent while the database cannot be read.',
    [],
    ({ readAt }) => [[{}, readAt / 1_000]],
  )
}

/** A status is cached this many milliseconds, or this multiple of the time that reading it took if that is longer. */
const kept = 10_000
const keptForEach = 50
/** Milliseconds that a scrape waits for the status. */
const timeout = 1_000

/** The latest status; null when reading failed or has not finished yet. */
function createFigures(
  database: Pick<ReadDatabase, 'readStatus' | 'readSize'>,
): () => Promise<IndexReadings | null> {
  let last: IndexReadings | null = null
  let reading: Promise<void> | null = null
  let due = -Infinity

  const read = async (): Promise<void> => {
    const began = performance.now()
    try {
      const [status, bytes] = await Promise.all([database.readStatus(), database.readSize()])
      last = { status, bytes, readAt: Date.now() }
    } catch {
      last = null
    }
    const ended = performance.now()
    due = ended + Math.max(kept, keptForEach * (ended - began))
    reading = null
  }

  return async () => {
    if (reading === null && performance.now() >= due) reading = read()
    if (reading !== null)
      await within(timeout, reading, () => new Error('The status is late.')).catch(() => {})
    return last
  }
}
