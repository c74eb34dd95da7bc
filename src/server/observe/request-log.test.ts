import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { createLogs } from '../../cli/log-stream.ts'
import type { Config } from '../../cli/settings/settings.ts'
import { answered, anonymous, report } from '../../../test/support/server/answered.ts'
import { createKey } from '../../util/api-key.ts'
import type { Answered } from '../admission/request-context.ts'
import { logRequest, type RequestLogOptions } from './observe.ts'

type Line = Readonly<Record<string, unknown>>

test('each request is one line of JSON, of known members alone', () => {
  const [line, ...more] = linesOf([answered()])
  assert.deepEqual(more, [])
  const { time, ...rest } = line as Line
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, {
    level: 'info',
    worker: 2,
    requestId: 'request-1',
    tier: 'public',
    key: null,
    keyId: null,
    operation: 'Newest',
    document: hash('sha256', 'query Newest { notes { totalCount } }').slice(0, 16),
    points: 3,
    rows: 20,
    bytes: 4_321,
    ms: 2.35,
    statementMs: 1.23,
    from: 'short',
    outcome: 'ok',
    status: 200,
    msg: 'request',
  })
})

test('a request that was refused before it was understood has a line too', () => {
  const [line] = linesOf([
    answered({ caller: null, request: null, report: null, outcome: 'BAD_REQUEST', status: 400 }),
  ])
  const { tier, key, operation, document, points, outcome } = line as Line
  assert.deepEqual(
    { tier, key, operation, document, points, outcome },
    { tier: null, key: null, operation: null, document: null, points: 0, outcome: 'BAD_REQUEST' },
  )
})

test('rows of an answer that is too long to count them are unknown, and not none', () => {
  const lines = linesOf([answered({ report: { ...report, rows: null } }), answered({ report: null })])
  assert.deepEqual(
    lines.map(({ rows }) => rows),
    [null, 0],
  )
})

test('no line has an address, a document, a variable or the name that a request gives its operation', () => {
  const request = {
    query: 'query { notes(where: {title: {eq: "secret-literal"}}) { totalCount } }',
    variables: { title: 'secret-variable' },
    operationName: 'secret-name\n{"level":"error"}',
  }
  const caller = { ...anonymous, id: 'key:abcd2345', keyName: 'A newspaper' }
  const text = textOf([
    answered({ request }),
    answered({ request, caller }),
    answered({ request, report: null, outcome: 'GRAPHQL_PARSE_FAILED' }),
    answered({ request, outcome: 'INTERNAL', status: 500 }),
  ])
  assert.doesNotMatch(text, /secret|203\.0\.113/)
  assert.match(text, /"key":"A newspaper","keyId":"abcd2345"/)
})

test('variables are shown when that is asked for, and cut off where they are long', () => {
  const [short, long] = linesOf(
    [
      answered({ request: { query: '{ a }', variables: { first: 2 } } }),
      answered({ request: { query: '{ a }', variables: { text: 'x'.repeat(100_000) } } }),
    ],
    { variables: true },
  )
  assert.equal(short?.variables, '{"first":2}')
  const { length } = String(long?.variables)
  assert.ok(length > 1_500 && length <= 2_001)
})

test('names of operations and keys can neither break a line nor fill the log', () => {
  const name = `Ä\n"\u2028${'x'.repeat(10_000)}`
  const text = textOf([answered({ report: { ...report, operationName: name } })])
  assert.equal(text.trimEnd().split('\n').length, 1)
  assert.equal(JSON.parse(text).operation.length, 100)
})

test('a key in the name of an operation or in a variable is left out', () => {
  const key = createKey()
  const text = textOf(
    [
      answered({
        request: { query: `query ${key} { a }`, variables: { key } },
        report: { ...report, operationName: key },
      }),
    ],
    { variables: true },
  )
  assert.ok(text.includes('lgk_…') && !text.includes(key.slice(4)))
})

test('what is ours to mend is louder than what callers do', () => {
  const lines = linesOf(outcomes.map((outcome) => answered({ outcome })))
  assert.deepEqual(
    lines.map(({ level, outcome }) => `${level} ${outcome}`),
    [
      'info ok',
      'info gone',
      'info RATE_LIMITED',
      'info BAD_USER_INPUT',
      'warn TIMEOUT',
      'warn UNAVAILABLE',
      'error INTERNAL',
    ],
  )
})

test('where only failures get a line, callers’ faults and good answers get none', () => {
  const lines = linesOf(
    outcomes.map((outcome) => answered({ outcome })),
    { requests: 'failures' },
  )
  assert.deepEqual(
    lines.map(({ outcome }) => outcome),
    ['TIMEOUT', 'UNAVAILABLE', 'INTERNAL'],
  )
})

test('the level of the log holds for requests', () => {
  const all = outcomes.map((outcome) => answered({ outcome }))
  assert.equal(linesOf(all, {}, 'warn').length, 3)
  assert.equal(linesOf(all, {}, 'error').length, 1)
  assert.equal(linesOf(all, {}, 'silent').length, 0)
})

const outcomes = [
  'ok',
  'gone',
  'RATE_LIMITED',
  'BAD_USER_INPUT',
  'TIMEOUT',
  'UNAVAILABLE',
  'INTERNAL',
] as const

/** What is written for requests, by the logger that the program uses. */
function textOf(
  requests: readonly Answered[],
  given: Partial<RequestLogOptions> = {},
  level: Config['log-level'] = 'info',
): string {
  const written: string[] = []
  const logs = createLogs({ 'log-level': level }, 2, { write: (line) => void written.push(line) })
  const options = { log: logs.requests, requests: 'all', variables: false, ...given } as const
  for (const request of requests) logRequest(request, options)
  return written.join('')
}

function linesOf(...given: Parameters<typeof textOf>): Line[] {
  return textOf(...given)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
