/** Stores the progress of a rebuild in the database, so that read-only processes see it too. */
import type { ClientBase } from 'pg'
import type { RebuildProgress } from '../../rebuild/rebuild-report.ts'
import { codeOf } from '../failures.ts'
import { metadataSchema, recordsSchema } from './ddl.ts'

/** Schemas of the new tables, of former tables that queries still read, and of the tables of this file. */
export const nextSchema = `${recordsSchema}_next`
export const oldSchema = `${recordsSchema}_old`
export const rebuildSchema = `${metadataSchema}_rebuild`
export const changeTable = `${rebuildSchema}.change`

const text = 'text collate "C"'

/**
 * `target`: the derivation being built. `part`: progress of each collection. `change`: records that have changed in the
 * old tables, in order; writers add them. `refusal`: records that no longer fit.
 */
export const rebuildTables = `
  create schema ${rebuildSchema};
  create table ${rebuildSchema}.target (derivation ${text} not null);
  create table ${rebuildSchema}.part (
    nsid ${text} primary key, former ${text}, total bigint not null, done bigint not null default 0,
    last_id bigint not null default 0, copied smallint not null default 0, complete smallint not null default 0
  );
  create table ${changeTable} (
    n bigint generated always as identity primary key, former ${text} not null, base bigint not null,
    rkey ${text} not null, unique (former, base, rkey)
  );
  create table ${rebuildSchema}.refusal (
    nsid ${text} not null, base bigint not null, rkey ${text} not null, primary key (nsid, base, rkey)
  );`

export interface RebuildPart {
  readonly nsid: string
  /** The table that contains the records; null for a new collection. */
  readonly former: string | null
  readonly total: bigint
  readonly done: bigint
  readonly last_id: bigint
  readonly copied: bigint
  readonly complete: bigint
}

/** The derivation being built; null if there is none. */
export async function readTarget(client: ClientBase): Promise<string | null> {
  const { rows: found } = await client.query(
    `select where to_regclass('${rebuildSchema}.target') is not null`,
  )
  if (found.length === 0) return null
  const { rows } = await client.query<{ derivation: string }>(
    `select derivation from ${rebuildSchema}.target`,
  )
  return rows[0]?.derivation ?? null
}

export async function readParts(client: ClientBase): Promise<readonly RebuildPart[]> {
  const { rows } = await client.query<RebuildPart>(`select * from ${rebuildSchema}.part order by nsid`)
  return rows
}

/** The derivation that is being built, and the progress; null when no rebuild is running. */
export async function readRebuild(
  client: ClientBase,
): Promise<{ readonly target: string; readonly progress: RebuildProgress } | null> {
  try {
    const target = await readTarget(client)
    if (target === null) return null
    const { rows } = await client.query<{ derivation: string }>(
      `select derivation from ${metadataSchema}.state`,
    )
    // A finished rebuild leaves its state behind until no query reads the old tables.
    if (target === rows[0]?.derivation) return null
    const collections = (await readParts(client)).map(({ nsid, done, total, complete }) => ({
      collection: nsid,
      done: Number(done),
      total: Number(total),
      isComplete: complete === 1n,
    }))
    return { target, progress: { collections } }
  } catch (error) {
    // The rebuild ended between two statements, and its tables were dropped.
    if (codeOf(error) === '42P01') return null
    throw error
  }
}
