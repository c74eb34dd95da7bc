/** The statements that maintain one collection's table, side tables; callers decide on their order. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { storedColumns, type Table } from '../../layout/tables.ts'
import { quote } from '../layout/ddl.ts'

export type TableStatements = ReturnType<typeof prepareStatements>

/** The table that stores whether a collection's ids follow the default order: of tables in use, or of the next. */
export type CollectionTable = 'collection' | 'rebuild_part'

export function prepareStatements(database: DatabaseSync, table: Table, collectionTable: CollectionTable) {
  return {
    ...prepareRowStatements(database, table),
    ...prepareElementStatements(database, table),
    ...prepareOrderStatements(database, quote(table.name), collectionTable),
  }
}

/** Integers of rows are bigint. */
const exact = { readBigInts: true }

function prepareRowStatements(database: DatabaseSync, table: Table) {
  const name = quote(table.name)
  const columns = storedColumns(table).map((column) => quote(column.name))
  return {
    insert: database.prepare(
      `insert into ${name} (id, base, rkey, cid, rev, indexed_at, changed_at, record${columns.map((it) => `, ${it}`).join('')})
       values (?, ?, ?, ?, ?, ?, ?, jsonb(?)${', ?'.repeat(columns.length)}) on conflict (base, rkey) do nothing`,
    ),
    find: database.prepare(
      `select base, rkey, id, cid, rev, indexed_at as "indexedAt" from ${name} where base = ? and rkey = ?`,
      exact,
    ),
    json: database.prepare(`select json(record) as json from ${name} where id = ?`),
    update: database.prepare(
      `update ${name} set cid = ?, rev = ?, changed_at = ?, record = jsonb(?)${columns.map((it) => `, ${it} = ?`).join('')}
       where id = ?`,
    ),
    quarantine: database.prepare(
      `insert into parked (base, rkey, id, cid, rev, indexed_at, changed_at, record)
       select base, rkey, id, cid, rev, indexed_at, changed_at, record from ${name} where id = ?`,
    ),
    remove: database.prepare(`delete from ${name} where id = ?`),
  }
}

/** One statement for each side table. */
function prepareElementStatements(database: DatabaseSync, { arrays }: Table) {
  const each = (textOf: (side: string, isReference: boolean) => string): StatementSync[] =>
    arrays.map(({ name, kind }) => database.prepare(textOf(quote(name), kind === 'reference')))
  return {
    addElement: each(
      (side, isReference) => `insert or ignore into ${side} values (${isReference ? '?, ?, ?' : '?, ?'})`,
    ),
    removeElement: each(
      (side, isReference) =>
        `delete from ${side} where ${isReference ? 'base = ? and rkey = ?' : 'value = ?'} and id = ?`,
    ),
    removeElements: each((side) => `delete from ${side} where id = ?`),
  }
}

/** Statements that find out whether ids follow the default order, and that store their end. */
function prepareOrderStatements(database: DatabaseSync, name: string, collectionTable: CollectionTable) {
  const isIts = 'exists (select 1 from base where base.id = parked.base and collection = ?1)'
  const quarantined = `from parked where id is not null and ${isIts}`
  const rows = (columns: string): string =>
    `(select ${columns} from ${name} union all select ${columns} ${quarantined})`
  const did = (id: string): string =>
    `(select did from ${rows('id, base')} as r join base on base.id = r.base where r.id = ${id})`
  return {
    last: database.prepare(
      `select t.id, t.indexed_at, t.rkey, base.did from ${name} t join base on base.id = t.base order by t.id desc limit 1`,
      exact,
    ),
    collection: database.prepare(
      `select ordered, last_id as id, last_indexed_at as indexed_at, last_rkey as rkey, last_did as did
       from ${collectionTable} where nsid = ?`,
      exact,
    ),
    saveLast: database.prepare(
      `update ${collectionTable} set last_id = ?, last_indexed_at = ?, last_rkey = ?, last_did = ? where nsid = ?`,
    ),
    /** Finds a row with a later time, also in quarantine; quick where ids do not follow the default order. */
    later: database.prepare(`select 1 from ${rows('indexed_at')} where indexed_at > ?2 limit 1`),
    /** Finds a row whose id does not follow the default order, also in quarantine; reads a whole index. */
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
    /** Saves the end of the ids in quarantine, with a key after all others of its time, so that no account is named. */
    saveLastQuarantined: database.prepare(
      `update ${collectionTable} set (last_id, last_indexed_at, last_rkey, last_did) =
         (select id, indexed_at, char(1114111), '' ${quarantined} order by id desc limit 1)
       where nsid = ?1`,
    ),
  }
}
