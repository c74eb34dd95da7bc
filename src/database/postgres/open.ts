/** Opens a PostgreSQL database: one connection that writes, and pools of connections that can only read. */
import type { Database, ReadDatabase } from '../database.ts'
import { addUsage } from '../metadata/keys.ts'
import type { KeyUsage } from '../metadata/metadata-store.ts'
import { previewRebuild, type PreviewOptions } from '../rebuild/preview.ts'
import type { RebuildProgress, RebuildReport } from '../rebuild/rebuild-report.ts'
import { connect, withClient } from './connection.ts'
import { derivationOf } from './layout/ddl.ts'
import type { MigrateOptions } from '../migrate-options.ts'
import { assertCurrent, isCurrent, migrate, readOurState, recordText } from './layout/migrate.ts'
import { readRebuild } from './layout/rebuild-state.ts'
import { PostgresReader } from './read/reader.ts'
import { defaultQueryOptions, type QueryOptions, Servers } from './read/servers.ts'
import { isOnCluster, layoutOf, setUpNodes } from './layout/spread-ddl.ts'
import { runSteps } from './prepared.ts'
import { within } from './write/transactions.ts'
import { PostgresWriter } from './write/writer.ts'

type ReadingOptions = Pick<MigrateOptions, 'fingerprint' | 'now'> & { readonly reading?: QueryOptions }

export async function openPostgres(url: string, options: MigrateOptions & ReadingOptions): Promise<Database> {
  const layout = await withClient(url, 'write', async (client) => {
    const found = await layoutOf(client, options)
    await migrate(client, found)
    if (found.tables.some(({ isSpread }) => isSpread)) await setUpNodes(client)
    return found
  })
  const derivation = derivationOf(options.fingerprint)
  const write = new PostgresWriter((use) => connect(url, use), { ...layout, derivation })
  const isSpread = layout.tables.some((table) => table.isSpread)
  const read = createReader(url, options, isSpread)
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
export async function openPostgresReader(url: string, options: ReadingOptions): Promise<ReadDatabase> {
  const isSpread = await withClient(url, 'read', async (client) => {
    await assertCurrent(client, options.fingerprint, 'it is empty. `lexigraph import FILE…` fills it.')
    return isOnCluster(client)
  })
  return createReader(url, options, isSpread)
}

/** Whether an existing database must be migrated or rebuilt first. */
export function isPostgresOutdated(url: string, fingerprint: string): Promise<boolean> {
  return withClient(url, 'write', async (client) => {
    const state = await readOurState(client)
    return state !== null && !isCurrent(state, fingerprint)
  })
}

/** Null when no rebuild is running. */
export function readPostgresProgress(url: string): Promise<RebuildProgress | null> {
  return withClient(url, 'read', async (client) => (await readRebuild(client))?.progress ?? null)
}

/** All rows are read in one transaction, by a reader that may pause for long. */
const beginPreview = `begin isolation level repeatable read read only;
  set local idle_in_transaction_session_timeout = 0`

/** Previews a rebuild for other lexicons. */
export function previewPostgres(url: string, options: PreviewOptions): Promise<RebuildReport> {
  return withClient(url, 'read', async (client) => {
    if ((await readOurState(client)) === null) throw new Error('it is empty.')
    await client.query(beginPreview)
    return runSteps(client, previewRebuild(options, recordText))
  })
}

/** Adds the usage of callers to the primary, over a connection that is opened for this alone. */
export function addUsageToPrimary(url: string, usage: readonly KeyUsage[], today: number): Promise<void> {
  return withClient(url, 'write', (client) =>
    within(client, 'begin', () => runSteps(client, addUsage(usage, today))),
  )
}

function createReader(url: string, options: ReadingOptions, isSpread: boolean): PostgresReader {
  const { fingerprint, now, reading = defaultQueryOptions } = options
  if (isSpread && reading.readDatabases.length > 0)
    throw new Error('--read-database names replicas, and a cluster is not read from replicas: leave it out.')
  return new PostgresReader(new Servers({ ...reading, database: url }), { fingerprint, now, isSpread })
}
