/** A database with nothing above it, for tests of the store itself. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import type { Client } from 'pg'
import type {
  BatchOutcome,
  Change,
  ColumnValue,
  Database,
  ReadDatabase,
  RebuildPolicy,
} from '../../../src/database/database.ts'
import { deriveRow } from '../../../src/database/derive.ts'
import { isPostgres, openDatabase } from '../../../src/database/open.ts'
import { connect } from '../../../src/database/postgres/connection.ts'
import type { MetadataStore } from '../../../src/database/metadata/sql-metadata-store.ts'
import { defaultQueryOptions } from '../../../src/database/postgres/read/servers.ts'
import type { RebuildProgress, RebuildReport } from '../../../src/database/rebuild/rebuild-report.ts'
import type { Table } from '../../../src/database/layout/tables.ts'
import { differingCounts } from '../../../src/database/verify/verify-counts.ts'
import { createRejectionJudge } from '../../../src/ingest/retry.ts'
import { createRecordReader } from '../../../src/lexicon/records/validate.ts'
import type { Json, References } from '../../reference/shapes.ts'
import type { StoredLine } from '../service/engine.ts'
import { citusUrl } from '../clusters/citus.ts'
import { type Engine, freshDatabase, postgresUrl, smallOf } from './postgres.ts'
import { makeFolder } from '../removed-folders.ts'
import { patience } from '../until.ts'
import { understand } from '../records/understand.ts'

export type Row = Record<string, ColumnValue>

export interface TestStore extends AsyncDisposable {
  /** A file, or a URL. */
  readonly path: string
  readonly engine: Engine
  readonly database: Database
  readonly metadata: MetadataStore
  readonly tables: readonly Table[]
  /** What a line becomes, a refusal too. */
  readonly change: (line: StoredLine) => Change
  /** One batch. */
  readonly apply: (...lines: readonly StoredLine[]) => Promise<BatchOutcome>
  /** Writes all and fails at the end, so that the transaction is rolled back. */
  readonly fail: (...lines: readonly StoredLine[]) => Promise<void>
  /** A whole import, in batches of two lines. */
  readonly load: (lines: readonly StoredLine[]) => Promise<BatchOutcome>
  /** What any statement yields that both engines understand, through a connection that only reads; integers as numbers. */
  readonly rows: (text: string, ...values: readonly ColumnValue[]) => Promise<readonly Row[]>
  /** The first column of these rows. */
  readonly column: (text: string, ...values: readonly ColumnValue[]) => Promise<readonly ColumnValue[]>
}

export interface StoreGiven {
  readonly path: string
  readonly lexicons: readonly Json[]
  readonly references?: References
  /** The content of `stories.json`. */
  readonly stories?: Json
  /** Default: `risingClock`. */
  readonly now?: () => bigint
  readonly rebuild?: RebuildPolicy
  readonly onRebuilt?: (report: RebuildReport) => void
  readonly onProgress?: (progress: RebuildProgress) => void
  readonly retention?: ReadonlyMap<string, bigint>
}

