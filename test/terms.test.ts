/** What callers may ask, who is told before it is done, and answers that are given again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../src/errors.ts'
import { ExecutionReport, type GraphQLAnswer, type RequestLimits } from '../src/query/execute/execute.ts'
import { releaseBuffer } from '../src/util/memory.ts'
import { news } from './support/service/library.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { unchargedLimits } from './support/service/engine.ts'
import { openTestService, type TestService, type TestServiceGiven } from './support/service/service.ts'
import { temporaryFolder } from './support/store/store.ts'

const inFolder = temporaryFolder()

const article = 'techServiceNewsArticle'
const totals = `{ ${article} { totalCount } techServiceNewsSource { totalCount } }`

test('an operation is charged once, before anything is read for it', async () => {
  await using service = await open()
  const charged: { points: number; statements: number }[] = []
  const charge = (points: number) => void charged.push({ points, statements: service.opened.statements() })
  const before = service.opened.statements()
  const answers = [await ask(service, totals, { charge }), await ask(service, totals, { charge })]
  for (const answer of answers) assert.equal(answer.kind, 'data')
  const { points } = answers[0]!.report
  assert.ok(points > 1)
  assert.deepEqual(charged, [
    { points, statements: before },
    { points, statements: before + 1 },
  ])
})

test('work on an answer begins after it was paid for, and is told in milliseconds', async () => {
  await using service = await open()
  for (const query of ['{ __schema { types { name fields { name } } } }', totals]) {
    const events: string[] = []
    const charge = async (): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve))
      events.push('paid')
    }
    const worked = (time: number): void => {
      assert.ok(time >= 0)
      events.push('worked')
    }
    assert.equal((await ask(service, query, { charge, worked })).kind, 'data')
    assert.deepEqual([...new Set(events)], ['paid', 'worked'], query)
  }
})

onOneDatabase('what charging refuses is the answer, and nothing is read', async (database) => {
  await using service = await open({ database })
  const before = service.opened.statements()
  for (const refuse of [
    () => {
      throw new ServiceError('RATE_LIMITED', 'Enough.', { retryAfter: 7 })
    },
    async () => Promise.reject(new ServiceError('RATE_LIMITED', 'Enough.', { retryAfter: 7 })),
  ]) {
    const answer = await ask(service, totals, { charge: refuse })
    assert.ok(answer.kind === 'errors')
    assert.deepEqual(answer.errors, [
      { message: 'Enough.', extensions: { retryAfter: 7, code: 'RATE_LIMITED' } },
    ])
  }
  assert.equal(service.opened.statements(), before)
})

test('what costs more than one operation may is refused with both numbers, and charged nothing', async () => {
  await using service = await open()
  const charge = () => assert.fail('It was charged.')
  // Also where a caller who may has asked the same before.
  const { report } = await ask(service, totals)
  const answer = await ask(service, totals, { points: report.points - 1, charge })
  assert.ok(answer.kind === 'errors')
  assert.equal(answer.code, 'QUERY_TOO_COMPLEX')
  const { limit, actual } = answer.errors[0]!.extensions ?? {}
  assert.deepEqual({ limit, actual }, { limit: report.points - 1, actual: report.points })
  const allowed = await ask(service, totals, { points: report.points })
  assert.equal(allowed.kind, 'data')
})

test('the largest page is the caller’s own, whatever others have asked before', async () => {
  await using service = await open()
  const query = `{ ${article}(first: 200) { nodes { uri } } }`
  assert.equal((await ask(service, query, { pageSize: 500 })).kind, 'data')
  const answer = await ask(service, query, { pageSize: 100 })
  assert.ok(answer.kind === 'errors')
  assert.match(answer.errors[0]!.message, /out of range: write 0 to 100/)
})

test('what refuses a long statement its turn is the answer', async () => {
  await using service = await open({ loading: 6 })
  const startLong = () => {
    throw new ServiceError('RATE_LIMITED', 'Four at once.')
  }
  const answer = await ask(service, `{ ${article}(where: {title: {contains: "e"}}) { totalCount } }`, {
    startLong,
  })
  assert.ok(answer.kind === 'errors' && answer.code === 'RATE_LIMITED')
})

test('an empty operation name is none, asked first or second', async () => {
  await using service = await open()
  for (const operationName of ['', null])
    assert.equal((await service.engine.execute({ query: totals, operationName })).kind, 'data')
})

test('the same question is answered from memory until something is written', async () => {
  await using service = await open({ database: file('kept') })
  const courses: string[] = []
  const asked = async () => {
    const answer = await ask(service, totals)
    courses.push(String(answer.report.from))
    assert.ok(answer.kind === 'data')
    return JSON.parse(Buffer.from(answer.body).toString()).data[article].totalCount
  }
  const first = await asked()
  assert.equal(await asked(), first)
  const [known] = news().records.filter(({ uri }) => uri.includes('/tech.service.news.article/'))
  assert.ok(known !== undefined)
  await service.store([{ ...known, uri: known.uri.replace('2222', '3333') }])
  assert.equal(await asked(), first + 1)
  assert.equal(await asked(), first + 1)
  assert.deepEqual(
    courses.map((from) => from === 'memory'),
    [false, true, false, true],
  )
})

onOneDatabase('only a body of which an answer is the only owner may be released', async (database) => {
  const inFile = database.startsWith('sqlite:') ? [file('own')] : []
  for (const place of [database, ...inFile]) {
    await using service = await open({ database: place })
    const questions = ['{ __typename }', totals, `{ ${article}(first: 50) { nodes { recordJson } } }`]
    // Again and again, so that whatever is kept is given once more after all was set free that may be.
    const texts = new Map<string, string>()
    for (const query of [...questions, ...questions, ...questions]) {
      const answer = await ask(service, query)
      assert.ok(answer.kind === 'data')
      const { body, isOwn, report } = answer
      const text = Buffer.from(body).toString()
      assert.equal(texts.get(query) ?? text, text)
      texts.set(query, text)
      if (isOwn) {
        assert.equal(body.byteLength, body.buffer.byteLength)
        assert.ok(report.from === 'short', `It is ${report.from}.`)
        releaseBuffer(body)
      }
    }
  }
})

test('what depends on the clock is never answered from memory', async () => {
  await using service = await open({ database: file('clock') })
  const query = '{ indexStatus { sources { lagSeconds } } }'
  for (let time = 0; time < 3; time += 1) {
    const { report } = await ask(service, query)
    assert.notEqual(report.from, 'memory')
    assert.equal(report.isTimeless, false)
  }
})

test('a report counts the records and groups of the first level', async () => {
  await using service = await open()
  const rowsOf = async (query: string) => (await ask(service, query)).report.rows
  assert.equal(await rowsOf(`{ ${article}(first: 7) { edges { node { title } } } }`), 7)
  assert.equal(
    await rowsOf(
      `{ a: ${article}(first: 7) { nodes { title tags } } b: ${article}(first: 2) { nodes { uri } } }`,
    ),
    9,
  )
  assert.equal(
    await rowsOf(
      `{ techServiceNewsSource(first: 3) { nodes { n: techServiceNewsArticleViaSource { nodes { uri } } } } }`,
    ),
    3,
  )
  assert.equal(await rowsOf(`{ ${article}Aggregate(groupBy: [language], limit: 4) { groups { count } } }`), 4)
  assert.equal(await rowsOf(`{ ${article} { totalCount } }`), 0)
  // Counting the rows of a longer answer would delay others.
  const report = new ExecutionReport()
  for (const [bytes, rows] of [
    [262_144, 0],
    [262_145, null],
  ] as const) {
    report.body = Buffer.alloc(bytes)
    assert.equal(report.rows, rows)
  }
})

function file(name: string): URL {
  return new URL(`sqlite:${inFolder(name)}.db`)
}

function open(given: Partial<TestServiceGiven> = {}): Promise<TestService> {
  return openTestService({ ...news(), ...given })
}

async function ask(
  { engine }: TestService,
  query: string,
  requestLimits: Partial<RequestLimits> = {},
): Promise<GraphQLAnswer> {
  return engine.execute({ query }, { ...unchargedLimits, points: 1_000, ...requestLimits })
}
