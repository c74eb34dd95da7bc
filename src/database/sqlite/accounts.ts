/**
 * Accounts that have records here: their standing, and where their rows are. An account that must not be
 * seen is hidden by one marker at once; its rows leave the tables afterwards, some at a time, and wait in
 * `parked` until it comes back or is deleted.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { AccountChange, RecordCheck, RecordPut, Rejection } from '../database.ts'
import { keptRecord } from './kept-record.ts'
import type { TableWriter } from './table-writer.ts'

/** What of an account decides about its records. */
export interface Standing {
  /** Null: its records are shown. */
  readonly status: string | null
  /** All of its repository up to this revision is known; what is older and not here is gone. */
  readonly floor: string | null
}

export interface AccountsOptions {
  readonly tables: ReadonlyMap<string, TableWriter>
  readonly check: RecordCheck
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** The account is shown again; what it did meanwhile must be fetched. */
  readonly onReturn: (did: string) => void
  /** A record that waited no longer fits the lexicons. */
  readonly onRefused: (rejection: Rejection) => void
}

interface Base {
  readonly id: number
  readonly uri: string
  readonly collection: string | null
}

const unknown: Standing = { status: null, floor: null }

export class Accounts {
  readonly #database: DatabaseSync
  readonly #options: AccountsOptions
  readonly #known = new Map<string, Standing | null>()
  readonly #find: StatementSync
  readonly #add: StatementSync
  readonly #park: StatementSync
  readonly #parked: StatementSync
  readonly #unpark: StatementSync

