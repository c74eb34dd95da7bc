/**
 * Accounts with records here: their status, and where their rows are. One marker hides an account at once, whether the
 * network or an operator hides it; its rows move from the tables into quarantine afterwards, some at a time, and stay
 * there until neither hides it or it is deleted. A record that is written meanwhile is moved first, so that it is never
 * in both places.
 */
import { type AccountChange, type RepoEnd, repoCollectionUri, urisOf } from '../changes.ts'
import type { AccountStatus, Move } from '../write/write-transaction.ts'
import { quote } from '../../sql/sql.ts'
import { readCollections, tableNames } from './collections.ts'
import { isHidden, notHidden } from './hidings.ts'
import { forgetAccount, forgetRows, isPurged } from './purges.ts'
import { ask, type Steps } from './steps.ts'

/** A repository collection in which an account has, or had, records. */
export interface AccountRepoCollection {
  readonly did: string
  readonly base: bigint
  readonly collection: string
}

/** Returns repository collections of the served collections, in their order. */
export function* repoCollectionsOf(
  did: string,
  collections: readonly string[],
): Steps<readonly AccountRepoCollection[]> {
  const rows = yield* ask(
    `select id, collection from base where uri in (${collections.map(() => '?').join(', ')})`,
    ...collections.map((collection) => repoCollectionUri({ did, collection })),
  )
  const ids = new Map(rows.map(({ id, collection }) => [collection, id as bigint]))
  return collections.flatMap((collection) => {
    const base = ids.get(collection)
    return base === undefined ? [] : [{ did, base, collection }]
  })
}

/** Changes the account status, unless a later change is known; true if the network shows the account again. */
export function* changeAccount(
  { did, active, status: given, eventAt }: AccountChange,
  collections: readonly string[],
): Steps<boolean> {
  const status = active ? null : (given ?? 'inactive')
  const [row] = yield* ask('select status, status_at, floor from actor where did = ?', did)
  if (row === undefined) {
    if (status !== null) yield* expectHidden(did, status, eventAt)
    return false
  }
  if ((row.status_at as bigint) > eventAt) return false
  yield* ask('update actor set status_at = ? where did = ?', eventAt, did)
  // The only rows to move are those that the purge removes.
  if (yield* isPurged(did)) {
    yield* ask('update actor set status = ? where did = ?', status, did)
    return false
  }
  if (status === row.status) return false
  // Everything up to now is gone for good, even if older events arrive again after the account is back.
  if (status === 'deleted')
    yield* ask(
      'update actor set floor = ? where did = ?',
      yield* revisionPast(did, row.floor as string | null),
      did,
    )
  const byOperator = yield* isHidden(did)
  const withheld = status !== null || byOperator
  const move: Move = status === 'deleted' ? 'purge' : withheld ? 'park' : 'return'
  yield* ask('update actor set status = ?, move = ? where did = ?', status, move, did)
  if (!withheld) yield* mark(did, collections, unmarking)
  else if (row.status === null && !byOperator) yield* mark(did, collections)
  if (status === null) yield* ask('update actor set handle_due = 0 where did = ?', did)
  return status === null
}

/** Whether a deleted account's remaining rows must be removed before this change: all its later records are new. */
export function* mustPurgeBefore({ did, active, status, eventAt }: AccountChange): Steps<boolean> {
  if (!active && status === 'deleted') return false
  const find = `select status_at from actor where did = ? and status = 'deleted' and move = 'purge'`
  const [row] = yield* ask(find, did)
  return row !== undefined && (row.status_at as bigint) <= eventAt
}

/** Hides an account for an operator; returns the number of records that were visible. */
export function* withholdAccount(did: string, collections: readonly string[]): Steps<number> {
  if (!(yield* isShownByNetwork(did))) return 0
  const seen = yield* countRows(yield* repoCollectionsOf(did, collections))
  yield* ask(`update actor set move = 'park' where did = ?`, did)
  yield* mark(did, collections)
  return seen
}

