/** The write path of PostgreSQL: each batch is one transaction, and so is a whole import. */
import type { Client } from 'pg'
import type {
  BatchOutcome,
  Change,
  CountedSource,
  LeaderLock,
  LeaderLockRequest,
  SourceMark,
  WriteDatabase,
} from '../../database.ts'
import { createMetadataStore, type MetadataStore } from '../../metadata/sql-metadata-store.ts'
import { importSource } from '../../metadata/source-marks.ts'
import { addOutcome, noOutcome, type Outcome } from '../../changes.ts'
import { Applier, type ApplierOptions } from '../../write/applier.ts'
import type { Use } from '../session-settings.ts'
import { DatabaseUnreachableError, codeOf } from '../failures.ts'
import { holdLeaderLock, acquireLeaderLock } from '../leader-lock.ts'
import { fill, tidy } from '../load/load.ts'
import { PostgresRecordStore } from './table-writer.ts'
import { refreshCounts } from './text-counts.ts'
import { Transactions, within } from './transactions.ts'
import { metadataSchema, recordsSchema } from '../layout/ddl.ts'
import { dropOld } from '../layout/generations.ts'
import { nextSchema, oldSchema } from '../layout/rebuild-state.ts'

/** `derivation`: the one that the tables must have, as stored in the table `state`. */
type PostgresWriterOptions = ApplierOptions & { readonly derivation: string }

type Connect = (use: Exclude<Use, 'read'>) => Promise<Client>

export class PostgresWriter implements WriteDatabase {
  readonly metadata: MetadataStore
  readonly #connect: Connect
  readonly #options: PostgresWriterOptions
  readonly #transactions: Transactions
  readonly #store: PostgresRecordStore
  readonly #applier: Applier

  /** Calls `connect` when a connection is first needed, and again after a loss. */
  constructor(connect: Connect, options: PostgresWriterOptions) {
    this.#connect = connect
    this.#options = options
    const isSpread = options.tables.some((table) => table.isSpread)
    this.#transactions = new Transactions(() => connect('write'), options.derivation, isSpread)
    this.#store = new PostgresRecordStore(options.tables)
    this.#applier = new Applier(this.#store, options)
    this.metadata = createMetadataStore({
      transact: (steps) => this.#transactions.transact((transaction) => transaction.run(steps(transaction))),
      read: (steps) => this.#transactions.read(({ run }) => run(steps())),
      now: options.now,
      applier: this.#applier,
    })
  }

  /** Commits survive a loss of power, unless the server is configured otherwise: `durable` adds nothing. */
  applyBatch(changes: readonly Change[], mark?: SourceMark | CountedSource): Promise<BatchOutcome> {
    return this.#transactions.transact((transaction) =>
      transaction.run(this.#applier.applyBatch(transaction, changes, mark)),
    )
  }

