/**
 * One state of all nodes of a cluster. A commit reaches one node after the other; so the writer commits, and a reader takes
 * the snapshots of all nodes, while holding a lock: the gate. Both are one message, so that no process that stops holds it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase, QueryResult } from 'pg'
import { DatabaseUnreachableError } from '../failures.ts'
import { gate } from '../write/transactions.ts'

/** Milliseconds between two attempts. */
const rest = 20
/** Milliseconds in which all nodes must show their snapshots, while writers wait. */
const longestLook = 5_000

/**
 * Begins a transaction by `begin`, which must be repeatable read, and takes the snapshots: with one connection to each
 * node, reading any table of all nodes fixes them. What a node that was away has missed of a commit is resolved first. After
 * a failure the connection must be closed: it may hold the gate.
 */
export async function beginSnapshot(client: ClientBase, begin: string, isSpread: boolean): Promise<void> {
  if (!isSpread) return void (await client.query(begin))
  const text = `select pg_advisory_lock_shared(${gate}); commit; ${begin};
    set local citus.max_adaptive_executor_pool_size = 1;
    select set_config('lexigraph.timeout', current_setting('statement_timeout'), true);
    set local statement_timeout = ${longestLook};
    select from shards where unresolved() limit 1; select pg_advisory_unlock_shared(${gate});
    select set_config('statement_timeout', current_setting('lexigraph.timeout'), true)`
  for (const end = performance.now() + longestLook; ; await pause(rest)) {
    const results = (await client.query(text)) as unknown as readonly QueryResult[]
    if (results.at(-3)?.rowCount === 0) return
    await client.query('rollback; begin read write; select recover_prepared_transactions(); commit')
    if (performance.now() > end)
      throw new DatabaseUnreachableError('A node of the cluster has not resolved its transactions yet.')
  }
}

/**
 * Runs work in such a transaction. Returns the plan version after it too: names of tables may have come to mean those of
 * a rebuild that ended after the snapshot.
 */
export async function inOneState<Result>(
  client: ClientBase,
  begin: string,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly version: number }> {
  try {
    await beginSnapshot(client, begin, true)
    const result = await work()
    const ended = await client.query('commit; select plan_version from state')
    const [, state] = ended as unknown as readonly [QueryResult, QueryResult<{ plan_version: bigint }>]
    return { result, version: Number(state.rows[0]?.plan_version) }
  } catch (error) {
    // If the connection is lost, so is the lock.
    await client.query('rollback; select pg_advisory_unlock_all()').catch(() => undefined)
    throw error
  }
}