/** Ends an operator's hiding of an account; returns the number of records that become visible as their rows return. */
export function* releaseAccount(did: string, collections: readonly string[]): Steps<number> {
  if (!(yield* isShownByNetwork(did))) return 0
  yield* ask(`update actor set move = 'return' where did = ?`, did)
  yield* mark(did, collections, unmarking)
  const bases = yield* repoCollectionsOf(did, collections)
  return (yield* countWaiting(bases)) + (yield* countRows(bases))
}

/** Removes an account for an operator for good: hidden at once, its rows are removed some at a time. */
export function* purgeAccount(did: string, collections: readonly string[]): Steps<void> {
  yield* ask(
    `insert into actor (did, status_at, move) values (?, 0, 'purge') on conflict (did) do update set move = 'purge'`,
    did,
  )
  // Its repository need not be fetched any more.
  yield* ask('delete from job where did = ?', did)
  yield* mark(did, collections)
}

/** Rows that remain to be moved, of all accounts except one. */
export function* countRowsToMove(except: string): Steps<number> {
  const collections = (yield* readCollections()).map(({ name }) => name)
  let rows = 0
  for (const { did, move } of yield* ask(
    'select did, move from actor where move is not null and did <> ?',
    except,
  )) {
    const bases = yield* repoCollectionsOf(String(did), collections)
    rows += yield* move === 'return' ? countWaiting(bases) : countRows(bases)
  }
  return rows
}

/** DIDs of accounts that have records here, hidden ones too, in order, after `after`. */
export function* readActors(limit: number, after: string | null): Steps<readonly string[]> {
  const rows = yield* ask('select did from actor where did > ? order by did limit ?', after ?? '', limit)
  return rows.map(({ did }) => String(did))
}

export function* dueHandles(limit: number, now: bigint): Steps<readonly string[]> {
  const due = 'select did from actor where handle_due <= ? order by handle_due, did limit ?'
  return (yield* ask(due, now, limit)).map(({ did }) => String(did))
}

/** `handle` null: no valid handle. `dueAt`: time of the next lookup, in microseconds. */
export function* writeHandle(did: string, handle: string | null, dueAt: bigint): Steps<void> {
  yield* ask('update actor set handle = ?, handle_due = ? where did = ?', handle, dueAt, did)
}

/** Whether the account has, or had, records here, hidden ones too. */
export function* isKnown(did: string): Steps<boolean> {
  return (yield* ask('select did from actor where did = ?', did)).length > 0
}

/** Whether the network shows the account; also false if nothing of it is stored. */
export function* isShownByNetwork(did: string): Steps<boolean> {
  return (yield* ask('select did from actor where did = ? and status is null', did)).length > 0
}

/** Schedules a lookup of the handle, which may have changed. No handle of a purged account is stored. */
export function* changeIdentity(did: string): Steps<void> {
  if (yield* isPurged(did)) return
  yield* ask(`update actor set handle_due = 0 where did = ? and status is distinct from 'deleted'`, did)
}

/**
 * Notes that all of the repository is known up to that revision. Returns where older records must still be removed:
 * nowhere if nothing is stored of the account, or if a later revision is known already.
 */
export function* endRepo(
  { did, rev }: RepoEnd,
  { status, floor }: AccountStatus,
  collections: readonly string[],
): Steps<readonly AccountRepoCollection[]> {
  if (status === 'deleted' || (floor !== null && floor > rev) || (yield* isPurged(did))) return []
  const bases = yield* repoCollectionsOf(did, collections)
  if (bases.length === 0) return []
  // Due at once, because the handle was never resolved.
  yield* ask(
    `insert into actor (did, handle_due, status_at, floor) values (?, 0, 0, ?)
     on conflict (did) do update set floor = excluded.floor`,
    did,
    rev,
  )
  yield* ask('delete from rejection where key >= ? and key < ? and rev < ?', ...urisOf(did), rev)
  return bases
}

/** Removes older quarantined rows, tombstones and notes of expiry. */
export function* forgetOlder({ base }: AccountRepoCollection, rev: string): Steps<void> {
  yield* ask('delete from parked where base = ? and (rev is null or rev < ?)', base, rev)
  yield* ask('delete from tombstone where base = ? and rev < ?', base, rev)
  yield* ask('delete from expired where base = ? and (rev is null or rev < ?)', base, rev)
}

