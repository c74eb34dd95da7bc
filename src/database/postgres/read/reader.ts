/** Reads from PostgreSQL: returns answers as the bytes of the server, from any usable server. It cannot write. */
import pg from 'pg'
import type { FileSpec } from '../../../files/file-spec.ts'
import type {
  ColumnValue,
  IndexStatus,
  PlanState,
  ReadDatabase,
  ReadTerms,
  Statement,
  StoredAnswer,
} from '../../database.ts'
import { openFileProcess } from '../../files/file-process.ts'
import type { FileStatements, FileStream } from '../../files/file-source.ts'
import { readStatus } from '../../metadata/status.ts'
import type { Steps } from '../../metadata/steps.ts'
import type { MigrateOptions } from '../../migrate-options.ts'
import { answerTooLarge, RebuiltElsewhereError, sumOutOfRange, unplannedOnCluster } from '../../refusals.ts'
import { closeClient } from '../connection.ts'
import { derivationOf } from '../layout/ddl.ts'
import type { Dialect } from '../../../sql/dialect.ts'
import { postgresDialect, spreadDialect } from '../dialect.ts'
import { beginSnapshot, inOneState } from './one-state.ts'
import { sumOutOfRangeState } from '../layout/functions.ts'
import { runAnswer, runPrepared, runSteps } from '../prepared.ts'
import { longest, longTimeout, type Query } from './query-pool.ts'
import type { Servers } from './servers.ts'
import { PostgresStatistics } from './statistics.ts'

/** `isSpread`: whether the tables of records are spread over the nodes of a cluster. */
type ReaderOptions = Pick<MigrateOptions, 'fingerprint' | 'now'> & { readonly isSpread: boolean }

const beginReading = 'begin isolation level repeatable read read only'

/** SQLSTATE: feature_not_supported. */
const unsupportedState = '0A000'

/** Rows in one fetch. */
const rowsAtOnce = 1000

export class PostgresReader implements ReadDatabase {
  readonly dialect: Dialect
  readonly isRemote = true
  readonly statistics: PostgresStatistics
  readonly #servers: Servers
  readonly #options: ReaderOptions
  /** The plan version that was read last. */
  #version = 0

  constructor(servers: Servers, options: ReaderOptions) {
    this.#servers = servers
    this.#options = options
    this.dialect = options.isSpread ? spreadDialect : postgresDialect
    this.statistics = new PostgresStatistics((work, terms) => servers.read(work, terms))
  }

  async readPlanState(): Promise<PlanState> {
    const text = `select plan_version, derivation, exists (select 1 from hidden) as hiding from state`
    const state = await this.#readOnwards(async (client) => {
      const { rows } = await runPrepared(client, { text, values: [] })
      return { ...rows[0], version: Number(rows[0]?.plan_version) }
    })
    if (state.derivation !== derivationOf(this.#options.fingerprint)) throw new RebuiltElsewhereError()
    // Ids follow no order in this engine; the default order has an index.
    return { version: state.version, ordered: new Set(), hiding: state.hiding }
  }

  async readAnswer(statement: Statement, terms: ReadTerms): Promise<StoredAnswer> {
    const timeout = terms.kind === 'long' ? longTimeout : undefined
    const begin = `${beginReading}; ${timeout === undefined ? '' : `set local statement_timeout = ${longest}`}`
    try {
      return await this.#readOnwards(async (client) => {
        const run = () => runAnswer(client, statement, timeout)
        const { result, version } = this.#options.isSpread
          ? await inOneState(client, begin, run)
          : { result: await run(), version: 0 }
        const { body } = result
        if (body === null) throw answerTooLarge()
        // A short buffer is a slice of memory that it shares with other buffers.
        return { version: Math.max(version, result.version), body, isOwn: false }
      }, terms)
    } catch (error) {
      const state = error instanceof pg.DatabaseError ? error.code : undefined
      if (state === sumOutOfRangeState) throw sumOutOfRange()
      if (state === unsupportedState && this.#options.isSpread) throw unplannedOnCluster(error)
      throw error
    }
  }

  /** Asking the server would take as long as a short answer. */
  dataVersion(): null {
    return null
  }

  readSteps<Result>(steps: () => Steps<Result>): Promise<Result> {
    return this.#servers.read(async (client) => {
      await client.query(beginReading)
      const result = await runSteps(client, steps())
      await client.query('commit')
      return result
    })
  }

  readStatus(): Promise<IndexStatus> {
    return this.readSteps(() => readStatus(this.#options.now(), (uri) => `split_part(${uri}, '/', 4)`))
  }

  async readSize(): Promise<number> {
    const text = 'select pg_database_size(current_database()) as n'
    return this.#servers.read(async (client) => {
      const { rows } = await runPrepared(client, { text, values: [] })
      return Number(rows[0]?.n)
    })
  }

  async *readRows({ text, values }: Statement): AsyncGenerator<Readonly<Record<string, ColumnValue>>> {
    const client = await this.#servers.connectPrimary()
    try {
      await beginSnapshot(client, beginReading, this.#options.isSpread)
      await client.query(`declare rows no scroll cursor for ${text}`, [...values])
      for (;;) {
        const { rows } = await client.query(`fetch ${rowsAtOnce} from rows`)
        if (rows.length === 0) return
        yield* rows
      }
    } finally {
      await closeClient(client)
    }
  }

  async openFile(
    statements: FileStatements,
    spec: FileSpec,
    signal: AbortSignal,
  ): Promise<FileStream | null> {
    const url = await this.#servers.primaryUrl()
    return openFileProcess({ source: { engine: 'postgres', url }, statements, spec }, signal)
  }

  async explain({ text, values }: Statement): Promise<readonly string[]> {
    const literals = values.map((value) => (value === null ? 'null' : pg.escapeLiteral(String(value))))
    const given = literals.length === 0 ? '' : `(${literals.join(', ')})`
    // Prepared as in normal operation: one generic plan for all values, or on a cluster one for these.
    return this.#servers.read(async (client) => {
      await client.query(`prepare explained as ${text}`)
      try {
        const { rows } = await client.query(`explain (costs off) execute explained${given}`)
        return rows.map((row) => String(row['QUERY PLAN']))
      } finally {
        await client.query('deallocate explained')
      }
    })
  }

  /**
   * Replicas reach a new plan version at different times. A reader never goes back to an earlier version, because plans
   * would be made again and again as long as two replicas differ.
   */
  async #readOnwards<Result extends { readonly version: number }>(
    work: Query<Result>,
    terms?: ReadTerms,
  ): Promise<Result> {
    const found = await this.#servers.read(work, terms)
    const result = found.version < this.#version ? await this.#servers.readPrimary(work, terms) : found
    this.#version = result.version
    return result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#servers[Symbol.asyncDispose]()
  }
}
