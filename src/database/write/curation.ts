/** Hides, shows and purges for operators: an account by a marker, with its rows moved later; a record by its row. */
import { isShownByNetwork, purgeAccount, releaseAccount, withholdAccount } from '../metadata/accounts.ts'
import { endHiding, isHidden, type NewHiding, startHiding } from '../metadata/hidings.ts'
import type { PurgeExtent } from '../metadata/metadata-store.ts'
import { forgetRecord, measurePurge, type NewPurge, startPurge } from '../metadata/purges.ts'
import type { Steps, RowKey } from '../metadata/steps.ts'
import { moveRows, type MovesOptions } from './moves.ts'
import { type RecordName, recordNameOf, repoCollectionUri } from '../changes.ts'
import type { RecordStore, RecordTable } from './record-table.ts'
import { findRepoCollections, type WriteTransaction } from './write-transaction.ts'

export function* hide(
  transaction: WriteTransaction,
  hiding: NewHiding,
  now: bigint,
  moves: MovesOptions,
): Steps<number | null> {
  const { subject } = hiding
  if (!(yield* startHiding(hiding, now))) return null
  const record = recordNameOf(subject)
  if (record === null) return yield* withholdAccount(subject, [...moves.tables.keys()])
  const row = yield* findRow(transaction, record, moves)
  if (row === null) return 0
  const quarantine = yield* row.table.find([row])
  yield* row.table.quarantine(transaction, quarantine)
  return (yield* isSeen(record.did)) ? quarantine.length : 0
}

/** A record stays in quarantine while its account is hidden. */
export function* unhide(
  transaction: WriteTransaction,
  subject: string,
  shownBy: string,
  now: bigint,
  moves: MovesOptions,
): Steps<number | null> {
  if (!(yield* endHiding(subject, shownBy, now))) return null
  const record = recordNameOf(subject)
  if (record === null) return yield* releaseAccount(subject, [...moves.tables.keys()])
  const row = yield* findRow(transaction, record, moves)
  if (row === null || !(yield* isSeen(record.did))) return 0
  yield* moveRows(transaction, { table: row.table, quarantine: [], bringBack: [row] }, moves)
  return (yield* row.table.find([row])).length
}

export function* purge(
  transaction: WriteTransaction,
  request: NewPurge,
  now: bigint,
  store: RecordStore,
): Steps<PurgeExtent | null> {
  const { subject } = request
  if (!(yield* startPurge(request, now))) return null
  const extent = yield* measurePurge(subject)
  const record = recordNameOf(subject)
  if (record === null) yield* purgeAccount(subject, [...store.tables.keys()])
  else {
    const row = yield* findRow(transaction, record, store)
    if (row !== null) yield* row.table.remove(transaction, yield* row.table.find([row]))
    yield* forgetRecord(subject)
  }
  yield* store.erase(transaction, subject)
  return extent
}

interface RowPosition extends RowKey {
  readonly did: string
  readonly table: RecordTable
}

/** Null if the collection is not served, or if the account has no repository collection for it. */
function* findRow(
  transaction: WriteTransaction,
  { did, collection, rkey }: RecordName,
  { tables }: Pick<RecordStore, 'tables'>,
): Steps<RowPosition | null> {
  const table = tables.get(collection)
  const uri = repoCollectionUri({ did, collection })
  yield* findRepoCollections(transaction, [uri])
  const base = transaction.bases.get(uri)
  return table === undefined || base === undefined ? null : { did, base, rkey, table }
}

function* isSeen(did: string): Steps<boolean> {
  return (yield* isShownByNetwork(did)) && !(yield* isHidden(did))
}
