/**
 * One state of all nodes of a cluster. A commit reaches one node after the other; so the writer commits, and a reader takes
 * the snapshots of all nodes, while holding a lock: the gate. Both are one message, so that no process that stops holds it.
 */
import type { ClientBase } from 'pg'
import { type Commits, lockSpace, locks } from '../write/transactions.ts'

const gate = `${lockSpace}, ${locks.committing}`

/** The last statement of a transaction that is seen on all nodes at once. */
export const closeGate = `select pg_advisory_xact_lock(${gate})`

/** Commits on all nodes. Before that what a lost connection left half committed is committed, or rolled back. */
export const commitsOfAll: Commits = {
  first: 'select recover_prepared_transactions()',
  commit: `${closeGate}; commit`,
}

/**
 * Statements that begin a transaction by `begin`, which must be repeatable read, and take the snapshots: with one
 * connection to each node, reading any table of all nodes fixes them.
 */
export function beginAll(begin: string): string {
  return `select pg_advisory_lock_shared(${gate}); commit; ${begin};
    set local citus.max_adaptive_executor_pool_size = 1;
    select count(*) from shards; select pg_advisory_unlock_shared(${gate})`
}

/** Runs work in a transaction that `beginAll` has made; releases the gate whatever happens. */
export async function inOneState<Result>(
  client: ClientBase,
  begin: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let isDone = false
  try {
    await client.query(beginAll(begin))
    const result = await work()
    isDone = true
    return result
  } finally {
    const end = client.query(isDone ? 'commit' : 'rollback; select pg_advisory_unlock_all()')
    // If the connection is lost, the work has already failed.
    await end.catch(() => undefined)
  }
}
