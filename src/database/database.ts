/**
 * What the rest of the program may ask of a database, whichever engine it is.
 * The read path and the write path are two interfaces because they never meet.
 */
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
import type {
  ApiKey,
  Hiding,
  StoredRejection,
  KeyUsage,
  MetadataStore,
  PurgeExtent,
} from './metadata/metadata-store.ts'
import type { Table, TextIndex } from './layout/tables.ts'
import type { PermitRequest } from '../util/async/fair-semaphore.ts'

export type * from './changes.ts'

/** A statement's text in the engine's own spelling, and its parameters in order. */
export interface Statement {
  readonly text: string
  readonly values: readonly ColumnValue[]
}

/** What plans depend on besides the operation; it changes rarely. */
export interface PlanState {
  /** Grows when anything below changes; an answer says under which version its statement ran. */
  readonly version: number
  /** NSIDs of the collections whose ids are in default order (indexedAt, rkey, did). */
  readonly ordered: ReadonlySet<string>
  /** Whether rows of hidden accounts are still in the tables, so that every reading must leave them out. */
  readonly hiding: boolean
}

/** Rough numbers for choosing between exact roads. */
export interface Statistics {
  /** Rows of a table, roughly. */
  rows(table: Table): number
  /** Rows that a condition leaves of an index, counted up to `limit`; `others` are looked at besides, roughly. */
  countUpTo(statement: Statement, limit: number, others?: number): number
  /** How many records hold a trigram, roughly; null when the index does not have such trigrams. */
  trigram(index: TextIndex, trigram: string): number | null
  /**
   * For a needle of one or two characters: how many lists are merged to find it, and how many records are in
   * them, roughly and with repetitions; null when the index cannot find it.
   */
  prefix(index: TextIndex, needle: string): { readonly terms: number; readonly records: number } | null
  /**
   * Asks the database for figures that the calls until now lacked and answered with guesses; false when they
   * lacked none. Absent where they are at hand. Fails with the reason of the signal when that is aborted before.
   */
  complete?(signal?: AbortSignal): Promise<boolean>
}

/** Read-only access. Every call sees one snapshot. */
export interface ReadDatabase extends AsyncDisposable {
  readonly dialect: Dialect
  readonly statistics: Statistics | null
  /**
   * Whether what is short may keep its caller waiting nevertheless, because a server runs it: a lock, or the server
   * itself, can hold it up. Where it is not so, a signal of what is short is not looked at.
   */
  readonly isRemote: boolean
  readPlanState(): Promise<PlanState>
  /**
   * Runs a statement that yields one row: the plan version it saw, and a response's bytes in UTF-8.
   * Fails with the reason of the signal when that is aborted before the statement has ended.
   */
  readAnswer(statement: Statement, terms: ReadTerms): Promise<StoredAnswer>
  /**
   * Another value means that something may have been written since; null when telling takes as long as asking.
   * Of what this process reads.
   */
  dataVersion(): number | null
  /** How far the index has come, for operators; counts walk an index of each collection. */
  readStatus(): Promise<IndexStatus>
  /** Bytes that the database takes, on the disk if it is there. */
  readSize(): Promise<number>
  /** The key with that hash, revoked and expired ones too. */
  findKey(hash: string): Promise<ApiKey | null>
  /** All keys, the oldest first. */
  readKeys(): Promise<readonly ApiKey[]>
  /** What keys were used for from that day on, as a number of days since 1970; the oldest first. */
  readUsage(since: number): Promise<readonly KeyUsage[]>
  /** What operators hid, also what they have shown again since; the latest first. */
  readHidings(): Promise<readonly Hiding[]>
  /** What there is of a record or an account, to be removed for good. */
  readPurgeExtent(subject: string): Promise<PurgeExtent>
  /** In order of their keys, after `after`. */
  readRejections(limit: number, after: string | null): Promise<readonly StoredRejection[]>
  /** A collection's records that can be seen, the first in default order last; of one snapshot, and few at a time. */
  readRecords(table: Table): AsyncIterable<StoredRecord>
  /** Rows as objects, for looking at what is stored; never for answers. Of one snapshot, and few at a time. */
  readRows(statement: Statement): AsyncIterable<Readonly<Record<string, ColumnValue>>>
  /** The engine's own words on how it would run a statement, a line each. */
  explain(statement: Statement): Promise<readonly string[]>
}

/** How a statement runs. */
export type ReadTerms =
  /** It reads so little that others may wait for it. */
  | {
      readonly kind: 'short'
      /** Who waits for a remote database gives up when it is aborted; what was asked ends soon after. */
      readonly signal?: AbortSignal
    }
  /** It may take long: others go on meanwhile, and it ends when the signal is aborted, wherever it is. */
  | ({ readonly kind: 'long' } & PermitRequest)

export interface StoredAnswer {
  readonly version: number
  readonly body: Uint8Array
  /** Whether nobody else has the body, or memory beside it. */
  readonly isOwn: boolean
}

/** A record as it was imported or received, and when. */
export interface StoredRecord {
  readonly uri: string
  readonly cid: string
  readonly rev: string | null
  /** Microseconds. */
  readonly indexedAt: bigint
  /** Microseconds. */
  readonly changedAt: bigint
  /** The record's value as JSON text. */
  readonly json: string
}

