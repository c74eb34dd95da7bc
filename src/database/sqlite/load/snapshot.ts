/** Reads the whole content of a file in one transaction of a read-only connection. */
import { realpathSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { parseCid } from '../../../lexicon/records/cid.ts'
import type { ColumnValue } from '../../changes.ts'
import type { Snapshot } from '../../copy/database-copy.ts'
import { storedRow, type Spelling, selectStored } from '../../copy/metadata-rows.ts'
import type { Table } from '../../layout/tables.ts'
import { quote } from '../layout/ddl.ts'

export const spelling: Spelling = {
  cid: (column) => `cid_text(${column})`,
  json: (column) => `json(${column})`,
  newCid: parseCid,
  newJson: 'jsonb(?)',
}

/** The snapshot owns the connection. */
export function openSqliteSnapshot(database: DatabaseSync, path: string): Snapshot {
  // The first query fixes the moment of the snapshot.
  database.exec('begin; select id from state')
  return {
    identity: snapshotIdentity(path),
    kind: 'database',
    name: `sqlite:${realpathSync(path)}`,
    async collections() {
      const rows = database.prepare('select nsid from collection order by nsid').all()
      return rows.map(({ nsid }) => String(nsid))
    },
    async count({ name }) {
      return Number(database.prepare(`select count(*) as n from ${quote(name)}`).get()?.n)
    },
    async *rows(part) {
      const text = part.table === null ? selectStored(part, spelling) : selectRecords(database, part.table)
      const statement = database.prepare(text, { readBigInts: true, returnArrays: true })
      for (const row of statement.iterate()) yield storedRow(part, row as unknown as ColumnValue[])
    },
    async [Symbol.asyncDispose]() {
      database.close()
    },
  }
}

function selectRecords(database: DatabaseSync, { name, collection }: Table): string {
  const kept = database.prepare('select ordered from collection where nsid = ?').get(collection.nsid)
  // Ids that follow the default order make a sort unnecessary.
  const order = kept?.ordered === 1 ? 't.id' : 't.indexed_at, t.rkey, b.did'
  return `select t.indexed_at, t.rkey, b.did, cid_text(t.cid), t.rev, t.changed_at, json(t.record)
    from ${quote(name)} t join base b on b.id = t.base order by ${order}`
}

/** Independent of the path: device and inode. */
export function snapshotIdentity(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev}:${ino}`
}
