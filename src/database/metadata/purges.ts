/** Purges by operators: each belongs to a hiding, and nothing of its subject is stored until that ends. */
import { recordNameOf, repoCollectionUri, urisOf } from '../changes.ts'
import { quote } from '../../sql/sql.ts'
import { readCollections } from './collections.ts'
import type { Purge, PurgeExtent } from './metadata-store.ts'
import { isHidden, startHiding } from './hidings.ts'
import { ask, type Steps } from './steps.ts'

/** An operator's request to remove a subject. */
export type NewPurge = Pick<Purge, 'subject' | 'reason' | 'purgedBy'>

/** Subjects of purges that are in force. */
export const purgedSubjects =
  'select purge.subject from purge join hiding using (subject, hidden_at) where hiding.shown_at is null'

/** `subject`: a DID, or the URI of a record. */
export function* isPurged(subject: string): Steps<boolean> {
  return (yield* ask(`${purgedSubjects} and purge.subject = ?`, subject)).length > 0
}

/** Whether rows of a purged account remain to be removed. */
export function* isBeingPurged(did: string): Steps<boolean> {
  const moving = yield* ask(`select did from actor where did = ? and move = 'purge'`, did)
  return moving.length > 0 && (yield* isPurged(did))
}

/** Also hides the subject, unless it is hidden. Returns false, without changes, if it is purged already. */
export function* startPurge({ subject, reason, purgedBy }: NewPurge, now: bigint): Steps<boolean> {
  if (yield* isPurged(subject)) return false
  if (!(yield* isHidden(subject))) yield* startHiding({ subject, reason, hiddenBy: purgedBy }, now)
  yield* ask(
    `insert into purge (subject, hidden_at, purged_at, purged_by, reason)
     select subject, hidden_at, ?, ?, ? from hiding where subject = ? and shown_at is null`,
    now,
    purgedBy,
    reason,
    subject,
  )
  return true
}

/** Measures the stored data of a subject that would be removed. */
export function* measurePurge(subject: string): Steps<PurgeExtent> {
  const collections: { name: string; records: number }[] = []
  for (const { name, table } of yield* readCollections()) {
    let records = 0
    for (const place of [quote(table), 'parked']) records += yield* countOf(place, ...rowsOf(subject, name))
    if (records > 0) collections.push({ name, records })
  }
  const record = recordNameOf(subject)
  return {
    collections,
    rejections: yield* countOf('rejection', ...rejectionsOf(subject)),
    tombstones: yield* countOf('tombstone', ...rowsOf(subject, record?.collection ?? null)),
    jobs: record === null ? yield* countOf('job', 'did = ?', [subject]) : 0,
  }
}

/** Removes what is stored of a record outside its collection's table. */
export function* forgetRecord(uri: string): Steps<void> {
  yield* forgetRows(uri)
  yield* forgetRejections(uri)
}

/** Removes quarantined rows, tombstones and notes of expiry. */
export function* forgetRows(subject: string): Steps<void> {
  const [rows, values] = rowsOf(subject, recordNameOf(subject)?.collection ?? null)
  for (const place of ['parked', 'tombstone', 'expired'])
    yield* ask(`delete from ${place} where ${rows}`, ...values)
}

/**
 * Removes what is stored of an account besides its records, once these are gone. The account status that the network
 * reported remains, so that a return does not show the account against the network's will.
 */
export function* forgetAccount(did: string): Steps<void> {
  yield* forgetRejections(did)
  yield* ask('delete from job where did = ?', did)
  yield* ask('delete from fetched where did = ?', did)
  yield* ask('delete from actor where did = ? and status is null', did)
  yield* ask('update actor set handle = null, handle_due = null, floor = null where did = ?', did)
}

/** Condition on rows with `base`, and `rkey` for a record; `collection` null means all collections. */
export function rowsOf(
  subject: string,
  collection: string | null,
): readonly [condition: string, values: readonly string[]] {
  const record = recordNameOf(subject)
  if (record !== null) {
    const isIts = record.collection === collection ? '' : ' and 1 = 0'
    return [
      `base = (select id from base where uri = ?) and rkey = ?${isIts}`,
      [repoCollectionUri(record), record.rkey],
    ]
  }
  const uris =
    collection === null
      ? urisOf(subject)
      : [repoCollectionUri({ did: subject, collection }), `at://${subject}/${collection}0`]
  return ['base in (select id from base where uri >= ? and uri < ?)', uris]
}

export function* readUnfinishedPurges(): Steps<readonly string[]> {
  const rows = yield* ask('select subject from purge where erased_at is null order by purged_at, subject')
  return rows.map(({ subject }) => String(subject))
}

/** To be called when nothing of the subjects is left, neither in the database nor in former pages of its files. */
export function* endPurges(now: bigint): Steps<void> {
  yield* ask(
    `update purge set erased_at = ? where erased_at is null
       and subject not in (select did from actor where move is not null)`,
    now,
  )
}

function* forgetRejections(subject: string): Steps<void> {
  const [condition, values] = rejectionsOf(subject)
  yield* ask(`delete from rejection where ${condition}`, ...values)
}

/** A rejection without a URI belongs to a subject if its record contains the subject. */
function rejectionsOf(subject: string): readonly [condition: string, values: readonly string[]] {
  const named = "(uri is null and replace(record, ?, '') <> record)"
  return recordNameOf(subject) === null
    ? [`((uri >= ? and uri < ?) or uri = ? or ${named})`, [...urisOf(subject), `at://${subject}`, subject]]
    : [`(uri = ? or ${named})`, [subject, subject]]
}

function* countOf(table: string, condition: string, values: readonly string[]): Steps<number> {
  const [row] = yield* ask(`select count(*) as n from ${table} where ${condition}`, ...values)
  return Number(row?.n)
}
