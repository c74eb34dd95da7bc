/**
 * Brings a database to this program's schema and to the lexicons in force, in one transaction: an empty one is laid
 * out, an older one is migrated, and tables derived from other lexicons are rebuilt from the records they keep.
 * Those are filled in a schema of their own beside the old one, so that readers go on until the two change names.
 */
import type { Client } from 'pg'
import type { Change, ColumnValue, RecordCheck } from '../database.ts'
import { keptRecord } from '../kept-record.ts'
import type { Table } from '../tables.ts'
import { Applier } from './applier.ts'
import {
  commonTables,
  createIndexes,
  createTables,
  derivationOf,
  keptSchema,
  quote,
  recordsSchema,
  schemaVersion,
} from './ddl.ts'
import { codeOf } from './failures.ts'
import { createFunctions } from './functions.ts'
import { tidy } from './load.ts'
import { lockSpace } from './transactions.ts'
import { refill, type WriterOptions } from './writer.ts'

export interface MigrateOptions extends WriterOptions {
  /** Of the lexicons: another one means that derived columns are stale. */
  readonly fingerprint: string
}

/** What a database says of itself. */
interface State {
  readonly schemaVersion: number
  readonly derivation: string
}

/** Statements that lead from schema version 1 + index to the next. */
const migrations: readonly string[] = []

/** Of the locks in `lockSpace`: whoever writes has the first, whoever migrates both. */
const locks = `select pg_advisory_xact_lock(${lockSpace}, 2); select pg_advisory_xact_lock(${lockSpace}, 1)`

/** Where new tables are filled, and where the former ones wait until nobody reads them any more. */
const nextSchema = `${recordsSchema}_next`
const oldSchema = `${recordsSchema}_old`

/** Less than the server's own `deadlock_timeout`: this is what gives way, never a reader. */
const briefly = '500ms'

/** Fails, changing nothing, on a database that is not ours. */
export async function migrate(client: Client, options: MigrateOptions): Promise<void> {
  if (!(await isCurrent(client, options.fingerprint))) {
    await assertOurs(client)
    await transact(client, async () => {
      await client.query(locks)
      // Another process may have been first while this one waited.
      await assertOurs(client)
      const state = await readState(client)
      if (state === null) await create(client, options)
      else if (!fits(state, options.fingerprint)) await upgrade(client, state, options)
    })
    await tidy(new Applier(options), client)
  }
  await dropOld(client)
}

/** True when the database has this program's schema and derivation, so that nothing need be done. */
export async function isCurrent(client: Client, fingerprint: string): Promise<boolean> {
  const state = await readState(client)
  return state !== null && fits(state, fingerprint)
}

/** Whether nothing is there yet. */
export async function isEmpty(client: Client): Promise<boolean> {
  return (await readState(client)) === null
}

/** Throws on a database of another program or of a newer version of this one; an empty one is anybody's. */
export async function assertOurs(client: Client): Promise<void> {
  const state = await readState(client)
  if (state === null) {
    if (await hasTables(client))
      throw new Error(
        `The database ${quote(client.database ?? '')} has tables of another program. Name an empty database with --database.`,
      )
  } else if (state.schemaVersion > schemaVersion)
    throw new Error(
      `The database has schema version ${state.schemaVersion}; this program knows versions up to ${schemaVersion}. Use a newer lexigraph.`,
    )
}

function fits(state: State, fingerprint: string): boolean {
  return state.schemaVersion === schemaVersion && state.derivation === derivationOf(fingerprint)
}

/** Null when the database was not laid out by this program. */
async function readState(client: Client): Promise<State | null> {
  const { rows: columns } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('${keptSchema}.state')
       and attname in ('schema_version', 'plan_version', 'derivation')`,
  )
  if (columns.length < 3) return null
  const { rows } = await client.query<{ schema_version: bigint; derivation: string }>(
    `select schema_version, derivation from ${keptSchema}.state`,
  )
  const [state] = rows
  return state === undefined
    ? null
    : { schemaVersion: Number(state.schema_version), derivation: state.derivation }
}

/** Whatever somebody made; what an extension has brought is nobody's. */
async function hasTables(client: Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
     where relkind in ('r', 'p', 'v', 'm', 'f') and nspname !~ '^pg_' and nspname <> 'information_schema'
       and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
     limit 1`,
  )
  return rows.length > 0
}

async function create(client: Client, { tables, fingerprint }: MigrateOptions): Promise<void> {
  // An administrator may have made the schemas, where the role has no right to.
  await client.query(
    `create schema if not exists ${keptSchema}; create schema if not exists ${recordsSchema}`,
  )
  await createTrigrams(client)
  await client.query(createFunctions() + commonTables)
  await client.query(
    'insert into state (id, schema_version, plan_version, derivation) values (1, $1, 1, $2)',
    [schemaVersion, derivationOf(fingerprint)],
  )
  for (const table of tables) {
    await layOut(client, table, recordsSchema)
    await client.query(createIndexes(table))
  }
}

/** The one extension, which every distribution has but not all install by themselves. */
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
    await client.query(`create extension pg_trgm schema ${keptSchema}`)
  } catch (cause) {
    if (codeOf(cause) !== '42501') throw cause
    throw new Error(
      `The user "${client.user ?? ''}" may not create the extension pg_trgm: have an administrator run \`create extension pg_trgm\` in the database "${client.database ?? ''}".`,
      { cause },
    )
  }
}

async function layOut(client: Client, table: Table, schema: string): Promise<void> {
  await client.query(createTables(table, schema))
  await client.query('insert into collection (nsid, table_name, ordered) values ($1, $2, 0)', [
    table.collection.nsid,
    table.name,
  ])
}

