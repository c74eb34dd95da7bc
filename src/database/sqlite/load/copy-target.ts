/** Writes a copy into a file: rows in the order of their future ids, then trigrams and indexes of each collection. */
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { parseCid } from '../../../lexicon/records/cid.ts'
import type { CopyTarget, RowChanges, Snapshot } from '../../copy/database-copy.ts'
import { hasRows, ownListing, writeStored } from '../../copy/metadata-rows.ts'
import { type CopyMark, formatMark, stateOf } from '../../copy/mark.ts'
import { recordIn, type CopyRow } from '../../copy/parts.ts'
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
import { openSqliteSnapshot, snapshotIdentity, spelling } from './snapshot.ts'
import { createRunner, transact } from '../steps.ts'
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
    const target = createTarget(database, path, file, options.tables, wanted, found === 'whole', version)
    if (found === 'empty') target.begin()
    return target
  } catch (error) {
    file.leave()
    database.close()
    throw error
  }
}

function createTarget(
  database: DatabaseSync,
  path: string,
  file: OpenFile,
  tables: readonly Table[],
  wanted: CopyMark,
  isWhole: boolean,
  dataVersion: unknown,
): CopyTarget & { readonly begin: () => void } {
  const run = createRunner(database)
  const baseOf = findBases(database)
  const writers = new Map(tables.map((table) => [table.name, new TableWriter(database, table, baseOf)]))
  const listed = database.prepare(`select target from listing where kind = '${ownListing}'`).all()
  const completed = new Set(listed.map(({ target }) => target))
  for (const [name, writer] of writers) writer.bulk = !completed.has(name)
  const change = (work: () => void): void => {
    file.assertSame()
    transact(database, () => {
      if (readDataVersion(database) !== dataVersion)
        throw new DatabaseBusyError('Another process writes to the copy. Try again when it is done.')
      work()
      file.assertSame()
    })
  }
  const setDerivation = (derivation: string): unknown =>
    database.prepare('update state set derivation = ?, plan_version = plan_version + 1').run(derivation)
  return {
    isWhole,
    /** Marks the file, so that no other process opens it from now on. */
    begin: () =>
      change(() => {
        setDerivation(formatMark(wanted))
        for (const writer of writers.values()) writer.startLoad()
      }),
    snapshot: async () => openSqliteSnapshot(connect(path, true), path),
    write: async (part, changes) =>
      change(() => {
        const writer = writers.get(part.name)
        if (writer === undefined) run(writeStored(part, changes, spelling))
        else writeRecords(writer, changes, baseOf)
      }),
    async complete({ name }) {
      const writer = writers.get(name)
      if (writer?.bulk !== true) return
      change(() => {
        writer.completeLoad()
        const enter = `insert into listing (kind, target, done) values ('${ownListing}', ?, 1)`
        database.prepare(enter).run(name)
      })
      writer.refresh()
    },
    async finish() {
      change(() => {
        for (const writer of writers.values()) writer.fillSums()
        database.exec(`delete from listing where kind = '${ownListing}'`)
        setDerivation(wanted.derivation)
      })
      file.assertSame()
      database.exec('pragma wal_checkpoint(truncate)')
    },
    async [Symbol.asyncDispose]() {
      file.leave()
      database.close()
    },
  }
}

type BaseOf = (uri: string) => bigint

/** Throws on an unknown URI: the table `base` is copied first. */
function findBases(database: DatabaseSync): BaseOf {
  const find = database.prepare('select id from base where uri = ?', { readBigInts: true })
  return (uri) => {
    const row = find.get(uri)
    if (row === undefined) throw new Error(`The first part ${uri} of a URI is missing.`)
    return row.id as bigint
  }
}

function writeRecords(writer: TableWriter, { written, removed }: RowChanges, baseOf: BaseOf): void {
  const { table } = writer
  const rowOf = (row: CopyRow): NewRow => {
    const record = recordIn(table, row)
    const base = baseOf(repoCollectionUri({ did: record.did, collection: table.collection.nsid }))
    return { ...record, id: null, base, cid: parseCid(record.cid) as Uint8Array }
  }
  for (const row of removed) {
    const record = rowOf(row)
    const old = writer.find(record)
    // The record may have been written with another `indexed_at` already.
    if (old?.indexedAt === record.indexedAt) writer.remove(old)
  }
  for (const row of written) writer.put(rowOf(row))
  if (writer.bulk) writer.keepOrder()
  else {
    TableWriter.complete([writer])
    writer.refreshCounts()
  }
}
