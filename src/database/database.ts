/** The engine-independent interface of a database. The read path and the write path share no interface. */
import type { Dialect } from '../sql/dialect.ts'
import type {
  CountedSource,
  BatchOutcome,
  Change,
  ColumnValue,
  RejectionReason,
  SourceMark,
  SourceState,
} from './changes.ts'
import type { StoredRejection } from './metadata/metadata-store.ts'
import type { MetadataStore } from './metadata/sql-metadata-store.ts'
import type { Statement, Steps } from './metadata/steps.ts'
import type { Table, TextIndex, WordIndex } from './layout/tables.ts'
import type { FileSpec } from '../files/file-spec.ts'
import type { FileStatements, FileStream } from './files/file-source.ts'
import type { PermitRequest } from '../util/async/fair-semaphore.ts'

export type * from './changes.ts'
export type { Statement } from './metadata/steps.ts'

/** The state besides the operation that plans depend on; it changes rarely. */
export interface PlanState {
  /** Grows when anything below changes; an answer carries the version under which its statement ran. */
  readonly version: number
  /** NSIDs of the collections whose ids are in default order (indexedAt, rkey, did). */
  readonly ordered: ReadonlySet<string>
  /** True while rows of hidden accounts are still in the tables, so that every query must exclude them. */
  readonly hiding: boolean
}

/** Approximate statistics for choosing between access paths that all give exact results. */
export interface Statistics {
  rows(table: Table): number
  /** Index entries that match a condition, counted up to `limit`; about `others` more entries are read. */
  countUpTo(statement: Statement, limit: number, others?: number): number
  /** The approximate number of records with a trigram; null when the index does not have such trigrams. */
  trigram(index: TextIndex, trigram: string): number | null
  /** The approximate number of records with a word, or a beginning of words; null: counting them is as good. */
  word(index: WordIndex, word: string, isPrefix: boolean): number | null
  /**
   * For a needle of one or two characters: the number of posting lists that are merged, counted up to `limit`, and the
   * approximate number of records in them, with repetitions; null when the index cannot find the needle.
   */
  prefix(
    index: TextIndex,
    needle: string,
    limit: number,
  ): { readonly terms: number; readonly records: number } | null
  /**
   * Reads the statistics that earlier calls lacked and guessed; false when none were missing. Absent when statistics
   * are always available. Fails with the reason of the signal when that is aborted first.
   */
  complete?(signal?: AbortSignal): Promise<boolean>
}

/** Read-only access. Every call sees one snapshot. */
export interface ReadDatabase extends AsyncDisposable {
  readonly dialect: Dialect
  readonly statistics: Statistics
  /**
   * True when the database is a server: a lock or the server itself can delay even short statements. When false, the
   * signal of a short statement is ignored.
   */
  readonly isRemote: boolean
  readPlanState(): Promise<PlanState>
  /**
   * Runs a statement that yields one row: the plan version it saw, and the bytes of a response in UTF-8. Fails with the
   * reason of the signal when that is aborted before the statement has ended.
   */
  readAnswer(statement: Statement, terms: ReadTerms): Promise<StoredAnswer>
  /** Differs when data may have been written since, as this process sees it; null: asking costs as much as a query. */
  dataVersion(): number | null
  /** The state of the index, for operators; counting scans an index of each collection. */
  readStatus(): Promise<IndexStatus>
  /** Bytes that the database occupies, on disk if it is stored there. */
  readSize(): Promise<number>
  /** Runs steps that only read, such as those on the metadata; the function is called again when a query is repeated. */
  readSteps<Result>(steps: () => Steps<Result>): Promise<Result>
  /** Rows as objects, for inspecting stored data, never for answers; streamed from one snapshot. */
  readRows(statement: Statement): AsyncIterable<Readonly<Record<string, ColumnValue>>>
  /**
   * Reads rows as a file, from one snapshot, without delaying other calls; null when the plan version of the snapshot is
   * not that of the statements. Aborting the signal ends the work.
   */
  openFile(statements: FileStatements, spec: FileSpec, signal: AbortSignal): Promise<FileStream | null>
  /** The query plan in the format of the engine, one line per step. */
  explain(statement: Statement): Promise<readonly string[]>
}

/** How a statement runs. */
export type ReadTerms =
  /** The statement reads so little that other statements may wait for it. */
  | {
      readonly kind: 'short'
      /** When it is aborted, the caller of a remote database stops waiting; the statement ends soon after. */
      readonly signal?: AbortSignal
    }
  /** The statement may take long: other statements run meanwhile, and it ends as soon as the signal is aborted. */
  | ({ readonly kind: 'long' } & PermitRequest)

export interface StoredAnswer {
  readonly version: number
  readonly body: Uint8Array
  /** True if no other object refers to the body or shares its memory. */
  readonly isOwn: boolean
}

