/** Refused records, kept within bounds so that what a publisher sends cannot fill the disk. */
import { createHash } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Rejection } from '../database.ts'

/**
 * Of what a rebuild puts aside nothing is dropped or cut: there is no other copy. Only what its publisher is
 * known to have written since takes its place.
 */
export const rebuildSource = 'rebuild'
/** As the index `rejection_seen` has it. */
const droppable = `source <> '${rebuildSource}'`

/** Longer records are kept by their beginning only. In UTF-16 units, as the next one. */
export const maxRejectedLength = 65_536
const keptOfLonger = 1_000
/** The newest are kept. */
export const maxRejections = 10_000
/** Dropped at once, so that not every new one costs a search. */
const dropped = 500

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
       where (record <> excluded.record or reason <> excluded.reason or rev is not excluded.rev)
         and (excluded.rev is not null or excluded.source = '${rebuildSource}' or (rev is null and ${droppable}))`,
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

  keep({ source, uri, reason, message, record, rev }: Rejection, now: bigint): void {
    const key = uri ?? `sha256:${createHash('sha256').update(record).digest('hex')}`
    const cut = record.length > maxRejectedLength && source !== rebuildSource
    const text = cut ? record.slice(0, keptOfLonger).toWellFormed() : record
    this.#keep.run(key, source, uri, reason, message, text, now, rev ?? null, Number(cut))
    this.#any = true
    if (source === rebuildSource) return
    this.#count += 1
    if (this.#count > maxRejections + dropped) this.#dropOldest()
  }

  /** What its publisher said of that URI up to the revision is known, so that none of it needs to be tried again. */
  forgive(uri: string, rev: string | null): void {
    if (this.#any) this.#forgive.run(uri, rev)
  }

  /** The repository as it is at a revision does not have them. */
  forgiveOlder(did: string, rev: string): void {
    if (!this.#any) return
    this.#database
      .prepare('delete from rejection where key >= ? and key < ? and rev < ?')
      .run(`at://${did}/`, `at://${did}0`, rev)
  }

  #dropOldest(): void {
    this.refresh()
    if (this.#count <= maxRejections) return
    const oldest = `select key from rejection where ${droppable} order by seen_at limit ?`
    this.#database.prepare(`delete from rejection where key in (${oldest})`).run(this.#count - maxRejections)
    this.#count = maxRejections
  }
}
