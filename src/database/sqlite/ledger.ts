/** What is kept beside the records, in SQLite. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SourceState } from '../database.ts'
import type { JobKind, Ledger, Listing, RepoJob } from '../ledger.ts'

export interface LedgerOptions {
  /** Runs the work in a transaction of its own, when the writer is free. */
  readonly transact: <Result>(work: () => Result) => Promise<Result>
  /** Microseconds since 1970. */
  readonly now: () => bigint
  readonly settle: (limit: number) => number
}

export class SqliteLedger implements Ledger {
  readonly #database: DatabaseSync
  readonly #options: LedgerOptions
  readonly #statements = new Map<string, StatementSync>()

  constructor(database: DatabaseSync, options: LedgerOptions) {
    this.#database = database
    this.#options = options
  }

  readCursor(source: string): Promise<string | null> {
    return this.#transact(() => {
      const row = this.#prepare('select cursor from source where name = ?').get(source)
      return (row?.cursor ?? null) as string | null
    })
  }

  writeState(
    source: string,
    state: SourceState,
    detail: string | null,
    eventsPerSecond: number,
  ): Promise<void> {
    return this.#transact(() => {
      const set = `insert into source (name, state, detail, rate, heard_at) values (?, ?, ?, ?, ?)
        on conflict (name) do update set state = excluded.state, detail = excluded.detail, rate = excluded.rate,
          heard_at = excluded.heard_at`
      this.#prepare(set).run(source, state, detail, eventsPerSecond, this.#options.now())
    })
  }

  readListing(kind: JobKind, target: string): Promise<Listing | null> {
    return this.#transact(() => {
      const row = this.#prepare('select cursor, done from listing where kind = ? and target = ?').get(
        kind,
        target,
      )
      return row === undefined ? null : { target, cursor: row.cursor as string | null, done: row.done === 1 }
    })
  }

  addJobs(
    kind: JobKind,
    jobs: readonly Pick<RepoJob, 'did' | 'host' | 'reason'>[],
    listing?: Listing,
  ): Promise<void> {
    return this.#transact(() => {
      const now = this.#options.now()
      for (const { did, host, reason } of jobs) this.#addJob(kind, did, host, reason, now)
      if (listing === undefined) return
      const set = `insert into listing (kind, target, cursor, done) values (?, ?, ?, ?)
        on conflict (kind, target) do update set cursor = excluded.cursor, done = excluded.done`
      this.#prepare(set).run(kind, listing.target, listing.cursor, Number(listing.done))
    })
  }

  /** Within the caller's transaction: the live stream asks for a repository. */
  request(did: string, reason: string, dueAt: bigint): void {
    this.#addJob('ingest', did, null, reason, dueAt)
  }

  dueJobs(kind: JobKind, limit: number): Promise<readonly RepoJob[]> {
    return this.#transact(() => {
      const due = this.#prepare(
        `select did, host, reason, attempts, requested_at from job where kind = ? and due_at <= ?
         order by due_at limit ?`,
      )
      due.setReadBigInts(true)
      const begunAt = this.#options.now()
      return due.all(kind, begunAt, limit).map((row) => ({
        kind,
        did: String(row.did),
        host: row.host as string | null,
        reason: String(row.reason),
        attempts: Number(row.attempts),
        requestedAt: row.requested_at as bigint,
        begunAt,
      }))
    })
  }

  nextJobAt(kind: JobKind): Promise<bigint | null> {
    return this.#transact(() => {
      const next = this.#prepare('select min(due_at) as at from job where kind = ? and due_at is not null')
      next.setReadBigInts(true)
      return (next.get(kind)?.at ?? null) as bigint | null
    })
  }

  finishJob({ kind, did, requestedAt, begunAt }: RepoJob): Promise<void> {
    return this.#transact(() => {
      const next = this.#noteFetch(kind, did)
      const again = `update job set attempts = 0, error = null, due_at = max(latest_at, ?)
        where kind = ? and did = ? and not ${isDone}`
      this.#prepare(again).run(next, kind, did, requestedAt, begunAt)
      const done = `delete from job where kind = ? and did = ? and ${isDone}`
      this.#prepare(done).run(kind, did, requestedAt, begunAt)
    })
  }

  failJob({ kind, did, requestedAt, begunAt }: RepoJob, error: string, dueAt: bigint | null): Promise<void> {
    return this.#transact(() => {
      const next = this.#noteFetch(kind, did)
      // What else was asked for is not given up.
      const fail = `update job set attempts = attempts + 1, error = ?,
          due_at = ifnull(?, iif(${isDone}, null, max(latest_at, ?)))
        where kind = ? and did = ?`
      this.#prepare(fail).run(error, dueAt, requestedAt, begunAt, next, kind, did)
    })
  }

  failedJobs(kind: JobKind): Promise<readonly { readonly did: string; readonly error: string }[]> {
    return this.#transact(() =>
      this.#prepare('select did, error from job where kind = ? and due_at is null order by did')
        .all(kind)
        .map(({ did, error }) => ({ did: String(did), error: String(error) })),
    )
  }

  countJobs(kind: JobKind): Promise<{ readonly waiting: number; readonly failed: number }> {
    return this.#transact(() => {
      const row = this.#prepare('select count(*) as n, count(due_at) as waiting from job where kind = ?').get(
        kind,
      )
      const waiting = Number(row?.waiting)
      return { waiting, failed: Number(row?.n) - waiting }
    })
  }

  endRun(kind: JobKind): Promise<void> {
    return this.#transact(() => {
      this.#prepare('delete from listing where kind = ?').run(kind)
      this.#prepare('delete from job where kind = ? and due_at is null').run(kind)
    })
  }

  readActors(limit: number, after: string | null): Promise<readonly string[]> {
    return this.#transact(() =>
      this.#prepare('select did from actor where did > ? order by did limit ?')
        .all(after ?? '', limit)
        .map((row) => String(row.did)),
    )
  }

  dueHandles(limit: number): Promise<readonly string[]> {
    return this.#transact(() =>
      this.#prepare('select did from actor where handle_due <= ? order by handle_due limit ?')
        .all(this.#options.now(), limit)
        .map((row) => String(row.did)),
    )
  }

  writeHandle(did: string, handle: string | null, dueAt: bigint): Promise<void> {
    return this.#transact(() => {
      this.#prepare('update actor set handle = ?, handle_due = ? where did = ?').run(handle, dueAt, did)
    })
  }

  settleAccounts(limit: number): Promise<number> {
    return this.#transact(() => this.#options.settle(limit))
  }

  /**
   * One that waits keeps its place, or is due earlier unless it has failed; one that was given up on is tried
   * again. Requests of one moment are told apart, so that no later one is taken for done.
   */
  #addJob(kind: JobKind, did: string, host: string | null, reason: string, wantedAt: bigint): void {
    const now = this.#options.now()
    const earliest = kind === 'ingest' ? this.#nextFetch(did, now) : now
    const dueAt = wantedAt > earliest ? wantedAt : earliest
    const add = `insert into job (kind, did, host, reason, attempts, requested_at, due_at, latest_at)
        values (?, ?, ?, ?, 0, ?, ?, ?)
      on conflict (kind, did) do update set host = coalesce(excluded.host, host), reason = excluded.reason,
        requested_at = max(excluded.requested_at, requested_at + 1), attempts = iif(due_at is null, 0, attempts),
        due_at = iif(attempts > 0, ifnull(due_at, excluded.due_at), min(due_at, excluded.due_at)),
        latest_at = max(latest_at, excluded.latest_at)`
    this.#prepare(add).run(kind, did, host, reason, now, dueAt, wantedAt)
  }

  /** When the live stream may have the repository fetched: not all the time, whoever asks for it. */
  #nextFetch(did: string, now: bigint): bigint {
    const find = this.#prepare('select at from fetched where did = ?')
    find.setReadBigInts(true)
    const at = find.get(did)?.at as bigint | undefined
    // The clock may have been ahead then.
    return at === undefined || at > now || at + fetchPause < now ? now : at + fetchPause
  }

  /** An attempt has ended; when the next may begin. */
  #noteFetch(kind: JobKind, did: string): bigint {
    const now = this.#options.now()
    if (kind !== 'ingest') return now
    this.#prepare('delete from fetched where at < ?').run(now - fetchPause)
    this.#prepare('insert or replace into fetched (did, at) values (?, ?)').run(did, now)
    return now + fetchPause
  }

  #transact<Result>(work: () => Result): Promise<Result> {
    return this.#options.transact(work)
  }

  #prepare(text: string): StatementSync {
    const known = this.#statements.get(text)
    if (known !== undefined) return known
    const prepared = this.#database.prepare(text)
    this.#statements.set(text, prepared)
    return prepared
  }
}

/** Microseconds between two fetches of one repository for the live stream. */
const fetchPause = 600_000_000n
/** Nothing was asked for that a fetch of that request, begun at that moment, does not do. */
const isDone = '(requested_at = ? and latest_at <= ?)'