/** What an operator asks of an index. */
export interface IndexStatus {
  readonly collections: readonly {
    readonly name: string
    readonly records: number
    /** Microseconds. */
    readonly newestIndexedAt: bigint | null
    /** Since the database was made, by what became of each event. */
    readonly outcomes: Readonly<Partial<Record<keyof BatchOutcome, number>>>
    /** Refused records that are kept now, as `lexigraph rejections` lists them. */
    readonly rejections: number
    /** False: the lexicons in force do not have it. */
    readonly served: boolean
  }[]
  readonly sources: readonly SourceStatus[]
  /** Since the database was made, those included that are no longer kept. */
  readonly rejections: Readonly<Partial<Record<RejectionReason, number>>>
  /** Refused records that are kept now, of no collection here too. */
  readonly keptRejections: Readonly<Partial<Record<RejectionReason, number>>>
  /** Repositories still to be fetched, and those given up on. */
  readonly repositories: { readonly waiting: number; readonly failed: number }
  /** Of which something may be left, because they were broken off. */
  readonly unfinishedPurges: number
}

/** Microseconds without a sign of life after which a source counts as stopped: its process may have been killed. */
export const longestSilence = 30_000_000n

/** What callers are told of a source that has no public name. */
export const unnamedSource = 'source'

export interface SourceStatus {
  readonly name: string
  /** What callers are told of it instead. */
  readonly publicName: string
  /** `stopped` also when its process has not been heard of for half a minute. */
  readonly state: SourceState
  /** Why it is in that state; null when there is nothing to say. */
  readonly detail: string | null
  readonly cursor: string | null
  /** Microseconds. */
  readonly lastEventAt: bigint | null
  /** Live: how old the last event was when it was applied. Otherwise: how old it is now. */
  readonly lagSeconds: number | null
  /** Over the last ten seconds or so. */
  readonly eventsPerSecond: number
}

/** Says what is wrong with a stored record under the lexicons in force; null when it fits. */
export type RecordCheck = (
  uri: string,
  json: string,
) => { readonly reason: RejectionReason; readonly message: string } | null

/** What a refused record asks for by the lexicons in force: to be stored, or to be refused again. */
export type RejectionJudge = (rejection: StoredRejection) => Change

/**
 * Whether tables that were derived from other lexicons are rebuilt: always; unless a collection would have no record
 * any more that is served; or never, by commands that only keep something besides the records.
 */
export type RebuildPolicy = 'always' | 'unless-lost' | 'never'

/** A collection that would have records, but none that is served. */
export interface LostCollection {
  readonly name: string
  readonly records: number
  /** Why the first of its records does not fit; null when the lexicons do not have the collection. */
  readonly refusal: { readonly uri: string; readonly message: string } | null
}

/** Nothing was changed, because these collections would have no record any more that is served. */
export class LostCollectionsError extends Error {
  override name = 'LostCollectionsError'
  readonly collections: readonly LostCollection[]
  constructor(collections: readonly LostCollection[]) {
    super(`These collections would disappear: ${collections.map(({ name }) => name).join(', ')}.`)
    this.collections = collections
  }
}

/** Another process writes; what was asked for was not done, and may be asked for again. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError'
}

export interface Database extends AsyncDisposable {
  readonly read: ReadDatabase
  readonly write: WriteDatabase
}

export interface Writer {
  /** What is kept beside the records. */
  readonly metadata: MetadataStore
  /**
   * Applies one batch in one transaction, in order, and with it the mark of its source, or what it is counted as.
   * `durable`: on return it has survived a loss of power too, not only the end of the process.
   */
  applyBatch(
    changes: readonly Change[],
    mark?: SourceMark | CountedSource,
    options?: { readonly durable?: boolean },
  ): Promise<BatchOutcome>
  /**
   * Applies a whole import. Into empty collections it is one transaction, with ids in default order
   * and indexes built at the end; otherwise batch by batch.
   */
  load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome>
}

export interface WriteDatabase extends Writer, AsyncDisposable {
  /**
   * Resolves when this process is the one that follows sources, however long others are; null when the signal was
   * aborted before. A database that cannot be reached is waited for too. One lead at a time.
   */
  leaderLock(request: LeaderLockRequest): Promise<LeaderLock | null>
  /**
   * Frees the space of what was removed. A SQLite file is rewritten: nothing of it is left there, and the file shrinks.
   * A PostgreSQL server vacuums: the space can be used again, but until it is, its files keep former rows and their
   * size. False when a long query kept former pages in use, or a rebuild is under way; then it may be tried again.
   */
  compact(): Promise<boolean>
}

export interface LeaderLockRequest {
  readonly signal: AbortSignal
  /** Told what is waited for, in a sentence, whenever that changes. */
  readonly onWaiting: (why: string) => void
}

/**
 * Being the only one that follows sources. What is written through it is written while that is so, or not at all:
 * once it is lost, every call fails with a `DatabaseBusyError` for good, and what the database holds by then, cursors
 * included, has to be read anew. Disposing of it lets others lead.
 */
export interface LeaderLock extends Writer, AsyncDisposable {
  readonly lost: AbortSignal
}
