/** Writes what was decided about a run of changes: one statement for each table and kind of writing. */
import { baseId, makeBases } from './bases.ts'
import type { Cell } from './cell.ts'
import { jsonRow, jsonRows, jsonValue } from './json-rows.ts'
import {
  changeMembers,
  jsonKeys,
  type NewRow,
  type RowChange,
  type RowId,
  type RowKey,
  type TableWriter,
} from './table-writer.ts'
import type { Transaction } from './transactions.ts'
import type { WorkingSet } from './working-set.ts'

/** What becomes of the cells of one table, or of those that are parked. */
interface Plan {
  readonly removed: Cell[]
  readonly inserted: Cell[]
  readonly updated: Cell[]
  readonly revised: Cell[]
}

/**
 * False, and nothing but accounts and bases written, when a row was there already of which the working set did not
 * know.
 */
export async function writeRun(transaction: Transaction, set: WorkingSet): Promise<boolean> {
  const cells = [...set.cells]
  await addActors(transaction, set.newActors)
  await makeBases(transaction, basesOf(cells))
  const tables = [
    ...Map.groupBy(
      cells.filter(({ given }) => !given.parked),
      ({ given }) => given.table,
    ),
  ]
  const plans = tables.map(([table, its]) => ({ table, ...planOf(its) }))
  for (const { table, removed } of plans) await table.remove(transaction, removed.map(rowOf))
  const added: { table: TableWriter; rows: readonly RowId[] }[] = []
  for (const { table, inserted } of plans) {
    const rows = await table.insert(
      transaction,
      inserted.map((cell) => newRow(transaction, cell)),
    )
    added.push({ table, rows })
    if (rows.length === inserted.length) continue
    for (const one of added) await one.table.remove(transaction, one.rows)
    return false
  }
  for (const { table, updated, revised } of plans) {
    await table.update(
      transaction,
      updated.map((cell) => ({ ...rowOf(cell), ...changeOf(cell) })),
    )
    await table.setRev(
      transaction,
      revised.map((cell) => ({ ...rowOf(cell), rev: cell.rev ?? null })),
    )
  }
  await writeParked(transaction, planOf(cells.filter(({ given }) => given.parked)))
  await writeTombstones(transaction, cells)
  await writeExpired(transaction, cells)
  await set.rejections.write(transaction)
  return true
}

function planOf(cells: readonly Cell[]): Plan {
  const plan: Plan = { removed: [], inserted: [], updated: [], revised: [] }
  for (const cell of cells) {
    const { found } = cell.given
    const { row } = cell
    const isNew = row !== undefined && row.indexedAt !== null
    if (found !== undefined && (row === undefined || isNew)) plan.removed.push(cell)
    if (isNew) plan.inserted.push(cell)
    else if (row !== undefined && row.written !== null) plan.updated.push(cell)
    else if (row !== undefined && row.rev !== found?.rev) plan.revised.push(cell)
  }
  return plan
}

async function addActors(transaction: Transaction, dids: Iterable<string>): Promise<void> {
  const added = [...dids]
  if (added.length === 0) return
  // Due at once: nobody has looked their handles up yet.
  await transaction.query(
    'insert into actor (did, handle_due, status_at) select did, 0, 0 from unnest($1::text[]) as given (did)',
    added,
  )
}

/** Of the records themselves, and of those that they refer to. */
function* basesOf(cells: readonly Cell[]): Generator<string> {
  for (const { given, row } of cells) {
    yield given.baseUri
    if (row?.written != null && !given.parked) yield* given.table.referredBases(row.written.record)
  }
}

