/** One record as a run of changes finds it and leaves it: its row, its tombstone and its note of expiry. */
import { formatCid } from '../../lexicon/records/cid.ts'
import type { RecordPut, RecordName } from '../changes.ts'
import type { FoundRow, RecordTable } from './record-table.ts'

export interface SlotGiven {
  readonly name: RecordName
  readonly baseUri: string
  readonly table: RecordTable
  /** True if the row is, or belongs, in quarantine: its account is not shown, or an operator has hidden either. */
  readonly withheld: boolean
  readonly found: FoundRow | undefined
  /** The revision at which the record is known to be gone. */
  readonly tombstone: string | null
  readonly expiry: Expiry | null
}

/** Notes a version that was removed for its age; `rev` is the revision at which its publisher still had it. */
export interface Expiry {
  readonly rev: string | null
  readonly indexedAt: bigint
}

export interface Times {
  readonly indexedAt: bigint
  readonly changedAt: bigint
}

/** The row to be written. */
interface Row {
  readonly rev: string | null
  /** Null if the content found remains. */
  readonly content: { readonly record: RecordPut; readonly changedAt: bigint } | null
  /** Null for a row that was found. */
  readonly added: { readonly indexedAt: bigint; readonly position: number } | null
}

export class RecordSlot {
  readonly given: SlotGiven
  tombstone: string | null
  expiry: Expiry | null
  #row: Row | undefined

  constructor(given: SlotGiven) {
    this.given = given
    this.tombstone = given.tombstone
    this.expiry = given.expiry
    if (given.found !== undefined) this.#row = { rev: given.found.rev, content: null, added: null }
  }

  /** Undefined if there is to be no row. */
  get row(): Row | undefined {
    return this.#row
  }

  /** The revision of the stored version; undefined when there is none. */
  get rev(): string | null | undefined {
    return this.#row?.rev
  }

  /** True if the stored version has the CID of the record. */
  holds({ cid }: RecordPut): boolean {
    if (this.#row === undefined) return false
    const stored = this.#row.content === null ? this.given.found?.cid : this.#row.content.record.cid
    return stored instanceof Uint8Array ? Buffer.compare(stored, cid) === 0 : stored === formatCid(cid)
  }

  /** `position`: rows are added in this order, in which their times increase. */
  insert(record: RecordPut, { indexedAt, changedAt }: Times, position: number): void {
    this.#row = { rev: record.rev, content: { record, changedAt }, added: { indexedAt, position } }
  }

  update(record: RecordPut, changedAt: bigint): void {
    this.#row = { rev: record.rev, content: { record, changedAt }, added: this.#row?.added ?? null }
  }

  setRev(rev: string | null): void {
    if (this.#row !== undefined) this.#row = { ...this.#row, rev }
  }

  remove(): void {
    this.#row = undefined
  }
}
