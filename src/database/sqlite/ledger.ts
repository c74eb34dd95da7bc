/** What is kept beside the records, in SQLite: each piece of work runs in one go. */
import type { DatabaseSync } from 'node:sqlite'
import { KeptLedger, requestFetch } from '../kept/ledger.ts'
import { createRunner, type Run } from './steps.ts'

export interface LedgerOptions {
  /** Runs the work in a transaction of its own, when the writer is free. */
  readonly transact: <Result>(work: () => Result) => Promise<Result>
  /** Microseconds since 1970. */
  readonly now: () => bigint
  readonly settle: (limit: number) => number
}

export class SqliteLedger extends KeptLedger {
  readonly #run: Run
  readonly #clock: () => bigint

  constructor(database: DatabaseSync, { transact, now, settle }: LedgerOptions) {
    const run = createRunner(database)
    super({
      transact: (steps) => transact(() => run(steps())),
      now,
      settle: (limit) => transact(() => settle(limit)),
    })
    this.#run = run
    this.#clock = now
  }

  /** Within the caller's transaction: the live stream asks for a repository. */
  request(did: string, reason: string, dueAt: bigint): void {
    this.#run(requestFetch(did, reason, dueAt, this.#clock()))
  }
}
