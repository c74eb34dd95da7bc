/** How far the index has come, read on the connection that only reads. */
import type { DatabaseSync } from 'node:sqlite'
import {
  type BatchOutcome,
  type IndexStatus,
  longestSilence,
  type RejectionReason,
  type SourceState,
  type SourceStatus,
} from '../database.ts'
import { quote } from './ddl.ts'

/** In one transaction, so that its figures agree. */
export function readStatus(database: DatabaseSync, now: bigint): IndexStatus {
  database.exec('begin')
  try {
    return {
      collections: readCollections(database),
      sources: readSources(database, now),
      rejections: readReasons(database),
      repositories: readRepositories(database),
    }
  } finally {
    database.exec('commit')
  }
}

/** Whether rows of hidden accounts are still in the tables. */
export function isHiding(database: DatabaseSync): boolean {
  return database.prepare('select 1 from hidden limit 1').get() !== undefined
}

function readCollections(database: DatabaseSync): IndexStatus['collections'] {
  const outcomes = database.prepare(
    `select iif(outcome like 'refused %', 'rejected', outcome) as outcome, sum(records) as n
     from outcome where collection = ? group by 1`,
  )
  // Looking at each row's account takes twenty times as long as counting.
  const visible = isHiding(database) ? 'where base not in (select base from hidden)' : ''
  return database
    .prepare('select nsid, table_name, ordered from collection order by nsid')
    .all()
    .map(({ nsid, table_name, ordered }) => {
      const rows = `from ${quote(String(table_name))} ${visible}`
      // Each by itself is read from an index.
      const figures = database.prepare(
        `select (select count(*) ${rows}) as n,
           (select indexed_at ${rows} order by ${ordered === 1 ? 'id' : 'indexed_at'} desc limit 1) as newest`,
      )
      figures.setReadBigInts(true)
      const row = figures.get()
      const counts = outcomes.all(nsid ?? null).map(({ outcome, n }) => [outcome, Number(n)])
      return {
        name: String(nsid),
        records: Number(row?.n),
        newestIndexedAt: (row?.newest ?? null) as bigint | null,
        outcomes: Object.fromEntries(counts) as Partial<Record<keyof BatchOutcome, number>>,
      }
    })
}

function readSources(database: DatabaseSync, now: bigint): SourceStatus[] {
  const sources = database.prepare(
    'select name, cursor, state, detail, event_at, lag, rate, heard_at from source order by name',
  )
  sources.setReadBigInts(true)
  return sources.all().map((row) => {
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

function readReasons(database: DatabaseSync): IndexStatus['rejections'] {
  const rows = database
    .prepare(
      `select substr(outcome, 9) as reason, sum(records) as n from outcome
       where outcome like 'refused %' group by 1 order by 1`,
    )
    .all()
  return Object.fromEntries(rows.map(({ reason, n }) => [reason, Number(n)])) as Partial<
    Record<RejectionReason, number>
  >
}

function readRepositories(database: DatabaseSync): IndexStatus['repositories'] {
  const row = database.prepare('select count(*) as n, count(due_at) as waiting from job').get()
  const waiting = Number(row?.waiting)
  return { waiting, failed: Number(row?.n) - waiting }
}
