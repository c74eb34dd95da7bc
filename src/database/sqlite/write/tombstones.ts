/** The revisions at which records were deleted or refused; older versions of them do not come back. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class Tombstones {
  readonly #first: StatementSync
  readonly #find: StatementSync
  readonly #add: StatementSync
  readonly #drop: StatementSync
  #any = false

  constructor(database: DatabaseSync) {
    this.#first = database.prepare('select 1 from tombstone limit 1')
    this.#find = database.prepare('select rev from tombstone where base = ? and rkey = ?')
    this.#add = database.prepare(
      'insert into tombstone (base, rkey, rev) values (?, ?, ?) on conflict (base, rkey) do update set rev = excluded.rev',
    )
    this.#drop = database.prepare('delete from tombstone where base = ? and rkey = ?')
    this.refresh()
  }

  /** False when there is no tombstone. */
  get any(): boolean {
    return this.#any
  }

  refresh(): void {
    this.#any = this.#first.get() !== undefined
  }

  find(base: number, rkey: string): string | null {
    const row = this.#any ? this.#find.get(base, rkey) : undefined
    return row === undefined ? null : String(row.rev)
  }

  add(base: number, rkey: string, rev: string): void {
    this.#add.run(base, rkey, rev)
    this.#any = true
  }

  drop(base: number, rkey: string): void {
    this.#drop.run(base, rkey)
  }
}
