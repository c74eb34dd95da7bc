/** A public server under attack: each attack gets its answer in time, tells nothing, and leaves the server as it was. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { storeSettings } from '../../src/cli/settings/store-settings.ts'
import { openFiles, residentMemoryOf } from '../support/processes.ts'
import type { Engine } from '../support/store/postgres.ts'
import { until } from '../support/until.ts'
import { families, scenes } from './families.ts'
import { errorLine, launch, leaksOf, problemsOf } from './launch.ts'
import { createMutations } from './requests/mutations.ts'
import { openWorld, type Target, type World } from './world.ts'

/** The attacks whose outcome may depend on the engine; the others are refused before any statement runs. */
const reading = new Set(['arguments', 'searches', 'agents'])

/**
 * What a server may open and keep: connections to PostgreSQL, as many as its settings say; on SQLite, three files to
 * speak to each of five processes that read for long, of which one was there at first.
 */
const keptOpen: Readonly<Record<Engine, number>> = {
  postgres: storeSettings['database-connections'].default,
  sqlite: 3 * 4,
}

/** Declares a test for each attack on a server over that engine: all on SQLite, on others those that read. */
export function testAttacks(engine: Engine): void {
  let world: Promise<World> | undefined
  const open = (): Promise<World> => (world ??= openWorld(engine))
  after(async () => (await world)?.[Symbol.asyncDispose]())

  for (const [family, server, all] of families) {
    if (engine !== 'sqlite' && !reading.has(family)) continue
    for (const attack of all) {
      test(`attacks on ${family}, ${attack.name}: ${attack.status} ${attack.code ?? ''} (${engine})`, async () => {
        const { given, target } = await open()
        const attacked = await target(server)
        assert.deepEqual(problemsOf(attack, await launch(attacked.port, attack, given)), [])
        await assertHealthy(attacked, given.goodKey)
      })
    }
  }

  for (const { name, server, isAboveStore, play } of scenes) {
    if (engine !== 'sqlite' && isAboveStore) continue
    test(`attacks by load, ${name} (${engine})`, async () => {
      const { given, target } = await open()
      const attacked = await target(server)
      await play(attacked, given)
      await assertHealthy(attacked, given.goodKey)
    })
  }

  if (engine === 'sqlite')
    for (const server of ['roomy', 'agents'] as const)
      test(`five hundred attacks with bytes changed at random find no fault (${server})`, async (t) => {
        const { given, target } = await open()
        const attacked = await target(server)
        const all = families.flatMap(([, of, attacks]) => (of === server ? attacks : []))
        const mutation = createMutations(all, given)
        const first = Number(process.env['ATTACKS_SEED'] ?? Date.now() % 2 ** 31)
        t.diagnostic(`ATTACKS_SEED=${first}`)
        for (let number = first; number < first + 500; number += 1) {
          const { answers, sent } = await launch(attacked.port, mutation(number), given)
          const shown = `mutation ${number}: ${String(sent[0]).slice(0, 2_000)}`
          for (const { status, body } of answers) {
            assert.ok(status < 500, `${status} ${body}\n${shown}`)
            if (status >= 400) assert.deepEqual(leaksOf(body, sent), [], shown)
          }
          assert.doesNotMatch(attacked.stderr(), errorLine, shown)
        }
        await assertHealthy(attacked, given.goodKey)
      })

  test(`after all attacks nothing is left of them, and the operator has seen no error (${engine})`, async () => {
    const { given, started } = await open()
    for (const { target, files } of await started()) {
      await until(() => openFiles(target.pid).length <= files + keptOpen[engine] + 5).catch(
        (cause: Error) => {
          throw new Error(`There were ${files}, now there are: ${openFiles(target.pid).join(', ')}`, {
            cause,
          })
        },
      )
      // V8 returns memory when a process has nothing to do for some seconds; agents' tokens have a vocabulary of 55 MB.
      await until(() => residentMemoryOf(target.pid) < 700).catch((cause: Error) => {
        throw new Error(`${residentMemoryOf(target.pid)} MB are left`, { cause })
      })
      assert.doesNotMatch(target.stderr(), errorLine)
      assert.ok(!target.stderr().includes(given.goodKey), 'the log has a key in it')
    }
  })
}

/** With a key, because the address may have nothing left. */
async function assertHealthy({ url, articles, isUp }: Target, key: string): Promise<void> {
  assert.ok(isUp(), 'the server has ended')
  const query = encodeURIComponent('{ __typename techServiceNewsArticle { totalCount } }')
  const response = await fetch(`${url}/api/graphql?query=${query}`, {
    headers: { 'x-api-key': key, connection: 'close' },
  })
  const { data } = (await response.json()) as { data: unknown }
  assert.deepEqual(data, { __typename: 'Query', techServiceNewsArticle: { totalCount: articles } })
  const health = await fetch(`${url}/healthz`, { headers: { connection: 'close' } })
  assert.equal(await health.text(), '{"status":"up"}')
}
