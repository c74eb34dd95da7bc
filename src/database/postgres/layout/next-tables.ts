/**
 * Fills the tables of a rebuild: from the rows of the old tables, then from rows that have changed meanwhile. Records
 * that no longer fit the lexicons are noted, and stay in the old tables until the rebuild ends. All methods run within
 * the caller's transaction, whose search path leads to the new tables.
 */
import type { RecordCheck } from '../../database.ts'
import { repoCollectionsWhere, withheld } from '../../metadata/rebuild.ts'
import type { Table } from '../../layout/tables.ts'
import { ask, jsonKeys, keyColumns, type RowKey, type Steps } from '../../metadata/steps.ts'
import { insertStored, type KeptRow } from '../../write/moves.ts'
import type { RowId } from '../../write/record-table.ts'
import type { WriteTransaction } from '../../write/write-transaction.ts'
import { quote, recordsSchema } from './ddl.ts'
import { changeTable, type RebuildPart, rebuildSchema } from './rebuild-state.ts'
import { TableWriter } from '../write/table-writer.ts'

const rowsAtOnce = 1_000

export class NextTables {
  readonly #check: RecordCheck
  readonly #writers: ReadonlyMap<string, TableWriter>

  constructor(tables: readonly Table[], check: RecordCheck) {
    this.#check = check
    this.#writers = new Map(tables.map((table) => [table.collection.nsid, new TableWriter(table, false)]))
  }

  /** Copies the next rows of a collection. */
  *copy(transaction: WriteTransaction, { nsid, former, last_id }: RebuildPart): Steps<void> {
    const next = 'where t.id > ? order by t.id limit ?'
    const rows =
      former === null ? [] : yield* ask<KeptRow>(`${selectOld(former)} ${next}`, last_id, rowsAtOnce)
    yield* this.#add(transaction, nsid, rows)
    const last = rows.at(-1)?.id ?? last_id
    const save = `update ${rebuildSchema}.part set done = done + ?, last_id = ?, copied = ? where nsid = ?`
    yield* ask(save, rows.length, last, Number(rows.length < rowsAtOnce), nsid)
  }

  /** Applies the next changes to the new tables; returns their number. */
  *catchUp(transaction: WriteTransaction, parts: readonly RebuildPart[]): Steps<number> {
    const changes = yield* ask<RowKey & { readonly former: string }>(
      `delete from ${changeTable}
       where n in (select n from ${changeTable} order by n limit ?) returning former, base, rkey`,
      rowsAtOnce,
    )
    const given = transaction.dialect.given(keyColumns)
    for (const [former, keys] of Map.groupBy(changes, (change) => change.former)) {
      const part = parts.find((one) => one.former === former)
      const writer = part === undefined ? undefined : this.#writers.get(part.nsid)
      if (part === undefined || writer === undefined) continue
      yield* writer.remove(transaction, yield* writer.find(keys))
      const forget = `delete from ${rebuildSchema}.refusal r using ${given}
        where r.base = given.base and r.rkey = given.rkey and r.nsid = ?`
      yield* ask(forget, jsonKeys(keys), part.nsid)
      const read = `${selectOld(former)} join ${given} on t.base = given.base and t.rkey = given.rkey`
      yield* this.#add(transaction, part.nsid, yield* ask<KeptRow>(read, jsonKeys(keys)))
    }
    return changes.length
  }

  /** Removes rows that must not be visible: those of hidden accounts, and of `hidden` records. */
  *removeWithheld(transaction: WriteTransaction, hidden: readonly RowKey[]): Steps<void> {
    for (const writer of this.#writers.values()) {
      const ofAccounts = `base in (${repoCollectionsWhere(withheld)})`
      const rows = yield* ask<RowId>(`select id from ${quote(writer.table.name)} where ${ofAccounts}`)
      yield* writer.remove(transaction, [...rows, ...(yield* writer.find(hidden))])
    }
  }

  *#add(transaction: WriteTransaction, nsid: string, rows: readonly KeptRow[]): Steps<void> {
    const writer = this.#writers.get(nsid)
    if (writer === undefined || rows.length === 0) return
    const added = rows.map((row) => ({ ...row, id: null }))
    const refused = yield* insertStored(transaction, writer, added, this.#check)
    if (refused.size === 0) return
    const note = `insert into ${rebuildSchema}.refusal (base, rkey, nsid)
      select base, rkey, ? from ${transaction.dialect.given(keyColumns)} on conflict do nothing`
    yield* ask(note, nsid, jsonKeys([...refused.keys()]))
  }
}

/** Selects the columns that tables of every version of the program have. */
export function selectOld(former: string): string {
  return `select t.id, t.base, t.rkey, t.did, t.cid, t.rev, t.indexed_at, t.changed_at, t.record::text as json
    from ${recordsSchema}.${quote(former)} t`
}
