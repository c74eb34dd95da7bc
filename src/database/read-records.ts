/** Reads all visible records of a collection, for an export. */
import { quote } from '../sql/sql.ts'
import type { ReadDatabase } from './database.ts'
import type { Table } from './layout/tables.ts'

/** A record as it was imported or received. */
export interface StoredRecord {
  readonly uri: string
  readonly cid: string
  readonly rev: string | null
  /** Microseconds. */
  readonly indexedAt: bigint
  /** The record's value as JSON text. */
  readonly json: string
}

/** In reverse default order; streamed from one snapshot. */
export async function* readRecords(
  read: ReadDatabase,
  { name, collection }: Table,
): AsyncGenerator<StoredRecord> {
  const isSqlite = read.dialect.engine === 'sqlite'
  // Ids that follow the default order make a sort unnecessary.
  const isOrdered = isSqlite && (await read.readPlanState()).ordered.has(collection.nsid)
  const did = isSqlite ? 'b.did' : 't.did'
  const order = isOrdered ? 't.id desc' : `t.indexed_at desc, t.rkey desc, ${did} desc`
  const [cid, json] = isSqlite ? ['cid_text(t.cid)', 'json(t.record)'] : ['t.cid', 't.record::text']
  const text = `select b.uri || t.rkey as uri, ${cid} as cid, t.rev, t.indexed_at as "indexedAt", ${json} as json
    from ${quote(name)} t join base b on b.id = t.base
    where t.base not in (select base from hidden) order by ${order}`
  for await (const row of read.readRows({ text, values: [] })) {
    const record = row as unknown as StoredRecord
    // Every engine writes JSON without white space.
    yield isSqlite ? record : { ...record, json: JSON.stringify(JSON.parse(record.json)) }
  }
}
