/** Writes the decisions about a run of changes, with one statement or call for each table and kind of change. */
import type { Steps, GivenType, GivenValue, RowKey } from '../metadata/steps.ts'
import { ask, jsonKeys, jsonRows, keyColumns } from '../metadata/steps.ts'
import { contentOf, type NewRow, type RecordTable, type RowChange, type RowId } from './record-table.ts'
import { referredRepoCollections } from '../derive.ts'
import type { WorkingSet, RecordSlot } from './working-set.ts'
import { addAccounts, baseId, makeRepoCollections } from './write-transaction.ts'
import { noteChanges, type WriteTransaction } from './write-transaction.ts'
import { quote } from '../../sql/sql.ts'

/** False, with only accounts and `base` written, if an unknown row exists. `place` gives new rows their stories. */
export function* writeRun(
  transaction: WriteTransaction,
  set: WorkingSet,
  place: (table: RecordTable, rows: readonly NewRow[]) => Steps<readonly NewRow[]>,
): Steps<boolean> {
  const slots = [...set.slots.values()]
  yield* addAccounts(transaction, set.newAccounts)
  yield* makeRepoCollections(transaction, repoCollectionsOf(slots))
  const isWithheld = ({ given }: RecordSlot): boolean => given.withheld
  const served = slots.filter((slot) => !isWithheld(slot))
  const tables = [...Map.groupBy(served, ({ given }) => given.table)]
  const changes = tables.map(([table, ofTable]) => ({ table, ...changesOf(ofTable) }))
  for (const { table, removed } of changes) yield* table.remove(transaction, removed.map(idOf))
  const added: { readonly table: RecordTable; readonly rows: readonly RowId[] }[] = []
  for (const { table, inserted } of changes) {
    const given = inserted.map((slot) => newRow(transaction, slot))
    const rows = yield* table.insert(transaction, yield* place(table, given))
    added.push({ table, rows })
    if (rows.length === inserted.length) continue
    for (const undone of added) yield* undone.table.remove(transaction, undone.rows)
    return false
  }
  for (const { table, updated, revised } of changes) {
    yield* table.update(
      transaction,
      updated.map((slot) => ({ ...idOf(slot), ...changeOf(slot) })),
    )
    if (revised.length === 0) continue
    const { name } = table.table
    yield* noteChanges(transaction, name, isGiven(transaction), keysOf(transaction, revised))
    yield* writeRevs(transaction, quote(name), revised, ({ rev }) => rev)
  }
  yield* writeQuarantined(transaction, changesOf(slots.filter(isWithheld)))
  yield* writeTombstones(transaction, slots)
  yield* writeExpiries(transaction, slots)
  return true
}

/** Slots of one table, or of the quarantine, by kind of change. */
function changesOf(slots: readonly RecordSlot[]) {
  const isNew = ({ row }: RecordSlot): boolean => row !== undefined && row.added !== null
  const [added, others] = [slots.filter(isNew), slots.filter((slot) => !isNew(slot))]
  return {
    removed: slots.filter(
      (slot) => slot.given.found !== undefined && (slot.row === undefined || isNew(slot)),
    ),
    inserted: added.toSorted((a, b) => (a.row?.added?.position ?? 0) - (b.row?.added?.position ?? 0)),
    updated: others.filter(({ row }) => row != null && row.content !== null),
    revised: others.filter(
      ({ row, given: { found } }) => row !== undefined && row.content === null && row.rev !== found?.rev,
    ),
  }
}

/** Yields the repository collections of the records themselves and of the records that they refer to. */
function* repoCollectionsOf(slots: readonly RecordSlot[]): Generator<string> {
  for (const { given, row } of slots) {
    yield given.baseUri
    if (row?.content != null && !given.withheld)
      yield* referredRepoCollections(given.table.table, row.content.record)
  }
}

function* writeQuarantined(
  transaction: WriteTransaction,
  changes: ReturnType<typeof changesOf>,
): Steps<void> {
  yield* deleteKeys(transaction, 'parked', changes.removed)
  const content = { cid: 'cid', rev: 'text', changed_at: 'bigint', record: 'record' } as const
  const columns = 'base, rkey, cid, rev, indexed_at, changed_at, record'
  yield* writeGiven(
    transaction,
    changes.inserted,
    { indexed_at: 'bigint', ...content },
    (given) => `insert into parked (${columns}) select ${columns} from ${given}`,
    (slot) => ({ indexed_at: indexedAtOf(slot), ...contentOf(transaction, changeOf(slot)) }),
  )
  yield* writeGiven(
    transaction,
    changes.updated,
    content,
    (given) =>
      `update parked set cid = given.cid, rev = given.rev, changed_at = given.changed_at, record = given.record
       from ${given} where parked.base = given.base and parked.rkey = given.rkey`,
    (slot) => contentOf(transaction, changeOf(slot)),
  )
  yield* writeRevs(transaction, 'parked', changes.revised, ({ rev }) => rev)
}

