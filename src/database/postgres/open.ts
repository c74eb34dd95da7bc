/** Opens a PostgreSQL database: one connection that writes, and pools of connections that can only read. */
import type { Database, ReadDatabase } from '../database.ts'
import type { RebuildProgress } from '../rebuild/rebuild-progress.ts'
import { BuiltElsewiseError } from '../refusals.ts'
import { connect, withClient } from './connection.ts'
import { derivationOf } from './layout/ddl.ts'
import type { MigrateOptions } from '../migrate-options.ts'
import { assertOurs, isCurrent, migrate, readState } from './layout/migrate.ts'
import { readProgress } from './layout/rebuild-state.ts'
import { PostgresReader } from './read/reader.ts'
import { defaultQueryOptions, type QueryOptions, Servers } from './read/servers.ts'
import { PostgresWriter } from './write/writer.ts'

export interface PostgresOptions extends MigrateOptions {
  readonly reading?: QueryOptions
}

export async function openPostgres(url: string, options: PostgresOptions): Promise<Database> {
  await withClient(url, 'write', (client) => migrate(client, options))
  const derivation = derivationOf(options.fingerprint)
  const write = new PostgresWriter((use) => connect(url, use), { ...options, derivation })
  const read = createReader(url, options)
  return {
    read,
    write,
    async [Symbol.asyncDispose]() {
      await read[Symbol.asyncDispose]()
      await write[Symbol.asyncDispose]()
    },
  }
}

/** Only reads: leaves a database that was built from other lexicons unchanged and throws. */
export async function openPostgresReader(
  url: string,
  options: Pick<PostgresOptions, 'fingerprint' | 'now' | 'reading'>,
): Promise<ReadDatabase> {
  await withClient(url, 'read', async (client) => {
    const state = await readState(client)
    await assertOurs(client, state)
    if (state === null) throw new Error('it is empty. `lexigraph import FILE…` fills it.')
    if (!isCurrent(state, options.fingerprint)) throw new BuiltElsewiseError()
  })
  return createReader(url, options)
}

/** Whether an existing database must be migrated or rebuilt first. */
export function isPostgresOutdated(url: string, fingerprint: string): Promise<boolean> {
  return withClient(url, 'write', async (client) => {
    const state = await readState(client)
    await assertOurs(client, state)
    return state !== null && !isCurrent(state, fingerprint)
  })
}

/** Null when no rebuild is running. */
export function readPostgresProgress(url: string): Promise<RebuildProgress | null> {
  return withClient(url, 'read', readProgress)
}

function createReader(
  url: string,
  {
    fingerprint,
    now,
    reading = defaultQueryOptions,
  }: Pick<PostgresOptions, 'fingerprint' | 'now' | 'reading'>,
): PostgresReader {
  return new PostgresReader(new Servers({ ...reading, database: url }), { fingerprint, now })
}
