import assert from 'node:assert/strict'
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { parseExposition } from '../../../test/support/server/exposition.ts'
import { createMetrics, sumMetrics } from './metrics.ts'
import { until } from '../../../test/support/until.ts'
import { gatherMetrics } from './metrics-workers.ts'

after(() => {
  for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL')
})

test('what workers count is added up, and outlasts them; one that hangs keeps no scrape', async () => {
  const { registry } = createMetrics()
  using workers = gatherMetrics(registry)
  const scrape = async () => {
    const below = await workers.read()
    const text = await sumMetrics([await registry.getMetricsAsJSON(), ...below]).metrics()
    return parseExposition(text)
  }
  const figures = async () => {
    const seen = await scrape()
    return {
      requests: seen.value('lexigraph_requests_total', { outcome: 'ok' }),
      durations: seen.value('lexigraph_request_duration_seconds_count', { tier: 'public' }),
      inFlight: seen.value('lexigraph_requests_in_flight'),
      live: seen.value('lexigraph_workers', { state: 'live' }),
      silent: seen.value('lexigraph_workers', { state: 'silent' }),
    }
  }
  /** A worker that is slow to answer once is silent then. */
  const figuresOf = (live: number) =>
    until(async () => {
      const seen = await figures()
      return seen.live === live && seen
    })
  const [one, two] = await Promise.all([start(), start()])
  for (const worker of [one, two, two]) await tell(worker, 'count', 'counted')
  const counted = { requests: 3, durations: 3, inFlight: 3, live: 2, silent: 0 }
  assert.deepEqual(await figuresOf(2), counted)
  const both = await Promise.all([figuresOf(2), figuresOf(2)])
  assert.deepEqual(both, [counted, counted])

  await kill(two)
  assert.deepEqual(await figuresOf(1), { ...counted, inFlight: 1, live: 1 })

  const three = await start()
  await tell(three, 'count', 'counted')
  const four = { requests: 4, durations: 4, inFlight: 2, live: 2, silent: 0 }
  assert.deepEqual(await figuresOf(2), four)

  await tell(three, 'hang', 'hanging')
  assert.deepEqual(await figuresOf(1), { ...four, live: 1, silent: 1 })

  await Promise.all([kill(one), kill(three)])
  assert.deepEqual(await figuresOf(0), { ...four, inFlight: 0, live: 0 })
})

async function start(): Promise<Worker> {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('../../../test/support/server/metrics-worker.ts', import.meta.url)),
    args: [],
  })
  const worker = cluster.fork()
  await once(worker, 'message')
  return worker
}

async function tell(worker: Worker, what: string, answer: string): Promise<void> {
  const answered = Promise.withResolvers<string>()
  // What it counted may be on its way too, for a scrape that did not wait for it.
  const hear = (message: unknown): void => {
    if (typeof message === 'string') answered.resolve(message)
  }
  worker.on('message', hear)
  worker.send(what)
  assert.equal(await answered.promise, answer)
  worker.off('message', hear)
}

async function kill(worker: Worker): Promise<void> {
  const gone = once(worker, 'exit')
  worker.process.kill('SIGKILL')
  await gone
}
