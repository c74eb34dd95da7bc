/**
 * Decides for every engine which of two versions of a record wins: by revision, never by order of arrival. The engine
 * supplies the stored state and carries out the decision.
 */
import type { BatchOutcome, RecordDelete, RecordPut, Rejection } from '../changes.ts'

/** The outcome of one record. */
export type RecordOutcome = keyof BatchOutcome

/** The pending work on the rows of an account whose status has changed. */
export type Move = 'park' | 'purge' | 'return'

/** The state of an account that decides about its records. */
export interface AccountStatus {
  /**
   * As the network reports it. Null: records may be shown. `deleted`: the account has no records, whatever is claimed.
   */
  readonly status: string | null
  /** All of the repository up to this revision is known; older records that are not stored are gone. */
  readonly floor: string | null
  readonly move: Move | null
}

export const unknownAccount: AccountStatus = { status: null, floor: null, move: null }

export type RecordName = Pick<RecordDelete, 'did' | 'collection' | 'rkey'>

/** One record's row, tombstone and expiry as a change meets them, and the operations on them. */
export interface RecordSlot {
  /** The revision of the stored version; undefined when there is none. */
  readonly rev: string | null | undefined
  /** True if the record must not be visible: its account is not shown, or an operator has hidden either. */
  readonly withheld: boolean
  /** The revision at which the record is known to be gone. */
  readonly tombstone: string | null
  /** When the removed version was first stored, if the record was removed for its age; otherwise null. */
  readonly expired: bigint | null
  /** True if the stored version has the CID of the record. */
  holds(record: RecordPut): boolean
  insert(record: RecordPut, times: Times): void
  update(record: RecordPut, changedAt: bigint): void
  setRev(rev: string | null): void
  remove(): void
  addTombstone(rev: string): void
  dropTombstone(): void
  /** Notes that the publisher still has the expired record at that revision. */
  noteExpired(rev: string | null): void
  dropExpired(): void
}

/** The state that a batch meets, including its own changes. */
export interface WriteContext {
  readonly serves: (collection: string) => boolean
  readonly accountStatus: (did: string) => AccountStatus
  /** The same, for an account whose record is about to be stored. */
  readonly enter: (did: string) => AccountStatus
  readonly slot: (record: RecordName, accountStatus: AccountStatus) => RecordSlot
  /** True if an operator has purged the record or its account. */
  readonly isPurged: (did: string, uri: string) => boolean
  /** The start of a collection's retention period; null: unlimited. */
  readonly oldestRetained: (collection: string) => bigint | null
  /** Removes rejections of that URI up to the revision, which need no retry: the publisher's later state is known. */
  readonly clearRejection: (uri: string, rev: string | null) => void
  readonly keep: (rejection: Rejection, seenAt: bigint) => void
  /** Strictly increasing. */
  readonly nextInstant: () => bigint
}

export interface Times {
  readonly indexedAt: bigint
  readonly changedAt: bigint
}

/** The times of a record that is not stored yet. */
export function timesOf(record: RecordPut, nextInstant: () => bigint): Times {
  const indexedAt = record.indexedAt ?? nextInstant()
  return { indexedAt, changedAt: record.changedAt ?? indexedAt }
}

