/** Ends the statement that a connection is busy with, on the server too. */
import type { Client } from 'pg'
import { createClient } from './connection.ts'

/** Milliseconds that a server is given to end it. */
const patience = 1000

/**
 * `url` is the one the connection was made with. Afterwards it must be used no more: the request comes by another
 * way, and might end whatever is asked next. When nothing comes of it the connection is cut, so that whoever waits
 * for the statement waits no longer.
 */
export async function cancelStatement(url: string, client: Client): Promise<void> {
  const cut = setTimeout(() => client.connection.stream.destroy(), patience)
  client.once('end', () => clearTimeout(cut))
  const other = createClient(url)
  other.on('error', () => undefined)
  const { processID, secretKey } = client as unknown as BackendKey
  const connection = other.connection as unknown as Startable
  // The request comes in place of the user and the database, and needs neither a right nor a free connection.
  connection.startup = () => connection.cancel(processID, secretKey)
  // The server only ever answers by closing.
  await other.connect().catch(() => undefined)
}

/** What the server said at the beginning, and what the driver has for it; its types leave both out. */
interface BackendKey {
  readonly processID: number
  readonly secretKey: number
}
interface Startable {
  startup: () => void
  readonly cancel: (processID: number, secretKey: number) => void
}
