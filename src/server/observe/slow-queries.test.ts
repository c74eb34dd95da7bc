import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answered, report } from '../../../test/support/server/answered.ts'
import { onEveryDatabase } from '../../../test/support/store/databases.ts'
import { dids, note, noteLexicons } from '../../../test/support/records/notes.ts'
import { openTestService } from '../../../test/support/service/service.ts'
import { createLogs } from '../../cli/log-stream.ts'
import type { Statement } from '../../database/database.ts'
import type { Answered } from '../admission/request-context.ts'
import { createSlowLog, cutListTo, cutTo, type SlowLogOptions } from './observe.ts'

onEveryDatabase(
  'a slow operation is logged with its statement and plan, without what its caller put in',
  async (database) => {
    const value = { $type: note, text: 'secret of a record' }
    await using service = await openTestService({
      lexicons: noteLexicons,
      records: [{ uri: `at://${dids[0]}/${note}/a`, value }],
      database,
    })
    const request = {
      query: `# secret comment
        query Slow($needle: String!) {
          orgExampleNote(where: {OR: [{text: {contains: $needle}}, {text: {eq: "secret literal"}}]}) { totalCount }
        }`,
      variables: { needle: 'secret needle' },
    }
    const { sql, values } = await service.engine.explain(request)
    const statement = { text: String(sql), values: values as Statement['values'] }
    const slow = answered({
      request,
      report: { ...report, operationName: 'Slow', statement },
      duration: 1_500,
    })
    const { read } = service.opened.database

    const [line] = await tell([slow], { explain: (given) => read.explain(given) })
    assert.doesNotMatch(JSON.stringify(line), /secret/)
    const { level, msg, operation, ms, points, others, plan, query } = line as Line
    assert.deepEqual(
      { level, msg, operation, ms, points, others },
      { level: 'warn', msg: 'An operation was slow.', operation: 'Slow', ms: 1_500, points: 3, others: 0 },
    )
    assert.equal(line?.sql, cutTo(1_000, statement.text))
    assert.deepEqual(plan, cutListTo(1_000, await read.explain(statement)))
    assert.ok(Buffer.byteLength(JSON.stringify(line)) < 4_096)
    assert.match(String(query), /contains: \$needle.*eq: "…"/s)

    const [shown] = await tell([slow], { explain: (given) => read.explain(given), variables: true })
    assert.equal(shown?.variables, '{"needle":"secret needle"}')
    assert.match(String(shown?.values), /secret literal/)
  },
)

test('what is fast is not logged; what ran out of time is, however little that was', async () => {
  const lines = await tell([
    slow('{ a }', { duration: 999 }),
    slow('{ b }', { duration: 1_000 }),
    slow('{ c }', { duration: 50, outcome: 'TIMEOUT' }),
    slow('{ d }', { duration: 50, outcome: 'TIMEOUT', report: null }),
  ])
  assert.deepEqual(lines.map(({ query }) => String(query)[4]).toSorted(), ['b', 'c', 'd'])
})

test('a caller that sends slowly is no slow operation', async () => {
  assert.deepEqual(await tell([slow('{ a }', { report: { ...report, statement: null } })]), [])
  assert.deepEqual(await tell([slow('{ a }', { request: null, report: null })]), [])
})

test('a document is told of once in a minute, with how often it was slow since', async () => {
  let now = 0
  const written: string[] = []
  const slowLog = openSlowLog(written, { now: () => now })
  for (const at of [0, 10, 59_999, 60_000, 60_001]) {
    now = at
    slowLog.answered(slow('{ a }'))
  }
  now = 130_000
  slowLog.answered(slow('{ a }'))
  slowLog.answered(slow('{ b }'))
  await slowLog[Symbol.asyncDispose]()
  const lines = written.map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ query, others }) => [query[4], others]).toSorted(),
    [
      ['a', 0],
      ['a', 2],
      ['a', 1],
      ['b', 0],
    ].toSorted(),
  )
})

test('one plan is asked for at a time, and a plan that cannot be had costs no line', async () => {
  const asked: string[] = []
  const first = Promise.withResolvers<readonly string[]>()
  const written: string[] = []
  const explain = ({ text }: Statement) => {
    asked.push(text)
    if (asked.length === 1) return first.promise
    return Promise.reject(new Error('The database is gone.'))
  }
  const slowLog = openSlowLog(written, { explain })
  slowLog.answered(slow('{ a }'))
  slowLog.answered(slow('{ b }'))
  first.resolve(['SCAN note'])
  await slowLog[Symbol.asyncDispose]()
  slowLog.answered(slow('{ c }'))
  await slowLog[Symbol.asyncDispose]()
  const plans = Object.fromEntries(
    written.map((line) => JSON.parse(line)).map((one) => [one.query[4], one.plan]),
  )
  assert.deepEqual(plans, { a: ['SCAN note'], b: null, c: null })
  assert.equal(asked.length, 2)
})

type Line = Readonly<Record<string, unknown>>

function slow(query: string, given: Partial<Answered> = {}): Answered {
  const statement = { text: 'select 1', values: [] }
  return answered({ request: { query }, report: { ...report, statement }, duration: 2_000, ...given })
}

function openSlowLog(written: string[], given: Partial<SlowLogOptions> = {}) {
  const { requests } = createLogs({ 'log-level': 'info' }, null, { write: (line) => void written.push(line) })
  return createSlowLog({
    log: requests,
    slow: 1_000,
    variables: false,
    explain: async () => [],
    ...given,
  })
}

/** What is written for requests. */
async function tell(
  requests: readonly Answered[],
  given: Partial<SlowLogOptions> = {},
): Promise<readonly Line[]> {
  const written: string[] = []
  {
    await using slowLog = openSlowLog(written, given)
    for (const request of requests) slowLog.answered(request)
  }
  return written.map((line) => JSON.parse(line))
}
