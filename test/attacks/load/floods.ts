/** Floods: of requests, keys and addresses. */
import assert from 'node:assert/strict'
import { asked, got, numbers, posted } from '../attack.ts'
import { type Answer, type Bytes, Connection } from '../exchange.ts'
import { scarcePoints } from '../servers.ts'
import {
  alone,
  assertFlooded,
  assertNoFault,
  cheap,
  flood,
  floodOf,
  from,
  type LoadAttack,
  page,
  pipelined,
  publicPoints,
} from './load-attack.ts'

const unreadable = ['query=%7B', 'query=%7Bnothing%7D', '', 'query=%7B__typename%7D&variables=x']
const spellings = ['198.51.100.3', '::ffff:198.51.100.3', '[::ffff:c633:6403]:443', '198.51.100.3:8080']

/** By one caller each, who has what a caller has and no more. */
const scarceFloods: readonly (readonly [name: string, request: (index: number) => Bytes])[] = [
  [
    'a flood of questions that cannot be read: they are counted too',
    (index) => got(unreadable[index % 4] ?? '', from('198.51.100.1')),
  ],
  [
    'a flood behind a proxy with more addresses in front: the last one counts',
    (index) => got(cheap, from(`${addressNumber(index)}, 198.51.100.2`)),
  ],
  [
    'a walk through the addresses of one IPv6 network: they are one caller',
    (index) => got(cheap, from(`2001:db8:0:1:${index.toString(16)}::${index}`)),
  ],
  [
    'the same address in other spellings: it is one caller',
    (index) => got(cheap, from(spellings[index % 4] ?? '')),
  ],
]

export const floodAttacks: readonly LoadAttack[] = [
  ...scarceFloods.map(
    ([name, request]): LoadAttack => ({
      name,
      server: 'scarce',
      isAboveStore: true,
      async attack(target) {
        await flood(target, request)
        const [next] = await pipelined(target.port, [got(cheap, from('2001:db8:0:2::1'))])
        assert.equal(next?.status, 200, 'Another caller is answered.')
      },
    }),
  ),
  {
    name: 'a flood from one address, most of it under forged ones: all that it has, then 429',
    server: 'strict',
    async attack(target) {
      const forged = (index: number): string[] => [
        from(addressNumber(index)),
        `forwarded: for=${addressNumber(index)}`,
        `x-real-ip: ${addressNumber(index)}`,
      ]
      const answers = await pipelined(
        target.port,
        numbers(floodOf(target, publicPoints, 100)).map((index) =>
          got(cheap, ...(index % 4 === 0 ? [] : forged(index))),
        ),
      )
      assertFlooded(answers)
      // A database that answers late has counted points twice, so that fewer are left there.
      const answered = target.engine === 'sqlite' ? 1_000 : 1
      assert.ok(answers.slice(0, answered).every(({ status }) => status === 200))
    },
  },
  {
    name: 'a flood while the process that counts stands still: nobody has a second minute',
    server: 'narrow',
    async attack({ port, pid, engine }) {
      const open = await Promise.all(numbers(8).map(() => Connection.open(port)))
      const request = Buffer.from(got(cheap, from('198.51.100.180')))
      const few = 8 * 5
      /** How many were served, and the most that one of the processes then knows of as left. */
      const serve = async (each: number): Promise<{ readonly count: number; readonly left: number }> => {
        const lefts: number[] = []
        let count = 0
        await Promise.all(
          open.map(async (connection) => {
            connection.socket.write(Buffer.concat(numbers(each).map(() => request)))
            let last: Answer | null = null
            for (const _ of numbers(each)) {
              last = await connection.answer()
              if (last?.status === 200) count += 1
            }
            lefts.push(Number(/;r=(\d+);/.exec(last?.headers.get('ratelimit') ?? '')?.[1]))
          }),
        )
        return { count, left: Math.max(...lefts) }
      }
      const before = 8 * Math.floor((publicPoints - 7 * few) / 8)
      const { count } = await serve(before / 8)
      // A database that answers late has counted points twice, so that fewer are left there.
      if (engine === 'sqlite') assert.equal(count, before)
      const { left } = await serve(few / 8)
      process.kill(pid, 'SIGSTOP')
      try {
        // Each of the two may spend what was left when it last heard.
        const meanwhile = await serve(200)
        assert.ok(meanwhile.count <= 2 * left, `${meanwhile.count} were served where ${2 * left} are allowed`)
      } finally {
        process.kill(pid, 'SIGCONT')
      }
      for (const connection of open) connection[Symbol.dispose]()
    },
  },
  {
    name: 'a flood of bodies of another type: they are counted too',
    server: 'scarce',
    isAboveStore: true,
    async attack(target) {
      const request = posted('{}', ['content-type: text/plain', from('198.51.100.190')])
      const statuses = new Set<number>()
      for (const _ of numbers(floodOf(target, scarcePoints, 1))) {
        statuses.add((await alone(target.port, request)).status)
        if (statuses.has(429)) break
      }
      assert.deepEqual([...statuses], [415, 429])
    },
  },
  {
    name: 'many callers at once: none is taken for another',
    server: 'proxied',
    async attack({ port }) {
      const answers = await pipelined(
        port,
        numbers(publicPoints + 100).map((index) => got(cheap, from(addressNumber(index)))),
      )
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    },
  },
  {
    name: 'thousands of requests on eight connections, none of which waits: others have their pages meanwhile',
    server: 'workers',
    async attack({ port }, { goodKey }) {
      const request = asked(page, {}, [`x-api-key: ${goodKey}`])
      const expected = await alone(port, request)
      const flooding = numbers(8).map((index) =>
        pipelined(
          port,
          numbers(500).map(() => got(cheap, from(`198.51.100.${10 + index}`))),
        ),
      )
      for (const _ of numbers(20)) assert.equal((await alone(port, request)).body, expected.body)
      assertNoFault((await Promise.all(flooding)).flat())
    },
  },
]

function addressNumber(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
}
