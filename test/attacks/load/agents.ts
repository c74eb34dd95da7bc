/** Attacks on the agents' server by number. */
import assert from 'node:assert/strict'
import { until } from '../../support/until.ts'
import { message, sent } from '../requests/agents.ts'
import { asked, head, host, numbers } from '../attack.ts'
import { alone, assertNoFault, floodOf, from, type LoadAttack, page, pipelined } from './load-attack.ts'
import { scarcePoints } from '../servers.ts'

export const agentLoadAttacks: readonly LoadAttack[] = [
  {
    name: 'a flood of requests to agents that are no messages: they are counted, and then told to wait',
    server: 'scarce',
    isAboveStore: true,
    async attack(target) {
      const own = from('198.51.100.30')
      const requests = [
        sent('{}', own, 'origin: https://evil.example'),
        ...['GET', 'DELETE', 'OPTIONS', 'TRACE'].map((method) => head(`${method} /mcp HTTP/1.1`, host, own)),
      ]
      const answers = await pipelined(
        target.port,
        numbers(floodOf(target, scarcePoints)).map((index) => requests[index % 5] ?? ''),
      )
      const refused = answers.filter(({ status }) => status === 429)
      assert.ok(refused.length >= 120, `${refused.length} were refused`)
      for (const { headers } of refused) assert.ok(Number(headers.get('retry-after')) > 0)
      const others = answers.filter(({ status }) => status !== 429).map(({ status }) => status)
      assert.deepEqual(new Set(others), new Set([403, 405]))
    },
  },
  {
    name: 'a flood of handshakes and lists of agents: some are paid, and all others are refused',
    server: 'scarce',
    async attack(target) {
      const own = from('198.51.100.33')
      const params = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      }
      const messages = [
        { method: 'initialize', params },
        ...['ping', 'tools/list'].map((method) => ({ method })),
      ]
      const answers = await pipelined(
        target.port,
        numbers(floodOf(target, scarcePoints)).map((id) =>
          sent(JSON.stringify({ jsonrpc: '2.0', id, ...messages[id % messages.length] }), own),
        ),
      )
      const bodies = answers.map(({ body }) => JSON.parse(body.replace(/^event: message\ndata: /, '')))
      const refused = answers.filter((_, index) => bodies[index].error !== undefined)
      assert.ok(refused.length >= 120, `${refused.length} were refused`)
      for (const { headers } of refused) assert.ok(Number(headers.get('retry-after')) > 0)
      for (const [index, { id, result, error }] of bodies.entries())
        assert.deepEqual(
          [id, result === undefined, error?.code],
          [index, error !== undefined, error && -32000],
        )
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    },
  },
  {
    name: 'messages of agents that cannot be paid: they are not even parsed',
    server: 'scarce',
    async attack({ port }) {
      const own = from('198.51.100.31')
      const unreadable = sent('x'.repeat(200_000), own)
      const refused = await pipelined(port, [unreadable, unreadable])
      assert.deepEqual(
        refused.map(({ status }) => status),
        [429, 429],
      )
      // PostgreSQL gives points of refused requests back after the answer.
      const payable = sent('x'.repeat(4_000), own)
      await until(async () => (await alone(port, payable)).status === 400)
    },
  },
  {
    name: 'large messages of agents on eight connections: others have their pages meanwhile',
    server: 'roomy',
    isAboveStore: true,
    async attack({ port }, { goodKey }) {
      const request = asked(page, {}, [`x-api-key: ${goodKey}`])
      const expected = await alone(port, request)
      const objects = Array.from({ length: 80_000 }, () => ({}))
      const large = message('tools/list', { objects }, from('198.51.100.32'))
      const flooding = numbers(8).map(() =>
        pipelined(
          port,
          numbers(20).map(() => large),
        ),
      )
      for (const _ of numbers(10)) assert.equal((await alone(port, request)).body, expected.body)
      assertNoFault((await Promise.all(flooding)).flat())
    },
  },
]
