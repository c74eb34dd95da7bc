/** A public server under attack: each attack gets its answer in time, tells nothing, and leaves the server as it was. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../support/until.ts'
import { argumentAttacks } from './arguments.ts'
import type { Attack } from './attack.ts'
import { authenticationAttacks } from './authentication.ts'
import { documentAttacks } from './documents.ts'
import { httpAttacks } from './http.ts'
import { launch, leaksOf, problemsOf } from './launch.ts'
import { loadScenes } from './load.ts'
import { mediaAttacks } from './media.ts'
import { createMutations } from './mutations.ts'
import { memoryOf, openFiles } from './processes.ts'
import { openWorld, serverOptions, type Target, type World } from './world.ts'

const families: readonly (readonly [
  name: string,
  server: keyof typeof serverOptions,
  all: readonly Attack[],
])[] = [
  ['HTTP', 'roomy', httpAttacks],
  ['media', 'roomy', mediaAttacks],
  ['documents', 'roomy', documentAttacks],
  ['arguments', 'roomy', argumentAttacks],
  ['keys', 'proxied', authenticationAttacks],
]

let world: Promise<World> | undefined
const open = (): Promise<World> => (world ??= openWorld())
after(async () => (await world)?.[Symbol.asyncDispose]())

for (const [family, server, all] of families) {
  for (const attack of all) {
    test(`attacks on ${family}, ${attack.name}: ${attack.status} ${attack.code ?? ''}`, async () => {
      const { given, target } = await open()
      const attacked = await target(server)
      assert.deepEqual(problemsOf(attack, await launch(attacked.port, attack, given)), [])
      await assertHealthy(attacked, given.goodKey)
    })
  }
}

for (const { name, server, play } of loadScenes) {
  test(`attacks by load, ${name}`, async () => {
    const { given, target } = await open()
    const attacked = await target(server)
    await play(attacked, given)
    await assertHealthy(attacked, given.goodKey)
  })
}

test('five hundred of them with bytes changed at random find no fault', async () => {
  const { given, target } = await open()
  const attacked = await target('roomy')
  const all = families.flatMap(([, server, attacks]) => (server === 'roomy' ? attacks : []))
  const mutation = createMutations(all, given)
  const first = Date.now() % 2 ** 31
  for (let number = first; number < first + 500; number += 1) {
    const { answers, sent } = await launch(attacked.port, mutation(number), given)
    const shown = `mutation ${number}: ${String(sent[0]).slice(0, 2_000)}`
    for (const { status, body } of answers) {
      assert.ok(status < 500, `${status} ${body}\n${shown}`)
      if (status >= 400) assert.deepEqual(leaksOf(body, sent), [], shown)
    }
  }
  await assertHealthy(attacked, given.goodKey)
})

test('after all attacks nothing is left of them, and the operator has seen no error', async () => {
  const { given, started } = await open()
  for (const { target, files } of await started()) {
    await until(() => openFiles(target.pid) <= files + 5)
    assert.ok(memoryOf(target.pid) < 600, `${memoryOf(target.pid)} MB`)
    const errors = target.stderr().match(/^.*"level":"(error|fatal)".*$/gm)
    assert.equal(errors, null)
    assert.ok(!target.stderr().includes(given.goodKey), 'the log has a key in it')
  }
})

test('there are enough of them, and no two are called alike', () => {
  const names = families.flatMap(([family, , all]) => all.map(({ name }) => `${family}, ${name}`))
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.length > 120)
})

/** With a key, because the address may have nothing left. */
async function assertHealthy({ url, articles, isUp }: Target, key: string): Promise<void> {
  assert.ok(isUp(), 'the server has ended')
  const query = encodeURIComponent('{ __typename techServiceNewsArticle { totalCount } }')
  const response = await fetch(`${url}/api/graphql?query=${query}`, { headers: { 'x-api-key': key } })
  const { data } = (await response.json()) as { data: unknown }
  assert.deepEqual(data, { __typename: 'Query', techServiceNewsArticle: { totalCount: articles } })
  assert.equal(await (await fetch(`${url}/healthz`)).text(), '{"status":"up"}')
}
