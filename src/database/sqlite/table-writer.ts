/**
 * One collection's rows: its table, its side tables and its trigrams, always in step, and whether ids still
 * follow the default order. It knows no transactions, no revisions and no accounts.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ColumnValue, RecordPut } from '../database.ts'
import { deriveRow } from '../derive.ts'
import { storedColumns, type Table } from '../tables.ts'
import { createIndexes, createOrderIndex, dropIndexes, fillText, quote, refreshCounts } from './ddl.ts'
import { reorder } from './reorder.ts'

/** A row as it is kept. */
export interface KeptRow {
  readonly id: number
  readonly cid: Uint8Array
  readonly rev: string | null
  readonly json: string
}

/** A row to be added; its derived values are beside it. */
export interface NewRow {
  /** Null: the next one. */
  readonly id: number | null
  readonly base: number
  readonly did: string
  readonly rkey: string
  readonly cid: Uint8Array
  readonly rev: string | null
  readonly indexedAt: bigint
  readonly changedAt: bigint
  readonly json: string
}

type Derived = Pick<RecordPut, 'columns' | 'arrays'>
type OrderKey = readonly [indexedAt: bigint, rkey: string, did: string]

export class TableWriter {
  readonly table: Table
  readonly #database: DatabaseSync
  /** Gives the id of a URI's first part. */
  readonly #base: (uri: string) => number
  readonly #statements: Statements
  /** Positions of `refBase` columns, whose text becomes an id. */
  readonly #refBases: readonly number[]
  #nextId = 1
  #ordered = true
  #last: OrderKey | null = null
  /** Rows stored or updated since the trigram counts were last taken. */
  #drift = 0

  constructor(database: DatabaseSync, table: Table, base: (uri: string) => number) {
    this.table = table
    this.#database = database
    this.#base = base
    this.#statements = prepare(database, table)
    this.#refBases = storedColumns(table).flatMap(({ kind }, index) => (kind === 'refBase' ? [index] : []))
    this.refresh()
  }

  get isEmpty(): boolean {
    return this.#nextId === 1
  }

  /** Reads anew what memory says of ids and order: somebody else has written, or a transaction was undone. */
  refresh(): void {
    const { last, lastParked, order } = this.#statements
    const row = last.get() as LastRow | undefined
    const parked = lastParked.get(this.table.collection.nsid) as LastRow | undefined
    const highest = parked !== undefined && (row === undefined || parked.id > row.id) ? parked : row
    this.#nextId = highest === undefined ? 1 : Number(highest.id) + 1
    this.#last = highest === undefined ? null : [highest.indexed_at, highest.rkey, highest.did]
    this.#ordered = order.get(this.table.collection.nsid)?.ordered === 1
  }

  find(base: number, rkey: string): KeptRow | undefined {
    return this.#statements.find.get(base, rkey) as KeptRow | undefined
  }

  /** Some rows of a base that no revision, or one before this, vouches for. */
  olderThan(base: number, rev: string, limit: number): KeptRow[] {
    return this.#statements.older.all(base, rev, limit) as unknown as KeptRow[]
  }

  /** Some rows of a base, whatever their revision. */
  ofBase(base: number, limit: number): KeptRow[] {
    return this.#statements.ofBase.all(base, limit) as unknown as KeptRow[]
  }

  /** False when the record is there already, which is then left alone. `bulk`: trigrams come later, all at once. */
  insert(row: NewRow, { columns, arrays }: Derived, bulk = false): boolean {
    const id = row.id ?? this.#nextId
    const kept = [
      id,
      row.base,
      row.rkey,
      row.cid,
      row.rev,
      row.indexedAt,
      row.changedAt,
      row.json,
      ...this.#withBases(columns),
    ]
    if (this.#statements.insert.run(...kept).changes === 0) return false
    // A row that comes back under its old id stands where it stood.
    if (row.id === null) this.#append([row.indexedAt, row.rkey, row.did], bulk)
    this.#addDerived(id, arrays, bulk)
    return true
  }

  update(
    old: KeptRow,
    row: Pick<NewRow, 'cid' | 'rev' | 'changedAt' | 'json'>,
    derived: Derived,
    bulk = false,
  ): void {
    this.#removeDerived(old, bulk)
    const columns = this.#withBases(derived.columns)
    this.#statements.update.run(row.cid, row.rev, row.changedAt, row.json, ...columns, old.id)
    this.#addDerived(old.id, derived.arrays, bulk)
  }

  setRev(id: number, rev: string | null): void {
    this.#statements.setRev.run(rev, id)
  }

  remove(old: KeptRow): void {
    this.#removeDerived(old, false)
    this.#statements.remove.run(old.id)
  }

  /** Copies a row to where those of hidden accounts wait; what was written there since is kept. */
  park({ id }: KeptRow): void {
    this.#statements.park.run(id)
  }

  /** Takes the trigram counts again when they have drifted. */
  refreshCounts(): void {
    if (this.#drift < 1000 + this.#nextId / 5) return
    for (const text of this.table.texts) this.#database.exec(refreshCounts(text))
    this.#drift = 0
  }

  startLoad(): void {
    this.#database.exec(dropIndexes(this.table))
  }

  /** Everything that is cheaper to build at once, over rows that are in place. */
  completeLoad(): void {
    const { table } = this
    if (!this.#ordered) reorder(this.#database, table)
    this.#ordered = true
    // Trigrams first: the pages that building them frees are taken by the indexes.
    for (const text of table.texts) {
      this.#database.prepare(fillText(table, text, 'all')).run()
      this.#database.exec(
        `insert into ${quote(text.name)} (${quote(text.name)}) values ('optimize'); ${refreshCounts(text)}`,
      )
    }
    this.#database.exec(createIndexes(table))
  }

  /** Ids follow the default order as long as every new record sorts after the last. */
  #append(key: OrderKey, bulk: boolean): void {
    const inOrder = this.#last === null || precedes(this.#last, key)
    this.#nextId += 1
    this.#drift += 1
    if (inOrder) this.#last = key
    else if (this.#ordered) {
      this.#ordered = false
      if (!bulk) this.#saveOrder()
    }
  }

  #saveOrder(): void {
    this.#database.prepare('update collection set ordered = 0 where nsid = ?').run(this.table.collection.nsid)
    this.#database.exec('update state set plan_version = plan_version + 1')
    this.#database.exec(createOrderIndex(this.table))
  }

