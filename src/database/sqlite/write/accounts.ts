/** Account status, and the moves of rows between their table and the quarantine, one row at a time. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AccountChange, RecordCheck, Rejection, RepoEnd } from '../../database.ts'
import {
  repoCollectionUri,
  type Move,
  unknownAccount,
  type RecordName,
  recordNameOf,
  type AccountStatus,
} from '../../write/decide.ts'
import {
  type AccountRepoCollection,
  repoCollectionsOf,
  changeAccount,
  endRepo,
  finishMove,
  forgetOlder,
  isShownByNetwork,
  mustPurgeBefore,
  nextMove,
  purgeAccount,
  releaseAccount,
  withholdAccount,
} from '../../metadata/accounts.ts'
import { endHiding, type NewHiding, startHiding } from '../../metadata/hidings.ts'
import {
  forgetRecord,
  isBeingPurged,
  measurePurge,
  type NewPurge,
  startPurge,
} from '../../metadata/purges.ts'
import { forgetRevisions } from '../../metadata/repo-rows.ts'
import { storedRecord } from '../../stored-record.ts'
import { Hidings } from './hidings.ts'
import { Quarantine } from './quarantine.ts'
import type { PurgeExtent } from '../../metadata/metadata-store.ts'
import type { Run } from '../steps.ts'
import type { Rows, TableWriter } from './table-writer.ts'
import { eraseUnserved } from '../layout/unserved.ts'

/** The address of a record's row. */
export interface RowAddress {
  readonly did: string
  readonly base: number
  /** The URI of `base`: the part of the record's URI up to the last slash. */
  readonly baseUri: string
  readonly rkey: string
  readonly table: TableWriter
}

export interface AccountsOptions {
  readonly run: Run
  readonly tables: ReadonlyMap<string, TableWriter>
  readonly check: RecordCheck
  /** Called when the account is shown again; its changes meanwhile must be fetched. */
  readonly onReturn: (did: string) => void
  /** Called when a quarantined record no longer fits the lexicons. */
  readonly onRefused: (rejection: Rejection) => void
}

/** Rows that are selected at a time for removal. */
const rowsAtOnce = 1_000

export class Accounts {
  readonly quarantined: Quarantine
  readonly hidings: Hidings
  readonly #database: DatabaseSync
  readonly #run: Run
  readonly #options: AccountsOptions
  readonly #known = new Map<string, AccountStatus | null>()
  readonly #find: StatementSync
  readonly #add: StatementSync

  constructor(database: DatabaseSync, options: AccountsOptions) {
    this.#database = database
    this.quarantined = new Quarantine(database)
    this.hidings = new Hidings(database)
    this.#run = options.run
    this.#options = options
    this.#find = database.prepare('select status, floor, move from actor where did = ?')
    // `handle_due` 0: the handle has not been resolved yet, so that is due at once.
    this.#add = database.prepare('insert into actor (did, handle_due, status_at) values (?, 0, 0)')
  }

  /** Drops cached state after another process has written or a transaction was rolled back. */
  forget(): void {
    this.#known.clear()
    this.hidings.refresh()
  }

  /** See `forgetRevisions` of the metadata store. */
  forgetRevisions(...given: Parameters<typeof forgetRevisions>): number {
    const forgotten = this.#run(forgetRevisions(...given))
    this.forget()
    return forgotten
  }

  accountStatus(did: string): AccountStatus {
    return this.#read(did) ?? unknownAccount
  }

  /** The same, for an account whose record is about to be stored. */
  enter(did: string): AccountStatus {
    const accountStatus = this.#read(did)
    if (accountStatus !== null) return accountStatus
    this.#add.run(did)
    this.#known.set(did, unknownAccount)
    return unknownAccount
  }

  has(did: string): boolean {
    return this.#read(did) !== null
  }

  /** The rows to which a record's row belongs, after a pending move of it, and whether they are the quarantine. */
  rowsOf(
    { status, move }: AccountStatus,
    address: RowAddress,
  ): { readonly rows: Rows; readonly withheld: boolean } {
    if (move !== null) this.#moveRow(move, address)
    const { did, baseUri, rkey } = address
    const withheld = status !== null || this.hidings.hides(did, baseUri, rkey)
    return { rows: withheld ? this.quarantined : address.table, withheld }
  }

