/** Stores refused records, within limits, so that publishers cannot fill the disk. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Rejection } from '../../database.ts'
import {
  droppable,
  dropped,
  maxRejections,
  rebuildSource,
  rejectionRow,
  replaces,
} from '../../write/rejections.ts'

/** The most keys in memory; if there are more, each is looked up in the file. */
const mostKeys = 1_000

export class Rejections {
  readonly #database: DatabaseSync
  readonly #keep: StatementSync
  readonly #clearRejection: StatementSync
  /** Keys of all rejections, perhaps including cleared ones; null when there are too many. */
  #keys: Set<unknown> | null = null
  /** The number of rejections that may be dropped; perhaps too high, since a replaced one counts twice. */
  #count = 0

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#keep = database.prepare(
      `insert into rejection (key, source, uri, reason, message, record, seen_at, rev, cut) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (key) do update set source = excluded.source, reason = excluded.reason, message = excluded.message,
         record = excluded.record, seen_at = excluded.seen_at, rev = excluded.rev, cut = excluded.cut
       where ${replaces}`,
    )
    this.#clearRejection = database.prepare(
      'delete from rejection where key = ? and (rev is null or rev <= ?)',
    )
    this.refresh()
  }

  refresh(): void {
    const count = `select count(*) as droppable from rejection where ${droppable}`
    this.#count = Number(this.#database.prepare(count).get()?.droppable)
    const keys = this.#database.prepare('select key from rejection limit ?').all(mostKeys + 1)
    this.#keys = keys.length > mostKeys ? null : new Set(keys.map(({ key }) => key))
  }

  keep(rejection: Rejection, seenAt: bigint): void {
    const { key, source, uri, reason, message, record, rev, cut } = rejectionRow(rejection, seenAt)
    this.#keep.run(key, source, uri, reason, message, record, seenAt, rev, cut)
    if (this.#keys?.add(key).size === mostKeys) this.#keys = null
    if (source === rebuildSource) return
    this.#count += 1
    if (this.#count > maxRejections + dropped) this.#dropOldest()
  }

  /** Removes rejections of that URI up to the revision, which need no retry: the publisher's later state is known. */
  clearRejection(uri: string, rev: string | null): void {
    if (this.#keys === null || this.#keys.has(uri)) this.#clearRejection.run(uri, rev)
  }

  #dropOldest(): void {
    this.refresh()
    if (this.#count <= maxRejections) return
    const oldest = `select key from rejection where ${droppable} order by seen_at limit ?`
    this.#database.prepare(`delete from rejection where key in (${oldest})`).run(this.#count - maxRejections)
    this.#count = maxRejections
  }
}
