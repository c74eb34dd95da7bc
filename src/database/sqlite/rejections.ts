/** Refused records, kept within bounds so that what a publisher sends cannot fill the disk. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Rejection } from '../database.ts'
import { droppable, dropped, maxRejections, rebuildSource, rejectionRow, replaces } from '../rejections.ts'

export class Rejections {
  readonly #database: DatabaseSync
  readonly #keep: StatementSync
  readonly #forgive: StatementSync
  #any = false
  /** Of those that may be dropped; perhaps too high, since one kept anew is counted again. */
  #count = 0

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#keep = database.prepare(
      `insert into rejection (key, source, uri, reason, message, record, seen_at, rev, cut) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
       on conflict (key) do update set source = excluded.source, reason = excluded.reason, message = excluded.message,
         record = excluded.record, seen_at = excluded.seen_at, rev = excluded.rev, cut = excluded.cut
       where ${replaces}`,
    )
    this.#forgive = database.prepare('delete from rejection where key = ? and (rev is null or rev <= ?)')
    this.refresh()
  }

  refresh(): void {
    const count = `select exists (select 1 from rejection) as any,
      (select count(*) from rejection where ${droppable}) as droppable`
    const row = this.#database.prepare(count).get()
    this.#any = row?.any === 1
    this.#count = Number(row?.droppable)
  }

  keep(rejection: Rejection, seenAt: bigint): void {
    const { key, source, uri, reason, message, record, rev, cut } = rejectionRow(rejection, seenAt)
    this.#keep.run(key, source, uri, reason, message, record, seenAt, rev, cut)
    this.#any = true
    if (source === rebuildSource) return
    this.#count += 1
    if (this.#count > maxRejections + dropped) this.#dropOldest()
  }

  /** What its publisher said of that URI up to the revision is known, so that none of it needs to be tried again. */
  forgive(uri: string, rev: string | null): void {
    if (this.#any) this.#forgive.run(uri, rev)
  }

  #dropOldest(): void {
    this.refresh()
    if (this.#count <= maxRejections) return
    const oldest = `select key from rejection where ${droppable} order by seen_at limit ?`
    this.#database.prepare(`delete from rejection where key in (${oldest})`).run(this.#count - maxRejections)
    this.#count = maxRejections
  }
}
