/** The progress of a rebuild in the file, also for processes that only read. */
import type { DatabaseSync } from 'node:sqlite'
import type { RebuildProgress } from '../../rebuild/rebuild-report.ts'
import { connect } from '../connection.ts'

/** Microseconds without a step after which a rebuild counts as abandoned. */
const silence = 30_000_000n

/**
 * `rebuild`: the derivation being built, and the time of the last step. `rebuild_part`: the progress of each
 * collection, and the order of its new ids like in `collection`. `rebuild_change`: records that changed in the old
 * tables, in order. `rebuild_refusal`: records that no longer fit the lexicons.
 */
export const rebuildTables = `
  create table rebuild (id integer primary key check (id = 1), derivation text not null, heard_at integer not null);
  create table rebuild_part (
    nsid text primary key, former text, total integer not null, done integer not null, stage integer not null,
    at integer not null, complete integer not null default 0, ordered integer not null,
    last_id integer, last_indexed_at integer, last_rkey text, last_did text
  ) without rowid;
  create table rebuild_change (
    n integer primary key, former text not null, base integer not null, rkey text not null, unique (former, base, rkey)
  );
  create table rebuild_refusal (
    nsid text not null, base integer not null, rkey text not null, primary key (nsid, base, rkey)
  ) without rowid;`
export const dropRebuildTables = ['rebuild', 'rebuild_part', 'rebuild_change', 'rebuild_refusal']
  .map((name) => `drop table ${name};`)
  .join('\n')

export interface RebuildPart {
  readonly nsid: string
  /** The table with the records; null for a new collection. */
  readonly former: string | null
  readonly total: number
  readonly done: number
  readonly stage: number
  /** The progress of the stage, as an id. */
  readonly at: number
  /** 1: only the stage that needs all collections is left. */
  readonly complete: number
}

/** Null when no rebuild is under way. */
export function readProgress(database: DatabaseSync): RebuildProgress | null {
  if (findRebuild(database) === null) return null
  return {
    collections: readParts(database).map(({ nsid, done, total, complete }) => ({
      collection: nsid,
      done,
      total,
      isComplete: complete === 1,
    })),
  }
}

export function readFileProgress(path: string): RebuildProgress | null {
  using database = connect(path, true)
  return readProgress(database)
}

interface Rebuild {
  readonly derivation: string
  readonly heardAt: bigint
}

export function findRebuild(database: DatabaseSync): Rebuild | null {
  const table = `select 1 from sqlite_master where type = 'table' and name = 'rebuild'`
  if (database.prepare(table).get() === undefined) return null
  const row = database.prepare('select derivation, heard_at from rebuild', { readBigInts: true }).get()
  return row === undefined ? null : { derivation: String(row.derivation), heardAt: row.heard_at as bigint }
}

export function isAtWork({ heardAt }: Rebuild, now: bigint): boolean {
  const since = now - heardAt
  return since < silence && since > -silence
}

export function readParts(database: DatabaseSync): readonly RebuildPart[] {
  const read = 'select nsid, former, total, done, stage, at, complete from rebuild_part order by nsid'
  return database.prepare(read).all() as unknown as readonly RebuildPart[]
}
