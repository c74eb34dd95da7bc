/** A connection to PostgreSQL for as long as a piece of work takes, and which process serves it. */
import pg from 'pg'
import { parentOf } from '../../test/support/processes.ts'

export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:/.test(database)
}

/** The main process of a server on this machine, below which are those of its connections. */
export function serverProcess(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    return parentOf(Number(rows[0]?.pid))
  })
}
