/** What callers with keys use, from end to end: counted by all workers and nodes, and shown to the operator. */
import assert from 'node:assert/strict'
import { type Service, startService } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { commandsInTurn, printed } from './support/server/commands.ts'
import { postTo } from './support/server/http-server.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { emptyDatabases, tamperWith } from './support/store/store.ts'

const emptyUrl = emptyDatabases()
const run = commandsInTurn()

onOneDatabase(
  'what keys are used for is counted over workers and nodes, and kept when they stop',
  async (engine) => {
    const database = await emptyUrl(engine)
    const env = { LEXIGRAPH_DATABASE: database }
    await run(['import', '/dev/null'], { env })
    const keys = (...args: readonly string[]) => printed(run(['keys', ...args], { env }))
    const create = async (name: string): Promise<Json> =>
      JSON.parse(await keys('create', '--name', name, '--tier', 'research', '--json'))
    const [press, radio, unused] = [await create('Press'), await create('Radio'), await create('Nobody')]
    // A file has one that answers by itself beside one with workers; both write to it, and neither while it answers.
    const services = await Promise.all(
      ['2', '1'].map((workers) =>
        startService(['serve', '--workers', workers, '--request-log', 'none'], { env }),
      ),
    )
    let points = 0
    for (const service of services) {
      for (let n = 0; n < 6; n += 1) points += await ask(service, press['key'], { query: costly })
      await ask(service, radio['key'], { query: '{ nothing }' })
      await ask(service, null, { query: '{ __typename }' })
    }
    assert.ok(points > 24, `${points} points`)
    for (const service of services) await service.stop()

    const shown = (await keys('usage', '--json')).trim().split('\n')
    const usages: Json[] = shown.map((line) => JSON.parse(line))
    const today = new Date().toISOString().slice(0, 10)
    assert.deepEqual(
      usages.map(({ name, requests, points }) => [name, requests, points]),
      [
        ['Press', 12, points],
        ['Radio', 2, 2],
        ['Nobody', 0, 0],
      ],
    )
    // It may have been midnight meanwhile.
    assert.ok(usages[0]?.['days'].every(({ day }: Json) => day <= today))
    const table = await keys('usage')
    assert.match(table, /^id +name +requests +points +last used\n/)
    assert.match(table, new RegExp(`^${radio['id']} +Radio +2 +2 +\\d{4}-\\d\\d-\\d\\d$`, 'm'))
    assert.match(await keys('usage', radio['id'], '--days', '7'), /^day +requests +points\n\d{4}-\d\d-\d\d +/)
    assert.equal(await keys('usage', unused['id']), 'The key was not used in these 30 days.\n')
    const nobody = await run(['keys', 'usage', 'nobody'], { env })
    assert.match(nobody.stderr, /^There is no key with the id "nobody"/)
  },
)

onOneDatabase('usage that cannot be kept is told, and hinders nobody', async (engine) => {
  const database = await emptyUrl(engine)
  const env = { LEXIGRAPH_DATABASE: database }
  await run(['import', '/dev/null'], { env })
  const made = await run(['keys', 'create', '--name', 'a', '--tier', 'research'], { env })
  const service = await startService(['serve', '--workers', '1'], { env })
  await tamperWith(database, 'alter table key_usage rename to elsewhere')
  await ask(service, made.stdout.trim(), { query: '{ __typename }' })
  await service.stop()
  assert.match(service.stderr(), /^What callers with keys use is not kept for now: .*key_usage/m)
})

const costly =
  '{ techServiceNewsArticle(first: 100, where: {title: {contains: "ab"}}) { totalCount nodes { uri title } } }'

/** How many points it cost. */
async function ask(service: Service, key: string | null, body: object): Promise<number> {
  const response = await postTo(service, body, key === null ? {} : { 'x-api-key': key })
  const answer = (await response.json()) as Json
  return answer['extensions']?.cost ?? 0
}
