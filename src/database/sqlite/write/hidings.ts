/** Looks up whether operators have hidden or purged a record or an account; without any hiding it needs no query. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { purgedSubjects } from '../../metadata/purges.ts'

export class Hidings {
  readonly #first: StatementSync
  readonly #find: StatementSync
  readonly #firstPurge: StatementSync
  readonly #findPurge: StatementSync
  #any = false
  #anyPurge = false

  constructor(database: DatabaseSync) {
    this.#first = database.prepare('select 1 from hiding where shown_at is null limit 1')
    this.#find = database.prepare('select 1 from hiding where subject = ? and shown_at is null')
    this.#firstPurge = database.prepare(`${purgedSubjects} limit 1`)
    this.#findPurge = database.prepare(`${purgedSubjects} and purge.subject in (?, ?)`)
    this.refresh()
  }

  refresh(): void {
    this.#any = this.#first.get() !== undefined
    this.#anyPurge = this.#any && this.#firstPurge.get() !== undefined
  }

  /** True if any of the subjects is hidden. */
  has(...subjects: readonly string[]): boolean {
    return this.#any && subjects.some((subject) => this.#find.get(subject) !== undefined)
  }

  /** True if the record itself or its account is purged. */
  purges(did: string, uri: string): boolean {
    return this.#anyPurge && this.#findPurge.get(did, uri) !== undefined
  }

  /** True if the record itself or its account is hidden. */
  hides(did: string, baseUri: string, rkey: string): boolean {
    return this.#any && this.has(did, baseUri + rkey)
  }
}
