/** A server under attack: each attack gets its answer, which tells nothing, and leaves the server as it was. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startProgram } from '../network/service.ts'
import { rounds, seed, someForms } from '../support/rounds.ts'
import { databases, type Engine } from '../support/store/postgres.ts'
import { type Attack, host } from './attack.ts'
import type { Bytes } from './exchange.ts'
import { families } from './families.ts'
import { assertHealthy, assertNothingLeft } from './health.ts'
import { errorLine, launch, leaksOf, piecesOf, problemsOf } from './launch.ts'
import { floodAttacks } from './load/floods.ts'
import { readerAttacks } from './load/readers.ts'
import { agentAttacks } from './requests/agents.ts'
import { createMutations } from './requests/mutations.ts'
import { type AttackedServers, openServers } from './servers.ts'

/** Families whose questions get as far as a statement when they are answered; all others are refused before. */
const reading = new Set(['arguments', 'searches'])
const opened = new Map<Engine, Promise<AttackedServers>>()
after(async () => {
  for (const servers of opened.values()) await (await servers)[Symbol.asyncDispose]()
})

function open(engine: Engine): Promise<AttackedServers> {
  const servers = opened.get(engine) ?? openServers(engine)
  opened.set(engine, servers)
  return servers
}

/** What gets as far as a statement is sent to servers of all engines by the long tests. */
const engines = someForms(databases)

for (const engine of engines)
  for (const [family, all] of families) {
    const isOfEngine = ({ status }: Attack): boolean =>
      engine === 'sqlite' || (reading.has(family) && status === 200)
    const chosen = all.filter(isOfEngine)
    for (const attack of chosen)
      test(`attacks on ${family}, ${attack.name}: ${attack.status} ${attack.code ?? ''} (${engine})`, async () => {
        const { given, target } = await open(engine)
        const attacked = await target('roomy')
        assert.deepEqual(problemsOf(attack, await launch(attacked.port, attack, given)), [])
        if (attack === chosen.at(-1)) await assertHealthy(attacked, given.goodKey)
      })
  }

// All attacks by load are in `load.long.test.ts`.
for (const { name, server, attack } of [...floodAttacks.slice(0, 1), ...readerAttacks.slice(0, 1)])
  test(`attacks by load, ${name}`, async () => {
    const { given, target } = await open('sqlite')
    const attacked = await target(server)
    await attack(attacked, given)
    await assertHealthy(attacked, given.goodKey)
  })

test('attacks with bytes changed at random find no fault', async (t) => {
  const { given, target } = await open('sqlite')
  const attacked = await target('roomy')
  const mutation = createMutations(
    families.flatMap(([, all]) => all),
    given,
  )
  t.diagnostic(`TEST_SEED=${seed}`)
  for (let number = seed; number < seed + rounds(100); number += 1) {
    const { answers, sent } = await launch(attacked.port, mutation(number), given)
    const shown = `TEST_SEED=${number}: ${String(sent[0]).slice(0, 2_000)}`
    for (const { status, body } of answers) {
      assert.ok(status < 500, `${status} ${body}\n${shown}`)
      if (status >= 400) assert.deepEqual(leaksOf(body, sent), [], shown)
    }
    assert.doesNotMatch(attacked.stderr(), errorLine, shown)
  }
  await assertHealthy(attacked, given.goodKey)
})

test('attacks on an agents’ server beside its service: the same outcome, and the operator sees no error', async () => {
  const { given, target } = await open('sqlite')
  const endpoint = `${(await target('roomy')).url}/api/graphql`
  await using server = startProgram(['mcp', '--listen', '127.0.0.1:0', '--endpoint', endpoint])
  const [, port] = await server.said(/answers at http:\/\/127\.0\.0\.1:(\d+)/)
  for (const attack of agentAttacks) {
    // A server for this machine alone answers to its names alone.
    const send = piecesOf(attack.send, given).map(toLocalhost)
    const { answers, sent } = await launch(Number(port), { ...attack, send }, given)
    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses, [attack.status], attack.name)
    for (const { body, status } of answers)
      if (status >= 400) assert.deepEqual(leaksOf(body, sent), [], attack.name)
    assert.doesNotMatch(server.stderr(), errorLine, attack.name)
  }
  await server.stop()
})

for (const engine of engines)
  test(`after all attacks nothing is left of them, and the operator has seen no error (${engine})`, async () =>
    assertNothingLeft(await open(engine)))

test('there are enough attacks, and no two are called alike', () => {
  const names = families.flatMap(([family, all]) => all.map(({ name }) => `${family}, ${name}`))
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.length > 120)
})

function toLocalhost(piece: Bytes): Bytes {
  const bytes = Buffer.from(piece as Uint8Array)
  return Buffer.from(bytes.toString('latin1').replace(`\r\n${host}\r\n`, '\r\nhost: localhost\r\n'), 'latin1')
}
