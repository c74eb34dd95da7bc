/** Attacks on the agents' server by number. */
import assert from 'node:assert/strict'
import { message, sent } from './agents.ts'
import { asked, head, host, numbers } from './attack.ts'
import {
  alone,
  assertNoFault,
  from,
  type LoadScene,
  page,
  pipelined,
  smallFlood,
  smallFloodRefused,
} from './scenes.ts'

export const agentScenes: readonly LoadScene[] = [
  {
    name: 'a flood of requests to agents that are no messages: they are counted, and then told to wait',
    server: 'scarce',
    async play(target) {
      const own = from('198.51.100.30')
      const requests = [
        sent('{}', own, 'origin: https://evil.example'),
        ...['GET', 'DELETE', 'OPTIONS', 'TRACE'].map((method) => head(`${method} /mcp HTTP/1.1`, host, own)),
      ]
      const answers = await pipelined(
        target.port,
        numbers(smallFlood(target)).map((index) => requests[index % 5] ?? ''),
      )
      const refused = answers.filter(({ status }) => status === 429)
      assert.ok(refused.length >= smallFloodRefused, `${refused.length} were refused`)
      for (const { headers } of refused) assert.ok(Number(headers.get('retry-after')) > 0)
      const others = answers.filter(({ status }) => status !== 429).map(({ status }) => status)
      assert.deepEqual(new Set(others), new Set([403, 405]))
    },
  },
  {
    name: 'messages of agents that cannot be paid: they are not even parsed',
    server: 'scarce',
    async play({ port }) {
      const own = from('198.51.100.31')
      const unreadable = sent('x'.repeat(200_000), own)
      const answers = await pipelined(port, [unreadable, unreadable, sent('x'.repeat(4_000), own)])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [429, 429, 400],
      )
    },
  },
  {
    name: 'large messages of agents on eight connections: others have their pages meanwhile',
    server: 'agents',
    async play({ port }, { goodKey }) {
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
