import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answered, anonymous, report } from '../../../test/support/server/answered.ts'
import { type Exposition, parseExposition } from '../../../test/support/server/exposition.ts'
import { createMetrics, type Metrics } from './metrics.ts'

test('requests are counted by tier and outcome, with how long they took and what they cost', async () => {
  const { observer, ...metrics } = createMetrics()
  observer.answered(answered({ duration: 3 }))
  observer.answered(answered({ duration: 700, report: { ...report, points: 40 } }))
  observer.answered(
    answered({ outcome: 'RATE_LIMITED', limit: 'rate', report: { ...report, points: 0, from: null } }),
  )
  observer.answered(answered({ caller: null, request: null, report: null, outcome: 'BAD_REQUEST' }))
  observer.answered(answered({ outcome: 'gone' }))
  const seen = await scrape({ observer, ...metrics })
  assert.equal(seen.value('lexigraph_requests_total', { tier: 'public', outcome: 'ok' }), 2)
  assert.equal(seen.value('lexigraph_requests_total', { tier: 'public', outcome: 'gone' }), 1)
  assert.equal(seen.value('lexigraph_requests_total', { tier: 'none', outcome: 'BAD_REQUEST' }), 1)
  const bucket = (le: string) =>
    seen.value('lexigraph_request_duration_seconds_bucket', { tier: 'public', le })
  assert.deepEqual(
    [bucket('0.0025'), bucket('0.005'), bucket('0.5'), bucket('1'), bucket('+Inf')],
    [1, 2, 2, 3, 3],
  )
  assert.equal(seen.value('lexigraph_operation_points_sum', { tier: 'public' }), 46)
  assert.equal(seen.value('lexigraph_operation_points_count', { tier: 'public' }), 3)
})

test('limits are told apart, and what waits on purpose slows no figure', async () => {
  const metrics = createMetrics()
  const hits = [
    { outcome: 'RATE_LIMITED', limit: 'rate' },
    { outcome: 'RATE_LIMITED', limit: 'concurrent' },
    { outcome: 'RATE_LIMITED' },
    { outcome: 'UNAUTHENTICATED' },
    { outcome: 'QUERY_TOO_COMPLEX' },
  ] as const
  for (const hit of hits) metrics.observer.answered(answered(hit))
  const seen = await scrape(metrics)
  const counts = ['rate', 'concurrent', 'key', 'complexity', 'time'].map((limit) =>
    seen.value('lexigraph_limits_hit_total', { limit }),
  )
  assert.deepEqual(counts, [1, 1, 2, 1, 0])
  assert.equal(seen.value('lexigraph_request_duration_seconds_count', { tier: 'public' }), 2)
})

test('answers are counted by where they came from, and only statements have a time', async () => {
  const metrics = createMetrics()
  for (const from of ['memory', 'short', 'long', 'long', 'constant'] as const)
    metrics.observer.answered(answered({ report: { ...report, from, statementTime: 8 } }))
  const seen = await scrape(metrics)
  const counts = ['memory', 'short', 'long', 'constant'].map((from) =>
    seen.value('lexigraph_answers_total', { from }),
  )
  assert.deepEqual(counts, [1, 1, 2, 1])
  assert.equal(seen.value('lexigraph_statement_seconds_sum', { kind: 'long' }), 0.016)
  assert.equal(seen.value('lexigraph_statement_seconds_count', { kind: 'short' }), 1)
  assert.equal(seen.samples.filter(({ name }) => name === 'lexigraph_statement_seconds_count').length, 2)
})

test('requests that have come and are not answered are in flight', async () => {
  const metrics = createMetrics()
  for (let n = 0; n < 3; n += 1) metrics.observer.asked()
  metrics.observer.answered(answered())
  assert.equal((await scrape(metrics)).value('lexigraph_requests_in_flight'), 2)
})

test('the process shows itself too', async () => {
  const seen = await scrape(createMetrics())
  assert.ok(Number(seen.value('process_resident_memory_bytes')) > 1_000_000)
  assert.notEqual(seen.value('nodejs_eventloop_lag_p99_seconds'), undefined)
})

test('no label has a key, an address or a name of an operation', async () => {
  const metrics = createMetrics()
  const caller = { ...anonymous, id: 'key:secret-id', keyName: 'secret name' }
  metrics.observer.answered(answered({ caller, report: { ...report, operationName: 'SecretName' } }))
  metrics.observer.answered(answered())
  assert.doesNotMatch(await metrics.registry.metrics(), /secret|203\.0\.113|Newest/i)
})

async function scrape({ registry }: Metrics): Promise<Exposition> {
  return parseExposition(await registry.metrics())
}
