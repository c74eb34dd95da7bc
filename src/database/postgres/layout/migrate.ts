/** Lays out an empty database, and rebuilds tables of another derivation from the records in them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { assertNoCopy } from '../../copy/mark.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { assertMayRebuild } from '../../rebuild/preview.ts'
import { BuiltElsewiseError, otherSchema, RebuildConflictError } from '../../refusals.ts'
import { fillCounts } from './count-ddl.ts'
import {
  commonTables,
  derivationOf,
  indexStatements,
  metadataSchema,
  quote,
  recordsSchema,
  schemaVersion,
} from './ddl.ts'
import { codeOf } from '../failures.ts'
import { createFunctions } from './functions.ts'
import { tidy } from '../load/load.ts'
import { dropOld } from './generations.ts'
import { createEmpty, enterCollection, rebuild } from './rebuild.ts'
import { readRebuild } from './rebuild-state.ts'
import { runSteps } from '../prepared.ts'
import { spreadCommonTables } from './spread-ddl.ts'
import { fillSums } from './sum-ddl.ts'
import { lockSpace, locks, within } from '../write/transactions.ts'

/** Versions that a database stores about itself. */
export interface State {
  readonly schemaVersion: number
  readonly derivation: string
}

/** Throws, without changing anything, if the database belongs to another program. */
export async function migrate(client: Client, options: MigrateOptions): Promise<void> {
  const found = await readState(client)
  if (!isCurrent(found, options.fingerprint)) {
    await assertOurs(client, found)
    const report = await byTurns(client, options, async () => {
      const isStale = await within(client, 'begin', () => layOutOrCheck(client, options))
      return isStale ? rebuild(client, options) : null
    })
    if (report !== null) options.onRebuilt?.(report)
    if (found?.derivation !== derivationOf(options.fingerprint)) await tidy(options.tables, client)
  }
  await dropOld(client)
}

/** Milliseconds between two attempts to take the lock for migrating. */
const turnInterval = 200

/** One process migrates at a time. Others wait, or fail if it rebuilds for lexicons that differ from theirs. */
async function byTurns<Result>(
  client: Client,
  options: MigrateOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  while (!(await takeTurn(client))) {
    const other = await readRebuild(client)
    if (other !== null) {
      if (other.target !== derivationOf(options.fingerprint)) throw new RebuildConflictError()
      options.onProgress?.(other.progress)
    }
    await pause(turnInterval)
  }
  try {
    return await work()
  } finally {
    // The end of the connection would release the lock too.
    await client.query(`select pg_advisory_unlock(${lockSpace}, ${locks.migrating})`).catch(() => undefined)
  }
}

async function takeTurn(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock(${lockSpace}, ${locks.migrating}) as taken`,
  )
  return rows[0]?.taken === true
}

/** Whether the tables have another derivation and must be rebuilt. */
async function layOutOrCheck(client: Client, options: MigrateOptions): Promise<boolean> {
  await client.query(`select pg_advisory_xact_lock(${lockSpace}, ${locks.writing})`)
  // Another process may have done the work while this one waited.
  const state = await readOurState(client)
  if (state === null) await create(client, options)
  else if (!isCurrent(state, options.fingerprint)) {
    if (!(await mayCreateSchemas(client))) throw new BuiltElsewiseError(client.user)
    await runSteps(client, assertMayRebuild(options, derivationOf(options.fingerprint), recordText))
    return true
  }
  return false
}

async function mayCreateSchemas(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_database_privilege(current_database(), 'create') as may`,
  )
  return rows[0]?.may === true
}

/** Whether the database has this program's schema and derivation. */
export function isCurrent(state: State | null, fingerprint: string): boolean {
  return state?.schemaVersion === schemaVersion && state.derivation === derivationOf(fingerprint)
}

/** Throws if the database was built from other lexicons, or is empty, with a message about that. */
export async function assertCurrent(client: Client, fingerprint: string, empty: string): Promise<void> {
  const state = await readOurState(client)
  if (state === null) throw new Error(empty)
  if (!isCurrent(state, fingerprint)) throw new BuiltElsewiseError()
}

/** Null for an empty database; throws like `assertOurs`. */
export async function readOurState(client: Client): Promise<State | null> {
  const state = await readState(client)
  await assertOurs(client, state)
  return state
}

/** Throws if the database is another program's, of another schema version, or an unfinished copy; accepts an empty one. */
async function assertOurs(client: Client, state: State | null): Promise<void> {
  await assertOurLayout(client, state)
  if (state !== null) assertNoCopy(state.derivation)
}

/** Like `assertOurs`, but accepts an unfinished copy. */
export async function assertOurLayout(client: Client, state: State | null): Promise<void> {
  if (state === null) {
    if (await hasTables(client))
      throw new Error(
        `The database ${quote(client.database ?? '')} has tables of another program. Name an empty database with --database.`,
      )
  } else if (state.schemaVersion !== schemaVersion)
    throw otherSchema('database', state.schemaVersion, schemaVersion)
}

/** Null if this program did not lay out the database. */
export async function readState(client: Client): Promise<State | null> {
  const { rows: columns } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('${metadataSchema}.state')
       and attname in ('schema_version', 'plan_version', 'derivation')`,
  )
  if (columns.length < 3) return null
  const { rows } = await client.query<State>(
    `select schema_version as "schemaVersion", derivation from ${metadataSchema}.state`,
  )
  const [state = null] = rows
  return state && { ...state, schemaVersion: Number(state.schemaVersion) }
}

/** Ignores tables that belong to an extension. */
async function hasTables(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind in ('r', 'p', 'v', 'm', 'f') and nspname !~ '^pg_' and nspname <> 'information_schema'
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
     limit 1`,
  )
  return rows.length > 0
}

async function create(
  client: Client,
  { tables, fingerprint, small, onCreated }: MigrateOptions,
): Promise<void> {
  // An administrator may have created the first schema for the extension.
  await client.query(
    `create schema if not exists ${metadataSchema}; create schema if not exists ${recordsSchema}`,
  )
  await createTrigrams(client)
  const isSpread = tables.some((table) => table.isSpread)
  await client.query(createFunctions() + commonTables(isSpread))
  if (isSpread) await spreadCommonTables(client)
  await client.query(
    'insert into state (id, schema_version, plan_version, derivation) values (1, $1, 1, $2)',
    [schemaVersion, derivationOf(fingerprint)],
  )
  for (const table of tables) {
    await createEmpty(client, table, recordsSchema, small)
    await enterCollection(client, table)
    for (const statement of indexStatements(table)) await client.query(statement)
    await client.query(fillCounts(table))
  }
  await client.query(fillSums(tables))
  onCreated?.()
}

/** The only extension needed; every distribution has it, but some install it only on request. */
async function createTrigrams(client: Client): Promise<void> {
  const { rows } = await client.query<{ installed: boolean }>(
    `select installed_version is not null as installed from pg_available_extensions where name = 'pg_trgm'`,
  )
  const [extension] = rows
  if (extension?.installed === true) return
  if (extension === undefined)
    throw new Error(
      'The server lacks the extension pg_trgm, which belongs to PostgreSQL: install the package of its additional modules there, such as postgresql-contrib.',
    )
  try {
    await client.query(`create extension pg_trgm schema ${metadataSchema}`)
  } catch (cause) {
    if (codeOf(cause) !== '42501') throw cause
    throw new Error(
      `The user "${client.user ?? ''}" may not create the extension pg_trgm: have an administrator run \`create extension pg_trgm\` in the database "${client.database ?? ''}".`,
      { cause },
    )
  }
}

export const recordText = (column: string): string => `${column}::text`