/** The next account whose rows remain to be moved. */
export function* nextMove(): Steps<{ readonly did: string; readonly move: Move } | null> {
  const [next] = yield* ask('select did, move from actor where move is not null order by move, did limit 1')
  return next === undefined ? null : { did: String(next.did), move: next.move as Move }
}

/** To be called when no row remains to be moved. */
export function* finishMove(did: string, move: Move, collections: readonly string[]): Steps<void> {
  if (move === 'purge') yield* forgetRest(did)
  if (move !== 'return') yield* mark(did, collections, unmarking)
  yield* ask('update actor set move = null where did = ?', did)
  if (move === 'purge' && (yield* isPurged(did))) yield* forgetAccount(did)
}

/** Nothing of the account is stored, but its repository may be about to arrive: its records must not be visible. */
function* expectHidden(did: string, status: string, eventAt: bigint): Steps<void> {
  const awaited = yield* ask(
    `select 1 as one from job where kind in ('ingest', 'backfill', 'reconcile') and did = ? limit 1`,
    did,
  )
  if (awaited.length > 0)
    yield* ask('insert into actor (did, status, status_at) values (?, ?, ?)', did, status, eventAt)
}

/** A revision later than all known ones of the account and earlier than all that follow; null if none is known. */
function* revisionPast(did: string, floor: string | null): Steps<string | null> {
  const [from, to] = urisOf(did)
  const tables = yield* readCollections()
  const bases = 'base in (select id from base where uri >= ? and uri < ?)'
  const places = ['parked', 'tombstone', ...tables.map(({ table }) => quote(table))].map(
    (name) => `select max(rev) as rev from ${name} where ${bases}`,
  )
  let last = floor
  for (const find of [...places, 'select max(rev) as rev from rejection where key >= ? and key < ?']) {
    const rev = ((yield* ask(find, from, to))[0]?.rev ?? null) as string | null
    if (rev !== null && (last === null || rev > last)) last = rev
  }
  return last === null || last.endsWith(afterAll) ? last : last + afterAll
}

/** Revisions are TIDs of one length, so a revision with a suffix sorts directly after it. */
const afterAll = '~'

const marking = 'insert into hidden (base) values (?) on conflict (base) do nothing'
/** To be run when no row that must not be visible remains in the tables. */
const unmarking = 'delete from hidden where base = ?'

/** Plans depend on whether anything is hidden, not on what is hidden. */
function* mark(did: string, collections: readonly string[], change = marking): Steps<void> {
  const before = yield* isHiding()
  for (const { base } of yield* repoCollectionsOf(did, collections)) yield* ask(change, base)
  if ((yield* isHiding()) !== before) yield* ask('update state set plan_version = plan_version + 1')
}

/** Counts quarantined rows that are hidden only because of their account's status. */
function* countWaiting(bases: readonly AccountRepoCollection[]): Steps<number> {
  let waiting = 0
  for (const { did, base, collection } of bases) {
    const count = `select count(*) as n from parked where base = ? and ${notHidden}`
    const [row] = yield* ask(count, base, repoCollectionUri({ did, collection }))
    waiting += Number(row?.n)
  }
  return waiting
}

/** Takes served collections only. */
function* countRows(bases: readonly AccountRepoCollection[]): Steps<number> {
  const names = yield* tableNames()
  let rows = 0
  for (const { base, collection } of bases) {
    const table = names.get(collection) ?? ''
    const [row] = yield* ask(`select count(*) as n from ${quote(table)} where base = ?`, base)
    rows += Number(row?.n)
  }
  return rows
}

/** Whether rows of hidden accounts may still be in the tables. */
export function* isHiding(): Steps<boolean> {
  return (yield* ask('select base from hidden limit 1')).length > 0
}

/** Removes what is stored besides the rows. The account status remains, so that nothing comes back unasked. */
function* forgetRest(did: string): Steps<void> {
  yield* forgetRows(did)
  yield* ask('delete from rejection where key >= ? and key < ?', ...urisOf(did))
  yield* ask('update actor set handle = null, handle_due = null where did = ?', did)
}