  #addDerived(id: number, arrays: RecordPut['arrays'], bulk: boolean): void {
    const { addElement, addText } = this.#statements
    for (const [index, elements] of arrays.entries())
      for (const element of elements) addElement[index]?.run(...this.#elementKey(element), id)
    if (!bulk) for (const statement of addText) statement.run(id)
  }

  #removeDerived({ id, json }: KeptRow, bulk: boolean): void {
    const { removeElement, removeText } = this.#statements
    if (this.table.arrays.length > 0) {
      const { arrays } = deriveRow(this.table, JSON.parse(json))
      for (const [index, elements] of arrays.entries())
        for (const element of elements) removeElement[index]?.run(...this.#elementKey(element), id)
    }
    if (!bulk) for (const statement of removeText) statement.run(id)
    this.#drift += 1
  }

  #elementKey(element: readonly ColumnValue[]): readonly ColumnValue[] {
    const [first, second] = element
    return second === undefined ? element : [this.#base(first as string), second]
  }

  #withBases(columns: readonly ColumnValue[]): readonly ColumnValue[] {
    if (this.#refBases.length === 0) return columns
    const copy = [...columns]
    for (const index of this.#refBases) {
      const uri = copy[index]
      if (typeof uri === 'string') copy[index] = this.#base(uri)
    }
    return copy
  }
}

interface LastRow {
  readonly id: bigint
  readonly indexed_at: bigint
  readonly rkey: string
  readonly did: string
}

interface Statements {
  readonly insert: StatementSync
  readonly find: StatementSync
  readonly older: StatementSync
  readonly ofBase: StatementSync
  readonly update: StatementSync
  readonly setRev: StatementSync
  readonly park: StatementSync
  readonly remove: StatementSync
  readonly addElement: readonly StatementSync[]
  readonly removeElement: readonly StatementSync[]
  readonly addText: readonly StatementSync[]
  readonly removeText: readonly StatementSync[]
  readonly last: StatementSync
  readonly lastParked: StatementSync
  readonly order: StatementSync
}

function prepare(database: DatabaseSync, table: Table): Statements {
  const name = quote(table.name)
  const columns = storedColumns(table).map((column) => quote(column.name))
  const sideKey = (kind: string): string => (kind === 'reference' ? 'base = ? and rkey = ?' : 'value = ?')
  const last = database.prepare(
    `select t.id, t.indexed_at, t.rkey, base.did from ${name} t join base on base.id = t.base order by t.id desc limit 1`,
  )
  const lastParked = database.prepare(
    `select p.id, p.indexed_at, p.rkey, base.did from parked p join base on base.id = p.base
     where base.collection = ? and p.id is not null order by p.id desc limit 1`,
  )
  last.setReadBigInts(true)
  lastParked.setReadBigInts(true)
  return {
    insert: database.prepare(
      `insert into ${name} (id, base, rkey, cid, rev, indexed_at, changed_at, record${columns.map((it) => `, ${it}`).join('')})
       values (?, ?, ?, ?, ?, ?, ?, jsonb(?)${', ?'.repeat(columns.length)}) on conflict (base, rkey) do nothing`,
    ),
    find: database.prepare(
      `select id, cid, rev, json(record) as json from ${name} where base = ? and rkey = ?`,
    ),
    older: database.prepare(
      `select id, cid, rev, json(record) as json from ${name} where base = ? and (rev is null or rev < ?) limit ?`,
    ),
    ofBase: database.prepare(`select id, cid, rev, json(record) as json from ${name} where base = ? limit ?`),
    update: database.prepare(
      `update ${name} set cid = ?, rev = ?, changed_at = ?, record = jsonb(?)${columns.map((it) => `, ${it} = ?`).join('')}
       where id = ?`,
    ),
    setRev: database.prepare(`update ${name} set rev = ? where id = ?`),
    park: database.prepare(
      `insert into parked (base, rkey, id, cid, rev, indexed_at, changed_at, record)
       select base, rkey, id, cid, rev, indexed_at, changed_at, record from ${name} where id = ?
       on conflict (base, rkey) do update set id = excluded.id, indexed_at = excluded.indexed_at`,
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
    addText: table.texts.map((text) => database.prepare(fillText(table, text, 'one'))),
    removeText: table.texts.map((text) => database.prepare(fillText(table, text, 'remove'))),
    last,
    lastParked,
    order: database.prepare('select ordered from collection where nsid = ?'),
  }
}

/** Record keys and DIDs are ASCII, so that comparing code units is comparing code points. */
function precedes(a: OrderKey, b: OrderKey): boolean {
  if (a[0] !== b[0]) return a[0] < b[0]
  return a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2]
}
