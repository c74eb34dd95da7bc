/**
 * Which of two versions of a record holds, on every engine: revisions decide, never the order of arrival.
 * An engine says what it has of a record, and does what comes of it.
 */
import type { BatchOutcome, RecordDelete, RecordPut, Rejection } from '../changes.ts'

/** What became of one record. */
export type RecordOutcome = keyof BatchOutcome

/** What is still to be done with the rows of an account whose standing has changed. */
export type Move = 'park' | 'purge' | 'return'

/** What of an account decides about its records. */
export interface AccountStatus {
  /** What the network says. Null: its records may be shown. `deleted`: it has none, whatever is said of it. */
  readonly status: string | null
  /** All of its repository up to this revision is known; what is older and not here is gone. */
  readonly floor: string | null
  readonly move: Move | null
}

export const unknownAccount: AccountStatus = { status: null, floor: null, move: null }

export type RecordName = Pick<RecordDelete, 'did' | 'collection' | 'rkey'>

/** One record as it is when it is asked for, wherever its row is, and what may be done with it. */
export interface RecordSlot {
  /** Of the version that is kept; undefined when there is none. */
  readonly rev: string | null | undefined
  /** Whether it must not be seen: its account is not shown, or an operator has hidden one of them. */
  readonly withheld: boolean
  /** The revision at which the record is known to be gone. */
  readonly tombstone: string | null
  /** When a version was first stored that was removed for its age since; null when none was. */
  readonly expired: bigint | null
  /** Whether this is the version that is kept. */
  holds(record: RecordPut): boolean
  insert(record: RecordPut, times: Times): void
  update(record: RecordPut, changedAt: bigint): void
  setRev(rev: string | null): void
  remove(): void
  addTombstone(rev: string): void
  dropTombstone(): void
  /** Its publisher still has it at that revision. */
  noteExpired(rev: string | null): void
  dropExpired(): void
}

/** What a batch meets, its own changes included. */
export interface WriteContext {
  readonly serves: (collection: string) => boolean
  readonly accountStatus: (did: string) => AccountStatus
  /** The same of an account whose record is about to be stored. */
  readonly enter: (did: string) => AccountStatus
  readonly slot: (record: RecordName, accountStatus: AccountStatus) => RecordSlot
  /** Whether an operator has removed the record, or all of its account, for good. */
  readonly isPurged: (did: string, uri: string) => boolean
  /** What was indexed before is not kept of a collection; null: everything is. */
  readonly oldestRetained: (collection: string) => bigint | null
  /** What its publisher said of that URI up to the revision is known, so that none of it needs to be tried again. */
  readonly clearRejection: (uri: string, rev: string | null) => void
  readonly keep: (rejection: Rejection, seenAt: bigint) => void
  /** Strictly rising. */
  readonly nextInstant: () => bigint
}

export interface Times {
  readonly indexedAt: bigint
  readonly changedAt: bigint
}

/** Of a record that is new here. */
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
  // A record without a revision never outranks one that has it, nor what is known of the repository.
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

/** What has expired stays out unless it is known that such records are kept for longer by now. */
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

/** Null where a URI is none of a record. */
export function recordNameOf(uri: string | null): RecordName | null {
  const [, did, collection, rkey] = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(uri ?? '') ?? []
  return did === undefined || collection === undefined || rkey === undefined
    ? null
    : { did, collection, rkey }
}

/** The DID of a URI, whatever follows. */
export function accountOf(uri: string): string {
  return /^at:\/\/([^/]+)/.exec(uri)?.[1] ?? ''
}

/** The first part of a record's URI, which those of one repository and collection share. */
export function repoCollectionUri({ did, collection }: Pick<RecordName, 'did' | 'collection'>): string {
  return `at://${did}/${collection}/`
}

/** At this revision the publisher's repository has no such record that could be served. */
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

/** The last revision that is known to say something of a record: that it is there, gone, or never was. */
function latest(...revs: readonly (string | null | undefined)[]): string | null {
  let last: string | null = null
  for (const rev of revs) if (rev != null && (last === null || rev > last)) last = rev
  return last
}
