/** Jobs that fetch repositories: when each is due, and when it is done. */
import type { JobKind, RepoJob } from './metadata-store.ts'
import { isPurged } from './purges.ts'
import { ask, type Steps } from './steps.ts'

/** Requests a repository for the live stream, within the caller's transaction. */
export function requestFetch(did: string, reason: string, dueAt: bigint, now: bigint): Steps<void> {
  return addJob({ kind: 'ingest', did, host: null, reason, wantedAt: dueAt, now })
}

interface NewJob extends Pick<RepoJob, 'kind' | 'did' | 'host' | 'reason'> {
  readonly wantedAt: bigint
  readonly now: bigint
}

/**
 * A waiting job keeps its due time or becomes due earlier; a failed job of a command always keeps it. A job that was
 * given up is tried again. Requests at the same moment get different times, so that a later one never counts as done.
 */
export function* addJob({ kind, did, host, reason, wantedAt, now }: NewJob): Steps<void> {
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
export function* noteFetch(kind: JobKind, did: string, now: bigint, pause: bigint): Steps<bigint> {
  if (kind !== 'ingest' || (yield* isPurged(did))) return now
  yield* ask('delete from fetched where at < ?', now - fetchPause)
  const set = 'insert into fetched (did, at) values (?, ?) on conflict (did) do update set at = excluded.at'
  // Stores an earlier end, so that the next attempt may begin after `pause`.
  yield* ask(set, did, now + pause - fetchPause)
  return now + pause
}

/** Microseconds between two fetches of one repository for the live stream. */
export const fetchPause = 600_000_000n
/** The same after a failed fetch: a key or a host that has just changed is known everywhere by then. */
export const failurePause = 60_000_000n
/** True if a fetch for that request, begun at that time, satisfies all requests. */
export const isDone = '(requested_at = ? and latest_at <= ?)'
