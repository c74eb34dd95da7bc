/** Cancels the statement that runs on a connection, on the server too. */
import type { PoolClient } from 'pg'
import { closeClient, connect, processOf } from '../connection.ts'

/** Milliseconds that a server has to cancel it. */
const timeout = 1000

/**
 * `url` is the URL of the connection, which must not be used afterwards: the request to cancel takes another way and
 * might end the next statement. If it has no effect, the connection is cut, so that its caller need not wait any
 * longer; the server notices the cut by itself.
 */
export async function cancelStatement(url: string, client: PoolClient): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), timeout)
  client.once('end', () => clearTimeout(cut))
  try {
    const other = await connect(url, 'read', timeout)
    await other.query('select pg_cancel_backend($1)', [processOf(client)]).finally(() => closeClient(other))
  } catch {
    // The timer cuts the connection.
  }
}
