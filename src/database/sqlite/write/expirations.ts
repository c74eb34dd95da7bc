/** Records that were removed for their age, so that they do not count as new; removes further expired records. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { quote } from '../layout/ddl.ts'
import type { TableWriter } from './table-writer.ts'

export class Expirations {
  readonly #database: DatabaseSync
  readonly #first: StatementSync
  readonly #find: StatementSync
  readonly #setRev: StatementSync
  readonly #add: StatementSync
  readonly #drop: StatementSync
  #any = false

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#first = database.prepare('select 1 from expired limit 1')
    this.#find = database.prepare('select indexed_at from expired where base = ? and rkey = ?')
    this.#find.setReadBigInts(true)
    this.#setRev = database.prepare('update expired set rev = ? where base = ? and rkey = ?')
    this.#add = database.prepare(
      `insert into expired (base, rkey, rev, indexed_at) values (?, ?, ?, ?)
       on conflict (base, rkey) do update set rev = excluded.rev, indexed_at = excluded.indexed_at`,
    )
    this.#drop = database.prepare('delete from expired where base = ? and rkey = ?')
    this.refresh()
  }

  /** False when no record has expired. */
  get any(): boolean {
    return this.#any
  }

  refresh(): void {
    this.#any = this.#first.get() !== undefined
  }

  /** When the record was first stored. */
  find(base: number, rkey: string): bigint | null {
    const row = this.#any ? this.#find.get(base, rkey) : undefined
    return row === undefined ? null : (row.indexed_at as bigint)
  }

  setRev(base: number, rkey: string, rev: string | null): void {
    this.#setRev.run(rev, base, rkey)
  }

  drop(base: number, rkey: string): void {
    this.#drop.run(base, rkey)
  }

  /** Removes up to `limit` rows that were indexed before `oldest`; returns their number. */
  expire(table: TableWriter, oldest: bigint, limit: number): number {
    const rows = this.#tooOld(table, oldest, limit)
    for (const { base, rkey, rev, indexed_at } of rows) {
      const row = table.find(Number(base), String(rkey))
      if (row === undefined) continue
      table.remove(row)
      this.#add.run(base ?? null, rkey ?? null, rev ?? null, indexed_at ?? null)
    }
    if (rows.length > 0) this.#any = true
    return rows.length
  }

  #tooOld({ table, isOrdered }: TableWriter, oldest: bigint, limit: number) {
    const rows = `select base, rkey, rev, indexed_at from ${quote(table.name)}`
    // If ids follow the default order, the first are the oldest; otherwise there is an index.
    const find = this.#database.prepare(
      isOrdered
        ? `select * from (${rows} order by id limit ?) where indexed_at < ?`
        : `${rows} where indexed_at < ? order by indexed_at limit ?`,
    )
    find.setReadBigInts(true)
    return isOrdered ? find.all(limit, oldest) : find.all(oldest, limit)
  }
}
