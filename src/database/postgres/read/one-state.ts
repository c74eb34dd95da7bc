/**
 * One state of all nodes of a cluster. A commit reaches one node after the other; so the writer commits, and a reader takes
 * the snapshots of all nodes, while holding a lock: the gate. Both are one message, so that no process that stops holds it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ClientBase, QueryResult } from 'pg'
import { codeOf, DatabaseUnreachableError } from '../failures.ts'
import { gate } from '../write/transactions.ts'

/** Milliseconds between two attempts. */
const rest = 20
/** Milliseconds that all nodes have for each of two answers, while writers wait. */
const longestLook = 3_000

/** SQLSTATE: a node has not finished a commit. */
const unresolvedState = 'LX002'

const oneConnection = 'set local citus.max_adaptive_executor_pool_size = 1'
/**
 * Fails if a node has not finished a commit. Runs before the snapshots are taken: while the gate is held, nobody commits. Citus
 * keeps a commit in `pg_dist_transaction` until it has seen, once a minute, that all nodes have finished it.
 */
const assertResolved = `do $$ begin
    if exists (select from pg_dist_transaction) then
      perform from shards where has_prepared() limit 1;
      if found then raise sqlstate '${unresolvedState}'; end if;
    end if; end $$`
const resolve = `begin read write; set local statement_timeout = ${longestLook};
  select recover_prepared_transactions(); commit`

/**
 * Begins a transaction by `begin`, which must be repeatable read, and takes the snapshots: with one connection to each
 * node, reading any table of all nodes fixes them. What a node that was away has missed of a commit is resolved first. After
 * a failure the connection must be closed: it may hold the gate.
 */
export async function beginSnapshot(client: ClientBase, begin: string, isSpread: boolean): Promise<void> {
  if (!isSpread) return void (await client.query(begin))
  const text = `select pg_advisory_lock_shared(${gate});
    ${oneConnection}; set local statement_timeout = ${longestLook}; ${assertResolved}; commit; ${begin};
    ${oneConnection};
    select set_config('lexigraph.timeout', current_setting('statement_timeout'), true);
    set local statement_timeout = ${longestLook};
    select count(*) from shards; select pg_advisory_unlock_shared(${gate});
    select set_config('statement_timeout', current_setting('lexigraph.timeout'), true)`
  for (const end = performance.now() + longestLook; ; await pause(rest)) {
    try {
      return void (await client.query(text))
    } catch (cause) {
      if (codeOf(cause) !== unresolvedState) throw cause
      await client.query('rollback; select pg_advisory_unlock_all()')
      if (performance.now() > end)
        throw new DatabaseUnreachableError('A node has not finished its commits yet.', { cause })
    }
    // A role that may not do this waits for the writer, or for Citus, which does it once a minute.
    await client.query(resolve).catch(() => client.query('rollback'))
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
