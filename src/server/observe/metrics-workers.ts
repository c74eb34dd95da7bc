/**
 * Collects the metrics of worker processes in the primary process. Counts of ended workers are retained; for a worker
 * that does not answer in time, its latest values are used.
 */
import cluster, { type Worker } from 'node:cluster'
import { setTimeout } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import { type MetricValues, sumMetrics } from './metrics.ts'

const question = 'lexigraph metrics?'
const reply = 'lexigraph metrics'

interface Reply {
  readonly kind: typeof reply
  readonly values: MetricValues
}

/** In a worker: answers each question of the primary process. */
export function shareMetrics(registry: Registry): void {
  process.on('message', async (message: unknown) => {
    if (message !== question) return
    const answer: Reply = { kind: reply, values: await registry.getMetricsAsJSON() }
    // The primary process may have disconnected.
    if (process.connected) process.send?.(answer, undefined, {}, () => {})
  })
}

export interface WorkerMetrics extends Disposable {
  /** One entry per worker, and one sum for all that have ended. */
  read(): Promise<readonly MetricValues[]>
}

/** In the primary process, whose own registry gets the number of workers. */
export function gatherMetrics(registry: Registry): WorkerMetrics {
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
    if (!isReply(message)) return
    latest.set(worker.id, message.values)
    waitedFor.get(worker.id)?.()
  }
  const onExit = (worker: Worker): void => {
    const last = latest.get(worker.id)
    latest.delete(worker.id)
    if (last !== undefined) ended.push(last.filter(isCount))
    waitedFor.get(worker.id)?.()
  }

  const ask = (worker: Worker): Promise<boolean> =>
    new Promise((resolve) => {
      waitedFor.set(worker.id, () => resolve(true))
      worker.send(question, (error) => {
        if (error !== null) resolve(false)
      })
    })

  const gather = async (): Promise<readonly MetricValues[]> => {
    const asked = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true)
    const enough = new AbortController()
    const late = setTimeout(timeout, false, { signal: enough.signal, ref: false }).catch(() => false)
    const answered = await Promise.all(
      asked.map((worker) => (worker === undefined ? false : Promise.race([ask(worker), late]))),
    )
    enough.abort()
    waitedFor.clear()
    const live = answered.filter(Boolean).length
    workers.set({ state: 'live' }, live)
    workers.set({ state: 'silent' }, asked.length - live)
    if (ended.length > 1) {
      const several = ended.splice(0)
      ended.push(await sumMetrics(several).getMetricsAsJSON())
    }
    return [...ended, ...latest.values()]
  }

  cluster.on('message', onMessage)
  cluster.on('exit', onExit)
  return {
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

/** Gauges describe the present, so those of an ended worker are dropped. */
function isCount({ type }: MetricValues[number]): boolean {
  return ['counter', 'histogram'].includes(String(type))
}

function isReply(message: unknown): message is Reply {
  return (message as Partial<Reply> | null)?.kind === reply
}