export function decidePut(context: WriteContext, record: RecordPut): RecordOutcome {
  const { did, rev } = record
  if (context.isPurged(did, uriOf(record))) return 'purged'
  const accountStatus = context.enter(did)
  const { status, floor } = accountStatus
  if (status === 'deleted') return 'withheld'
  const slot = context.slot(record, accountStatus)
  const kept = slot.rev
  const settled = latest(kept, floor, slot.tombstone)
  context.clearRejection(uriOf(record), rev)
  // A record without a revision never outranks a record with one, or the known state of the repository.
  if (settled !== null && (rev === null || rev < settled))
    return kept !== undefined && slot.holds(record) ? 'unchanged' : 'older'
  const times =
    kept === undefined
      ? timesOf(slot.expired === null ? record : { ...record, indexedAt: slot.expired }, context.nextInstant)
      : null
  if (times !== null && isTooOld(context, record, slot, times)) {
    if (slot.expired !== null) slot.noteExpired(rev)
    return 'expired'
  }
  if (slot.tombstone !== null) slot.dropTombstone()
  const withheld = slot.withheld ? 'withheld' : null
  if (times !== null) {
    if (slot.expired !== null) slot.dropExpired()
    slot.insert(record, times)
    return withheld ?? 'stored'
  }
  if (slot.holds(record) && record.repairs !== true) {
    if (rev !== kept) slot.setRev(rev)
    return withheld ?? 'unchanged'
  }
  slot.update(record, context.nextInstant())
  return withheld ?? 'updated'
}

/** An expired record stays out unless the retention period is now known to cover it. */
function isTooOld(
  context: WriteContext,
  { collection }: RecordPut,
  { expired }: RecordSlot,
  { indexedAt }: Times,
): boolean {
  const oldest = context.oldestRetained(collection)
  return oldest === null ? expired !== null : indexedAt < oldest
}

export function decideDelete(context: WriteContext, change: RecordDelete): RecordOutcome {
  const recordOutcome = takeOut(context, change)
  if (recordOutcome !== 'older') context.clearRejection(uriOf(change), change.rev)
  return recordOutcome
}

export function decideReject(context: WriteContext, rejection: Rejection): RecordOutcome {
  const { uri, rev } = rejection
  if (uri !== null && context.isPurged(accountOf(uri), uri)) return 'purged'
  const name = recordNameOf(uri)
  if (uri !== null && name !== null) {
    if (context.accountStatus(name.did).status === 'deleted') return 'withheld'
    const served = rev !== undefined && context.serves(name.collection)
    if (served && takeOut(context, { ...name, rev }) === 'older') {
      context.clearRejection(uri, rev)
      return 'older'
    }
  }
  context.keep(rejection, context.nextInstant())
  return 'rejected'
}

/** Null when the URI does not name a record. */
export function recordNameOf(uri: string | null): RecordName | null {
  const [, did, collection, rkey] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri ?? '') ?? []
  return did === undefined || collection === undefined || rkey === undefined
    ? null
    : { did, collection, rkey }
}

/** The DID of a URI, whatever follows it. */
export function accountOf(uri: string): string {
  return /^at:\/\/([^/]+)/.exec(uri)?.[1] ?? ''
}

/** The part of a URI that all records of one repository and collection share. */
export function repoCollectionUri({ did, collection }: Pick<RecordName, 'did' | 'collection'>): string {
  return `at://${did}/${collection}/`
}

/** Removes a record: at this revision the repository has no valid version of it. */
function takeOut(context: WriteContext, { rev, ...name }: RecordDelete): RecordOutcome {
  if (context.isPurged(name.did, uriOf(name))) return 'purged'
  const accountStatus = context.accountStatus(name.did)
  const { status, floor } = accountStatus
  if (status === 'deleted') return 'withheld'
  const slot = context.slot(name, accountStatus)
  const kept = slot.rev
  const settled = latest(kept, floor, slot.tombstone)
  if (settled !== null && rev < settled) return 'older'
  if (kept !== undefined) slot.remove()
  if (slot.expired !== null) slot.dropExpired()
  slot.addTombstone(rev)
  if (slot.withheld) return 'withheld'
  return kept === undefined ? 'unchanged' : 'deleted'
}

export function uriOf(name: RecordName): string {
  return repoCollectionUri(name) + name.rkey
}

/** The last revision at which the state of a record is known: present, deleted, or never created. */
function latest(...revs: readonly (string | null | undefined)[]): string | null {
  let last: string | null = null
  for (const rev of revs) if (rev != null && (last === null || rev > last)) last = rev
  return last
}