async function writeParked(transaction: Transaction, plan: Plan): Promise<void> {
  const { removed, inserted, updated, revised } = plan
  await deleteKeys(transaction, 'parked', removed)
  const write = async (text: string, rows: readonly string[]): Promise<void> => {
    if (rows.length > 0) await transaction.query(text, jsonRows(rows))
  }
  const kept = 'cid text, rev text, changed_at bigint, record jsonb'
  await write(
    `insert into parked (base, rkey, cid, rev, indexed_at, changed_at, record)
     select base, rkey, cid, rev, indexed_at, changed_at, record
     from json_to_recordset($1) as given (base bigint, rkey text, indexed_at bigint, ${kept})`,
    inserted.map((cell) => {
      const row = newRow(transaction, cell)
      return jsonRow([...keyMembers(row), ['indexed_at', String(row.indexedAt)], ...changeMembers(row)])
    }),
  )
  await write(
    `update parked set cid = given.cid, rev = given.rev, changed_at = given.changed_at, record = given.record
     from json_to_recordset($1) as given (base bigint, rkey text, ${kept})
     where parked.base = given.base and parked.rkey = given.rkey`,
    updated.map((cell) =>
      jsonRow([...keyMembers(keyOf(transaction, cell)), ...changeMembers(changeOf(cell))]),
    ),
  )
  await write(
    `update parked set rev = given.rev from json_to_recordset($1) as given (base bigint, rkey text, rev text)
     where parked.base = given.base and parked.rkey = given.rkey`,
    revised.map((cell) =>
      jsonRow([...keyMembers(keyOf(transaction, cell)), ['rev', jsonValue(cell.rev ?? null)]]),
    ),
  )
}

async function writeTombstones(transaction: Transaction, cells: readonly Cell[]): Promise<void> {
  const changed = cells.filter((cell) => cell.tombstone !== cell.given.tombstone)
  await deleteKeys(
    transaction,
    'tombstone',
    changed.filter(({ tombstone }) => tombstone === null),
  )
  const buried = changed.filter(({ tombstone }) => tombstone !== null)
  if (buried.length === 0) return
  const rows = buried.map((cell) =>
    jsonRow([...keyMembers(keyOf(transaction, cell)), ['rev', jsonValue(cell.tombstone)]]),
  )
  await transaction.query(
    `insert into tombstone (base, rkey, rev)
     select base, rkey, rev from json_to_recordset($1) as given (base bigint, rkey text, rev text)
     on conflict (base, rkey) do update set rev = excluded.rev`,
    jsonRows(rows),
  )
  transaction.has.tombstones = true
}

async function writeExpired(transaction: Transaction, cells: readonly Cell[]): Promise<void> {
  const changed = cells.filter((cell) => cell.expiry !== cell.given.expired)
  await deleteKeys(
    transaction,
    'expired',
    changed.filter(({ expiry }) => expiry === null),
  )
  const revised = changed.filter(({ expiry }) => expiry !== null)
  if (revised.length === 0) return
  const rows = revised.map((cell) =>
    jsonRow([...keyMembers(keyOf(transaction, cell)), ['rev', jsonValue(cell.expiry?.rev ?? null)]]),
  )
  await transaction.query(
    `update expired set rev = given.rev from json_to_recordset($1) as given (base bigint, rkey text, rev text)
     where expired.base = given.base and expired.rkey = given.rkey`,
    jsonRows(rows),
  )
}

async function deleteKeys(
  transaction: Transaction,
  table: 'parked' | 'tombstone' | 'expired',
  cells: readonly Cell[],
): Promise<void> {
  if (cells.length === 0) return
  await transaction.query(
    `delete from ${table} t using json_to_recordset($1) as given (base bigint, rkey text)
     where t.base = given.base and t.rkey = given.rkey`,
    jsonKeys(cells.map((cell) => keyOf(transaction, cell))),
  )
}

function keyMembers({ base, rkey }: RowKey): [string, string][] {
  return [
    ['base', String(base)],
    ['rkey', jsonValue(rkey)],
  ]
}

function keyOf(transaction: Transaction, { given: { baseUri, name } }: Cell): RowKey {
  return { base: baseId(transaction, baseUri), rkey: name.rkey }
}

function rowOf({ given: { found } }: Cell): { readonly id: bigint } {
  if (found?.id == null) throw new Error('A row that is in its table has an id.')
  return { id: found.id }
}

function changeOf({ row }: Cell): RowChange {
  if (row?.written == null) throw new Error('Nothing was written.')
  return { cid: row.cid, rev: row.rev, ...row.written }
}

function newRow(transaction: Transaction, cell: Cell): NewRow {
  const { did } = cell.given.name
  return { ...keyOf(transaction, cell), did, indexedAt: cell.row?.indexedAt ?? 0n, ...changeOf(cell) }
}
