/**
 * Collects the metrics of worker processes in the primary process. Counts of ended workers are retained; for a worker
 * that does not answer in time, its latest values are used.
 */
import cluster, { type Worker } from 'node:cluster'
import { Gauge, type Registry } from 'prom-client'
import { within } from '../../util/async/promises.ts'
import { type MetricValues, sumMetrics } from './metrics.ts'

const question = 'lexigraph metrics?'
const reply = 'lexigraph metrics'

/** In a worker: answers each question of the primary process. */
export function shareMetrics(registry: Registry): void {
  process.on('message', async (message: unknown) => {
    if (message !== question) return
    const answer = { kind: reply, values: await registry.getMetricsAsJSON() }
    // The primary process may have disconnected.
    if (process.connected) process.send?.(answer, undefined, {}, () => {})
  })
}

/** In the primary process, whose own registry gets the number of workers. */
export function gatherMetrics(registry: Registry) {
  const latest = new Map<number, MetricValues>()
  const waitedFor = new Map<number, () => void>()
  const ended: MetricValues[] = []
  let round: Promise<readonly MetricValues[]> | null = null
  const workers = new Gauge({
    name: 'lexigraph_workers',
    help: 'Processes that answer requests, and those of them that did not answer when asked for metrics.',
    labelNames: ['state'],
    registers: [registry],
  })

  const onMessage = (worker: Worker, message: unknown): void => {
    const { kind, values } = (message ?? {}) as { readonly kind?: string; readonly values?: MetricValues }
    if (kind !== reply || values === undefined) return
    latest.set(worker.id, values)
    waitedFor.get(worker.id)?.()
  }
  const onExit = (worker: Worker): void => {
    const last = latest.get(worker.id)
    latest.delete(worker.id)
    // Gauges describe the present, so those of an ended worker are dropped.
    if (last !== undefined)
      ended.push(last.filter(({ type }) => ['counter', 'histogram'].includes(String(type))))
    waitedFor.get(worker.id)?.()
  }

  /** False when the worker does not answer in time. */
  const ask = (worker: Worker): Promise<boolean> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waitedFor.set(worker.id, resolve)
    worker.send(question, (error) => {
      if (error !== null) reject(error)
    })
    const answer = within(timeout, promise, () => new Error('The worker is late.'))
    return answer.then(
      () => true,
      () => false,
    )
  }

  const gather = async (): Promise<readonly MetricValues[]> => {
    const answers = Object.values(cluster.workers ?? {}).flatMap((worker) =>
      worker?.isConnected() === true ? [ask(worker)] : [],
    )
    const live = (await Promise.all(answers)).filter(Boolean).length
    waitedFor.clear()
    workers.set({ state: 'live' }, live)
    workers.set({ state: 'silent' }, answers.length - live)
    if (ended.length > 1) ended.push(await sumMetrics(ended.splice(0)).getMetricsAsJSON())
    return [...ended, ...latest.values()]
  }

  cluster.on('message', onMessage)
  cluster.on('exit', onExit)
  return {
    /** One entry per worker, and one sum for all that have ended. */
    read() {
      round ??= gather().finally(() => {
        round = null
      })
      return round
    },
    [Symbol.dispose]() {
      cluster.off('message', onMessage)
      cluster.off('exit', onExit)
    },
  }
}

/** Milliseconds that a scrape waits for a worker. */
const timeout = 1_000
