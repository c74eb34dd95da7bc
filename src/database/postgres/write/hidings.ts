/** Hides and shows for operators: an account by a marker, with its rows moved later; a record by moving its row. */
import { repoCollectionUri, type RecordName, recordNameOf } from '../../write/decide.ts'
import { isShownByNetwork, releaseAccount, withholdAccount } from '../../metadata/accounts.ts'
import { endHiding, isHidden, type NewHiding, startHiding } from '../../metadata/hidings.ts'
import { isBeingPurged } from '../../metadata/purges.ts'
import { findRepoCollections } from './repo-collections.ts'
import { moveAsked, type MovesOptions } from './moves.ts'
import { runSteps } from '../steps.ts'
import type { TableWriter } from './table-writer.ts'
import type { Transaction } from './transactions.ts'

/** Implements `hide` of the metadata store. */
export async function hide(
  transaction: Transaction,
  hiding: NewHiding,
  now: bigint,
  moves: MovesOptions,
): Promise<number | null> {
  const { client } = transaction
  const { subject } = hiding
  if (!(await runSteps(client, startHiding(hiding, now)))) return null
  const record = recordNameOf(subject)
  return record === null
    ? runSteps(client, withholdAccount(subject, [...moves.tables.keys()]))
    : hideRecord(transaction, record, moves)
}

/** Implements `unhide` of the metadata store. */
export async function unhide(
  transaction: Transaction,
  subject: string,
  shownBy: string,
  now: bigint,
  moves: MovesOptions,
): Promise<number | null> {
  const { client } = transaction
  // A promised removal must be complete before new records may come.
  if (await runSteps(client, isBeingPurged(subject))) await moves.purge(transaction, subject)
  if (!(await runSteps(client, endHiding(subject, shownBy, now)))) return null
  const record = recordNameOf(subject)
  return record === null
    ? runSteps(client, releaseAccount(subject, [...moves.tables.keys()]))
    : showRecord(transaction, record, moves)
}

/** Returns the number of records that were visible. */
async function hideRecord(
  transaction: Transaction,
  record: RecordName,
  moves: MovesOptions,
): Promise<number> {
  const place = await findRecord(transaction, record, moves)
  if (place === null) return 0
  const quarantine = await place.table.find(transaction, [place])
  await moveAsked(transaction, { table: place.table, quarantine, bringBack: [] }, moves)
  return (await isSeen(transaction, record.did)) ? quarantine.length : 0
}

/** Brings the record back, unless its account is hidden. */
async function showRecord(
  transaction: Transaction,
  record: RecordName,
  moves: MovesOptions,
): Promise<number> {
  const place = await findRecord(transaction, record, moves)
  if (place === null || !(await isSeen(transaction, record.did))) return 0
  await moveAsked(transaction, { table: place.table, quarantine: [], bringBack: [place] }, moves)
  return (await place.table.find(transaction, [place])).length
}

interface RecordPlace {
  readonly did: string
  readonly base: bigint
  readonly rkey: string
  readonly table: TableWriter
}

/** Null if the collection is not served, or if the account has no repository collection for it. */
export async function findRecord(
  transaction: Transaction,
  { did, collection, rkey }: RecordName,
  { tables }: MovesOptions,
): Promise<RecordPlace | null> {
  const table = tables.get(collection)
  const uri = repoCollectionUri({ did, collection })
  await findRepoCollections(transaction, [uri])
  const base = transaction.bases.get(uri)
  return table === undefined || base === undefined ? null : { did, base, rkey, table }
}

async function isSeen({ client }: Transaction, did: string): Promise<boolean> {
  return (await runSteps(client, isShownByNetwork(did))) && !(await runSteps(client, isHidden(did)))
}
