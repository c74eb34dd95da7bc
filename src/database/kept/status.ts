/** How far the index has come, in SQL that every engine understands. */
import { identifier } from '../../sql/sql.ts'
import {
  type BatchOutcome,
  type IndexStatus,
  longestSilence,
  type RejectionReason,
  type SourceState,
  type SourceStatus,
} from '../database.ts'
import { isHiding } from './accounts.ts'
import { ask, type Steps } from './steps.ts'

/** Its figures agree when all of it sees one snapshot. */
export function* readStatus(now: bigint): Steps<IndexStatus> {
  return {
    collections: yield* readCollections(),
    sources: yield* readSources(now),
    rejections: yield* readReasons(),
    repositories: yield* readRepositories(),
  }
}

function* readCollections(): Steps<IndexStatus['collections']> {
  // Looking at each row's account takes twenty times as long as counting.
  const visible = (yield* isHiding()) ? 'where base not in (select base from hidden)' : ''
  const collections: IndexStatus['collections'][number][] = []
  for (const row of yield* ask('select nsid, table_name, ordered from collection order by nsid')) {
    const name = String(row.nsid)
    const rows = `from ${identifier(String(row.table_name)).sql} ${visible}`
    // Each by itself is read from an index.
    const [figures] = yield* ask(
      `select (select count(*) ${rows}) as n,
         (select indexed_at ${rows} order by ${row.ordered === 1n ? 'id' : 'indexed_at'} desc limit 1) as newest`,
    )
    collections.push({
      name,
      records: Number(figures?.n),
      newestIndexedAt: (figures?.newest ?? null) as bigint | null,
      outcomes: yield* readOutcomes(name),
    })
  }
  return collections
}

function* readOutcomes(collection: string): Steps<IndexStatus['collections'][number]['outcomes']> {
  const counts = yield* ask(
    `select case when outcome like 'refused %' then 'rejected' else outcome end as fate,
       cast(sum(records) as bigint) as n
     from outcome where collection = ? group by 1`,
    collection,
  )
  return Object.fromEntries(counts.map(({ fate, n }) => [fate, Number(n)])) as Partial<
    Record<keyof BatchOutcome, number>
  >
}

function* readSources(now: bigint): Steps<SourceStatus[]> {
  const rows = yield* ask(
    'select name, cursor, state, detail, event_at, lag, rate, heard_at from source order by name',
  )
  return rows.map((row) => {
    const eventAt = row.event_at as bigint | null
    const silent = row.state !== 'finished' && (row.heard_at as bigint) < now - longestSilence
    const state = silent ? 'stopped' : (row.state as SourceState)
    const age = eventAt === null ? null : Math.max(0, Number(now - eventAt) / 1e6)
    return {
      name: String(row.name),
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