  async load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    const total = noOutcome()
    if (!(await this.#loadEmpty(batches, total)))
      for await (const batch of batches) addOutcome(total, await this.applyBatch(batch, importSource))
    return total
  }

  mayWrite(): Promise<boolean> {
    return this.#transactions.exclusively(async (client) => {
      const { rows } = await client.query<{ may: boolean | null }>(mayWriteAll)
      return rows[0]?.may !== false
    })
  }

  /** Former rows become free space, whose content remains until the server reuses it. */
  compact(): Promise<boolean> {
    return this.#transactions.exclusively(async (client) => {
      await this.#refreshCounts()
      return compact(client)
    })
  }

  async leaderLock(request: LeaderLockRequest): Promise<LeaderLock | null> {
    const client = await acquireLeaderLock(() => this.#connect('lead'), request)
    if (client === null) return null
    const lost = new AbortController()
    client.once('end', () => lost.abort())
    let isFirst = true
    const once = async (): Promise<Client> => {
      if (!isFirst) {
        // A new connection would not have the lock.
        lost.abort()
        throw new DatabaseUnreachableError('The connection that led is lost.')
      }
      isFirst = false
      return client
    }
    const writer = new PostgresWriter(once, this.#options)
    const over = new AbortController()
    const until = AbortSignal.any([lost.signal, over.signal])
    const kept = holdLeaderLock(client, writer.#transactions, () => this.#connect('write'), until)
    return {
      metadata: writer.metadata,
      applyBatch: (changes, mark) => writer.applyBatch(changes, mark),
      load: (batches) => writer.load(batches),
      lost: lost.signal,
      async [Symbol.asyncDispose]() {
        over.abort()
        await kept
        await writer[Symbol.asyncDispose]()
      },
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#transactions[Symbol.asyncDispose]()
  }

  /** Returns false, without changes, if there are records already. */
  #loadEmpty(batches: AsyncIterable<readonly Change[]>, total: Outcome): Promise<boolean> {
    return this.#transactions.exclusively(async () => {
      const transaction = await this.#transactions.begin()
      const { client } = transaction
      const { tables } = this.#options
      const isEmpty = await fill(transaction, this.#options, batches, total)
      await this.#transactions.commit(transaction)
      if (!isEmpty) return false
      await tidy(tables, client)
      await this.#refreshCounts()
      return true
    })
  }

  /** Counts anew how many records have each frequent word or sequence, so that none of removed records is left. */
  async #refreshCounts(): Promise<void> {
    const transaction = await this.#transactions.begin()
    for (const writer of this.#store.tables.values()) await transaction.run(refreshCounts(writer))
    await this.#transactions.commit(transaction)
  }
}

/**
 * Must run outside a transaction. False if removed values may remain: in tables of a rebuild that are still read, or in
 * the statistics of a table, which contain samples of stored values.
 */
async function compact(client: Client): Promise<boolean> {
  await dropOld(client)
  const { rows } = await client.query<{ left: boolean }>(
    `select to_regnamespace('${oldSchema}') is not null or to_regnamespace('${nextSchema}') is not null as left`,
  )
  const isForgotten = await forgetStatistics(client)
  await client.query('vacuum (analyze)')
  return isForgotten && rows[0]?.left === false
}

/** Without a table nothing is denied. */
const mayWriteAll = `select bool_and(${['insert', 'update', 'delete'].map((right) => `has_table_privilege(oid, '${right}')`).join(' and ')}) as may
  from pg_class where relkind = 'r' and relnamespace in (to_regnamespace('${metadataSchema}'), to_regnamespace('${recordsSchema}'))`

/** Tables with samples; on a cluster, whose nodes have these, all. `changes` sets the declared types of columns again. */
const columnsOfTables = `select format('%I.%I', n.nspname, c.relname) as table, bool_or(a.attname = 'shard') as "isSpread",
    string_agg(format('alter column %I type %s', a.attname, format_type(a.atttypid, a.atttypmod)
      || case when a.attcollation in (0, 'pg_catalog."default"'::regcollation) then '' else ' collate ' || a.attcollation::regcollation::text end),
      ', ') filter (where a.attname <> 'shard') as changes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attidentity = ''
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind = 'r' and n.nspname in ('${metadataSchema}', '${recordsSchema}')
    and pg_get_expr(d.adbin, d.adrelid) !~ '^nextval' is not false
    and (to_regclass('pg_dist_partition') is not null
      or exists (select from pg_stats s where s.schemaname = n.nspname and s.tablename = c.relname))
  group by 1 having bool_or(a.attname <> 'shard')`

/** For empty tables and shards the server retains the last samples, unless the type of a column is set again. */
async function forgetStatistics(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ table: string; isSpread: boolean; changes: string }>(columnsOfTables)
  for (const { table, isSpread, changes } of rows) {
    const { rows: found } = isSpread
      ? await client.query(
          `select from run_command_on_shards($1, 'select exists (select from %s)') having bool_and(result = 't')`,
          [table],
        )
      : await client.query(`select from ${table} limit 1`)
    if (found.length > 0) continue
    try {
      await within(client, "begin; set local lock_timeout = '5s'", () =>
        client.query(`alter table ${table} ${changes}`),
      )
    } catch (error) {
      if (codeOf(error) !== '55P03') throw error
      return false
    }
  }
  return true
}
