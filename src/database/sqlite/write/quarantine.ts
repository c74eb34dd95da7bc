/** The quarantine: rows of hidden accounts and hidden records, until they are shown again or deleted. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ColumnValue } from '../../database.ts'
import { notHidden } from '../../metadata/hidings.ts'
import type { StoredRow, NewRow, RowChange, Rows } from './table-writer.ts'

interface QuarantinedRow extends StoredRow {
  readonly base: number
  readonly rkey: string
}

export class Quarantine implements Rows {
  readonly #find: StatementSync
  readonly #insert: StatementSync
  readonly #update: StatementSync
  readonly #setRev: StatementSync
  readonly #remove: StatementSync
  readonly #keys: StatementSync
  readonly #take: StatementSync
  readonly #removeSome: StatementSync

  constructor(database: DatabaseSync) {
    const one = 'where base = ? and rkey = ?'
    this.#find = database.prepare(`select base, rkey, cid, rev from parked ${one}`)
    this.#insert = database.prepare(
      `insert into parked (base, rkey, cid, rev, indexed_at, changed_at, record) values (?, ?, ?, ?, ?, ?, jsonb(?))`,
    )
    this.#update = database.prepare(
      `update parked set cid = ?, rev = ?, changed_at = ?, record = jsonb(?) ${one}`,
    )
    this.#setRev = database.prepare(`update parked set rev = ? ${one}`)
    this.#remove = database.prepare(`delete from parked ${one}`)
    this.#keys = database.prepare(`select rkey from parked where base = ? and ${notHidden} limit ?`)
    this.#take = database.prepare(
      `delete from parked ${one} returning rkey, id, cid, rev, indexed_at, changed_at, json(record) as json`,
    )
    this.#take.setReadBigInts(true)
    this.#removeSome = database.prepare(
      'delete from parked where base = ? and rkey in (select rkey from parked where base = ? limit ?)',
    )
  }

  find(base: number, rkey: string): QuarantinedRow | undefined {
    return this.#find.get(base, rkey) as QuarantinedRow | undefined
  }

  insert({ base, rkey, cid, rev, indexedAt, changedAt, json }: NewRow): void {
    this.#insert.run(base, rkey, cid, rev, indexedAt, changedAt, json)
  }

  update({ base, rkey }: QuarantinedRow, { cid, rev, changedAt, json }: RowChange): void {
    this.#update.run(cid, rev, changedAt, json, base, rkey)
  }

  setRev({ base, rkey }: QuarantinedRow, rev: string | null): void {
    this.#setRev.run(rev, base, rkey)
  }

  remove({ base, rkey }: QuarantinedRow): void {
    this.#remove.run(base, rkey)
  }

  /** Record keys of some rows of a base that are not hidden themselves. */
  keys(base: number, baseUri: string, limit: number): string[] {
    return this.#keys.all(base, baseUri, limit).map(({ rkey }) => String(rkey))
  }

  /** Removes a row and returns it; integers as bigint. */
  take(base: number, rkey: string): Readonly<Record<string, ColumnValue>> | undefined {
    return this.#take.get(base, rkey)
  }

  /** Removes some rows of a base; returns their number. */
  removeSome(base: number, limit: number): number {
    return Number(this.#removeSome.run(base, base, limit).changes)
  }
}
