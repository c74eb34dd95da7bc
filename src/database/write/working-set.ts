/**
 * The records and accounts that a run of changes needs, read with a few statements before decisions are made, and the
 * decisions themselves: later changes of a run see earlier ones.
 */
import type { RecordChange, Rejection, RecordName, RecordPut } from '../changes.ts'
import { accountOf, recordNameOf, repoCollectionUri, uriOf } from '../changes.ts'
import { ask, type Steps, jsonKeys, keyColumns, type RowKey } from '../metadata/steps.ts'
import { latestMoment, type MonotonicClock } from '../../util/instant.ts'
import type { RowsToMove } from './moves.ts'
import { formatCid } from '../../lexicon/records/cid.ts'
import type { FoundRow, RecordTable } from './record-table.ts'
import { referredRepoCollections } from '../derive.ts'
import { RejectionChanges } from './rejections.ts'
import type { AccountStatus, WriteTransaction } from './write-transaction.ts'
import { findAccountStatuses, findHidden, findRepoCollections, unknownAccount } from './write-transaction.ts'

/** A record that the run needs. */
interface NeededRecord {
  readonly name: RecordName
  readonly baseUri: string
  readonly table: RecordTable
  readonly accountStatus: AccountStatus
  /** True if the row is, or belongs, in quarantine: its account is not shown, or an operator has hidden either. */
  readonly withheld: boolean
}

interface StoredParts {
  readonly found: FoundRow | undefined
  /** The revision at which the record is known to be gone. */
  readonly tombstone: string | null
  readonly expiry: Expiry | null
}

interface Given {
  readonly transaction: WriteTransaction
  readonly tables: ReadonlyMap<string, RecordTable>
  readonly clock: MonotonicClock
  /** Assumes that the tables lack these records; the writer notices if that is wrong. */
  readonly blind: boolean
  /** The start of a collection's retention period; null: unlimited. */
  readonly oldestRetained: (collection: string) => bigint | null
  /** Moves rows of accounts whose status has changed to where they belong. */
  readonly move: (rows: RowsToMove) => Steps<void>
}

export class WorkingSet {
  readonly rejections = new RejectionChanges()
  readonly newAccounts = new Set<string>()
  readonly given: Given
  /** By URI. */
  readonly slots = new Map<string, RecordSlot>()

  constructor(given: Given) {
    this.given = given
  }

  accountStatus(did: string): AccountStatus {
    return this.given.transaction.accountStatuses.get(did) ?? unknownAccount
  }

  /** The same, for an account whose record is about to be stored. */
  enter(did: string): AccountStatus {
    const { accountStatuses } = this.given.transaction
    const known = accountStatuses.get(did) ?? null
    if (known !== null) return known
    accountStatuses.set(did, unknownAccount)
    this.newAccounts.add(did)
    return unknownAccount
  }

  slot(name: RecordName): RecordSlot {
    const uri = uriOf(name)
    const slot = this.slots.get(uri)
    if (slot === undefined) throw new Error(`Nothing was read of ${uri}.`)
    return slot
  }

  /** Removes rejections of that URI up to the revision, which need no retry: the publisher's later state is known. */
  clearRejection(uri: string, rev: string | null): void {
    if (this.given.transaction.has.rejections || !this.rejections.isEmpty) this.rejections.clear(uri, rev)
  }

  reject(rejection: Rejection): void {
    this.rejections.add(rejection, this.nextInstant())
  }

  /** True if an operator has purged the record or its account. */
  isPurged(did: string, uri: string): boolean {
    const { purged } = this.given.transaction
    return purged.has(did) || purged.has(uri)
  }

  /** Whether the time that a record was found with is further ahead than clocks may differ. */
  isStillToCome({ row, given: { found } }: RecordSlot): boolean {
    return (
      row?.added === null && found !== undefined && found.indexedAt > latestMoment(this.given.clock.horizon)
    )
  }

  /** Strictly increasing. */
  nextInstant(): bigint {
    return this.given.clock.next()
  }

  /** Reads everything that decisions about these changes need. */
  *read(changes: readonly RecordChange[]): Steps<void> {
    const { transaction, tables } = this.given
    const names = changes.map((change) => (change.kind === 'reject' ? recordNameOf(change.uri) : change))
    const dids = names.flatMap((name) => (name === null ? [] : [name.did]))
    yield* findAccountStatuses(transaction, dids)
    yield* findHidden(transaction, () =>
      changes.flatMap((change) => {
        const uri = change.kind === 'reject' ? change.uri : uriOf(change)
        return uri === null ? [] : [accountOf(uri), uri]
      }),
    )
    const needed = new Map<string, NeededRecord>()
    const bases = new Set<string>()
    for (const [index, change] of changes.entries()) {
      const name = names[index]
      // A rejection without a known revision affects no record.
      if (
        name == null ||
        (change.kind === 'reject' && (change.rev === undefined || !tables.has(name.collection)))
      )
        continue
      const table = tables.get(name.collection)
      if (table === undefined) throw new Error(`No table for collection ${name.collection}.`)
      const accountStatus = this.accountStatus(name.did)
      if (accountStatus.status === 'deleted') continue
      const baseUri = repoCollectionUri(name)
      const uri = baseUri + name.rkey
      if (this.isPurged(name.did, uri)) continue
      const withheld =
        accountStatus.status !== null || transaction.hidden.has(name.did) || transaction.hidden.has(uri)
      needed.set(uri, { name, baseUri, table, accountStatus, withheld })
      bases.add(baseUri)
      if (change.kind === 'put')
        for (const referred of referredRepoCollections(table.table, change)) bases.add(referred)
    }
    yield* findRepoCollections(transaction, bases)
    const all = [...needed.values()]
    const found = yield* this.#findRows(all)
    const { has } = transaction
    const tombstones = has.tombstones
      ? yield* this.#findGiven<RowKey & { readonly rev: string }>(all, 'tombstone', 'rev')
      : null
    const expired = has.expired
      ? yield* this.#findGiven<RowKey & Expiry>(all, 'expired', 'rev, indexed_at as "indexedAt"')
      : null
    for (const [uri, record] of needed) {
      const tombstone = tombstones?.get(uri)?.rev ?? null
      const expiry = expired?.get(uri) ?? null
      this.slots.set(uri, new RecordSlot({ ...record, found: found.get(uri), tombstone, expiry }))
    }
  }