function writeRevs(
  transaction: WriteTransaction,
  table: string,
  slots: readonly RecordSlot[],
  revOf: (slot: RecordSlot) => string | null | undefined,
): Steps<void> {
  return writeGiven(
    transaction,
    slots,
    { rev: 'text' },
    (given) => `update ${table} set rev = given.rev from ${given}
      where ${table}.base = given.base and ${table}.rkey = given.rkey`,
    (slot) => ({ rev: revOf(slot) ?? null }),
  )
}

function* writeTombstones(transaction: WriteTransaction, slots: readonly RecordSlot[]): Steps<void> {
  const changed = slots.filter((slot) => slot.tombstone !== slot.given.tombstone)
  const set = changed.filter(({ tombstone }) => tombstone !== null)
  const dropped = changed.filter(({ tombstone }) => tombstone === null)
  yield* deleteKeys(transaction, 'tombstone', dropped)
  yield* writeGiven(
    transaction,
    set,
    { rev: 'text' },
    (given) => `insert into tombstone (base, rkey, rev) select base, rkey, rev from ${given} where true
      on conflict (base, rkey) do update set rev = excluded.rev`,
    ({ tombstone }) => ({ rev: tombstone }),
  )
  if (set.length > 0) transaction.has.tombstones = true
}

function* writeExpiries(transaction: WriteTransaction, slots: readonly RecordSlot[]): Steps<void> {
  const changed = slots.filter((slot) => slot.expiry !== slot.given.expiry)
  const dropped = changed.filter(({ expiry }) => expiry === null)
  yield* deleteKeys(transaction, 'expired', dropped)
  const set = changed.filter(({ expiry }) => expiry !== null)
  yield* writeRevs(transaction, 'expired', set, ({ expiry }) => expiry?.rev)
}

/** Runs one statement on the keys of the slots with further columns; nothing without slots. */
function* writeGiven(
  transaction: WriteTransaction,
  slots: readonly RecordSlot[],
  columns: Readonly<Record<string, GivenType>>,
  statement: (given: string) => string,
  valuesOf: (slot: RecordSlot) => Readonly<Record<string, GivenValue>>,
): Steps<void> {
  if (slots.length === 0) return
  const rows = slots.map((slot) => ({ ...keyOf(transaction, slot), ...valuesOf(slot) }))
  yield* ask(statement(transaction.dialect.given({ ...keyColumns, ...columns })), jsonRows(rows))
}

function* deleteKeys(
  transaction: WriteTransaction,
  table: 'parked' | 'tombstone' | 'expired',
  slots: readonly RecordSlot[],
): Steps<void> {
  if (slots.length === 0) return
  yield* ask(`delete from ${table} where ${isGiven(transaction)}`, keysOf(transaction, slots))
}

/** A condition on rows, which takes their keys. */
function isGiven({ dialect }: WriteTransaction): string {
  return `(base, rkey) in (select base, rkey from ${dialect.given(keyColumns)})`
}

function keysOf(transaction: WriteTransaction, slots: readonly RecordSlot[]): string {
  return jsonKeys(slots.map((slot) => keyOf(transaction, slot)))
}

function keyOf(transaction: WriteTransaction, { given: { baseUri, name } }: RecordSlot): RowKey {
  return { base: baseId(transaction, baseUri), rkey: name.rkey }
}

function idOf({ given: { found } }: RecordSlot): RowId {
  if (found?.id == null) throw new Error('A row that is in its table has an id.')
  return { id: found.id }
}

function changeOf({ row }: RecordSlot): RowChange {
  if (row?.content == null) throw new Error('Nothing was written.')
  return { cid: row.content.record.cid, rev: row.rev, ...row.content }
}

function newRow(transaction: WriteTransaction, slot: RecordSlot): NewRow {
  const { did } = slot.given.name
  return { id: null, did, ...keyOf(transaction, slot), indexedAt: indexedAtOf(slot), ...changeOf(slot) }
}

function indexedAtOf({ row }: RecordSlot): bigint {
  if (row?.added == null) throw new Error('Nothing was added.')
  return row.added.indexedAt
}
