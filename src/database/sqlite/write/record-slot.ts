/** A record's row in a SQLite file, in its table or in the quarantine, with its tombstone and expiry. */
import type { RecordPut } from '../../changes.ts'
import type { RecordSlot, Times } from '../../write/decide.ts'
import type { Expirations } from './expirations.ts'
import type { StoredRow, Rows } from './table-writer.ts'
import type { Tombstones } from './tombstones.ts'

export interface RecordSlotGiven {
  readonly rows: Rows
  /** True if `rows` is the quarantine. */
  readonly withheld: boolean
  readonly tombstones: Tombstones
  readonly expirations: Expirations
  readonly base: number
  readonly rkey: string
  readonly did: string
  /** Trigrams are built later, all at once. */
  readonly bulk: boolean
}

export class SqliteRecordSlot implements RecordSlot {
  readonly withheld: boolean
  readonly tombstone: string | null
  readonly expired: bigint | null
  readonly #given: RecordSlotGiven
  readonly #row: StoredRow | undefined

  constructor(given: RecordSlotGiven) {
    const { rows, withheld, tombstones, expirations, base, rkey } = given
    this.#given = given
    this.withheld = withheld
    this.#row = rows.find(base, rkey)
    this.tombstone = tombstones.find(base, rkey)
    this.expired = expirations.find(base, rkey)
  }

  get rev(): string | null | undefined {
    return this.#row?.rev
  }

  holds({ cid }: RecordPut): boolean {
    return this.#row !== undefined && Buffer.compare(this.#row.cid, cid) === 0
  }

  insert(record: RecordPut, times: Times): void {
    const { rows, base, rkey, did, bulk } = this.#given
    const { cid, rev, json } = record
    rows.insert({ id: null, base, did, rkey, cid, rev, ...times, json }, record, bulk)
  }

  update(record: RecordPut, changedAt: bigint): void {
    const { cid, rev, json } = record
    this.#given.rows.update(this.#kept, { cid, rev, changedAt, json }, record, this.#given.bulk)
  }

  setRev(rev: string | null): void {
    this.#given.rows.setRev(this.#kept, rev)
  }

  remove(): void {
    this.#given.rows.remove(this.#kept)
  }

  addTombstone(rev: string): void {
    this.#given.tombstones.add(this.#given.base, this.#given.rkey, rev)
  }

  dropTombstone(): void {
    this.#given.tombstones.drop(this.#given.base, this.#given.rkey)
  }

  noteExpired(rev: string | null): void {
    this.#given.expirations.setRev(this.#given.base, this.#given.rkey, rev)
  }

  dropExpired(): void {
    this.#given.expirations.drop(this.#given.base, this.#given.rkey)
  }

  get #kept(): StoredRow {
    if (this.#row === undefined) throw new Error('There is no row to change.')
    return this.#row
  }
}
