/** Keys from end to end: made beside a running service, sent to it, replaced, revoked; and nowhere to be read. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createKey } from '../src/util/api-key.ts'
import { startService } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { commandsInTurn, printed } from './support/server/commands.ts'
import { postTo } from './support/server/http-server.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { until } from './support/until.ts'

const emptyUrl = emptyDatabases()
const run = commandsInTurn()
const inFolder = temporaryFolder()

onOneDatabase('a service knows keys that are made, replaced and revoked while it runs', async (engine) => {
  const database = await emptyUrl(engine)
  const tiers = inFolder(`${engine}.json`)
  // What a busy machine answers late is not ended before.
  writeFileSync(tiers, '{"public": {"seconds": 120}, "research": {"pageSize": 300, "seconds": 120}}')
  const keys = async (...args: string[]): Promise<Json> =>
    JSON.parse(await printed(run(['keys', ...args, '--database', database, '--json'])))
  await run(['import', '/dev/null', '--database', database])
  const first = await keys('create', '--name', 'Example Press', '--tier', 'research')
  await using service = await startService(['serve', '--database', database, '--port', '0', '--tiers', tiers])
  const ask = async (key: string | null, path = '', page = 200): Promise<{ status: number; body: Json }> => {
    const query = `{ techServiceNewsArticle(first: ${page}) { nodes { uri } } }`
    const url = `${service.url}/api/graphql${path}`
    const response = await postTo(url, { query }, key === null ? {} : { 'x-api-key': key })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const isGood = ({ body }: { body: Json }): boolean => body['data'] !== undefined
  const isRefused = ({ status, body }: { status: number; body: Json }): boolean =>
    status === 401 && JSON.stringify(body).includes('"UNAUTHENTICATED"')

  // A page that everybody may not have, and who may have one.
  assert.ok(!isGood(await ask(null)))
  assert.ok(isGood(await ask(null, '', 100)))
  assert.ok(isGood(await ask(String(first['key']))))
  assert.ok(isGood(await ask(`${first['key']} `, '', 300)))
  assert.ok(!isGood(await ask(String(first['key']), '', 301)))

  const second = await keys('rotate', String(first['id']))
  for (const { key } of [first, second]) assert.ok(isGood(await ask(String(key))))
  const third = await keys('rotate', String(second['id']), '--grace', '0')
  assert.ok(isGood(await ask(String(third['key']))))
  await keys('revoke', String(first['id']))
  // A server's database is asked again after some seconds, a file each time.
  if (engine === 'sqlite') assert.ok(isRefused(await ask(String(first['key']))))
  for (const { key } of [first, second]) await until(async () => isRefused(await ask(String(key), '', 100)))
  assert.ok(isGood(await ask(String(third['key']))))

  const unknown = await ask(createKey())
  assert.ok(isRefused(unknown))
  assert.ok(isRefused(await ask('nonsense')))
  for (const place of ['?api_key=', '?x=Bearer%20', '?'])
    assert.match(
      JSON.stringify((await ask(null, `${place}${third['key']}`)).body),
      /Send it as the header X-API-Key/,
    )
  const named = { query: `query ${third['key']} { __typename }` }
  const elsewhere = await postTo(service, named, { authorization: `Bearer ${third['key']}` })
  assert.equal(elsewhere.status, 401)
  await service.stop()
  const said = service.stderr()
  assert.match(said, /"key":"Example Press"/)
  for (const { key } of [first, second, third]) assert.ok(!said.includes(String(key).slice(4, 16)))
  if (engine === 'sqlite')
    for (const { key } of [first, second, third])
      assert.ok(!readFileSync(database).includes(String(key).slice(4, 16)))
})
