import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { onUntimedPostgres } from '../../../test/support/store/databases.ts'
import { type Cluster, databases, startCluster } from '../../../test/support/store/postgres.ts'
import { patience } from '../../../test/support/until.ts'
import pg from 'pg'
import type { ColumnValue } from '../database.ts'
import { clientConfig } from './connection.ts'
import { runAnswer, runPrepared } from './prepared.ts'

let server: Cluster
let client: pg.Client
before(async () => {
  if (!databases.includes('postgres')) return
  server = await startCluster()
  // With a clock, as connections in use have one.
  client = new pg.Client({ ...clientConfig(server.url), query_timeout: patience })
  await client.connect()
})
after(async () => {
  if (!databases.includes('postgres')) return
  await client.end()
  await server[Symbol.asyncDispose]()
})

const ask = (body: string, ...values: readonly ColumnValue[]) =>
  runAnswer(client, { text: `select 200::bigint as version, convert_to(${body}, 'UTF8') as body`, values })

onUntimedPostgres('a body of UTF-8 comes as its bytes, beside a version of any size', async () => {
  assert.deepEqual(await ask(`'zażółć'`), { version: 200, body: Buffer.from('zażółć') })
  assert.equal((await ask(`''`)).body?.length, 0)
  assert.equal((await ask('null')).body, null)
})

onUntimedPostgres('values of every kind are given, the same statement prepared once', async () => {
  const body = 'concat($1::int8, $2::float8, $3::text, $4::text)'
  for (const [values, found] of [
    [[9_007_199_254_740_993n, 0.5, 'é', null], '90071992547409930.5é'],
    [[-1, 2, '', 'x'], '-12x'],
  ] as const)
    assert.equal(String((await ask(body, ...values)).body), found)
  const prepared = 'select count(*) as n from pg_prepared_statements where strpos(statement, $1) > 0'
  const { rows } = await client.query(prepared, [body])
  assert.equal(rows[0]?.n, 1n)
})

onUntimedPostgres('an answer of any length is put together', async () => {
  for (const length of [8_170, 8_192, 65_536, 5_000_000])
    assert.equal(String((await ask(`repeat('a', $1::int)`, length)).body), 'a'.repeat(length))
})

onUntimedPostgres('what nobody holds any more is collected when it is young', async () => {
  setFlagsFromString('--expose-gc')
  const collect: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc')
  // Who outlives two of them is old.
  const held = (): number => {
    for (let times = 0; times < 2; times += 1) collect({ type: 'minor' })
    return process.memoryUsage().arrayBuffers
  }
  const [answers, length] = [100, 10_000]
  await ask(`repeat('a', $1::int)`, length)
  collect()
  const before = held()
  for (let asked = 0; asked < answers; asked += 1) await ask(`repeat('a', $1::int)`, length)
  assert.ok(held() - before < (answers * length) / 2)
})

onUntimedPostgres('what fails is told, and the connection goes on', async () => {
  await assert.rejects(ask('(1 / $1::int)::text', 0), { code: '22012' })
  await assert.rejects(ask('nothing'), { code: '42703' })
  assert.equal(String((await ask('(1 / $1::int)::text', 1)).body), '1')
  const { rows } = await runPrepared(client, { text: 'select 20::bigint as n', values: [] })
  assert.equal(rows[0]?.n, 20n)
})