  constructor(database: DatabaseSync, options: AccountsOptions) {
    this.#database = database
    this.#options = options
    this.#find = database.prepare('select status, floor from actor where did = ?')
    // Due at once: nobody has looked its handle up yet.
    this.#add = database.prepare('insert into actor (did, handle_due, status_at) values (?, 0, 0)')
    this.#park = database.prepare(
      `insert into parked (base, rkey, id, cid, rev, indexed_at, changed_at, record) values (?, ?, ?, ?, ?, ?, ?, jsonb(?))
       on conflict (base, rkey) do update set cid = excluded.cid, rev = excluded.rev,
         changed_at = excluded.changed_at, record = excluded.record
       where parked.rev is null or excluded.rev >= parked.rev`,
    )
    this.#parked = database.prepare(
      `select base, rkey, id, cid, rev, indexed_at, changed_at, json(record) as json from parked where base = ? limit ?`,
    )
    this.#parked.setReadBigInts(true)
    this.#unpark = database.prepare('delete from parked where base = ? and rkey = ?')
  }

  /** Memory may be wrong: somebody else has written, or a transaction was undone. */
  forget(): void {
    this.#known.clear()
  }

  standing(did: string): Standing {
    return this.#read(did) ?? unknown
  }

  /** The same of an account whose record is about to be stored. */
  enter(did: string): Standing {
    const standing = this.#read(did)
    if (standing !== null) return standing
    this.#add.run(did)
    this.#known.set(did, unknown)
    return unknown
  }

  has(did: string): boolean {
    return this.#read(did) !== null
  }

  /** A record of a hidden account waits with the others; a deleted account has none. */
  park(record: RecordPut, base: number): void {
    if (this.standing(record.did).status === 'deleted') return
    const now = this.#options.now()
    const { rkey, cid, rev, json, indexedAt, changedAt } = record
    this.#park.run(base, rkey, null, cid, rev, indexedAt ?? now, changedAt ?? now, json)
  }

  /** A record of a hidden account that is deleted; one with a later revision stays. */
  deleteParked(base: number, rkey: string, rev: string): void {
    this.#database
      .prepare('delete from parked where base = ? and rkey = ? and (rev is null or rev <= ?)')
      .run(base, rkey, rev)
  }

  change({ did, active, status: given, eventAt }: AccountChange): void {
    const row = this.#database.prepare('select status, status_at from actor where did = ?').get(did)
    if (row === undefined || Number(row.status_at) > Number(eventAt)) return
    const status = active ? null : (given ?? 'inactive')
    const move = status === null ? 'return' : status === 'deleted' ? 'purge' : 'park'
    this.#database.prepare('update actor set status_at = ? where did = ?').run(eventAt, did)
    if (status === row.status) return
    this.#database.prepare('update actor set status = ?, move = ? where did = ?').run(status, move, did)
    this.#known.delete(did)
    if (status === null) {
      this.#show(did)
      this.#options.onReturn(did)
    } else if (row.status === null) this.#hide(did)
  }

  raiseFloor(did: string, rev: string): void {
    this.#database
      .prepare('update actor set floor = ? where did = ? and (floor is null or floor < ?)')
      .run(rev, did, rev)
    this.#known.delete(did)
  }

  /** Bases of an account's records: its own, whether or not anything is stored under them. */
  bases(did: string): readonly Base[] {
    return this.#database
      .prepare('select id, uri, collection from base where uri >= ? and uri < ?')
      .all(`at://${did}/`, `at://${did}0`) as unknown as Base[]
  }

  /** Moves up to so many rows as standings ask for; how many it moved. */
  settle(limit: number): number {
    let moved = 0
    while (moved < limit) {
      const next = this.#database
        .prepare('select did, move from actor where move is not null order by move limit 1')
        .get() as { did: string; move: string } | undefined
      if (next === undefined) return moved
      const bases = this.bases(next.did)
      const before = moved
      for (const base of bases) {
        if (moved >= limit) break
        moved +=
          next.move === 'return'
            ? this.#return(next.did, base, limit - moved)
            : this.#clear(base, next.move, limit - moved)
      }
      if (moved > before) continue
      // Nothing was left to move.
      if (next.move === 'purge') this.#forgetRest(next.did, bases)
      if (next.move !== 'return') this.#show(next.did)
      this.#database.prepare('update actor set move = null where did = ?').run(next.did)
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

  #hide(did: string): void {
    this.#markHidden(() => {
      for (const { id } of this.bases(did))
        this.#database.prepare('insert or ignore into hidden (base) values (?)').run(id)
    })
  }

  /** Nothing of it is in the tables that must not be seen. */
  #show(did: string): void {
    this.#markHidden(() => {
      for (const { id } of this.bases(did))
        this.#database.prepare('delete from hidden where base = ?').run(id)
    })
  }

  /** Plans depend on whether anything is hidden, not on what. */
  #markHidden(change: () => void): void {
    const any = (): boolean => this.#database.prepare('select 1 from hidden limit 1').get() !== undefined
    const before = any()
    change()
    if (any() !== before) this.#database.exec('update state set plan_version = plan_version + 1')
  }

  /** Rows of a base out of the table, and into `parked` unless the account is gone for good. */
  #clear({ id, collection }: Base, move: string, limit: number): number {
    const table = this.#options.tables.get(collection ?? '')
    const rows = table?.ofBase(id, limit) ?? []
    for (const row of rows) {
      if (move === 'park') table?.park(row)
      table?.remove(row)
    }
    if (rows.length > 0 || move === 'park') return rows.length
    const some = 'select rkey from parked where base = ? limit ?'
    return Number(
      this.#database.prepare(`delete from parked where base = ? and rkey in (${some})`).run(id, id, limit)
        .changes,
    )
  }

  #return(did: string, { id: base, collection }: Base, limit: number): number {
    const table = this.#options.tables.get(collection ?? '')
    if (table === undefined) return 0
    const rows = this.#parked.all(base, limit)
    for (const row of rows) {
      this.#unpark.run(base, row.rkey as string)
      const record = keptRecord(table.table, { ...row, did }, this.#options.check)
      if (record.kind === 'reject') {
        this.#options.onRefused(record)
        continue
      }
      const { rkey, cid, rev, json } = record
      const [indexedAt, changedAt] = [row.indexed_at as bigint, row.changed_at as bigint]
      const id = row.id === null ? null : Number(row.id)
      if (table.insert({ id, base, did, rkey, cid, rev, indexedAt, changedAt, json }, record)) continue
      // Written again while it waited; the later of the two holds.
      const stored = table.find(base, rkey)
      if (stored !== undefined && rev !== null && (stored.rev === null || stored.rev < rev))
        table.update(stored, { cid, rev, changedAt, json }, record)
    }
    return rows.length
  }

  /** What is known beside its rows. Its standing stays, so that nothing of it comes back unasked. */
  #forgetRest(did: string, bases: readonly Base[]): void {
    for (const { id } of bases) this.#database.prepare('delete from tombstone where base = ?').run(id)
    this.#database
      .prepare('delete from rejection where key >= ? and key < ?')
      .run(`at://${did}/`, `at://${did}0`)
    this.#database
      .prepare('update actor set handle = null, handle_due = null, floor = null where did = ?')
      .run(did)
    this.#known.delete(did)
  }
}