/** The state of an index, for operators. */
export interface IndexStatus {
  readonly collections: readonly {
    readonly name: string
    readonly records: number
    /** Microseconds. */
    readonly newestIndexedAt: bigint | null
    /** Since the database was created, by outcome of each event. */
    readonly outcomes: Readonly<Partial<Record<keyof BatchOutcome, number>>>
    /** Refused records that are stored now, as `lexigraph rejections` lists them. */
    readonly rejections: number
    /** False: the lexicons in force do not have the collection. */
    readonly served: boolean
  }[]
  readonly sources: readonly SourceStatus[]
  /** Since the database was created, including rejections that are no longer stored. */
  readonly rejections: Readonly<Partial<Record<RejectionReason, number>>>
  /** Refused records that are stored now, including those of no known collection. */
  readonly keptRejections: Readonly<Partial<Record<RejectionReason, number>>>
  /** Repositories that wait to be fetched, and those that failed for good. */
  readonly repositories: { readonly waiting: number; readonly failed: number }
  /** Interrupted purges, whose data may be partly left. */
  readonly unfinishedPurges: number
}

/** Microseconds without a heartbeat after which a source counts as stopped: its process may have been killed. */
export const longestSilence = 30_000_000n

/** The name that callers see for a source without a public name. */
export const unnamedSource = 'source'

export interface SourceStatus {
  readonly name: string
  /** The name that callers see instead. */
  readonly publicName: string
  /** `stopped` also when its process has sent no heartbeat for half a minute. */
  readonly state: SourceState
  /** The reason for that state; null when there is none. */
  readonly detail: string | null
  readonly cursor: string | null
  /** Microseconds. */
  readonly lastEventAt: bigint | null
  /** Live: the age of the last event when it was applied. Otherwise: its age now. */
  readonly lagSeconds: number | null
  /** An average over the last ten seconds or so. */
  readonly eventsPerSecond: number
}

/** Decides under the lexicons in force whether a refused record is stored or refused again. */
export type RejectionJudge = (rejection: StoredRejection) => Change

/**
 * When to rebuild tables that were derived from other lexicons: always; unless a collection would lose all its served
 * records; or never, for commands that write only metadata.
 */
export type RebuildPolicy = 'always' | 'unless-lost' | 'never'

/** A collection that has records, none of which would be served. */
export interface LostCollection {
  readonly name: string
  readonly records: number
  /** Why the first of its records is invalid; null when the lexicons do not have the collection. */
  readonly refusal: { readonly uri: string; readonly message: string } | null
}

/** Nothing was changed, because these collections would lose all their served records. */
export class LostCollectionsError extends Error {
  override name = 'LostCollectionsError'
  readonly collections: readonly LostCollection[]
  constructor(collections: readonly LostCollection[]) {
    super(`These collections would disappear: ${collections.map(({ name }) => name).join(', ')}.`)
    this.collections = collections
  }
}

/** Another process writes; the request was not carried out and may be retried. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError'
}

export interface Database extends AsyncDisposable {
  readonly read: ReadDatabase
  readonly write: WriteDatabase
}

export interface Writer {
  /** All that is stored besides records. */
  readonly metadata: MetadataStore
  /**
   * Applies one batch in order in one transaction, with the mark of its source or the name it is counted under.
   * `durable`: on return the batch survives a loss of power, not only the end of the process.
   */
  applyBatch(
    changes: readonly Change[],
    mark?: SourceMark | CountedSource,
    options?: { readonly durable?: boolean },
  ): Promise<BatchOutcome>
  /**
   * Applies a whole import. Into empty collections: one transaction, with ids in default order and indexes built at the
   * end; otherwise batch by batch.
   */
  load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome>
}

export interface WriteDatabase extends Writer, AsyncDisposable {
  /** Whether this process has the right to change records. */
  mayWrite(): Promise<boolean>
  /**
   * Resolves when this process has acquired the leader lock, however long other processes hold it; null when the signal
   * was aborted first. Also waits for a database that cannot be reached. One lock at a time.
   */
  leaderLock(request: LeaderLockRequest): Promise<LeaderLock | null>
  /**
   * Frees the space of removed rows. A SQLite file is rewritten: it shrinks, and no removed data is left in it. A
   * PostgreSQL server vacuums: the space can be reused, but until then its files contain former rows and keep their
   * size. False when a long query still uses former pages, or during a rebuild; then the caller may retry.
   */
  compact(): Promise<boolean>
}

export interface LeaderLockRequest {
  readonly signal: AbortSignal
  /** Called with a sentence that says what is waited for, whenever that changes. */
  readonly onWaiting: (why: string) => void
}

/**
 * The exclusive right to follow sources. Every write through it happens while the lock is held, or fails. After the
 * lock is lost, all calls fail with a `DatabaseBusyError`, and the state of the database, cursors included, must be
 * read again. Disposing releases the lock.
 */
export interface LeaderLock extends Writer, AsyncDisposable {
  readonly lost: AbortSignal
}
