/** Writes a copy into a file: rows in the order of their future ids, then trigrams and indexes of each collection. */
import { existsSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { parseCid } from '../../../lexicon/records/cid.ts'
import type { CopyTarget, RowChanges, Snapshot } from '../../copy/database-copy.ts'
import { hasRows, ownListing, writeStored } from '../../copy/metadata-rows.ts'
import { type CopyMark, formatMark, stateOf } from '../../copy/mark.ts'
import { recordIn, type CopyPart, type CopyRow } from '../../copy/parts.ts'
import { DatabaseBusyError } from '../../database.ts'
import { repoCollectionUri } from '../../changes.ts'
import type { Table } from '../../layout/tables.ts'
import { derivationOf } from '../layout/ddl.ts'
import { connect, createMissing } from '../connection.ts'
import { identify, identityOf, OpenFile } from '../open-file.ts'
import { assertOurLayout, isEmpty, readDataVersion, readDerivation } from '../layout/layout.ts'
import { migrate } from '../layout/migrate.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { fileSettings } from '../open.ts'
import { snapshotIdentity, SqliteSnapshot, spelling } from './snapshot.ts'
import { createRunner, type Run, transact } from '../steps.ts'
import type { NewRow } from '../../write/record-table.ts'
import { TableWriter } from '../write/table-writer.ts'

/** Throws, without changing the file, when it cannot become a copy of the source. */
export async function openSqliteTarget(
  path: string,
  source: Pick<Snapshot, 'identity' | 'kind' | 'name'>,
  options: MigrateOptions,
): Promise<CopyTarget> {
  if (path === ':memory:') throw new Error('it would end with this process. Name a file.')
  if (existsSync(path) && snapshotIdentity(path) === source.identity)
    throw new Error('it is the very database that is to be copied. Name another with --to.')
  createMissing(path)
  const identity = identityOf(path)
  const database = connect(path, false, { identity })
  const file = new OpenFile(database, path, identity)
  try {
    file.assertSame()
    assertOurLayout(database)
    const derivation = derivationOf(options.fingerprint)
    const wanted = { derivation, kind: source.kind, source: source.name }
    if (isEmpty(database)) {
      database.exec(fileSettings)
      await migrate(database, options, () => file.assertSame())
      identify(database)
    }
    file.claimLog()
    // Before anything is read that must not change until the first write.
    const version = readDataVersion(database)
    const found = await stateOf(readDerivation(database), wanted, () =>
      createRunner(database)(hasRows(options.tables)),
    )
    database.exec(fileSettings)
    const target = new SqliteTarget(database, path, file, options.tables, wanted, found === 'whole', version)
    if (found === 'empty') target.begin()
    return target
  } catch (error) {
    file.leave()
    database.close()
    throw error
  }
}

class SqliteTarget implements CopyTarget {
  readonly isWhole: boolean
  readonly #database: DatabaseSync
  readonly #path: string
  readonly #file: OpenFile
  readonly #wanted: CopyMark
  readonly #run: Run
  readonly #writers: ReadonlyMap<string, TableWriter>
  readonly #findBase: StatementSync
  readonly #dataVersion: unknown

  constructor(
    database: DatabaseSync,
    path: string,
    file: OpenFile,
    tables: readonly Table[],
    wanted: CopyMark,
    isWhole: boolean,
    dataVersion: unknown,
  ) {
    this.isWhole = isWhole
    this.#database = database
    this.#path = path
    this.#file = file
    this.#wanted = wanted
    this.#run = createRunner(database)
    this.#findBase = database.prepare('select id from base where uri = ?', { readBigInts: true })
    this.#writers = new Map(
      tables.map((table) => [table.name, new TableWriter(database, table, (uri) => this.#base(uri))]),
    )
    const listed = database.prepare(`select target from listing where kind = '${ownListing}'`).all()
    const completed = new Set(listed.map(({ target }) => target))
    for (const [name, writer] of this.#writers) writer.bulk = !completed.has(name)
    this.#dataVersion = dataVersion
  }

  /** Marks the file, so that no other process opens it from now on. */
  begin(): void {
    this.#transact(() => {
      this.#setDerivation(formatMark(this.#wanted))
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
    if (writer?.bulk !== true) return
    this.#transact(() => {
      writer.completeLoad()
      this.#database
        .prepare(`insert into listing (kind, target, done) values ('${ownListing}', ?, 1)`)
        .run(name)
    })
    writer.refresh()
  }

  async finish(): Promise<void> {
    this.#transact(() => {
      for (const writer of this.#writers.values()) writer.fillSums()
      this.#database.exec(`delete from listing where kind = '${ownListing}'`)
      this.#setDerivation(this.#wanted.derivation)
    })
    this.#file.assertSame()
    this.#database.exec('pragma wal_checkpoint(truncate)')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#file.leave()
    this.#database.close()
  }

  #writeRecords(table: Table, writer: TableWriter, { written, removed }: RowChanges): void {
    for (const row of removed) {
      const record = this.#rowOf(table, row)
      const old = writer.find(record)
      // The record may have been written with another `indexed_at` already.
      if (old?.indexedAt === record.indexedAt) writer.remove(old)
    }
    for (const row of written) writer.put(this.#rowOf(table, row))
    if (writer.bulk) writer.keepOrder()
    else {
      TableWriter.complete([writer])
      writer.refreshCounts()
    }
  }

  #rowOf(table: Table, row: CopyRow): NewRow {
    const record = recordIn(table, row)
    const base = this.#base(repoCollectionUri({ did: record.did, collection: table.collection.nsid }))
    return { ...record, id: null, base, cid: parseCid(record.cid) as Uint8Array }
  }

  #transact(work: () => void): void {
    this.#file.assertSame()
    transact(this.#database, () => {
      if (readDataVersion(this.#database) !== this.#dataVersion)
        throw new DatabaseBusyError('Another process writes to the copy. Try again when it is done.')
      work()
      this.#file.assertSame()
    })
  }

  /** Throws on an unknown URI: the table `base` is copied first. */
  #base(uri: string): bigint {
    const row = this.#findBase.get(uri)
    if (row === undefined) throw new Error(`The first part ${uri} of a URI is missing.`)
    return row.id as bigint
  }

  #setDerivation(derivation: string): void {
    this.#database.prepare('update state set derivation = ?, plan_version = plan_version + 1').run(derivation)
  }
}
