/** Attacks by number: floods of requests, keys, connections and heavy questions, and readers that do not read. */
import assert from 'node:assert/strict'
import { residentMemoryOf } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { asked, got, head, host, numbers, posted, repeat } from './attack.ts'
import { type Answer, Connection } from './exchange.ts'
import { codeOf } from './launch.ts'
import {
  alone,
  assertFlooded,
  assertNoFault,
  floodOf,
  from,
  type LoadScene,
  page,
  pipelined,
  smallFlood,
  untilIdle,
} from './scenes.ts'
import { fewConnections, scarcePoints } from './world.ts'

const cheap = 'query=%7B__typename%7D'
/** Points that the tier `public` has in a minute. */
const publicPoints = 3_000

/** Looks at every article, of thousands; each number another one, of one of sixteen callers. */
function heavy(caller: number, number: number): Buffer {
  const condition = repeat(40, (index) => `{description: {contains: "q${caller}x${number}x${index}"}}`)
  const query = `{ ${repeat(4, (index) => `a${index}: techServiceNewsArticle(where: {OR: [${condition}, {title: {contains: "${index}z"}}]}) { totalCount }`)} }`
  return Buffer.from(asked(query, {}, [from(`198.51.100.${100 + (caller % 16)}`)]))
}

export const loadScenes: readonly LoadScene[] = [
  {
    name: 'a flood from one address, most of it under forged ones: all that it has, then 429',
    server: 'strict',
    async play(target) {
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
    name: 'a flood of questions that cannot be read: they are counted too',
    server: 'scarce',
    isAboveStore: true,
    async play(target) {
      const bad = ['query=%7B', 'query=%7Bnothing%7D', '', 'query=%7B__typename%7D&variables=x']
      assertFlooded(
        await pipelined(
          target.port,
          numbers(smallFlood(target)).map((index) => got(bad[index % 4] ?? '', from('198.51.100.1'))),
        ),
      )
    },
  },
  {
    name: 'a flood while the process that counts stands still: nobody has a second minute',
    server: 'narrow',
    async play({ port, pid, engine }) {
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
    async play(target) {
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
    name: 'a flood behind a proxy with more addresses in front: the last one counts',
    server: 'scarce',
    isAboveStore: true,
    async play(target) {
      assertFlooded(
        await pipelined(
          target.port,
          numbers(smallFlood(target)).map((index) =>
            got(cheap, from(`${addressNumber(index)}, 198.51.100.2`)),
          ),
        ),
      )
    },
  },
  {
    name: 'a walk through the addresses of one IPv6 network: they are one caller',
    server: 'scarce',
    isAboveStore: true,
    async play(target) {
      const walk = numbers(smallFlood(target)).map((index) =>
        got(cheap, from(`2001:db8:0:1:${index.toString(16)}::${index}`)),
      )
      assertFlooded(await pipelined(target.port, walk))
      const [next] = await pipelined(target.port, [got(cheap, from('2001:db8:0:2::1'))])
      assert.equal(next?.status, 200)
    },
  },
  {
    name: 'the same address in other spellings: it is one caller',
    server: 'scarce',
    isAboveStore: true,
    async play(target) {
      const spellings = ['198.51.100.3', '::ffff:198.51.100.3', '[::ffff:c633:6403]:443', '198.51.100.3:8080']
      assertFlooded(
        await pipelined(
          target.port,
          numbers(smallFlood(target)).map((index) => got(cheap, from(spellings[index % 4] ?? ''))),
        ),
      )
    },
  },
  {
    name: 'many callers at once: none is taken for another',
    server: 'proxied',
    async play({ port }) {
      const answers = await pipelined(
        port,
        numbers(publicPoints + 100).map((index) => got(cheap, from(addressNumber(index)))),
      )
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    },
  },
  {
    name: 'a flood of guessed keys: ten are looked at, and who has a key is not shut out',
    server: 'proxied',
    async play({ port }, { goodKey }) {
      const with_ = (key: string, address = '198.51.100.4'): string =>
        got(cheap, from(address), `x-api-key: ${key}`)
      const guess = (index: number): string => `lgk_${String(index).padStart(33, '0')}`
      const [before] = await pipelined(port, [with_(goodKey)])
      assert.equal(before?.status, 200)
      const answers = await pipelined(
        port,
        numbers(200).map((index) => with_(guess(index))),
      )
      const refused = answers.filter(({ status }) => status === 401)
      const slowed = answers.filter(({ status }) => status === 429)
      assert.equal(refused.length + slowed.length, 200)
      assert.ok(refused.length <= 10, `${refused.length} guesses were looked at`)
      assert.ok(
        slowed.every(
          (answer) => codeOf(answer) === 'RATE_LIMITED' && Number(answer.headers.get('retry-after')) > 0,
        ),
      )
      const others = await pipelined(port, [
        with_(goodKey),
        got(cheap, from('198.51.100.4')),
        with_(guess(1), '198.51.100.5'),
      ])
      assert.deepEqual(
        others.map(({ status }) => status),
        [200, 200, 401],
      )
    },
  },
  {
    name: 'fifty heavy questions at once from one caller: answered or refused, each with a reason',
    server: 'proxied',
    async play({ port }) {
      const ask = (index: number): Promise<Answer> =>
        alone(port, asked(page.replace('20', `${index + 1}`), {}, [from('198.51.100.6')]))
      const answers = await Promise.all(numbers(50).map(ask))
      assertNoFault(answers)
    },
  },
  {
    name: 'thousands of requests on eight connections, none of which waits: others have their pages meanwhile',
    server: 'workers',
    async play({ port }, { goodKey }) {
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
  {
    name: 'hundreds of different questions, each long: what is kept of them has an end',
    server: 'roomy',
    async play({ port, pid }) {
      const before = residentMemoryOf(pid)
      for (const number of numbers(150)) {
        const fields = repeat(300, (index) => `f${number}x${index}: title`)
        const { status } = await alone(
          port,
          asked(`{ techServiceNewsArticle(first: 1) { nodes { ${fields} } } }`),
        )
        assert.equal(status, 200)
      }
      const grown = residentMemoryOf(pid) - before
      assert.ok(grown < 200, `${grown} MB more`)
    },
  },
  {
    name: 'a flood of probes, preflights and paths that are not there: each is answered',
    server: 'strict',
    isAboveStore: true,
    async play({ port }) {
      const lines = [
        'GET /readyz',
        'GET /healthz',
        'OPTIONS /api/graphql',
        'GET /nowhere',
        'GET /playground/x',
      ]
      const requests = numbers(1_000).map((index) => head(`${lines[index % 5]} HTTP/1.1`, host))
      const answers = await pipelined(port, requests)
      const statuses = answers.slice(-5).map(({ status }) => status)
      assert.deepEqual(statuses, [200, 200, 204, 404, 404])
      assertNoFault(answers)
    },
  },
  {
    name: 'heavy questions on 64 connections of 16 callers: others have their pages meanwhile, and right',
    server: 'workers',
    async play({ port }, { goodKey }) {
      const pages = [page, page.replace('totalCount ', '')].map((query) =>
        asked(query, {}, [`x-api-key: ${goodKey}`]),
      )
      const ask = () => Promise.all(pages.map(async (request) => (await alone(port, request)).body))
      const expected = await ask()
      const over = new AbortController()
      const flooding = Promise.all(
        numbers(64).map(async (index) => {
          const answers: Answer[] = []
          while (!over.signal.aborted) answers.push(await alone(port, heavy(index, answers.length)))
          return answers
        }),
      )
      try {
        for (const _ of numbers(8)) assert.deepEqual(await ask(), expected)
      } finally {
        over.abort()
      }
      assertNoFault((await flooding).flat())
    },
  },
  {
    name: 'heavy questions of a hundred callers who hang up: nothing goes on working',
    server: 'workers',
    async play(target) {
      const { port } = target
      const open = await Promise.all(numbers(100).map(() => Connection.open(port)))
      await Promise.all(
        open.map(({ socket }, index) => new Promise((resolve) => socket.write(heavy(index, 1_000), resolve))),
      )
      for (const { socket } of open) socket.resetAndDestroy()
      await untilIdle(target)
    },
  },
  {
    name: 'fifty heavy questions on one connection that breaks off: nothing goes on working',
    server: 'workers',
    async play(target) {
      const { port } = target
      using connection = await Connection.open(port)
      connection.socket.write(Buffer.concat(numbers(50).map((index) => heavy(0, 2_000 + index))))
      assert.ok(await connection.answer(), 'The connection was closed without an answer.')
      connection.socket.resetAndDestroy()
      await untilIdle(target)
    },
  },
  {
    name: 'two hundred readers of large answers that do not read: memory has an end',
    server: 'roomy',
    async play(target) {
      const { port, pid } = target
      const before = residentMemoryOf(pid)
      const open = await Promise.all(numbers(200).map(() => Connection.open(port)))
      const large = asked(
        '{ techServiceNewsEnrichment(first: 100) { nodes { uri recordJson summary impactReasoning clickbaitReasoning orientationReasoning } } }',
      )
      for (const { socket } of open) {
        socket.pause()
        socket.write(Buffer.concat([large, large]))
      }
      // On a busy machine what is asked first may be past its time when the large answers are made.
      await until(async () => (await alone(port, asked(page))).status === 200)
      await untilIdle(target)
      const grown = residentMemoryOf(pid) - before
      assert.ok(grown < 400, `${grown} MB more`)
      for (const { socket } of open) socket.resetAndDestroy()
    },
  },
  {
    name: 'a thousand connections from one address: those beyond its share are told so',
    server: 'roomy',
    isAboveStore: true,
    async play({ port }) {
      const open = await Promise.all(numbers(1_000).map(() => Connection.open(port)))
      const refused = open.slice(500)
      for (const connection of refused) {
        const answer = await connection.answer()
        assert.equal(answer?.status, 429)
      }
      for (const connection of open) connection[Symbol.dispose]()
      await until(async () => (await alone(port, asked(page))).status === 200)
    },
  },
  {
    name: 'three times the connections that all workers take: those beyond are closed, and the others answered',
    server: 'narrow',
    isAboveStore: true,
    async play(target) {
      const { port } = target
      const open = await Promise.all(numbers(3 * fewConnections).map(() => Connection.open(port)))
      for (const { socket } of open) socket.write(head('GET /healthz HTTP/1.1', host))
      // What no worker takes would go from one to the other, and be answered when others have gone.
      const answers = await Promise.all(open.map((connection) => connection.answer()))
      const answered = answers.filter((answer) => answer?.status === 200).length
      // Fewer, where connections of other attacks are not closed yet.
      assert.ok(answered > 0 && answered <= fewConnections, `${answered} were answered`)
      await untilIdle(target)
      for (const connection of open) connection[Symbol.dispose]()
      await until(() =>
        alone(port, asked(page)).then(
          ({ status }) => status === 200,
          () => false,
        ),
      )
    },
  },
]

function addressNumber(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
}
