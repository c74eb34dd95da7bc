/** The write path of PostgreSQL: batches in one transaction each, and whole imports in one. */
import type { Client } from 'pg'
import type { BatchOutcome, Change, SourceMark, WriteDatabase } from '../database.ts'
import { KeptLedger } from '../kept/ledger.ts'
import { runSteps } from '../kept/steps.ts'
import type { Ledger } from '../ledger.ts'
import { addOutcome, noOutcome } from '../outcome.ts'
import { Applier, type ApplierOptions } from './applier.ts'
import { areEmpty, countTexts, fill, tidy } from './load.ts'
import { createTransaction, Transactions } from './transactions.ts'

export type WriterOptions = ApplierOptions

export interface PostgresWriterOptions extends WriterOptions {
  /** What the tables must have been derived from, as the table `state` has it. */
  readonly derivation: string
}

export class PostgresWriter implements WriteDatabase {
  readonly ledger: Ledger
  readonly #transactions: Transactions
  readonly #applier: Applier

  /** `connect` is asked for a connection when one is first needed, and again when it was lost. */
  constructor(connect: () => Promise<Client>, options: PostgresWriterOptions) {
    this.#transactions = new Transactions(connect, options.derivation)
    this.#applier = new Applier(options)
    this.ledger = new KeptLedger({
      transact: (steps) => this.#transactions.transact(({ session }) => runSteps(session, steps())),
      now: options.now,
      settle: (limit) =>
        this.#transactions.transact((transaction) => this.#applier.settle(transaction, limit)),
    })
  }

  /** What is committed survives a loss of power, unless the server is set up otherwise: `durable` adds nothing. */
  applyBatch(changes: readonly Change[], mark?: SourceMark): Promise<BatchOutcome> {
    return this.#transactions.transact((transaction) => this.#applier.applyBatch(transaction, changes, mark))
  }

  load(batches: AsyncIterable<readonly Change[]>): Promise<BatchOutcome> {
    return this.#transactions.exclusively(async (client) => {
      const total = noOutcome()
      const transaction = await this.#transactions.begin(client)
      const isEmpty = await areEmpty(this.#applier, transaction)
      if (isEmpty) await fill(this.#applier, client, transaction, batches, total)
      await client.query('commit')
      if (isEmpty) {
        await tidy(this.#applier, client)
        await countTexts(this.#applier, await this.#transactions.begin(client))
        await client.query('commit')
        return total
      }
      for await (const batch of batches) {
        const one = await this.#transactions.begin(client)
        const outcome = await this.#applier.applyBatch(one, batch)
        await client.query('commit')
        addOutcome(total, outcome)
      }
      return total
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#transactions[Symbol.asyncDispose]()
  }
}

/** Fills new tables, which the search path leads to, within the caller's transaction: for a rebuild. */
export async function refill(
  client: Client,
  options: WriterOptions,
  batches: AsyncIterable<readonly Change[]>,
): Promise<void> {
  const applier = new Applier(options)
  const transaction = createTransaction(client)
  await fill(applier, client, transaction, batches, noOutcome())
  await countTexts(applier, transaction)
}
