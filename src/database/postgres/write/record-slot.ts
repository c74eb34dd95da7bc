/** One record as a run of changes finds it and leaves it. */
import { formatCid } from '../../../lexicon/records/cid.ts'
import type { RecordPut } from '../../changes.ts'
import type { RecordSlot, RecordName, Times } from '../../write/decide.ts'
import type { FoundRow, TableWriter } from './table-writer.ts'

export interface PostgresRecordSlotGiven {
  readonly name: RecordName
  readonly baseUri: string
  readonly table: TableWriter
  /** True if the row is, or belongs, in quarantine. */
  readonly quarantined: boolean
  readonly found: FoundRow | undefined
  readonly tombstone: string | null
  readonly expired: Expired | null
}

/** Notes a version that was removed for its age; `rev` is the revision at which its publisher still had it. */
export interface Expired {
  readonly rev: string | null
  readonly indexedAt: bigint
}

/** The row to be written. */
interface Row {
  readonly cid: string
  readonly rev: string | null
  /** Null if the content found remains. */
  readonly written: { readonly record: RecordPut; readonly changedAt: bigint } | null
  /** Set only for a new row. */
  readonly indexedAt: bigint | null
}

export class PostgresRecordSlot implements RecordSlot {
  readonly given: PostgresRecordSlotGiven
  tombstone: string | null
  /** The note to be written. */
  expiry: Expired | null
  #row: Row | undefined

  constructor(given: PostgresRecordSlotGiven) {
    this.given = given
    this.tombstone = given.tombstone
    this.expiry = given.expired
    if (given.found !== undefined) {
      const { cid, rev } = given.found
      this.#row = { cid, rev, written: null, indexedAt: null }
    }
  }

  get expired(): bigint | null {
    return this.expiry?.indexedAt ?? null
  }

  get withheld(): boolean {
    return this.given.quarantined
  }

  /** Undefined if there is to be no row. */
  get row(): Row | undefined {
    return this.#row
  }

  get rev(): string | null | undefined {
    return this.#row?.rev
  }

  holds({ cid }: RecordPut): boolean {
    return this.#row?.cid === formatCid(cid)
  }

  insert(record: RecordPut, { indexedAt, changedAt }: Times): void {
    this.#row = { cid: formatCid(record.cid), rev: record.rev, written: { record, changedAt }, indexedAt }
  }

  update(record: RecordPut, changedAt: bigint): void {
    const indexedAt = this.#row?.indexedAt ?? null
    this.#row = { cid: formatCid(record.cid), rev: record.rev, written: { record, changedAt }, indexedAt }
  }

  setRev(rev: string | null): void {
    if (this.#row !== undefined) this.#row = { ...this.#row, rev }
  }

  remove(): void {
    this.#row = undefined
  }

  addTombstone(rev: string): void {
    this.tombstone = rev
  }

  dropTombstone(): void {
    this.tombstone = null
  }

  noteExpired(rev: string | null): void {
    if (this.expiry !== null) this.expiry = { ...this.expiry, rev }
  }

  dropExpired(): void {
    this.expiry = null
  }
}
