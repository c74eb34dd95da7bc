import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answered, report } from '../../../test/support/server/answered.ts'
import { createActivityLog, type SlowOperation, sumActivities } from './activity.ts'
import { documentHash } from './log-line.ts'

const slow = (at: number): SlowOperation => {
  return { at, document: 'x', duration: 2_000, query: null, sql: null, plan: null }
}

test('requests of a document add up, in one process and over several', () => {
  const [one, other] = [createActivityLog(), createActivityLog()]
  one.answered(answered({ duration: 5, report: { ...report, points: 2 } }))
  one.answered(answered({ duration: 3, outcome: 'TIMEOUT', report: null }))
  other.answered(answered({ duration: 20, report: { ...report, points: 3 } }))
  other.answered(answered({ request: null }))
  const document = documentHash(answered().request?.query ?? '')
  const expected = { document, requests: 3, failures: 1, duration: 28, longest: 20, points: 5 }
  assert.deepEqual(sumActivities([one.read(), other.read()]), { documents: [expected], slow: [] })
})

test('slow operations of several processes are told, the latest first', () => {
  const activities = [
    [1, 4],
    [3, 2],
  ].map((times) => ({ documents: [], slow: times.map(slow) }))
  assert.deepEqual(
    sumActivities(activities).slow.map(({ at }) => at),
    [4, 3, 2, 1],
  )
})

test('however many documents and slow operations there are, few are kept', () => {
  const log = createActivityLog()
  const often = answered({ request: { query: '{ often }' }, duration: 1 })
  const long = answered({ request: { query: '{ long }' }, duration: 9_000 })
  for (let n = 0; n < 2_000; n += 1) {
    log.answered(answered({ request: { query: `{ a${n} }` }, duration: 1 }))
    log.addSlow(slow(n))
    log.answered(often)
    if (n % 100 === 0) log.answered(long)
  }
  const { documents, slow: kept } = log.read()
  assert.ok(documents.length <= 40)
  const find = (query: string) => documents.find(({ document }) => document === documentHash(query))
  assert.deepEqual([find('{ often }')?.requests, find('{ long }')?.requests], [2_000, 20])
  assert.deepEqual(
    kept.map(({ at }) => at),
    Array.from({ length: 10 }, (_, back) => 1_999 - back),
  )
})
