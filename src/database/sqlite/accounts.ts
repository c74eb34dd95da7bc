/** Standings of accounts, and their rows, moved one at a time between their table and where those of hidden accounts wait. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AccountChange, RecordCheck, Rejection, RepoEnd } from '../database.ts'
import { type Move, newcomer, type Standing } from '../decide.ts'
import {
  type AccountBase,
  accountBases,
  changeAccount,
  endRepo,
  finishMove,
  forgetOlder,
  nextMove,
} from '../kept/accounts.ts'
import { keptRecord } from '../kept-record.ts'
import { Parked } from './parked.ts'
import type { Run } from './steps.ts'
import type { Rows, TableWriter } from './table-writer.ts'

/** Where a record is kept. */
export interface RowAddress {
  readonly did: string
  readonly base: number
  readonly rkey: string
  readonly table: TableWriter
}

export interface AccountsOptions {
  readonly run: Run
  readonly tables: ReadonlyMap<string, TableWriter>
  readonly check: RecordCheck
  /** The account is shown again; what it did meanwhile must be fetched. */
  readonly onReturn: (did: string) => void
  /** A record that waited no longer fits the lexicons. */
  readonly onRefused: (rejection: Rejection) => void
}

export class Accounts {
  readonly parked: Parked
  readonly #run: Run
  readonly #options: AccountsOptions
  readonly #known = new Map<string, Standing | null>()
  readonly #find: StatementSync
  readonly #add: StatementSync

  constructor(database: DatabaseSync, options: AccountsOptions) {
    this.parked = new Parked(database)
    this.#run = options.run
    this.#options = options
    this.#find = database.prepare('select status, floor, move from actor where did = ?')
    // Due at once: nobody has looked its handle up yet.
    this.#add = database.prepare('insert into actor (did, handle_due, status_at) values (?, 0, 0)')
  }

  /** Memory may be wrong: somebody else has written, or a transaction was undone. */
  forget(): void {
    this.#known.clear()
  }

  standing(did: string): Standing {
    return this.#read(did) ?? newcomer
  }

  /** The same of an account whose record is about to be stored. */
  enter(did: string): Standing {
    const standing = this.#read(did)
    if (standing !== null) return standing
    this.#add.run(did)
    this.#known.set(did, newcomer)
    return newcomer
  }

  has(did: string): boolean {
    return this.#read(did) !== null
  }

  /** The rows among which a record's is, or belongs. */
  rowsOf({ status, move }: Standing, address: RowAddress): Rows {
    if (move !== null) this.#moveRow(move, address)
    return status === null ? address.table : this.parked
  }

  change(change: AccountChange): void {
    const isBack = this.#run(changeAccount(change, this.#collections))
    this.#known.delete(change.did)
    if (isBack) this.#options.onReturn(change.did)
  }

  /** What is older than the repository's state at that revision is not in it; how many records that were. */
  endRepo({ did, rev }: RepoEnd): number {
    let removed = 0
    for (const place of this.#run(endRepo({ did, rev }, this.standing(did), this.#collections))) {
      removed += this.#table(place).removeOlder(Number(place.base), rev)
      this.#run(forgetOlder(place, rev))
    }
    this.#known.delete(did)
    return removed
  }

  /** Moves up to so many rows as standings ask for; how many it moved. An account that is done counts as one. */
  settle(limit: number): number {
    let moved = 0
    while (moved < limit) {
      const next = this.#run(nextMove())
      if (next === null) return moved
      const { did, move } = next
      const before = moved
      for (const place of this.#run(accountBases(did, this.#collections))) {
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

  #read(did: string): Standing | null {
    const known = this.#known.get(did)
    if (known !== undefined) return known
    const row = (this.#find.get(did) ?? null) as Standing | null
    if (this.#known.size > 100_000) this.#known.clear()
    this.#known.set(did, row)
    return row
  }

  #moveSome(move: Move, did: string, base: number, table: TableWriter, limit: number): number {
    const rows = move === 'return' ? this.parked : table
    const keys = rows.keys(base, limit)
    for (const rkey of keys) this.#moveRow(move, { did, base, rkey, table })
    return keys.length > 0 || move !== 'purge' ? keys.length : this.parked.removeSome(base, limit)
  }

  #moveRow(move: Move, address: RowAddress): void {
    if (move === 'return') return this.#bringBack(address)
    const { base, rkey, table } = address
    const row = table.find(base, rkey)
    if (row === undefined) return
    if (move === 'park') table.park(row)
    else table.remove(row)
  }

  #bringBack({ did, base, rkey, table }: RowAddress): void {
    const row = this.parked.take(base, rkey)
    if (row === undefined) return
    const record = keptRecord(table.table, { ...row, did }, this.#options.check)
    if (record.kind === 'reject') return this.#options.onRefused(record)
    const { cid, rev, json } = record
    const [indexedAt, changedAt] = [row.indexed_at as bigint, row.changed_at as bigint]
    const id = row.id === null ? null : Number(row.id)
    table.insert({ id, base, did, rkey, cid, rev, indexedAt, changedAt, json }, record)
  }

  #table({ collection }: AccountBase): TableWriter {
    const table = this.#options.tables.get(collection)
    if (table === undefined) throw new Error(`No table for collection ${collection}.`)
    return table
  }

  get #collections(): readonly string[] {
    return [...this.#options.tables.keys()]
  }
}
