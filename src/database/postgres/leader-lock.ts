/**
 * The leader lock: only one process, on whatever machine, follows sources. The lock belongs to the connection that
 * writes, so a process that loses the lock has lost that connection and cannot disturb its successor's writes. The
 * server ends a silent connection after a while, so the holder sends a statement regularly.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import type { LeaderLockRequest } from '../database.ts'
import { closeClient, processOf } from './connection.ts'
import { DatabaseUnreachableError, isPassing } from './failures.ts'
import { lockSpace, locks, type Transactions } from './write/transactions.ts'

/** Milliseconds between two attempts, and between two heartbeats; the server waits 6 s for a heartbeat. */
const interval = { attempts: 1_000, signs: 2_000 }
/** Milliseconds to wait for the answer to a trivial statement. */
const timeout = 3_000

/** Yields a row if nobody else has the lock. */
const takeLock = {
  text: `select where pg_try_advisory_lock(${lockSpace}, ${locks.following})`,
  query_timeout: timeout,
}

/** A connection that has the lock; null if the signal was aborted first. */
export async function acquireLeaderLock(
  connect: () => Promise<Client>,
  { signal, onWaiting }: LeaderLockRequest,
): Promise<Client | null> {
  let client: Client | null = null
  let told = ''
  const tell = (why: string): void => {
    if (why !== told) onWaiting(why)
    told = why
  }
  for (; !signal.aborted; await pause(interval.attempts, undefined, { signal }).catch(() => {})) {
    try {
      client ??= await connect()
      const { rowCount } = await client.query(takeLock)
      if (rowCount === 1) return client
      tell('another process follows the sources.')
    } catch (error) {
      if (client !== null) await closeClient(client)
      client = null
      if (!isPassing(error)) throw error
      // Of a connection that was lost, the next attempt to connect reports why.
      if (error instanceof DatabaseUnreachableError) tell(error.message)
    }
  }
  if (client !== null) await closeClient(client)
  return null
}

/**
 * Sends heartbeats, so that both sides notice a loss, until the signal is aborted. When no answer comes, the server may
 * be busy with a long statement or unreachable; a second connection finds out which.
 */
export async function holdLeaderLock(
  client: Client,
  transactions: Transactions,
  connect: () => Promise<Client>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // A failure closes the connection, which aborts the signal.
    const answer = transactions.exclusively((client) => client.query('select 1')).catch(() => {})
    while ((await Promise.race([answer, pause(timeout, 'silence', { ref: false })])) === 'silence')
      if (!(await isThere(processOf(client), connect))) await closeClient(client)
    await pause(interval.signs, undefined, { signal }).catch(() => {})
  }
}

async function isThere(pid: number, connect: () => Promise<Client>): Promise<boolean> {
  try {
    const client = await connect()
    const statement = {
      text: 'select from pg_stat_activity where pid = $1',
      values: [pid],
      query_timeout: timeout,
    }
    const { rowCount } = await client.query(statement).finally(() => closeClient(client))
    return rowCount === 1
  } catch {
    return false
  }
}
