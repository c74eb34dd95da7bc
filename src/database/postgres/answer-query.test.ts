import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { onPostgres } from '../../../test/support/databases.ts'
import { type Cluster, databases, startCluster } from '../../../test/support/postgres.ts'
import type { ColumnValue } from '../database.ts'
import { AnswerClient } from './answer-query.ts'
import { clientConfig } from './connection.ts'
import { runForBytes, runPrepared } from './prepared.ts'

let server: Cluster
let client: AnswerClient
before(async () => {
  if (!databases.includes('postgres')) return
  server = await startCluster()
  // With a clock, as connections in use have one.
  client = new AnswerClient({ ...clientConfig(server.url), query_timeout: 60_000 })
  await client.connect()
})
after(async () => {
  if (!databases.includes('postgres')) return
  await client.end()
  await server[Symbol.asyncDispose]()
})

const ask = (text: string, ...values: readonly ColumnValue[]) => runForBytes(client, { text, values })

onPostgres('bytes come as they are, whether they are characters or not', async () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  const [bytes, number, text, empty, missing] = await ask(
    `select $1::bytea, 200::int8, 'zażółć', '', null`,
    all,
  )
  assert.deepEqual(bytes, all)
  assert.equal(number?.readBigInt64BE(), 200n)
  assert.equal(text?.toString(), 'zażółć')
  assert.equal(empty?.length, 0)
  assert.equal(missing, null)
})

onPostgres('values of every kind are given, the same statement prepared once', async () => {
  const text = 'select concat($1::int8, $2::float8, $3::text, $4::text)'
  for (const [values, found] of [
    [[9_007_199_254_740_993n, 0.5, 'é', null], '90071992547409930.5é'],
    [[-1, 2, '', 'x'], '-12x'],
  ] as const)
    assert.equal(String((await ask(text, ...values))[0]), found)
  const prepared = 'select count(*) as n from pg_prepared_statements where statement = $1'
  const { rows } = await client.query(prepared, [text])
  assert.equal(rows[0]?.n, 1n)
})

onPostgres('an answer of any length is put together', async () => {
  for (const length of [8_170, 8_192, 65_536, 5_000_000]) {
    const [first, second] = await ask(`select repeat('a', $1::int), repeat('b', $1::int)`, length)
    assert.equal(String(first), 'a'.repeat(length))
    assert.equal(String(second), 'b'.repeat(length))
  }
})

onPostgres('what nobody holds any more is collected when it is young', async () => {
  setFlagsFromString('--expose-gc')
  const collect: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc')
  // Who outlives two of them is old.
  const held = (): number => {
    for (let times = 0; times < 2; times += 1) collect({ type: 'minor' })
    return process.memoryUsage().arrayBuffers
  }
  const [answers, length] = [100, 10_000]
  await ask(`select repeat('a', $1::int)`, length)
  collect()
  const before = held()
  for (let asked = 0; asked < answers; asked += 1) await ask(`select repeat('a', $1::int)`, length)
  assert.ok(held() - before < (answers * length) / 2)
})

onPostgres('what fails is told, and the connection goes on', async () => {
  await assert.rejects(ask('select 1 / $1::int', 0), { code: '22012' })
  await assert.rejects(ask('select nothing'), { code: '42703' })
  await assert.rejects(ask('select 1 where false'), /has answered with no row/)
  assert.equal(String((await ask('select 1 / $1::int', 1))[0]?.readInt32BE()), '1')
})

onPostgres('the driver reads its own statements in between, and what the server tells unasked', async () => {
  const notices: (string | undefined)[] = []
  client.on('notice', ({ message }) => notices.push(message))
  for (let round = 0; round < 3; round += 1) {
    await client.query(`do $$ begin raise notice 'heard'; end $$`)
    assert.equal(String((await ask(`select 'own'`))[0]), 'own')
    const { rows } = await runPrepared(client, {
      text: 'select n from generate_series(1, 20000) n',
      values: [],
    })
    assert.equal(rows.length, 20_000)
    assert.equal(rows.at(-1)?.n, 20_000n)
  }
  assert.deepEqual(notices, ['heard', 'heard', 'heard'])
})
