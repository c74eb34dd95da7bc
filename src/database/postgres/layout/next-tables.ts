/**
 * Fills the tables of a rebuild: from the rows of the old tables, then from rows that have changed meanwhile. Records
 * that no longer fit the lexicons are noted, and stay in the old tables until the rebuild ends. All methods run within
 * the caller's transaction, whose search path leads to the new tables.
 */
import type { RecordCheck } from '../../database.ts'
import { repoCollectionsWhere, withheld } from '../../metadata/rebuild.ts'
import { rowOf, storedRecord } from '../../stored-record.ts'
import type { Table } from '../../layout/tables.ts'
import { jsonKeys, type RowKey, type StepRow } from '../../metadata/steps.ts'
import type { NewRow, RowId } from '../../write/record-table.ts'
import { referredRepoCollections } from '../../derive.ts'
import { findRepoCollections, makeRepoCollections } from '../../write/write-transaction.ts'
import { quote, recordsSchema } from './ddl.ts'
import { changeTable, type RebuildPart, rebuildSchema } from './rebuild-state.ts'
import { TableWriter } from '../write/table-writer.ts'
import type { Transaction } from '../write/transactions.ts'

const rowsAtOnce = 1_000

export class NextTables {
  readonly #check: RecordCheck
  readonly #writers: ReadonlyMap<string, TableWriter>

  constructor(tables: readonly Table[], check: RecordCheck) {
    this.#check = check
    this.#writers = new Map(tables.map((table) => [table.collection.nsid, new TableWriter(table, false)]))
  }

  /** Copies the next rows of a collection. */
  async copy(transaction: Transaction, { nsid, former, last_id }: RebuildPart): Promise<void> {
    const save = `update ${rebuildSchema}.part set done = done + $2, last_id = $3, copied = $4 where nsid = $1`
    const rows =
      former === null
        ? []
        : await transaction.query<StepRow>(
            `${selectOld(former)} where t.id > $1 order by t.id limit $2`,
            last_id,
            rowsAtOnce,
          )
    await this.#add(transaction, nsid, rows)
    const last = rows.at(-1)?.id ?? last_id
    await transaction.query(save, nsid, rows.length, last, Number(rows.length < rowsAtOnce))
  }

  /** Applies the next changes to the new tables; returns their number. */
  async catchUp(transaction: Transaction, parts: readonly RebuildPart[]): Promise<number> {
    const changes = await transaction.query<RowKey & { readonly former: string }>(
      `delete from ${changeTable}
       where n in (select n from ${changeTable} order by n limit $1) returning former, base, rkey`,
      rowsAtOnce,
    )
    for (const [former, keys] of Map.groupBy(changes, (change) => change.former)) {
      const part = parts.find((one) => one.former === former)
      const writer = part === undefined ? undefined : this.#writers.get(part.nsid)
      if (part === undefined || writer === undefined) continue
      await transaction.run(writer.remove(transaction, await transaction.run(writer.find(keys))))
      const given = 'json_to_recordset($2) as given (base bigint, rkey text)'
      const forget = `delete from ${rebuildSchema}.refusal r using ${given}
        where r.nsid = $1 and r.base = given.base and r.rkey = given.rkey`
      await transaction.query(forget, part.nsid, jsonKeys(keys))
      const read = `${selectOld(former)} join json_to_recordset($1) as given (base bigint, rkey text)
        on t.base = given.base and t.rkey = given.rkey`
      await this.#add(transaction, part.nsid, await transaction.query<StepRow>(read, jsonKeys(keys)))
    }
    return changes.length
  }

  /** Removes rows that must not be visible: those of hidden accounts, and of `hidden` records. */
  async removeWithheld(transaction: Transaction, hidden: readonly RowKey[]): Promise<void> {
    for (const writer of this.#writers.values()) {
      const rows = await transaction.query<RowId>(
        `select id from ${quote(writer.table.name)} where base in (${repoCollectionsWhere(withheld)})`,
      )
      const found = await transaction.run(writer.find(hidden))
      await transaction.run(writer.remove(transaction, [...rows, ...found]))
    }
  }

  async #add(transaction: Transaction, nsid: string, rows: readonly StepRow[]): Promise<void> {
    const writer = this.#writers.get(nsid)
    if (writer === undefined || rows.length === 0) return
    const [added, refused]: [NewRow[], RowKey[]] = [[], []]
    const bases: string[] = []
    for (const row of rows) {
      const record = storedRecord(writer.table, row, this.#check)
      if (record.kind === 'put') {
        added.push(rowOf(record, row.base as bigint))
        bases.push(...referredRepoCollections(writer.table, record))
      } else refused.push({ base: row.base as bigint, rkey: String(row.rkey) })
    }
    await transaction.run(findRepoCollections(transaction, bases))
    await transaction.run(makeRepoCollections(transaction, bases))
    await transaction.run(writer.insert(transaction, added))
    if (refused.length === 0) return
    const note = `insert into ${rebuildSchema}.refusal (nsid, base, rkey)
      select $1, base, rkey from json_to_recordset($2) as given (base bigint, rkey text) on conflict do nothing`
    await transaction.query(note, nsid, jsonKeys(refused))
  }
}

/** Selects the columns that tables of every version of the program have. */
export function selectOld(former: string): string {
  return `select t.id, t.base, t.rkey, t.did, t.cid, t.rev, t.indexed_at, t.changed_at, t.record::text as json
    from ${recordsSchema}.${quote(former)} t`
}
