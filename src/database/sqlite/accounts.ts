/**
 * Accounts that have records here: their standing, and where their rows are. An account that must not be
 * seen is hidden by one marker at once; its rows leave the tables afterwards, some at a time, and wait until
 * it comes back or is deleted. A record that is written meanwhile is moved first, so that it is in one place.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AccountChange, RecordCheck, Rejection } from '../database.ts'
import { type Move, newcomer, type Standing } from '../decide.ts'
import { keptRecord } from '../kept-record.ts'
import { Parked } from './parked.ts'
import type { Rows, TableWriter } from './table-writer.ts'

/** Where a record is kept. */
export interface Place {
  readonly did: string
  readonly base: number
  readonly rkey: string
  readonly table: TableWriter
}

export interface AccountsOptions {
  readonly tables: ReadonlyMap<string, TableWriter>
  readonly check: RecordCheck
  /** The account is shown again; what it did meanwhile must be fetched. */
  readonly onReturn: (did: string) => void
  /** A record that waited no longer fits the lexicons. */
  readonly onRefused: (rejection: Rejection) => void
}

export class Accounts {
  readonly parked: Parked
  readonly #database: DatabaseSync
  readonly #options: AccountsOptions
  readonly #known = new Map<string, Standing | null>()
  readonly #find: StatementSync
  readonly #add: StatementSync
  readonly #findChange: StatementSync
  readonly #findBase: StatementSync

  constructor(database: DatabaseSync, options: AccountsOptions) {
    this.parked = new Parked(database)
    this.#database = database
    this.#options = options
    this.#find = database.prepare('select status, floor, move from actor where did = ?')
    // Due at once: nobody has looked its handle up yet.
    this.#add = database.prepare('insert into actor (did, handle_due, status_at) values (?, 0, 0)')
    this.#findChange = database.prepare('select status, status_at from actor where did = ?')
    this.#findChange.setReadBigInts(true)
    this.#findBase = database.prepare('select id from base where uri = ?')
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
  rowsOf({ status, move }: Standing, place: Place): Rows {
    if (move !== null) this.#moveRow(move, place)
    return status === null ? place.table : this.parked
  }

  change({ did, active, status: given, eventAt }: AccountChange): void {
    const status = active ? null : (given ?? 'inactive')
    const row = this.#findChange.get(did) as { status: string | null; status_at: bigint } | undefined
    if (row === undefined) {
      if (status !== null) this.#expectHidden(did, status, eventAt)
      return
    }
    if (row.status_at > eventAt) return
    this.#database.prepare('update actor set status_at = ? where did = ?').run(eventAt, did)
    if (status === row.status) return
    const move: Move = status === null ? 'return' : status === 'deleted' ? 'purge' : 'park'
    this.#database.prepare('update actor set status = ?, move = ? where did = ?').run(status, move, did)
    this.#known.delete(did)
    if (status === null) {
      this.#show(did)
      this.#database.prepare('update actor set handle_due = 0 where did = ?').run(did)
      this.#options.onReturn(did)
    } else if (row.status === null) this.#hide(did)
  }

  raiseFloor(did: string, rev: string): void {
    this.#database
      .prepare('update actor set floor = ? where did = ? and (floor is null or floor < ?)')
      .run(rev, did, rev)
    this.#known.delete(did)
  }

  /** Where an account has records, or had some. */
  bases(did: string): { readonly base: number; readonly table: TableWriter }[] {
    const bases = []
    for (const [nsid, table] of this.#options.tables) {
      const row = this.#findBase.get(`at://${did}/${nsid}/`)
      if (row !== undefined) bases.push({ base: Number(row.id), table })
    }
    return bases
  }

  /** Moves up to so many rows as standings ask for; how many it moved. An account that is done counts as one. */
  settle(limit: number): number {
    let moved = 0
    while (moved < limit) {
      const next = this.#database
        .prepare('select did, move from actor where move is not null order by move limit 1')
        .get() as { did: string; move: Move } | undefined
      if (next === undefined) return moved
      const { did, move } = next
      const before = moved
      for (const { base, table } of this.bases(did)) {
        if (moved >= limit) break
        moved += this.#moveSome(move, did, base, table, limit - moved)
      }
      if (moved > before) continue
      // Nothing was left to move.
      if (move === 'purge') this.#forgetRest(did)
      if (move !== 'return') this.#show(did)
      this.#database.prepare('update actor set move = null where did = ?').run(did)
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

  /** Nothing of it is here, but its repository may be under way: records that come must not be seen. */
  #expectHidden(did: string, status: string, eventAt: bigint): void {
    const add = `insert into actor (did, status, status_at) select ?, ?, ?
      where exists (select 1 from job where kind in ('ingest', 'backfill', 'reconcile') and did = ?)`
    this.#database.prepare(add).run(did, status, eventAt, did)
    this.#known.delete(did)
  }

  #hide(did: string): void {
    this.#markHidden(() => {
      for (const { base } of this.bases(did))
        this.#database.prepare('insert or ignore into hidden (base) values (?)').run(base)
    })
  }

  /** Nothing of it is in the tables that must not be seen. */
  #show(did: string): void {
    this.#markHidden(() => {
      for (const { base } of this.bases(did))
        this.#database.prepare('delete from hidden where base = ?').run(base)
    })
  }

  /** Plans depend on whether anything is hidden, not on what. */
  #markHidden(change: () => void): void {
    const any = (): boolean => this.#database.prepare('select 1 from hidden limit 1').get() !== undefined
    const before = any()
    change()
    if (any() !== before) this.#database.exec('update state set plan_version = plan_version + 1')
  }

  #moveSome(move: Move, did: string, base: number, table: TableWriter, limit: number): number {
    const rows = move === 'return' ? this.parked : table
    const keys = rows.keys(base, limit)
    for (const rkey of keys) this.#moveRow(move, { did, base, rkey, table })
    return keys.length > 0 || move !== 'purge' ? keys.length : this.parked.removeSome(base, limit)
  }

  #moveRow(move: Move, place: Place): void {
    if (move === 'return') return this.#bringBack(place)
    const { base, rkey, table } = place
    const row = table.find(base, rkey)
    if (row === undefined) return
    if (move === 'park') table.park(row)
    else table.remove(row)
  }

  #bringBack({ did, base, rkey, table }: Place): void {
    const row = this.parked.take(base, rkey)
    if (row === undefined) return
    const record = keptRecord(table.table, { ...row, did }, this.#options.check)
    if (record.kind === 'reject') return this.#options.onRefused(record)
    const { cid, rev, json } = record
    const [indexedAt, changedAt] = [row.indexed_at as bigint, row.changed_at as bigint]
    const id = row.id === null ? null : Number(row.id)
    table.insert({ id, base, did, rkey, cid, rev, indexedAt, changedAt, json }, record)
  }

  /** What is known beside its rows. Its standing stays, so that nothing of it comes back unasked. */
  #forgetRest(did: string): void {
    const [from, to] = [`at://${did}/`, `at://${did}0`]
    const bases = 'select id from base where uri >= ? and uri < ?'
    for (const place of ['parked', 'tombstone'])
      this.#database.prepare(`delete from ${place} where base in (${bases})`).run(from, to)
    this.#database.prepare('delete from rejection where key >= ? and key < ?').run(from, to)
    this.#database
      .prepare('update actor set handle = null, handle_due = null, floor = null where did = ?')
      .run(did)
  }
}