async function upgrade(client: Client, state: State, options: MigrateOptions): Promise<void> {
  for (const statements of migrations.slice(state.schemaVersion - 1)) await client.query(statements)
  await rebuild(client, options)
  await client.query(
    'update state set schema_version = $1, plan_version = plan_version + 1, derivation = $2',
    [schemaVersion, derivationOf(options.fingerprint)],
  )
}

/** A former table of a collection that is served. */
interface Former {
  readonly table: Table
  readonly name: string
}

async function rebuild(client: Client, options: MigrateOptions): Promise<void> {
  await client.query(`drop schema if exists ${oldSchema} cascade; create schema ${nextSchema}`)
  // Whatever is written from here on goes to the new tables.
  await client.query(
    `select set_config('search_path', replace(current_setting('search_path'), '${recordsSchema}', '${nextSchema}'), true)`,
  )
  await client.query(createFunctions())
  const former = await takeOver(client, options.tables)
  for (const { name } of former) await parkHidden(client, name)
  // Ids are given anew; a collection that is new here may be missing from what was fetched before; and what
  // waits of an account that came back could not return while its collection was not served.
  await client.query(`
    delete from text_count;
    delete from hidden;
    update parked set id = null;
    update actor set floor = null;
    update actor set move = 'return'
      where status is null and did in (select did from base where id in (select base from parked));
  `)
  await refill(client, options, keptRecords(client, former, options.check))
  await keepUnserved(client, options.tables)
  await client.query(
    `alter schema ${recordsSchema} rename to ${oldSchema}; alter schema ${nextSchema} rename to ${recordsSchema}`,
  )
}

async function takeOver(client: Client, tables: readonly Table[]): Promise<readonly Former[]> {
  const { rows } = await client.query<{ nsid: string; table_name: string }>(
    'delete from collection where nsid = any($1) returning nsid, table_name',
    [tables.map(({ collection }) => collection.nsid)],
  )
  for (const table of tables) await layOut(client, table, nextSchema)
  return tables.flatMap((table) => {
    const name = rows.find(({ nsid }) => nsid === table.collection.nsid)?.table_name
    return name === undefined ? [] : [{ table, name }]
  })
}

const basesOf = (which: string): string => `select base.id from base join actor using (did) where ${which}`

/** Of accounts that are hidden nothing comes into the new tables. */
async function parkHidden(client: Client, name: string): Promise<void> {
  await client.query(
    `insert into parked (base, rkey, cid, rev, indexed_at, changed_at, record)
     select base, rkey, cid, rev, indexed_at, changed_at, record from ${recordsSchema}.${quote(name)}
     where base in (${basesOf("status <> 'deleted'")})`,
  )
}

/** Some at a time, however many there are. */
async function* keptRecords(
  client: Client,
  former: readonly Former[],
  check: RecordCheck,
): AsyncGenerator<readonly Change[]> {
  for (const { table, name } of former) {
    await client.query(
      `declare kept no scroll cursor for
       select rkey, did, cid, rev, indexed_at, changed_at, record::text as json from ${recordsSchema}.${quote(name)}
       where base not in (${basesOf('status is not null')}) order by id`,
    )
    for (;;) {
      const { rows } = await client.query<Record<string, ColumnValue>>('fetch 1000 from kept')
      if (rows.length === 0) break
      yield rows.map((row) => keptRecord(table, row, check))
    }
    await client.query('close kept')
  }
}

/**
 * Collections that are no longer served keep their table, so that nothing is lost when they come back. Servers of the
 * former lexicons may still read them: this waits between their statements, without holding up those that follow.
 */
async function keepUnserved(client: Client, tables: readonly Table[]): Promise<void> {
  const { rows } = await client.query<{ table_name: string }>(
    'select table_name from collection where nsid <> all($1)',
    [tables.map(({ collection }) => collection.nsid)],
  )
  if (rows.length === 0) return
  const moves = rows.map(
    ({ table_name }) => `alter table ${recordsSchema}.${quote(table_name)} set schema ${nextSchema}`,
  )
  await patiently(60, async (isLast) => {
    await client.query(`savepoint move; set local lock_timeout = '${isLast ? 0 : briefly}'`)
    try {
      await client.query(moves.join(';'))
    } catch (error) {
      await client.query('rollback to move')
      throw error
    }
  })
}

/** Once nobody reads it any more; else whoever starts next does it. */
async function dropOld(client: Client): Promise<void> {
  const { rows } = await client.query(`select where to_regnamespace('${oldSchema}') is not null`)
  if (rows.length === 0) return
  try {
    await patiently(3, () =>
      transact(client, () =>
        client.query(
          `set local lock_timeout = '${briefly}'; select pg_advisory_xact_lock(${lockSpace}, 2);
           drop schema if exists ${oldSchema} cascade`,
        ),
      ),
    )
  } catch (error) {
    if (codeOf(error) !== lockTimeout) throw error
  }
}

const lockTimeout = '55P03'

/** Does what takes locks that readers have, with pauses in which those who came after it go on. */
async function patiently(attempts: number, work: (isLast: boolean) => Promise<unknown>): Promise<void> {
  for (let left = attempts - 1; ; left -= 1) {
    try {
      await work(left === 0)
      return
    } catch (error) {
      if (codeOf(error) !== lockTimeout || left === 0) throw error
    }
  }
}

async function transact(client: Client, work: () => Promise<unknown>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    // When the connection is what failed, nothing is left to be undone.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
