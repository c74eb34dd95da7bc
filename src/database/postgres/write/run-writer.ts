/** Writes the decisions about a run of changes, with one statement for each table and kind of change. */
import { baseId, makeRepoCollections } from './repo-collections.ts'
import type { PostgresRecordSlot } from './record-slot.ts'
import { jsonRow, jsonRows, jsonValue } from '../read/json-rows.ts'
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

/** Record slots of one table, or of the quarantine, by kind of change. */
interface Plan {
  readonly removed: PostgresRecordSlot[]
  readonly inserted: PostgresRecordSlot[]
  readonly updated: PostgresRecordSlot[]
  readonly revised: PostgresRecordSlot[]
}

/** False if a row exists that the working set does not know; then only accounts and `base` are written. */
export async function writeRun(transaction: Transaction, set: WorkingSet): Promise<boolean> {
  const cells = [...set.cells]
  await addActors(transaction, set.newActors)
  await makeRepoCollections(transaction, repoCollectionIds(cells))
  const tables = [
    ...Map.groupBy(
      cells.filter(({ given }) => !given.quarantined),
      ({ given }) => given.table,
    ),
  ]
  const plans = tables.map(([table, its]) => ({ table, ...planOf(its) }))
  for (const { table, removed } of plans) await table.remove(transaction, removed.map(rowOf))
  const added: { table: TableWriter; rows: readonly RowId[] }[] = []
  for (const { table, inserted } of plans) {
    const rows = await table.insert(
      transaction,
      inserted.map((slot) => newRow(transaction, slot)),
    )
    added.push({ table, rows })
    if (rows.length === inserted.length) continue
    for (const one of added) await one.table.remove(transaction, one.rows)
    return false
  }
  for (const { table, updated, revised } of plans) {
    await table.update(
      transaction,
      updated.map((slot) => ({ ...rowOf(slot), ...changeOf(slot) })),
    )
    await table.setRev(
      transaction,
      revised.map((slot) => ({ ...rowOf(slot), rev: slot.rev ?? null })),
    )
  }
  await writeQuarantined(transaction, planOf(cells.filter(({ given }) => given.quarantined)))
  await writeTombstones(transaction, cells)
  await writeExpired(transaction, cells)
  await set.rejections.write(transaction)
  return true
}

function planOf(cells: readonly PostgresRecordSlot[]): Plan {
  const plan: Plan = { removed: [], inserted: [], updated: [], revised: [] }
  for (const slot of cells) {
    const { found } = slot.given
    const { row } = slot
    const isNew = row !== undefined && row.indexedAt !== null
    if (found !== undefined && (row === undefined || isNew)) plan.removed.push(slot)
    if (isNew) plan.inserted.push(slot)
    else if (row !== undefined && row.written !== null) plan.updated.push(slot)
    else if (row !== undefined && row.rev !== found?.rev) plan.revised.push(slot)
  }
  return plan
}

async function addActors(transaction: Transaction, dids: Iterable<string>): Promise<void> {
  const added = [...dids]
  if (added.length === 0) return
  // Due at once, because their handles were never resolved.
  await transaction.query(
    'insert into actor (did, handle_due, status_at) select did, 0, 0 from unnest($1::text[]) as given (did)',
    added,
  )
}

/** Yields the repository collections of the records themselves and of the records that they refer to. */
function* repoCollectionIds(cells: readonly PostgresRecordSlot[]): Generator<string> {
  for (const { given, row } of cells) {
    yield given.baseUri
    if (row?.written != null && !given.quarantined)
      yield* given.table.referredRepoCollections(row.written.record)
  }
}

async function writeQuarantined(transaction: Transaction, plan: Plan): Promise<void> {
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
    inserted.map((slot) => {
      const row = newRow(transaction, slot)
      return jsonRow([...keyMembers(row), ['indexed_at', String(row.indexedAt)], ...changeMembers(row)])
    }),
  )
  await write(
    `update parked set cid = given.cid, rev = given.rev, changed_at = given.changed_at, record = given.record
     from json_to_recordset($1) as given (base bigint, rkey text, ${kept})
     where parked.base = given.base and parked.rkey = given.rkey`,
    updated.map((slot) =>
      jsonRow([...keyMembers(keyOf(transaction, slot)), ...changeMembers(changeOf(slot))]),
    ),
  )
  await write(
    `update parked set rev = given.rev from json_to_recordset($1) as given (base bigint, rkey text, rev text)
     where parked.base = given.base and parked.rkey = given.rkey`,
    revised.map((slot) =>
      jsonRow([...keyMembers(keyOf(transaction, slot)), ['rev', jsonValue(slot.rev ?? null)]]),
    ),
  )
}

async function writeTombstones(
  transaction: Transaction,
  cells: readonly PostgresRecordSlot[],
): Promise<void> {
  const changed = cells.filter((slot) => slot.tombstone !== slot.given.tombstone)
  await deleteKeys(
    transaction,
    'tombstone',
    changed.filter(({ tombstone }) => tombstone === null),
  )
  const tombstones = changed.filter(({ tombstone }) => tombstone !== null)
  if (tombstones.length === 0) return
  const rows = tombstones.map((slot) =>
    jsonRow([...keyMembers(keyOf(transaction, slot)), ['rev', jsonValue(slot.tombstone)]]),
  )
  await transaction.query(
    `insert into tombstone (base, rkey, rev)
     select base, rkey, rev from json_to_recordset($1) as given (base bigint, rkey text, rev text)
     on conflict (base, rkey) do update set rev = excluded.rev`,
    jsonRows(rows),
  )
  transaction.has.tombstones = true
}

async function writeExpired(transaction: Transaction, cells: readonly PostgresRecordSlot[]): Promise<void> {
  const changed = cells.filter((slot) => slot.expiry !== slot.given.expired)
  await deleteKeys(
    transaction,
    'expired',
    changed.filter(({ expiry }) => expiry === null),
  )
  const revised = changed.filter(({ expiry }) => expiry !== null)
  if (revised.length === 0) return
  const rows = revised.map((slot) =>
    jsonRow([...keyMembers(keyOf(transaction, slot)), ['rev', jsonValue(slot.expiry?.rev ?? null)]]),
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
  cells: readonly PostgresRecordSlot[],
): Promise<void> {
  if (cells.length === 0) return
  await transaction.query(
    `delete from ${table} t using json_to_recordset($1) as given (base bigint, rkey text)
     where t.base = given.base and t.rkey = given.rkey`,
    jsonKeys(cells.map((slot) => keyOf(transaction, slot))),
  )
}

function keyMembers({ base, rkey }: RowKey): [string, string][] {
  return [
    ['base', String(base)],
    ['rkey', jsonValue(rkey)],
  ]
}

function keyOf(transaction: Transaction, { given: { baseUri, name } }: PostgresRecordSlot): RowKey {
  return { base: baseId(transaction, baseUri), rkey: name.rkey }
}

function rowOf({ given: { found } }: PostgresRecordSlot): { readonly id: bigint } {
  if (found?.id == null) throw new Error('A row that is in its table has an id.')
  return { id: found.id }
}

function changeOf({ row }: PostgresRecordSlot): RowChange {
  if (row?.written == null) throw new Error('Nothing was written.')
  return { cid: row.cid, rev: row.rev, ...row.written }
}

function newRow(transaction: Transaction, slot: PostgresRecordSlot): NewRow {
  const { did } = slot.given.name
  return { ...keyOf(transaction, slot), did, indexedAt: slot.row?.indexedAt ?? 0n, ...changeOf(slot) }
}
