/** Connections that are lost without a word, behind a proxy that forgets them. */
import assert from 'node:assert/strict'
import { startProxy } from '../../../../test/network/proxy.ts'
import { onPostgres } from '../../../../test/support/store/databases.ts'
import { apply, openNotes, put, spot, visibleRecords } from '../../../../test/support/records/notes.ts'
import { postgresUrl } from '../../../../test/support/store/postgres.ts'
import { connected } from '../../../../test/support/store/postgres-layout.ts'
import { patience, until } from '../../../../test/support/until.ts'
import { QueryPool } from './query-pool.ts'
import { defaultQueryOptions, Servers } from './servers.ts'

const parallel = 5

onPostgres('a caller does not wait for connections that were lost while they were idle', async () => {
  await using behind = await proxied()
  await using servers = new Servers({ ...defaultQueryOptions, database: behind.url, poolSize: parallel })
  await readAll(servers)
  behind.freeze()
  await readAll(servers)
})

onPostgres('a statement is asked again when its answer was lost under way', async () => {
  await using behind = await proxied()
  await using servers = new Servers({
    ...defaultQueryOptions,
    database: behind.url,
    poolSize: parallel,
    statementTimeout: patience,
  })
  await using looking = await connected(behind.direct)
  await looking.query('select pg_advisory_lock(2)')
  const text = 'select pg_advisory_xact_lock(2)'
  const reading = servers.read((client) => client.query(text))
  const running = async () => {
    const { rows } = await looking.query(
      `select from pg_stat_activity where query = $1 and state = 'active' and pid <> pg_backend_pid()`,
      [text],
    )
    return rows.length === 1
  }
  await until(running)
  behind.freeze()
  await looking.query('select pg_advisory_unlock(2)')
  assert.equal((await reading).rows.length, 1)
})

onPostgres('a long statement is not taken for lost, and the server is asked ever more rarely', async () => {
  await using behind = await proxied()
  await using pool = new QueryPool(behind.url, { poolSize: 1, statementTimeout: patience })
  await using holding = await connected(behind.direct)
  const start = await holding.query('select clock_timestamp() as at, pg_advisory_lock(1)')
  const text = `select pg_advisory_xact_lock(1), extract(epoch from clock_timestamp() - $1)::int as seconds`
  const reading = pool.run((client) => client.query(text, [start.rows[0].at]), { kind: 'short' })
  // Its own connection, and one for each question.
  await until(() => behind.accepted() >= 4)
  await holding.query('select pg_advisory_unlock(1)')
  const { rows } = await reading
  // Pauses that double from a second on leave no room for more questions, however long anything is held up.
  assert.ok(
    2 ** (behind.accepted() - 1) - 2 <= rows[0].seconds,
    `${behind.accepted()} in ${rows[0].seconds} s`,
  )
})

onPostgres('a writer goes on over another connection when its own was lost', async () => {
  await using behind = await proxied()
  await using store = await openNotes(behind.url)
  await apply(store, put(store, spot('a'), 0))
  await using looking = await connected(behind.direct)
  behind.freeze()
  const rested = async () => {
    const { rows } = await looking.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'lexigraph'
         and state = 'idle' and query = 'commit' and state_change < clock_timestamp() - interval '2 seconds'`,
    )
    return rows.length === 1
  }
  await until(rested)
  await apply(store, put(store, spot('b'), 1))
  assert.equal((await visibleRecords(store)).size, 2)
})

/** As many at once as there are connections. */
async function readAll(servers: Servers): Promise<void> {
  const read = () => servers.read((client) => client.query('select pg_sleep(0.05)'))
  await Promise.all(Array.from({ length: parallel }, read))
}

async function proxied() {
  const direct = await postgresUrl()
  const proxy = await startProxy(direct)
  const url = Object.assign(new URL(direct), { host: new URL(proxy.url).host }).href
  return {
    direct,
    url,
    freeze: proxy.freeze,
    accepted: proxy.accepted,
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}
