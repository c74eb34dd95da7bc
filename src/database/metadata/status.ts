/** Reads the status of the index, in SQL for every engine. */
import { identifier } from '../../sql/sql.ts'
import {
  type BatchOutcome,
  type IndexStatus,
  longestSilence,
  type RejectionReason,
  type SourceState,
  type SourceStatus,
  unnamedSource,
} from '../database.ts'
import { isHiding } from './accounts.ts'
import { readUnfinishedPurges } from './purges.ts'
import { ask, type StepRow, type Steps } from './steps.ts'

/** The numbers agree if all steps see one snapshot. `collectionOf`: the engine's SQL for a URI's collection. */
export function* readStatus(now: bigint, collectionOf: (uri: string) => string): Steps<IndexStatus> {
  const kept = yield* ask(
    `select ${collectionOf('uri')} as collection, reason, count(*) as n from rejection group by 1, 2 order by 1, 2`,
  )
  return {
    keptRejections: sumBy(kept, 'reason'),
    collections: yield* readCollections(new Map(Object.entries(sumBy(kept, 'collection')))),
    sources: yield* readSources(now),
    rejections: yield* readReasons(),
    repositories: yield* readRepositories(),
    unfinishedPurges: (yield* readUnfinishedPurges()).length,
  }
}

function sumBy(rows: readonly StepRow[], name: 'reason' | 'collection'): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const row of rows) sums[String(row[name])] = (sums[String(row[name])] ?? 0) + Number(row.n)
  return sums
}

function* readCollections(refused: ReadonlyMap<string, number>): Steps<IndexStatus['collections']> {
  // Checking each row's account takes twenty times as long as counting.
  const visible = (yield* isHiding()) ? 'where base not in (select base from hidden)' : ''
  const collections: IndexStatus['collections'][number][] = []
  for (const row of yield* ask('select nsid, table_name, ordered, served from collection order by nsid')) {
    const name = String(row.nsid)
    const rows = `from ${identifier(String(row.table_name)).sql} ${visible}`
    // As separate sub-queries, each is answered from an index.
    const [figures] = yield* ask(
      `select (select count(*) ${rows}) as n,
         (select indexed_at ${rows} order by ${row.ordered === 1n ? 'id' : 'indexed_at'} desc limit 1) as newest`,
    )
    collections.push({
      name,
      records: Number(figures?.n),
      newestIndexedAt: (figures?.newest ?? null) as bigint | null,
      outcomes: yield* readOutcomes(name),
      rejections: refused.get(name) ?? 0,
      served: row.served === 1n,
    })
  }
  return collections
}

function* readOutcomes(collection: string): Steps<IndexStatus['collections'][number]['outcomes']> {
  const counts = yield* ask(
    `select case when outcome like 'refused %' then 'rejected' else outcome end as result,
       cast(sum(records) as bigint) as n
     from outcome where collection = ? group by 1`,
    collection,
  )
  return Object.fromEntries(counts.map(({ result, n }) => [result, Number(n)])) as Partial<
    Record<keyof BatchOutcome, number>
  >
}

function* readSources(now: bigint): Steps<SourceStatus[]> {
  const rows = yield* ask(
    'select name, public_name, cursor, state, detail, event_at, lag, rate, heard_at from source order by name',
  )
  return rows.map((row) => {
    const eventAt = row.event_at as bigint | null
    const silent = row.state !== 'finished' && (row.heard_at as bigint) < now - longestSilence
    const state = silent ? 'stopped' : (row.state as SourceState)
    const age = eventAt === null ? null : Math.max(0, Number(now - eventAt) / 1e6)
    return {
      name: String(row.name),
      publicName: (row.public_name as string | null) ?? unnamedSource,
      state,
      detail: row.detail as string | null,
      cursor: row.cursor as string | null,
      lastEventAt: eventAt,
      lagSeconds: state === 'live' && row.lag !== null ? Number(row.lag) : age,
      eventsPerSecond: silent ? 0 : Number(row.rate),
    }
  })
}

function* readReasons(): Steps<IndexStatus['rejections']> {
  const rows = yield* ask(
    `select substr(outcome, 9) as reason, cast(sum(records) as bigint) as n from outcome
     where outcome like 'refused %' group by 1 order by 1`,
  )
  return Object.fromEntries(rows.map(({ reason, n }) => [reason, Number(n)])) as Partial<
    Record<RejectionReason, number>
  >
}

function* readRepositories(): Steps<IndexStatus['repositories']> {
  const [row] = yield* ask('select count(*) as n, count(due_at) as waiting from job')
  const waiting = Number(row?.waiting)
  return { waiting, failed: Number(row?.n) - waiting }
}
