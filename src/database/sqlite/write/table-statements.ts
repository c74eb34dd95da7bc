/** The statements that maintain one collection's table, side tables; callers decide on their order. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { storedColumns, type Table } from '../../layout/tables.ts'
import { quote } from '../layout/ddl.ts'

export interface TableStatements {
  readonly insert: StatementSync
  readonly find: StatementSync
  readonly json: StatementSync
  readonly some: StatementSync
  readonly older: StatementSync
  readonly update: StatementSync
  readonly setRev: StatementSync
  readonly quarantine: StatementSync
  readonly remove: StatementSync
  readonly addElement: readonly StatementSync[]
  readonly removeElement: readonly StatementSync[]
  /** Remove all elements of a row, by its id. */
  readonly removeElements: readonly StatementSync[]
  readonly last: StatementSync
  readonly collection: StatementSync
  readonly saveLast: StatementSync
  /** Finds a row with a later time, also in quarantine; quick where ids do not follow the default order. */
  readonly later: StatementSync
  /** Finds a row whose id does not follow the default order, also in quarantine; reads a whole index. */
  readonly misplaced: StatementSync
  /** Saves the end of the ids in quarantine, with a key after all others of its time, so that no account is named. */
  readonly saveLastQuarantined: StatementSync
}

/** The table that stores whether a collection's ids follow the default order: of tables in use, or of the next. */
export type CollectionTable = 'collection' | 'rebuild_part'

export function prepareStatements(
  database: DatabaseSync,
  table: Table,
  collectionTable: CollectionTable,
): TableStatements {
  const name = quote(table.name)
  const columns = storedColumns(table).map((column) => quote(column.name))
  const sideKey = (kind: string): string => (kind === 'reference' ? 'base = ? and rkey = ?' : 'value = ?')
  const last = database.prepare(
    `select t.id, t.indexed_at, t.rkey, base.did from ${name} t join base on base.id = t.base order by t.id desc limit 1`,
  )
  const collection = database.prepare(
    `select ordered, last_id as id, last_indexed_at as indexed_at, last_rkey as rkey, last_did as did
     from ${collectionTable} where nsid = ?`,
  )
  const some = database.prepare(`select id from ${name} where base = ? order by rkey limit ?`)
  const older = database.prepare(
    `select id, rkey from ${name} where base = ? and rkey > ? and (rev is null or rev < ?) order by rkey limit ?`,
  )
  const isIts = 'exists (select 1 from base where base.id = parked.base and collection = ?1)'
  const quarantined = `from parked where id is not null and ${isIts}`
  const rows = (columns: string): string =>
    `(select ${columns} from ${name} union all select ${columns} ${quarantined})`
  const did = (id: string): string =>
    `(select did from ${rows('id, base')} as r join base on base.id = r.base where r.id = ${id})`
  some.setReadBigInts(true)
  older.setReadBigInts(true)
  last.setReadBigInts(true)
  collection.setReadBigInts(true)
  return {
    insert: database.prepare(
      `insert into ${name} (id, base, rkey, cid, rev, indexed_at, changed_at, record${columns.map((it) => `, ${it}`).join('')})
       values (?, ?, ?, ?, ?, ?, ?, jsonb(?)${', ?'.repeat(columns.length)}) on conflict (base, rkey) do nothing`,
    ),
    // No number of JavaScript has the times after the year 2255.
    find: database.prepare(
      `select id, cid, rev, min(indexed_at, ${Number.MAX_SAFE_INTEGER}) as indexedAt from ${name} where base = ? and rkey = ?`,
    ),
    json: database.prepare(`select json(record) as json from ${name} where id = ?`),
    some,
    older,
    update: database.prepare(
      `update ${name} set cid = ?, rev = ?, changed_at = ?, record = jsonb(?)${columns.map((it) => `, ${it} = ?`).join('')}
       where id = ?`,
    ),
    setRev: database.prepare(`update ${name} set rev = ? where id = ?`),
    quarantine: database.prepare(
      `insert into parked (base, rkey, id, cid, rev, indexed_at, changed_at, record)
       select base, rkey, id, cid, rev, indexed_at, changed_at, record from ${name} where id = ?`,
    ),
    remove: database.prepare(`delete from ${name} where id = ?`),
    addElement: table.arrays.map(({ name: side, kind }) =>
      database.prepare(
        `insert or ignore into ${quote(side)} values (${kind === 'reference' ? '?, ?, ?' : '?, ?'})`,
      ),
    ),
    removeElement: table.arrays.map(({ name: side, kind }) =>
      database.prepare(`delete from ${quote(side)} where ${sideKey(kind)} and id = ?`),
    ),
    removeElements: table.arrays.map(({ name: side }) =>
      database.prepare(`delete from ${quote(side)} where id = ?`),
    ),
    last,
    collection,
    saveLast: database.prepare(
      `update ${collectionTable} set last_id = ?, last_indexed_at = ?, last_rkey = ?, last_did = ? where nsid = ?`,
    ),
    later: database.prepare(`select 1 from ${rows('indexed_at')} where indexed_at > ?2 limit 1`),
    misplaced: database.prepare(
      `select 1 from (
         select id, indexed_at, rkey, lag(id) over keys as former, lag(indexed_at) over keys as former_at,
           lag(rkey) over keys as former_rkey
         from ${rows('id, indexed_at, rkey')} window keys as (order by indexed_at, rkey, id)
       ) as placed
       where former > id
         or (former_at = indexed_at and former_rkey = rkey and ${did('former')} > ${did('placed.id')})
       limit 1`,
    ),
    saveLastQuarantined: database.prepare(
      `update ${collectionTable} set (last_id, last_indexed_at, last_rkey, last_did) =
         (select id, indexed_at, char(1114111), '' ${quarantined} order by id desc limit 1)
       where nsid = ?1`,
    ),
  }
}