  *#findRows(needed: readonly NeededRecord[]): Steps<ReadonlyMap<string, FoundRow>> {
    const { move } = this.given
    const blind = this.given.blind && needed.every(({ accountStatus }) => accountStatus.move === null)
    const found = new Map<string, FoundRow>()
    for (const [table, records] of blind ? [] : Map.groupBy(needed, (record) => record.table)) {
      let rows = yield* this.#findKeys(records, (keys) => table.find(keys))
      const moving = records.filter(({ accountStatus }) => accountStatus.move !== null)
      if (moving.length > 0) {
        yield* move({
          table,
          quarantine: moving.flatMap(({ withheld, name }) => (withheld && rows.get(uriOf(name))) || []),
          bringBack: this.#keysOf(moving.filter(({ withheld }) => !withheld)),
        })
        rows = yield* this.#findKeys(records, (keys) => table.find(keys))
      }
      for (const [uri, row] of rows) found.set(uri, row)
    }
    const withheld = needed.filter((record) => record.withheld)
    const quarantined = yield* this.#findGiven<FoundRow>(
      withheld,
      'parked',
      'id, cid, rev, indexed_at as "indexedAt"',
    )
    for (const [uri, row] of quarantined) found.set(uri, row)
    return found
  }

  /** Returns rows of a table that has one for all collections, by URI. */
  #findGiven<Row extends RowKey>(
    needed: readonly NeededRecord[],
    table: 'parked' | 'tombstone' | 'expired',
    columns: string,
  ): Steps<Map<string, Row>> {
    const given = this.given.transaction.dialect.given(keyColumns)
    const find = `select base, rkey, ${columns} from ${given} join ${table} using (base, rkey)`
    return this.#findKeys(needed, (keys) => ask<Row>(find, jsonKeys(keys)))
  }

  /** Returns rows by URI. */
  *#findKeys<Row extends RowKey>(
    needed: readonly NeededRecord[],
    find: (keys: readonly RowKey[]) => Steps<readonly Row[]>,
  ): Steps<Map<string, Row>> {
    const keys = this.#keysOf(needed)
    if (keys.length === 0) return new Map()
    const uris = new Map(keys.map((key) => [key.base, key.baseUri]))
    const rows = yield* find(keys)
    return new Map(rows.map((row) => [`${uris.get(row.base)}${row.rkey}`, row]))
  }

  /** Skips records of unknown repository collections, which have no rows. */
  #keysOf(needed: readonly NeededRecord[]): (RowKey & { readonly baseUri: string; readonly did: string })[] {
    return needed.flatMap(({ name: { did, rkey }, baseUri }) => {
      const base = this.given.transaction.bases.get(baseUri)
      return base === undefined ? [] : [{ base, baseUri, did, rkey }]
    })
  }
}

/** Notes a version that was removed for its age; `rev` is the revision at which its publisher still had it. */
interface Expiry {
  readonly rev: string | null
  readonly indexedAt: bigint
}

export interface Times {
  readonly indexedAt: bigint
  readonly changedAt: bigint
}

interface WrittenRow {
  readonly rev: string | null
  /** Null if the content found remains. */
  readonly content: { readonly record: RecordPut; readonly changedAt: bigint } | null
  /** Null for a row that was found. */
  readonly added: { readonly indexedAt: bigint; readonly position: number } | null
}

/** One record as a run of changes finds it and leaves it: its row, its tombstone and its note of expiry. */
export class RecordSlot {
  readonly given: NeededRecord & StoredParts
  tombstone: string | null
  expiry: Expiry | null
  /** Undefined if there is to be no row. */
  row: WrittenRow | undefined

  constructor(given: NeededRecord & StoredParts) {
    this.given = given
    this.tombstone = given.tombstone
    this.expiry = given.expiry
    if (given.found !== undefined) this.row = { rev: given.found.rev, content: null, added: null }
  }

  /** The revision of the stored version; undefined when there is none. */
  get rev(): string | null | undefined {
    return this.row?.rev
  }

  /** True if the stored version has the CID of the record. */
  holds({ cid }: RecordPut): boolean {
    if (this.row === undefined) return false
    const stored = this.row.content === null ? this.given.found?.cid : this.row.content.record.cid
    return stored instanceof Uint8Array ? Buffer.compare(stored, cid) === 0 : stored === formatCid(cid)
  }

  /** `position`: rows are added in this order, in which their times increase. */
  insert(record: RecordPut, { indexedAt, changedAt }: Times, position: number): void {
    this.row = { rev: record.rev, content: { record, changedAt }, added: { indexedAt, position } }
  }

  update(record: RecordPut, changedAt: bigint): void {
    this.row = { rev: record.rev, content: { record, changedAt }, added: this.row?.added ?? null }
  }
}
