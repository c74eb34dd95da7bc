/** One question asked of one server as fast as it answers, on so many connections: what came of it. */
import { cpuOf } from '../support/cpu-time.ts'
import autocannon from 'autocannon'
import { post } from '../support/server.ts'
import { median, quantile } from '../support/statistics.ts'

export interface Measured {
  readonly requests: number
  /** Milliseconds from request to whole answer. */
  readonly median: number
  readonly p99: number
  readonly perSecond: number
  /** Milliseconds of computing per request: of the server with its children, and of the database's server. */
  readonly cpu: number
  readonly databaseCpu: number
}

export interface Asked {
  readonly url: string
  readonly query: string
  readonly pid: number
  /** Of the database's server, where there is one. */
  readonly databasePid: number | null
}

/**
 * Slow questions are asked a number of times, so that none is left behind in the server when the time is up and
 * burdens what is measured next.
 */
export async function measure(asked: Asked, connections: number, seconds: number): Promise<Measured> {
  // The lesser of two: the machine may have been held up.
  const estimate = Math.min(await timeOnce(asked), await timeOnce(asked))
  if (estimate > slow)
    return measureTimes(
      asked,
      connections,
      Math.max(connections * 2, Math.ceil((seconds * 1_000) / estimate)),
    )
  const measured = await observe(asked, () => shoot(asked, connections, { duration: seconds }))
  // When the machine was held up there may be no answer within the time.
  return measured.requests > 0 ? measured : measureTimes(asked, connections, connections * 2)
}

/** So many requests. */
export function measureTimes(asked: Asked, connections: number, amount: number): Promise<Measured> {
  return observe(asked, () => shoot(asked, connections, { amount }))
}

async function observe({ pid, databasePid }: Asked, work: () => Promise<Shot>): Promise<Measured> {
  const cpus = () => [cpuOf(pid), databasePid === null ? 0 : cpuOf(databasePid)] as const
  const before = cpus()
  const { times, took } = await work()
  const after = cpus()
  return {
    requests: times.length,
    median: median(times),
    p99: quantile(times, 0.99),
    perSecond: (times.length / took) * 1_000,
    cpu: (after[0] - before[0]) / times.length,
    databaseCpu: (after[1] - before[1]) / times.length,
  }
}

/** Until code is compiled and plans are made, a server is several times as slow, and goes on gaining for thousands of requests; two seconds at most. */
export async function warmUp(asked: Asked): Promise<void> {
  await timeOnce(asked)
  const estimate = await timeOnce(asked)
  await shoot(asked, 4, { amount: Math.max(4, Math.min(2_000, Math.ceil(2_000 / estimate))) })
}

/** Milliseconds that make a question a slow one. */
const slow = 20

async function timeOnce({ url, query }: Asked): Promise<number> {
  const start = performance.now()
  await (await post(url, query)).arrayBuffer()
  return performance.now() - start
}

interface Shot {
  readonly times: readonly number[]
  readonly took: number
}

async function shoot(
  { url, query }: Asked,
  connections: number,
  length: { readonly duration: number } | { readonly amount: number },
): Promise<Shot> {
  const times: number[] = []
  const start = performance.now()
  let end = start
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>()
  const options = {
    url,
    connections,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
    timeout: 120,
    sampleInt: 50,
    ...length,
  } as const
  const running = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
  running.on('response', (_client, _status, _bytes, time) => {
    times.push(time)
    end = performance.now()
  })
  const { non2xx, errors } = await promise
  if (non2xx + errors > 0)
    throw new Error(`${non2xx + errors} of ${times.length} requests failed: ${query.slice(0, 200)}`)
  return { times, took: end - start }
}
