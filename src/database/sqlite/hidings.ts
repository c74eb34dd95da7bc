/** Whether operators have hidden a record or an account, asked for every record where there are such at all. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export class Hidings {
  readonly #first: StatementSync
  readonly #find: StatementSync
  #any = false

  constructor(database: DatabaseSync) {
    this.#first = database.prepare('select 1 from hiding where shown_at is null limit 1')
    this.#find = database.prepare('select 1 from hiding where subject = ? and shown_at is null')
    this.refresh()
  }

  refresh(): void {
    this.#any = this.#first.get() !== undefined
  }

  /** Any of them. */
  has(...subjects: readonly string[]): boolean {
    return this.#any && subjects.some((subject) => this.#find.get(subject) !== undefined)
  }

  /** The record by itself, or all of its account. */
  hides(did: string, baseUri: string, rkey: string): boolean {
    return this.#any && this.has(did, baseUri + rkey)
  }
}
