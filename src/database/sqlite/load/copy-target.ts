/**
 * Writes a copy into a file: rows arrive in transactions of some thousands, in the order of their future ids; trigrams
 * and indexes are built when all rows of a collection are present.
 */
import { existsSync, realpathSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { parseCid } from '../../../lexicon/records/cid.ts'
import type { CopyTarget, RowChanges, Snapshot } from '../../copy/database-copy.ts'
import { hasRows, ownListing, writeStored } from '../../copy/metadata-rows.ts'
import { type CopyMark, formatMark, stateOf } from '../../copy/mark.ts'
import type { CopyPart, RecordRow, CopyRow } from '../../copy/parts.ts'
import { DatabaseBusyError } from '../../database.ts'
import { repoCollectionUri } from '../../changes.ts'
import { deriveRow } from '../../derive.ts'
import type { Table } from '../../layout/tables.ts'
import { derivationOf, quote } from '../layout/ddl.ts'
import { connect } from '../connection.ts'
import { claimLog, identify } from '../open-file.ts'
import { assertOurLayout, isEmpty, readDataVersion, readDerivation } from '../layout/layout.ts'
import { migrate } from '../layout/migrate.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { fileSettings } from '../open.ts'
import { identityOf, SqliteSnapshot, spelling } from './snapshot.ts'
import { createRunner, type Run, transact } from '../steps.ts'
import { type NewRow, type TableRow, TableWriter } from '../write/table-writer.ts'

/** Throws, without changing the file, when it cannot become a copy of the source. */
export async function openSqliteTarget(
  path: string,
  source: Pick<Snapshot, 'identity' | 'kind' | 'name'>,
  options: MigrateOptions,
): Promise<CopyTarget> {
  if (path === ':memory:') throw new Error('it would end with this process. Name a file.')
  if (existsSync(path) && identityOf(path) === source.identity)
    throw new Error('it is the very database that is to be copied. Name another with --to.')
  const database = connect(path, false)
  try {
    assertOurLayout(database)
    const derivation = derivationOf(options.fingerprint)
    const wanted = { derivation, kind: source.kind, source: source.name }
    if (isEmpty(database)) {
      database.exec(fileSettings)
      await migrate(database, options)
      identify(database)
    }
    // Before anything is read that must not change until the first write.
    const version = readDataVersion(database)
    const found = await stateOf(readDerivation(database), wanted, () =>
      createRunner(database)(hasRows(options.tables)),
    )
    database.exec(fileSettings)
    claimLog(database, realpathSync(path))
    const target = new SqliteTarget(database, path, options.tables, wanted, found === 'whole', version)
    if (found === 'empty') target.begin()
    return target
  } catch (error) {
    database.close()
    throw error
  }
}

class SqliteTarget implements CopyTarget {
  readonly isWhole: boolean
  readonly #database: DatabaseSync
  readonly #path: string
  readonly #derivation: string
  readonly #mark: string
  readonly #run: Run
  readonly #writers: ReadonlyMap<string, TableWriter>
  readonly #repoCollections = new Map<string, number>()
  readonly #findBase: StatementSync
  /** Names of the tables that `complete` has finished. */
  readonly #completed: Set<string>
  readonly #dataVersion: unknown

  constructor(
    database: DatabaseSync,
    path: string,
    tables: readonly Table[],
    wanted: CopyMark,
    isWhole: boolean,
    dataVersion: unknown,
  ) {
    this.isWhole = isWhole
    this.#database = database
    this.#path = path
    this.#derivation = wanted.derivation
    this.#mark = formatMark(wanted)
    this.#run = createRunner(database)
    this.#findBase = database.prepare('select id from base where uri = ?')
    this.#writers = new Map(
      tables.map((table) => [table.name, new TableWriter(database, table, (uri) => this.#base(uri), null)]),
    )
    const listed = database.prepare(`select target from listing where kind = '${ownListing}'`).all()
    this.#completed = new Set(listed.map(({ target }) => String(target)))
    this.#dataVersion = dataVersion
  }

  /** Marks the file, so that no other process opens it from now on. */
  begin(): void {
    this.#transact(() => {
      this.#setDerivation(this.#mark)
      for (const writer of this.#writers.values()) writer.startLoad()
    })
  }

  async snapshot(): Promise<Snapshot> {
    return new SqliteSnapshot(connect(this.#path, true), this.#path)
  }

  async write(part: CopyPart, changes: RowChanges): Promise<void> {
    this.#transact(() => {
      const writer = this.#writers.get(part.name)
      if (part.table === null || writer === undefined) this.#run(writeStored(part, changes, spelling))
      else this.#writeRecords(part.table, writer, changes)
    })
  }

  async complete({ name }: CopyPart): Promise<void> {
    const writer = this.#writers.get(name)
    if (writer === undefined || this.#completed.has(name)) return
    this.#transact(() => {
      writer.completeLoad()
      this.#database
        .prepare(`insert into listing (kind, target, done) values ('${ownListing}', ?, 1)`)
        .run(name)
    })
    writer.refresh()
    this.#completed.add(name)
  }

  async finish(): Promise<void> {
    this.#transact(() => {
      for (const writer of this.#writers.values()) writer.fillSums()
      this.#database.exec(`delete from listing where kind = '${ownListing}'`)
      this.#setDerivation(this.#derivation)
    })
    this.#database.exec('pragma wal_checkpoint(truncate)')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#database.close()
  }

  #writeRecords(table: Table, writer: TableWriter, { written, removed }: RowChanges): void {
    const bulk = !this.#completed.has(table.name)
    const moment = this.#database.prepare(
      `select indexed_at from ${quote(table.name)} where base = ? and rkey = ?`,
      { readBigInts: true },
    )
    const isAt = ({ base, rkey, indexedAt }: NewRow): boolean =>
      moment.get(base, rkey)?.indexed_at === indexedAt
    for (const row of removed) {
      const record = this.#recordOf(table, row)
      // The record may have been written with another \`indexed_at\` already.
      if (isAt(record)) writer.remove(writer.find(record.base, record.rkey) as TableRow, bulk)
    }
    for (const row of written) {
      const record = this.#recordOf(table, row)
      const derived = deriveRow(table, JSON.parse(record.json))
      if (writer.insert(record, derived, bulk)) continue
      const old = writer.find(record.base, record.rkey) as TableRow
      if (isAt(record)) writer.update(old, record, derived, bulk)
      else {
        writer.remove(old, bulk)
        writer.insert(record, derived, bulk)
      }
    }
    if (bulk) writer.keepOrder()
    else {
      writer.completeCounts()
      writer.completeTexts()
      writer.refreshCounts()
    }
  }

  #recordOf(table: Table, row: CopyRow): NewRow {
    const [indexedAt, rkey, did, cid, rev, changedAt, json] = row as RecordRow
    const base = this.#base(repoCollectionUri({ did, collection: table.collection.nsid }))
    return { id: null, base, did, rkey, cid: parseCid(cid) as Uint8Array, rev, indexedAt, changedAt, json }
  }

  #transact(work: () => void): void {
    transact(this.#database, () => {
      if (readDataVersion(this.#database) !== this.#dataVersion)
        throw new DatabaseBusyError('Another process writes to the copy. Try again when it is done.')
      work()
    })
  }

  /** Throws on an unknown URI: the table `base` is copied first. */
  #base(uri: string): number {
    const known = this.#repoCollections.get(uri)
    if (known !== undefined) return known
    const row = this.#findBase.get(uri)
    if (row === undefined) throw new Error(`The first part ${uri} of a URI is missing.`)
    if (this.#repoCollections.size > 100_000) this.#repoCollections.clear()
    this.#repoCollections.set(uri, Number(row.id))
    return Number(row.id)
  }

  #setDerivation(derivation: string): void {
    this.#database.prepare('update state set derivation = ?, plan_version = plan_version + 1').run(derivation)
  }
}
