/** Reads the status of the index, in SQL for every engine. */
import { quote } from '../../sql/sql.ts'
import type { IndexStatus, SourceState, SourceStatus } from '../database.ts'
import { longestSilence, unnamedSource } from '../database.ts'
import { isHiding } from './accounts.ts'
import { readCollections } from './collections.ts'
import { countJobs } from './jobs.ts'
import { readUnfinishedPurges } from './purges.ts'
import { ask, type StepRow, type Steps } from './steps.ts'

/** The numbers agree if all steps see one snapshot. `collectionOf`: the engine's SQL for a URI's collection. */
export function* readStatus(now: bigint, collectionOf: (uri: string) => string): Steps<IndexStatus> {
  const kept = yield* ask(
    `select ${collectionOf('uri')} as collection, reason, count(*) as n from rejection group by 1, 2 order by 1, 2`,
  )
  const outcomes = yield* ask(
    `select collection, case when outcome like 'refused %' then 'rejected' else outcome end as result,
       case when outcome like 'refused %' then substr(outcome, 9) end as reason, cast(sum(records) as bigint) as n
     from outcome group by 1, 2, 3 order by 2, 3`,
  )
  return {
    keptRejections: sumBy(kept, 'reason'),
    collections: yield* collectionsStatus(new Map(Object.entries(sumBy(kept, 'collection'))), outcomes),
    sources: yield* readSources(now),
    rejections: sumBy(outcomes, 'reason'),
    repositories: yield* countJobs(),
    unfinishedPurges: (yield* readUnfinishedPurges()).length,
  }
}

/** Sums `n` by the values of a column that are not null. */
function sumBy(rows: readonly StepRow[], name: 'reason' | 'collection' | 'result'): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { [name]: key, n } of rows)
    if (key !== null) sums[String(key)] = (sums[String(key)] ?? 0) + Number(n)
  return sums
}

function* collectionsStatus(
  refused: ReadonlyMap<string, number>,
  outcomes: readonly StepRow[],
): Steps<IndexStatus['collections']> {
  // Checking each row's account takes twenty times as long as counting.
  const visible = (yield* isHiding()) ? 'where base not in (select base from hidden)' : ''
  const collections: IndexStatus['collections'][number][] = []
  for (const { name, table, ordered, served } of yield* readCollections()) {
    const rows = `from ${quote(table)} ${visible}`
    // As separate sub-queries, each is answered from an index.
    const [found] = yield* ask(
      `select (select count(*) ${rows}) as n,
         (select indexed_at ${rows} order by ${ordered === 1n ? 'id' : 'indexed_at'} desc limit 1) as newest`,
    )
    collections.push({
      name,
      records: Number(found?.n),
      newestIndexedAt: (found?.newest ?? null) as bigint | null,
      outcomes: sumBy(
        outcomes.filter(({ collection }) => collection === name),
        'result',
      ),
      rejections: refused.get(name) ?? 0,
      served: served === 1n,
    })
  }
  return collections
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
