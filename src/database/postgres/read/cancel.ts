/** Ends the statement that a connection is busy with, on the server too. */
import type { PoolClient } from 'pg'
import { closeClient, connect, processOf } from '../connection.ts'

/** Milliseconds that a server is given to end it. */
const timeout = 1000

/**
 * `url` is the one the connection was made with. Afterwards it must be used no more: the request comes by another
 * way, and might end whatever is asked next. When nothing comes of it the connection is cut, so that whoever waits
 * for the statement waits no longer; the server finds that out by itself.
 */
export async function cancelStatement(url: string, client: PoolClient): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), timeout)
  client.once('end', () => clearTimeout(cut))
  try {
    const other = await connect(url, 'read', { statementTimeout: timeout })
    await other.query('select pg_cancel_backend($1)', [processOf(client)]).finally(() => closeClient(other))
  } catch {
    // It is cut then.
  }
}
