import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { PoolClient } from 'pg'
import { onPostgres } from '../../../test/support/store/databases.ts'
import { endless } from '../../../test/support/store/long-statements.ts'
import { type Cluster, databases, startCluster } from '../../../test/support/store/postgres.ts'
import { stopTimers } from '../../../test/support/stopped-timers.ts'
import { until } from '../../../test/support/until.ts'
import type { ReadTerms } from '../database.ts'
import { connect } from './connection.ts'
import { defaultQueryOptions, type QueryOptions, Servers } from './read/servers.ts'

let cluster: Cluster
before(async () => {
  if (databases.includes('postgres')) cluster = await startCluster()
})
after(() => cluster?.[Symbol.asyncDispose]())

const { text: forever } = endless('postgres')

onPostgres(
  'half of the connections is left to what is short, and all are free once the rest was given up',
  async (t) => {
    stopTimers(t)
    await using servers = open({ poolSize: 4 })
    const late = new AbortController()
    const all = [1, 2, 3].map(() => servers.read(runForever, long(late.signal)))
    await until(async () => (await underWay()).length === 2)
    assert.equal(new Set(await together(servers, 2)).size, 2)
    assert.equal((await underWay()).length, 2)
    late.abort(new Error('given up'))
    for (const one of all) await assert.rejects(one, /^Error: given up$/)
    await until(async () => (await underWay()).length === 0)
    assert.equal(new Set(await together(servers, 4)).size, 4)
  },
)

onPostgres('the time that short statements have is not that of others, and comes back', async (t) => {
  stopTimers(t)
  await using servers = open({ poolSize: 1, statementTimeout: 60_000 })
  const limit = async (client: PoolClient) =>
    (await client.query(`select current_setting('statement_timeout') as limit`)).rows[0].limit
  const limits = [await servers.read(limit), await servers.read(limit, long()), await servers.read(limit)]
  assert.deepEqual(limits, ['1min', '1h', '1min'])
})

onPostgres('what is repeated because a connection was lost still ends with its signal', async (t) => {
  stopTimers(t)
  await using servers = open({ poolSize: 2 })
  const late = new AbortController()
  const outcome = servers.read(runForever, long(late.signal)).catch((error: unknown) => error)
  const first = await until(async () => (await underWay())[0])
  await cluster.query('select pg_terminate_backend($1)', [first])
  await until(async () => (await underWay()).some((other) => other !== first))
  late.abort('given up')
  assert.equal(await outcome, 'given up')
  await until(async () => (await underWay()).length === 0)
})

onPostgres('a server that is silent keeps nobody who gives up', async (t) => {
  const timers = stopTimers(t)
  await using own = await startCluster()
  await using servers = open({ database: own.url })
  const late = new AbortController()
  const outcome = servers.read(runForever, long(late.signal)).catch((error: unknown) => error)
  const id = await until(async () => (await underWay(own))[0])
  process.kill(id, 'SIGSTOP')
  late.abort('given up')
  assert.equal(await outcome, 'given up')
  // As long as the server has to cancel it.
  timers.advance(1_000)
  // The connection is cut, and its place given to others.
  assert.equal(
    new Set(await together(servers, defaultQueryOptions.poolSize)).size,
    defaultQueryOptions.poolSize,
  )
  process.kill(id, 'SIGCONT')
  await until(async () => (await underWay(own)).length === 0)
})

onPostgres('a server finds out by itself that nobody waits any more', async () => {
  const client = await connect(cluster.url, 'read')
  const outcome = client.query(forever).catch((error: unknown) => error)
  await until(async () => (await underWay()).length === 1)
  // Like a process that was killed.
  client.connection.stream.destroy()
  await outcome
  await until(async () => (await underWay()).length === 0)
})

function open(options: Partial<QueryOptions> & { readonly database?: string }): Servers {
  return new Servers({ ...defaultQueryOptions, database: cluster.url, ...options })
}

function long(signal = new AbortController().signal): ReadTerms {
  return { kind: 'long', signal, caller: 'somebody', cost: 1, deadline: Number.POSITIVE_INFINITY }
}

function runForever(client: PoolClient): Promise<unknown> {
  return client.query(forever)
}

/** The server's processes that run the statement. */
async function underWay(server = cluster): Promise<readonly number[]> {
  const rows = await server.query(
    `select pid from pg_stat_activity where state = 'active' and query like '%1000000000000%' and pid <> pg_backend_pid()`,
  )
  return rows.map(({ pid }) => Number(pid))
}

/** The server's processes behind so many readings, each of which goes on until all have begun. */
async function together(servers: Servers, count: number): Promise<readonly number[]> {
  const all = Promise.withResolvers<void>()
  let begun = 0
  return Promise.all(
    Array.from({ length: count }, () =>
      servers.read(async (client) => {
        const { rows } = await client.query('select pg_backend_pid() as pid')
        if ((begun += 1) === count) all.resolve()
        await all.promise
        return Number(rows[0].pid)
      }),
    ),
  )
}
