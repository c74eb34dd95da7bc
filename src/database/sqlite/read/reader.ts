/** The read path of SQLite: statements are prepared once, and answers are bytes. It must not write. */
import { existsSync, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { FileSpec } from '../../../files/file-spec.ts'
import { writeFile } from '../../../files/write-file.ts'
import type {
  ColumnValue,
  IndexStatus,
  PlanState,
  ReadDatabase,
  ReadTerms,
  Statement,
  Statistics,
  StoredAnswer,
} from '../../database.ts'
import { openFileProcess } from '../../files/file-process.ts'
import type { FileStatements, FileStream } from '../../files/file-source.ts'
import { isHiding } from '../../metadata/accounts.ts'
import type { Steps } from '../../metadata/steps.ts'
import { answerTooLarge, BuiltElsewiseError, RebuiltElsewhereError, unavailable } from '../../refusals.ts'
import type { Table, TextIndex, WordIndex } from '../../layout/tables.ts'
import { derivationOf, quote } from '../layout/ddl.ts'
import { sqliteDialect, afterPrefix } from '../dialect.ts'
import { connect } from '../connection.ts'
import { assertOurs, isCurrent, isEmpty } from '../layout/layout.ts'
import { LongQueries } from './long-queries.ts'
import { createQueries, type Queries } from './query-connection.ts'
import { readSnapshot } from './snapshot.ts'
import { estimateRecords } from './word-statistics.ts'

export interface ReaderOptions {
  readonly fingerprint: string
  /** Microseconds since 1970. */
  readonly now: () => bigint
  /** On a connection shared with the writer: a promise that settles when no load is running; otherwise null. */
  readonly idle: () => Promise<unknown> | null
  /** Null on a connection shared with the writer: no other process can read an in-memory database. */
  readonly long: LongQueries | null
}

export interface SqliteQueryOptions {
  /** Milliseconds to wait while another process holds an exclusive lock. */
  readonly lockTimeout?: number
  /** The number of query workers; each starts on demand. */
  readonly readers?: number
}

/** Opens a file without the code that writes. Fails on a file with another derivation, and leaves it unchanged. */
export async function openSqliteReader(
  path: string,
  { fingerprint, now, lockTimeout, readers }: Pick<ReaderOptions, 'fingerprint' | 'now'> & SqliteQueryOptions,
): Promise<ReadDatabase> {
  // First, so that it opens no file that has the name later.
  const long = new LongQueries(path, readers)
  const connection = connectReader(path, fingerprint, lockTimeout)
  return new SqliteReader(connection, { fingerprint, now, idle: () => null, long })
}

/** True if an existing file must be migrated or rebuilt first. */
export function isFileOutdated(path: string, fingerprint: string): boolean {
  if (path === ':memory:' || !existsSync(path)) return false
  using connection = connect(path, true)
  assertOurs(connection)
  return !isEmpty(connection) && !isCurrent(connection, fingerprint)
}

/** Opens a read-only connection to a file that was built for these lexicons. */
export function connectReader(path: string, fingerprint: string, timeout?: number): DatabaseSync {
  const connection = connect(path, true, timeout === undefined ? {} : { timeout })
  try {
    assertOurs(connection)
    if (!isCurrent(connection, fingerprint)) throw new BuiltElsewiseError()
  } catch (error) {
    connection.close()
    throw error
  }
  return connection
}

export class SqliteReader implements ReadDatabase {
  readonly #database: DatabaseSync
  readonly #queries: Queries
  readonly #options: ReaderOptions
  readonly statistics: Statistics
  readonly dialect = sqliteDialect
  readonly isRemote = false

  constructor(database: DatabaseSync, options: ReaderOptions) {
    this.#database = database
    this.#queries = createQueries(database)
    this.#options = options
    this.statistics = {
      rows: ({ name }: Table) => this.#number(`select ifnull(max(id), 0) from ${quote(name)}`, []),
      countUpTo: ({ text, values }, limit) =>
        this.#number(`select count(*) from (${text} limit ? + 0)`, [...values, limit]),
      trigram: ({ name }: TextIndex, trigram) =>
        unindexable.test(trigram)
          ? null
          : this.#number(`select records from ${quote(`${name}/counts`)} where term = ?`, [trigram]),
      word: (index: WordIndex, word, isPrefix) =>
        estimateRecords(index, word, isPrefix, (text, values) => this.#number(text, values)),
      prefix: ({ name }: TextIndex, needle, limit) => {
        if (unindexable.test(needle)) return null
        const counts = `select count(*), sum(records) from (select records from ${quote(`${name}/counts`)}
          where term >= ? and term < ? limit ? + 0)`
        const row = this.#queries.prepare(counts).get(needle, afterPrefix(needle), limit)
        return { terms: Number(row?.[0]), records: Number(row?.[1] ?? 0) }
      },
    }
  }

  async readPlanState(): Promise<PlanState> {
    await this.#options.idle()
    return whileReachable(() => this.#planState())
  }

  async readAnswer(statement: Statement, terms: ReadTerms): Promise<StoredAnswer> {
    const { long, idle } = this.#options
    if (terms.kind === 'long' && long !== null) return passingOf(long.readAnswer(statement, terms))
    const busy = idle()
    if (busy !== null) await busy
    // A statement in this process cannot be stopped once it runs.
    if (terms.kind === 'long') terms.signal.throwIfAborted()
    return whileReachable(() => this.#queries.readAnswer(statement))
  }

  /** Null in memory, because writes on the same connection do not change the version. */
  dataVersion(): number | null {
    if (this.#options.idle() !== null) return null
    const ask = this.#queries.prepare('pragma data_version')
    return whileReachable(() => Number(ask.get()?.[0]))
  }

  async readSteps<Result>(steps: () => Steps<Result>): Promise<Result> {
    await this.#options.idle()
    return whileReachable(() => this.#queries.readSteps(steps()))
  }

  async readStatus(): Promise<IndexStatus> {
    const { long, idle, now } = this.#options
    if (long !== null) return passingOf(long.readStatus(now()))
    await idle()
    return this.#queries.readStatus(now())
  }

  async readSize(): Promise<number> {
    await this.#options.idle()
    const file = this.#database.location()
    // The log is removed when the last connection closes.
    if (file !== null)
      return [file, `${file}-wal`].reduce((sum, path) => sum + (statSync(path, missing)?.size ?? 0), 0)
    const pages = 'select page_count * page_size from pragma_page_count, pragma_page_size'
    return this.#number(pages, [])
  }

  async *readRows({ text, values }: Statement): AsyncGenerator<Record<string, ColumnValue>> {
    yield* this.#database.prepare(text, { readBigInts: true }).iterate(...values)
  }

  async openFile(
    statements: FileStatements,
    spec: FileSpec,
    signal: AbortSignal,
  ): Promise<FileStream | null> {
    const { long, idle } = this.#options
    if (long !== null)
      return passingOf(
        openFileProcess({ source: { engine: 'sqlite', ...long.file }, statements, spec }, signal),
      )
    await idle()
    const { version, total, batches } = readSnapshot(this.#database, statements)
    if (version !== statements.version) return null
    // The connection also writes, so all rows are read at once; the database is in memory anyway.
    const read = [...batches]
    let written = 0
    return {
      total,
      bytes: writeFile(spec, read, (rows) => (written = rows)),
      rows: () => written,
      [Symbol.asyncDispose]: async () => undefined,
    }
  }

  async explain(statement: Statement): Promise<readonly string[]> {
    const { long, idle } = this.#options
    if (long !== null) return passingOf(long.explain(statement))
    await idle()
    return this.#queries.explain(statement)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.long?.[Symbol.asyncDispose]()
    if (this.#database.isOpen) this.#database.close()
  }

  #planState(): PlanState {
    const state = this.#database.prepare('select plan_version, derivation from state').get()
    if (state?.derivation !== derivationOf(this.#options.fingerprint)) throw new RebuiltElsewhereError()
    const ordered = this.#database.prepare('select nsid from collection where ordered = 1').all()
    return {
      version: Number(state.plan_version),
      ordered: new Set(ordered.map((row) => String(row.nsid))),
      hiding: this.#queries.run(isHiding()),
    }
  }

  #number(text: string, values: readonly ColumnValue[]): number {
    return Number(this.#queries.prepare(text).get(...values)?.[0] ?? 0)
  }
}

const missing = { throwIfNoEntry: false } as const

/** Noncharacters that the trigram tokenizer replaces, so that no index finds them. */
const unindexable = /[\uFFFE\uFFFF]/

function passingOf<Result>(connection: Promise<Result>): Promise<Result> {
  return connection.catch((error) => {
    throw asPassing(error)
  })
}

/** Runs a query and translates its errors for callers where that is possible (https://sqlite.org/rescode.html). */
function whileReachable<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw asPassing(error)
  }
}

/** Translates errors that may end soon and answers that are too large; returns other errors unchanged. */
function asPassing(error: unknown): unknown {
  const code = (error as { errcode?: unknown }).errcode
  if (typeof code !== 'number') return error
  if (code === tooBig) return answerTooLarge()
  return passing.has(code & 0xff) ? unavailable(error) : error
}

/** SQLITE_TOOBIG */
const tooBig = 18

/** SQLITE_BUSY, SQLITE_LOCKED, SQLITE_IOERR, SQLITE_CANTOPEN */
const passing: ReadonlySet<number> = new Set([5, 6, 10, 14])
