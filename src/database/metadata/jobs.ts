/** Jobs that fetch repositories: when each is due, and when it is done; and the lists of accounts that they are from. */
import type { JobKind, Listing, RepoJob } from './metadata-store.ts'
import { isPurged } from './purges.ts'
import { ask, type Steps } from './steps.ts'

/** Requests a repository for the live stream, within the caller's transaction. */
export function requestFetch(did: string, reason: string, dueAt: bigint, now: bigint): Steps<void> {
  return addJob({ kind: 'ingest', did, host: null, reason, wantedAt: dueAt, now })
}

export type WantedRepo = Pick<RepoJob, 'did' | 'host' | 'reason'>

/** Stores one page of a host's list: accounts become jobs, and the listing advances. Waiting jobs do not change. */
export function* addJobs(
  kind: JobKind,
  jobs: readonly WantedRepo[],
  listing: Listing | undefined,
  now: bigint,
): Steps<void> {
  for (const job of jobs) yield* addJob({ ...job, kind, wantedAt: now, now })
  if (listing === undefined) return
  const set = `insert into listing (kind, target, cursor, done) values (?, ?, ?, ?)
    on conflict (kind, target) do update set cursor = excluded.cursor, done = excluded.done`
  yield* ask(set, kind, listing.target, listing.cursor, Number(listing.done))
}

export function* readListing(kind: JobKind, target: string): Steps<Listing | null> {
  const [row] = yield* ask('select cursor, done from listing where kind = ? and target = ?', kind, target)
  return row === undefined ? null : { target, cursor: row.cursor as string | null, done: row.done === 1n }
}

/** Jobs to begin now: due and not given up, the longest due first. */
export function* dueJobs(kind: JobKind, limit: number, begunAt: bigint): Steps<readonly RepoJob[]> {
  const due = `select did, host, reason, attempts, requested_at as "requestedAt" from job
    where kind = ? and due_at <= ? order by due_at, did limit ?`
  const rows = yield* ask<Omit<RepoJob, 'kind' | 'begunAt'>>(due, kind, begunAt, limit)
  return rows.map((row) => ({ ...row, kind, attempts: Number(row.attempts), begunAt }))
}

/** When the next job is due, in microseconds; null when none waits. */
export function* nextJobAt(kind: JobKind): Steps<bigint | null> {
  const next = 'select min(due_at) as due_at from job where kind = ? and due_at is not null'
  const [row] = yield* ask(next, kind)
  return (row?.due_at ?? null) as bigint | null
}

/** Removes a finished job, unless it was requested again meanwhile, or for a later time. */
export function* finishJob({ kind, did, requestedAt, begunAt }: RepoJob, now: bigint): Steps<void> {
  const next = yield* noteFetch(kind, did, now, fetchPause)
  const again = `update job set attempts = 0, error = null,
      due_at = case when latest_at > ? then latest_at else ? end
    where kind = ? and did = ? and not ${isDone}`
  yield* ask(again, next, next, kind, did, requestedAt, begunAt)
  const remove = `delete from job where kind = ? and did = ? and ${isDone}`
  yield* ask(remove, kind, did, requestedAt, begunAt)
}

/** `dueAt`: time of the next attempt; null: given up, stored with its error until it is requested again. */
export function* failJob(
  { kind, did, requestedAt, begunAt }: RepoJob,
  error: string,
  dueAt: bigint | null,
  now: bigint,
): Steps<void> {
  const next = yield* noteFetch(kind, did, now, failurePause)
  // A failure does not give up other requests for the same repository.
  const fail = `update job set attempts = attempts + 1, error = ?,
      due_at = coalesce(?, case when ${isDone} then null when latest_at > ? then latest_at else ? end)
    where kind = ? and did = ?`
  yield* ask(fail, error, dueAt, requestedAt, begunAt, next, next, kind, did)
}

export function* failedJobs(
  kind: JobKind,
): Steps<readonly { readonly did: string; readonly error: string }[]> {
  const rows = yield* ask('select did, error from job where kind = ? and due_at is null order by did', kind)
  return rows.map(({ did, error }) => ({ did: String(did), error: String(error) }))
}

/** `kind`: absent for all. */
export function* countJobs(kind?: JobKind): Steps<{ readonly waiting: number; readonly failed: number }> {
  const count = 'select count(*) as n, count(due_at) as waiting from job'
  const [row] = yield* kind === undefined ? ask(count) : ask(`${count} where kind = ?`, kind)
  const waiting = Number(row?.waiting)
  return { waiting, failed: Number(row?.n) - waiting }
}

/** Removes the state of a run: listings and failed jobs. */
export function* endRun(kind: JobKind): Steps<void> {
  yield* ask('delete from listing where kind = ?', kind)
  yield* ask('delete from job where kind = ? and due_at is null', kind)
}

interface NewJob extends WantedRepo {
  readonly kind: JobKind
  readonly wantedAt: bigint
  readonly now: bigint
}

/**
 * A waiting job keeps its due time or becomes due earlier; a failed job of a command always keeps it. A job that was
 * given up is tried again. Requests at the same moment get different times, so that a later one never counts as done.
 */
function* addJob({ kind, did, host, reason, wantedAt, now }: NewJob): Steps<void> {
  if (yield* isPurged(did)) return
  const earliest = kind === 'ingest' ? yield* nextFetch(did, now) : now
  const dueAt = wantedAt > earliest ? wantedAt : earliest
  const add = `insert into job (kind, did, host, reason, attempts, requested_at, due_at, latest_at)
      values (?, ?, ?, ?, 0, ?, ?, ?)
    on conflict (kind, did) do update set host = coalesce(excluded.host, job.host), reason = excluded.reason,
      requested_at = case when excluded.requested_at > job.requested_at then excluded.requested_at
        else job.requested_at + 1 end,
      attempts = case when job.due_at is null then 0 else job.attempts end,
      due_at = case when job.due_at is null then excluded.due_at
        when job.due_at < excluded.due_at or (job.attempts > 0 and job.kind <> 'ingest') then job.due_at
        else excluded.due_at end,
      latest_at = case when excluded.latest_at > job.latest_at then excluded.latest_at else job.latest_at end`
  yield* ask(add, kind, did, host, reason, now, dueAt, wantedAt)
}

/** Earliest time at which the live stream may fetch the repository; limits the rate, whoever requests it. */
function* nextFetch(did: string, now: bigint): Steps<bigint> {
  const [row] = yield* ask('select at from fetched where did = ?', did)
  const at = row?.at as bigint | undefined
  // `at` is in the future if the clock was ahead at that time.
  return at === undefined || at > now || at + fetchPause < now ? now : at + fetchPause
}

/** Notes the end of an attempt; returns when the next may begin. */
function* noteFetch(kind: JobKind, did: string, now: bigint, pause: bigint): Steps<bigint> {
  if (kind !== 'ingest' || (yield* isPurged(did))) return now
  yield* ask('delete from fetched where at < ?', now - fetchPause)
  const set = 'insert into fetched (did, at) values (?, ?) on conflict (did) do update set at = excluded.at'
  // Stores an earlier end, so that the next attempt may begin after `pause`.
  yield* ask(set, did, now + pause - fetchPause)
  return now + pause
}

/** Microseconds between two fetches of one repository for the live stream. */
const fetchPause = 600_000_000n
/** The same after a failed fetch: a key or a host that has just changed is known everywhere by then. */
const failurePause = 60_000_000n
/** True if a fetch for that request, begun at that time, satisfies all requests. */
const isDone = '(requested_at = ? and latest_at <= ?)'
