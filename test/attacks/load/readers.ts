/** Heavy questions, readers that do not read, and too many connections. */
import assert from 'node:assert/strict'
import { mostRefusals } from '../../../src/server/http/connections.ts'
import { residentMemoryOf } from '../../support/processes.ts'
import { until } from '../../support/until.ts'
import { asked, head, host, numbers, repeat } from '../attack.ts'
import { type Answer, Connection } from '../exchange.ts'
import { fewConnections } from '../servers.ts'
import { alone, assertNoFault, from, type LoadAttack, page, untilIdle } from './load-attack.ts'

/** Looks at every article, of thousands; each number another one, of one of sixteen callers. */
function heavy(caller: number, number: number): Buffer {
  const condition = repeat(40, (index) => `{description: {contains: "q${caller}x${number}x${index}"}}`)
  const query = `{ ${repeat(4, (index) => `a${index}: techServiceNewsArticle(where: {OR: [${condition}, {title: {contains: "${index}z"}}]}) { totalCount }`)} }`
  return Buffer.from(asked(query, {}, [from(`198.51.100.${100 + (caller % 16)}`)]))
}

/** Connections may be refused or closed meanwhile. */
const untilServed = (port: number): Promise<true> =>
  until(() =>
    alone(port, asked(page)).then(
      ({ status }) => status === 200,
      () => false,
    ),
  )

/** Connections that one address may have, a tenth of all. */
const share = 400

export const readerAttacks: readonly LoadAttack[] = [
  {
    name: 'two hundred readers of large answers that do not read: memory has an end',
    server: 'roomy',
    async attack(target) {
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
      await untilServed(port)
      await untilIdle(target)
      const grown = residentMemoryOf(pid) - before
      assert.ok(grown < 400, `${grown} MB more`)
      for (const { socket } of open) socket.resetAndDestroy()
    },
  },
  {
    name: 'hundreds of different questions, each long: what is kept of them has an end',
    server: 'roomy',
    async attack({ port, pid }) {
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
    name: 'heavy questions on 64 connections of 16 callers: others have their pages meanwhile, and right',
    server: 'workers',
    async attack({ port }, { goodKey }) {
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
    async attack(target) {
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
    async attack(target) {
      const { port } = target
      using connection = await Connection.open(port)
      connection.socket.write(Buffer.concat(numbers(50).map((index) => heavy(0, 2_000 + index))))
      assert.ok(await connection.answer(), 'The connection was closed without an answer.')
      connection.socket.resetAndDestroy()
      await untilIdle(target)
    },
  },
  {
    name: 'a thousand connections from one address: the first beyond its share are told so, the others closed',
    server: 'counted',
    isAboveStore: true,
    async attack({ port }) {
      const open = await Promise.all(numbers(1_000).map(() => Connection.open(port)))
      const answers: (Answer | null)[] = []
      const take = async (connection: Connection): Promise<void> => {
        answers.push(await connection.answer())
      }
      for (const connection of open) void take(connection)
      await until(() => answers.length >= open.length - share)
      const told = answers.filter((answer) => answer?.status === 429).length
      assert.ok(told >= mostRefusals, `${told} were told`)
      for (const connection of open) connection[Symbol.dispose]()
      await untilServed(port)
    },
  },
  {
    name: 'three times the connections that all workers take: those beyond are closed, and the others answered',
    server: 'narrow',
    isAboveStore: true,
    async attack(target) {
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
      await untilServed(port)
    },
  },
]
