/** Implements the metadata store in SQL for every engine; operations that move rows come from the engine. */
import type { JobKind, MetadataStore, RepoJob } from './metadata-store.ts'
import { countRowsToMove, isKnown } from './accounts.ts'
import { addKey, replaceKey, revokeKey } from './keys.ts'
import { endPurges, isPurged, readUnfinishedPurges } from './purges.ts'
import { readRepoRecords } from './repo-rows.ts'
import { ask, type Steps } from './steps.ts'

export interface MetadataStoreOptions {
  /** Runs the steps in a separate transaction when the writer is free. `durable`: it survives a loss of power. */
  readonly transact: <Result>(
    steps: () => Steps<Result>,
    options?: { readonly durable?: boolean },
  ) => Promise<Result>
  /** Like `transact`, for steps that only read: other transactions may write meanwhile. */
  readonly read: <Result>(steps: () => Steps<Result>) => Promise<Result>
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** Operations of the engine that move rows. */
  readonly hide: MetadataStore['hide']
  readonly unhide: MetadataStore['unhide']
  readonly purge: MetadataStore['purge']
  readonly settle: MetadataStore['settleAccounts']
  readonly expire: MetadataStore['expireRecords']
  /** Also updates the engine's knowledge of revisions outside the tables. */
  readonly forgetRevisions: MetadataStore['forgetRevisions']
}

export function createMetadataStore(options: MetadataStoreOptions): MetadataStore {
  const { transact, read, now, hide, unhide, purge, settle, expire, forgetRevisions } = options
  return {
    hide,
    unhide,
    purge,
    settleAccounts: settle,
    expireRecords: expire,
    forgetRevisions,
    addKey: (key, hash) => transact(() => addKey(key, hash, now()), { durable: true }),
    replaceKey: (id, next, at) => transact(() => replaceKey(id, next, at, now()), { durable: true }),
    revokeKey: (id) => transact(() => revokeKey(id, now()), { durable: true }),
    readCursor: (source) =>
      transact(function* () {
        const [row] = yield* ask('select cursor from source where name = ?', source)
        return (row?.cursor ?? null) as string | null
      }),
    nameSource: (source, publicName) =>
      transact(function* () {
        const set = `insert into source (name, public_name, state, rate, heard_at) values (?, ?, 'connecting', 0, ?)
          on conflict (name) do update set public_name = excluded.public_name`
        yield* ask(set, source, publicName, now())
      }),
    writeState: (source, state, detail, eventsPerSecond) =>
      transact(function* () {
        const set = `insert into source (name, state, detail, rate, heard_at) values (?, ?, ?, ?, ?)
          on conflict (name) do update set state = excluded.state, detail = excluded.detail, rate = excluded.rate,
            heard_at = excluded.heard_at`
        yield* ask(set, source, state, detail, eventsPerSecond, now())
      }),
    readListing: (kind, target) =>
      transact(function* () {
        const find = 'select cursor, done from listing where kind = ? and target = ?'
        const [row] = yield* ask(find, kind, target)
        return row === undefined
          ? null
          : { target, cursor: row.cursor as string | null, done: row.done === 1n }
      }),
    addJobs: (kind, jobs, listing) =>
      transact(function* () {
        const at = now()
        for (const job of jobs) yield* addJob({ ...job, kind, wantedAt: at, now: at })
        if (listing === undefined) return
        const set = `insert into listing (kind, target, cursor, done) values (?, ?, ?, ?)
          on conflict (kind, target) do update set cursor = excluded.cursor, done = excluded.done`
        yield* ask(set, kind, listing.target, listing.cursor, Number(listing.done))
      }),
    dueJobs: (kind, limit) =>
      transact(function* () {
        const begunAt = now()
        const due = `select did, host, reason, attempts, requested_at from job where kind = ? and due_at <= ?
          order by due_at, did limit ?`
        const rows = yield* ask(due, kind, begunAt, limit)
        return rows.map((row) => ({
          kind,
          did: String(row.did),
          host: row.host as string | null,
          reason: String(row.reason),
          attempts: Number(row.attempts),
          requestedAt: row.requested_at as bigint,
          begunAt,
        }))
      }),
    nextJobAt: (kind) =>
      transact(function* () {
        const next = 'select min(due_at) as due_at from job where kind = ? and due_at is not null'
        const [row] = yield* ask(next, kind)
        return (row?.due_at ?? null) as bigint | null
      }),
    finishJob: ({ kind, did, requestedAt, begunAt }) =>
      transact(function* () {
        const next = yield* noteFetch(kind, did, now(), fetchPause)
        const again = `update job set attempts = 0, error = null,
            due_at = case when latest_at > ? then latest_at else ? end
          where kind = ? and did = ? and not ${isDone}`
        yield* ask(again, next, next, kind, did, requestedAt, begunAt)
        yield* ask(
          `delete from job where kind = ? and did = ? and ${isDone}`,
          kind,
          did,
          requestedAt,
          begunAt,
        )
      }),
    failJob: ({ kind, did, requestedAt, begunAt }, error, dueAt) =>
      transact(function* () {
        const next = yield* noteFetch(kind, did, now(), failurePause)
        // A failure does not give up other requests for the same repository.
        const fail = `update job set attempts = attempts + 1, error = ?,
            due_at = coalesce(?, case when ${isDone} then null when latest_at > ? then latest_at else ? end)
          where kind = ? and did = ?`
        yield* ask(fail, error, dueAt, requestedAt, begunAt, next, next, kind, did)
      }),
    failedJobs: (kind) =>
      transact(function* () {
        const failed = 'select did, error from job where kind = ? and due_at is null order by did'
        const rows = yield* ask(failed, kind)
        return rows.map(({ did, error }) => ({ did: String(did), error: String(error) }))
      }),
    countJobs: (kind) =>
      transact(function* () {
        const [row] = yield* ask(
          'select count(*) as n, count(due_at) as waiting from job where kind = ?',
          kind,
        )
        const waiting = Number(row?.waiting)
        return { waiting, failed: Number(row?.n) - waiting }
      }),
    endRun: (kind) =>
      transact(function* () {
        yield* ask('delete from listing where kind = ?', kind)
        yield* ask('delete from job where kind = ? and due_at is null', kind)
      }),
    readRepoRecords: (did, collections) => read(() => readRepoRecords(did, collections)),
    knowsAccount: (did) => transact(() => isKnown(did)),
    unfinishedPurges: () => transact(() => readUnfinishedPurges()),
    endPurges: () => transact(() => endPurges(now())),
    countRowsToMove: (except) => transact(() => countRowsToMove(except)),
    readActors: (limit, after) =>
      transact(function* () {
        const rows = yield* ask(
          'select did from actor where did > ? order by did limit ?',
          after ?? '',
          limit,
        )
        return rows.map(({ did }) => String(did))
      }),
    dueHandles: (limit) =>
      transact(function* () {
        const due = 'select did from actor where handle_due <= ? order by handle_due, did limit ?'
        const rows = yield* ask(due, now(), limit)
        return rows.map(({ did }) => String(did))
      }),
    writeHandle: (did, handle, dueAt) =>
      transact(function* () {
        yield* ask('update actor set handle = ?, handle_due = ? where did = ?', handle, dueAt, did)
      }),
  }
}

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