export async function openTestStore({
  path,
  lexicons,
  references,
  stories,
  now,
  rebuild = 'always',
  onRebuilt,
  onProgress,
  retention,
}: StoreGiven): Promise<TestStore> {
  const { set, tables } = understand(lexicons, references ?? {}, stories)
  const read = createRecordReader(set)
  const database = await openDatabase(path, {
    tables,
    small: smallOf(tables),
    fingerprint: set.fingerprint,
    check: (uri, json) => {
      const reading = read({ uri, value: JSON.parse(json) })
      return reading.ok ? null : { reason: reading.reason, message: reading.message }
    },
    now: now ?? risingClock(),
    rebuild,
    // A server that is held up is not too slow.
    reading: { ...defaultQueryOptions, statementTimeout: patience },
    judge: createRejectionJudge({ lexicons: set, tables }),
    ...(onRebuilt && { onRebuilt }),
    ...(onProgress && { onProgress }),
    ...(retention && { retention }),
  })
  const change = ({ indexedAt, ...line }: StoredLine): Change => {
    const reading = read(JSON.parse(JSON.stringify({ ...line, indexedAt })))
    const text = JSON.stringify(line)
    if (!reading.ok) return { kind: 'reject', source: 'test', ...reading, uri: line.uri, record: text }
    const { record } = reading
    const table = tables.find(({ collection }) => collection.nsid === record.collection) as Table
    return { kind: 'put', ...record, ...deriveRow(table, record.value) }
  }
  const engine = isPostgres(path) ? 'postgres' : 'sqlite'
  let client: Promise<Client> | null = null
  const readRows = async (text: string, values: readonly ColumnValue[]): Promise<readonly Row[]> => {
    if (engine === 'sqlite') return Array.fromAsync(database.read.readRows({ text, values }))
    client ??= connectToLook(path)
    let count = 0
    const { rows } = await (await client).query<Row>(
      text.replaceAll('?', () => `$${(count += 1)}`),
      [...values],
    )
    return rows
  }
  const rows: TestStore['rows'] = async (text, ...values) => (await readRows(text, values)).map(withNumbers)
  return {
    path,
    engine,
    database,
    metadata: database.write.metadata,
    tables,
    change,
    apply: (...lines) => database.write.applyBatch(lines.map(change)),
    fail: async (...lines) => {
      const mark = { source: 'test', cursor: null, eventAt: 2n ** 70n }
      await assert.rejects(database.write.applyBatch(lines.map(change), mark))
    },
    load: (lines) => database.write.load(inPairs(lines.map(change))),
    rows,
    column: async (text, ...values) =>
      (await rows(text, ...values)).map((row) => Object.values(row)[0] as ColumnValue),
    async [Symbol.asyncDispose]() {
      await (await client)?.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Named, so that a test can end all other connections. */
async function connectToLook(url: string): Promise<Client> {
  const client = await connect(url, 'read')
  await client.query(`set application_name = 'test'`)
  return client
}

/** Runs statements on a database past everything that would object or keep the rest in step. */
export async function tamperWith(url: string, statements: string): Promise<void> {
  if (!isPostgres(url)) {
    using database = new DatabaseSync(url, { timeout: patience })
    database.exec(statements)
    return
  }
  const client = await connect(url, 'write')
  try {
    await client.query(`set session_replication_role = replica; ${statements}`)
  } finally {
    await client.end()
  }
}

/** A folder of the test file's own, gone after its tests. */
export function temporaryFolder(): (name: string) => string {
  const folder = makeFolder('lexigraph-store-')
  after(() => rmSync(folder, { recursive: true }))
  return (name) => join(folder, name)
}

/** Each time the URL of an empty database, which may be opened more than once; all are gone after the file's tests. */
export function emptyDatabases(): (engine: Engine) => Promise<string> {
  const file = temporaryFolder()
  let made = 0
  return async (engine) => (engine === 'postgres' ? postgresUrl() : file(`${(made += 1)}.db`))
}

/**
 * Each time the URL of a copy, gone after the file's tests too, of the database that `fill` fills once for each `key`,
 * and that nobody has open then. A cluster copies no database: there each one is filled.
 */
export function databaseCopies(): (key: string, fill: () => Promise<string>) => Promise<string> {
  const file = temporaryFolder()
  const originals = new Map<string, Promise<string>>()
  let made = 0
  return async (key, fill) => {
    if (citusUrl !== undefined && key.startsWith('postgres')) return fill()
    const original = originals.get(key) ?? fill()
    originals.set(key, original)
    const url = await original
    if (url.startsWith('postgres:')) return (await freshDatabase({ url })).url
    const copy = file(`${(made += 1)}.db`)
    await copyFile(url, copy)
    return copy
  }
}

/** A lexicon of one record type. */
export function recordLexicon(id: string, properties: Json, more: Json = {}): Json {
  const record = { type: 'object', properties, ...more.record }
  return { lexicon: 1, id, defs: { main: { type: 'record', key: 'any', record }, ...more.defs } }
}

/** A record as JSON text; the engines write it with different white space. */
export function recordText({ engine }: TestStore, record = 't.record'): string {
  return engine === 'postgres' ? `${record}::text` : `json(${record})`
}

/** Every row of every table of counts, sums and words is what the collections' tables have, in one snapshot. */
export async function assertCounts(read: ReadDatabase, tables: readonly Table[]): Promise<void> {
  assert.deepEqual(await differingCounts(read, tables), [])
}

export async function* inPairs(changes: readonly Change[]): AsyncGenerator<readonly Change[]> {
  for (let start = 0; start < changes.length; start += 2) yield changes.slice(start, start + 2)
}

/** A clock that starts in 2026 and rises by a second at each look. */
export function risingClock(): () => bigint {
  let now = 1_770_000_000_000_000n
  return () => (now += 1_000_000n)
}

function withNumbers(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  )
}
