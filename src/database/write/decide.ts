/**
 * Decides what a change does to a record, for every engine: by revision, never by order of arrival. It changes slots of
 * the working set and must not know how they are read or written.
 */
import type { BatchOutcome, RecordDelete, RecordPut, Rejection, RecordChange } from '../changes.ts'
import { accountOf, recordNameOf, uriOf } from '../changes.ts'
import type { WorkingSet, RecordSlot, Times } from './working-set.ts'

export type RecordOutcome = keyof BatchOutcome

/** `position`: of the change in its run. */
export function decide(set: WorkingSet, change: RecordChange, position: number): RecordOutcome {
  switch (change.kind) {
    case 'put':
      return decidePut(set, change, position)
    case 'delete':
      return decideDelete(set, change)
    case 'reject':
      return decideReject(set, change)
  }
}

function decidePut(set: WorkingSet, record: RecordPut, position: number): RecordOutcome {
  const { did, rev } = record
  const uri = uriOf(record)
  if (set.isPurged(did, uri)) return 'purged'
  const { status, floor } = set.enter(did)
  if (status === 'deleted') return 'withheld'
  const slot = set.slot(record)
  const { rev: storedRev, expiry } = slot
  set.clearRejection(uri, rev)
  const known = latestOf(storedRev, floor, slot.tombstone)
  // A record without a revision never outranks a record with one, or the known state of the repository.
  if (known !== null && (rev === null || rev < known))
    return storedRev !== undefined && slot.holds(record) ? 'unchanged' : 'older'
  const withheld = slot.given.withheld ? 'withheld' : null
  if (storedRev === undefined) {
    const times = timesOf(expiry === null ? record : { ...record, indexedAt: expiry.indexedAt }, set)
    if (isTooOld(set, record, slot, times)) {
      if (expiry !== null) slot.expiry = { ...expiry, rev }
      return 'expired'
    }
    slot.tombstone = null
    slot.expiry = null
    slot.insert(record, times, position)
    return withheld ?? 'stored'
  }
  slot.tombstone = null
  // Only a clock that was wrong stores such a time: the record is stored again, as if it were new.
  if (record.indexedAt === null && set.isStillToCome(slot)) {
    slot.insert(record, timesOf(record, set), position)
    return withheld ?? 'updated'
  }
  if (slot.holds(record) && record.repairs !== true) {
    if (slot.row !== undefined && rev !== storedRev) slot.row = { ...slot.row, rev }
    return withheld ?? 'unchanged'
  }
  slot.update(record, set.nextInstant())
  return withheld ?? 'updated'
}

/** The times of a record that is not stored yet. */
function timesOf({ indexedAt, changedAt }: RecordPut, set: WorkingSet): Times {
  const stored = indexedAt ?? set.nextInstant()
  return { indexedAt: stored, changedAt: changedAt ?? stored }
}

/** An expired record stays out unless the retention period is now known to cover it. */
function isTooOld(
  set: WorkingSet,
  { collection }: RecordPut,
  { expiry }: RecordSlot,
  { indexedAt }: Times,
): boolean {
  const oldest = set.given.oldestRetained(collection)
  return oldest === null ? expiry !== null : indexedAt < oldest
}

function decideDelete(set: WorkingSet, change: RecordDelete): RecordOutcome {
  const outcome = takeOut(set, change)
  if (outcome !== 'older') set.clearRejection(uriOf(change), change.rev)
  return outcome
}

function decideReject(set: WorkingSet, rejection: Rejection): RecordOutcome {
  const { uri, rev } = rejection
  if (uri !== null && set.isPurged(accountOf(uri), uri)) return 'purged'
  const name = recordNameOf(uri)
  if (uri !== null && name !== null) {
    if (set.accountStatus(name.did).status === 'deleted') return 'withheld'
    const served = rev !== undefined && set.given.tables.has(name.collection)
    if (served && takeOut(set, { ...name, rev }) === 'older') {
      set.clearRejection(uri, rev)
      return 'older'
    }
  }
  set.reject(rejection)
  return 'rejected'
}

/** Removes a record: at this revision the repository has no valid version of it. */
function takeOut(set: WorkingSet, { rev, ...name }: RecordDelete): RecordOutcome {
  if (set.isPurged(name.did, uriOf(name))) return 'purged'
  const { status, floor } = set.accountStatus(name.did)
  if (status === 'deleted') return 'withheld'
  const slot = set.slot(name)
  const storedRev = slot.rev
  const known = latestOf(storedRev, floor, slot.tombstone)
  if (known !== null && rev < known) return 'older'
  slot.row = undefined
  slot.expiry = null
  slot.tombstone = rev
  if (slot.given.withheld) return 'withheld'
  return storedRev === undefined ? 'unchanged' : 'deleted'
}

/** The last revision at which the state of a record is known: present, deleted, or never created. */
function latestOf(...revs: readonly (string | null | undefined)[]): string | null {
  let last: string | null = null
  for (const rev of revs) if (rev != null && (last === null || rev > last)) last = rev
  return last
}