  change(change: AccountChange): void {
    if (this.#run(mustPurgeBefore(change))) this.#purge(change.did)
    const isBack = this.#run(changeAccount(change, this.#collections))
    this.#known.delete(change.did)
    if (isBack) this.#options.onReturn(change.did)
  }

  /** See `hide` of the metadata store. */
  hide(hiding: NewHiding, now: bigint): number | null {
    const { subject } = hiding
    if (!this.#run(startHiding(hiding, now))) return null
    this.hidings.refresh()
    const record = recordNameOf(subject)
    if (record !== null) return this.#hideRecord(record)
    this.#known.delete(subject)
    return this.#run(withholdAccount(subject, this.#collections))
  }

  /** See `unhide` of the metadata store. */
  unhide(subject: string, shownBy: string, now: bigint): number | null {
    // A promised purge is completed before new records may arrive.
    if (this.#run(isBeingPurged(subject))) this.#purge(subject)
    if (!this.#run(endHiding(subject, shownBy, now))) return null
    this.hidings.refresh()
    const record = recordNameOf(subject)
    if (record !== null) return this.#showRecord(record)
    this.#known.delete(subject)
    return this.#run(releaseAccount(subject, this.#collections))
  }

  /** See `purge` of the metadata store. */
  purge(purge: NewPurge, now: bigint): PurgeExtent | null {
    const { subject } = purge
    if (!this.#run(startPurge(purge, now))) return null
    this.hidings.refresh()
    const extent = this.#run(measurePurge(subject))
    eraseUnserved(this.#database, subject, new Set(this.#collections))
    const record = recordNameOf(subject)
    if (record !== null) this.#eraseRecord(record, subject)
    else this.#run(purgeAccount(subject, this.#collections))
    this.#forgetLast(record?.did ?? subject)
    this.#known.delete(subject)
    return extent
  }

  /** Removes rows older than the repository's state at that revision, which are not in it; returns their number. */
  endRepo({ did, rev }: RepoEnd): number {
    let removed = 0
    for (const place of this.#run(endRepo({ did, rev }, this.accountStatus(did), this.#collections))) {
      removed += this.#table(place).removeOlder(Number(place.base), rev)
      this.#run(forgetOlder(place, rev))
    }
    this.#known.delete(did)
    return removed
  }

  /** Carries out up to `limit` pending moves of rows; returns their number. A finished account counts as one. */
  settle(limit: number): number {
    let moved = 0
    while (moved < limit) {
      const next = this.#run(nextMove())
      if (next === null) return moved
      const { did, move } = next
      const before = moved
      for (const place of this.#run(repoCollectionsOf(did, this.#collections))) {
        if (moved >= limit) break
        moved += this.#moveSome(move, did, Number(place.base), this.#table(place), limit - moved)
      }
      if (moved > before) continue
      this.#run(finishMove(did, move, this.#collections))
      this.#known.delete(did)
      moved += 1
    }
    return moved
  }

  /** Removes all remaining rows of a deleted account, in any number. */
  #purge(did: string): void {
    for (const place of this.#run(repoCollectionsOf(did, this.#collections)))
      while (this.#moveSome('purge', did, Number(place.base), this.#table(place), rowsAtOnce) > 0);
    this.#run(finishMove(did, 'purge', this.#collections))
    this.#known.delete(did)
  }

  #read(did: string): AccountStatus | null {
    const known = this.#known.get(did)
    if (known !== undefined) return known
    const row = (this.#find.get(did) ?? null) as AccountStatus | null
    if (this.#known.size > 100_000) this.#known.clear()
    this.#known.set(did, row)
    return row
  }

  #moveSome(move: Move, did: string, base: number, table: TableWriter, limit: number): number {
    const baseUri = repoCollectionUri({ did, collection: table.table.collection.nsid })
    const keys = move === 'return' ? this.quarantined.keys(base, baseUri, limit) : table.keys(base, limit)
    for (const rkey of keys) this.#moveRow(move, { did, base, baseUri, rkey, table })
    return keys.length > 0 || move !== 'purge' ? keys.length : this.quarantined.removeSome(base, limit)
  }

  #moveRow(move: Move, address: RowAddress): void {
    const { base, baseUri, rkey, table } = address
    if (move === 'return') {
      // A record that an operator has hidden stays quarantined.
      if (!this.hidings.has(baseUri + rkey)) this.#bringBack(address)
      return
    }
    const row = table.find(base, rkey)
    if (row === undefined) return
    if (move === 'park') table.quarantine(row)
    else table.remove(row)
  }

  /** Returns true if the record is in its table now. */
  #bringBack({ did, base, rkey, table }: RowAddress): boolean {
    const row = this.quarantined.take(base, rkey)
    if (row === undefined) return false
    const record = storedRecord(table.table, { ...row, did }, this.#options.check)
    if (record.kind === 'reject') {
      this.#options.onRefused(record)
      return false
    }
    const { cid, rev, json } = record
    const [indexedAt, changedAt] = [row.indexed_at as bigint, row.changed_at as bigint]
    const id = row.id === null ? null : Number(row.id)
    return table.insert({ id, base, did, rkey, cid, rev, indexedAt, changedAt, json }, record)
  }

  #eraseRecord(record: RecordName, uri: string): void {
    const address = this.#addressOf(record)
    const row = address?.table.find(address.base, address.rkey)
    if (row !== undefined) address?.table.remove(row)
    this.#run(forgetRecord(uri))
  }

  /** Removes the account from the stored end of the ids; later rows sort after all rows of that moment. */
  #forgetLast(did: string): void {
    this.#database
      .prepare(`update collection set last_rkey = char(1114111), last_did = '' where last_did = ?`)
      .run(did)
  }

  /** Quarantines the record at once; returns the number of records that were visible. */
  #hideRecord(record: RecordName): number {
    const address = this.#addressOf(record)
    const row = address?.table.find(address.base, address.rkey)
    if (address === null || row === undefined) return 0
    address.table.quarantine(row)
    return this.#isSeen(record.did) ? 1 : 0
  }

  /** Does nothing while the account is not shown. */
  #showRecord(record: RecordName): number {
    const address = this.#addressOf(record)
    return address !== null && this.#isSeen(record.did) && this.#bringBack(address) ? 1 : 0
  }

  #isSeen(did: string): boolean {
    return this.#run(isShownByNetwork(did)) && !this.hidings.has(did)
  }

  /** Null when the collection is not served, or the account has no URIs in it. */
  #addressOf({ did, collection, rkey }: RecordName): RowAddress | null {
    const table = this.#options.tables.get(collection)
    const [place] = table === undefined ? [] : this.#run(repoCollectionsOf(did, [collection]))
    if (table === undefined || place === undefined) return null
    return { did, base: Number(place.base), baseUri: repoCollectionUri({ did, collection }), rkey, table }
  }

  #table({ collection }: AccountRepoCollection): TableWriter {
    const table = this.#options.tables.get(collection)
    if (table === undefined) throw new Error(`No table for collection ${collection}.`)
    return table
  }

  get #collections(): readonly string[] {
    return [...this.#options.tables.keys()]
  }
}
