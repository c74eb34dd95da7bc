/**
 * What a second worker adds, and what a page waits for while somebody else asks what takes long. The load has no cores
 * of its own, so each worker shares its core with one: one worker and one load on one core, two and two on two.
 */
import { childrenOf } from '../../test/support/processes.ts'
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { type Server, startServer } from '../support/server.ts'
import { median } from '../support/statistics.ts'
import { ask } from './ask.ts'
import { measureTimes } from './load.ts'
import type { Options } from './options.ts'
import { documentOf } from './questions.ts'
import type { WorkersFigures } from './results.ts'

const loadProcess = new URL('./load-process.ts', import.meta.url).pathname
const connections = 16
/** Seconds at least, for a rate. */
const leastSeconds = 2
/** Requests for the slowest of a hundred. */
const pages = 3_000

/** Over a database of SQLite. */
export async function measureWorkers(
  database: string,
  options: Options,
  program: string,
): Promise<WorkersFigures> {
  const page = documentOf('Q1')
  const heavy = [documentOf('Q8'), documentOf('Q12')]
  const seconds = Math.max(leastSeconds, options.seconds)
  const rates = { one: [] as number[], two: [] as number[] }
  const tails = { idle: [] as number[], beside: [] as number[] }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const workers of [1, 2] as const) {
      await using server = await startServer(database, { workers, program })
      if (workers === 2) {
        tails.idle.push(await tailOf(server, page))
        tails.beside.push(await beside(server, heavy, () => tailOf(server, page)))
      }
      rates[workers === 1 ? 'one' : 'two'].push(await rateOn(server, workers, page, seconds))
    }
    process.stderr.write(`Workers, round ${round + 1} of ${options.rounds}\n`)
  }
  const perSecond = [median(rates.one), median(rates.two)] as const
  return {
    perSecond,
    gain: perSecond[1] / perSecond[0],
    idleTail: median(tails.idle),
    besideTail: median(tails.beside),
  }
}

/** Requests/s of that many workers, each with a core for itself and a load. */
async function rateOn(server: Server, workers: number, query: string, seconds: number): Promise<number> {
  // One worker is the server itself.
  const places = workers === 1 ? [server.pid] : childrenOf(server.pid)
  if (places.length !== workers) throw new Error(`The server has ${places.length} processes, not ${workers}.`)
  const args = [server.url, query, String(connections), String(seconds)]
  const loads = places.map((pid, core) => {
    execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' })
    return fork(loadProcess, args, { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath] })
  })
  const heard = (): Promise<unknown[]> => Promise.all(loads.map(messageOf))
  await heard()
  const rates = heard()
  for (const load of loads) load.send('begin')
  return (await rates).reduce<number>((sum, rate) => sum + Number(rate), 0)
}

async function messageOf(load: ChildProcess): Promise<unknown> {
  const ended = once(load, 'exit').then(() =>
    Promise.reject(new Error('A load ended before it had measured.')),
  )
  const [message] = await Promise.race([once(load, 'message'), ended])
  return message
}

/** Milliseconds for the slowest of a hundred, one page after the other. */
async function tailOf({ url, pid }: Server, query: string): Promise<number> {
  return (await measureTimes({ url, query, pid, databasePid: null }, 1, pages)).p99
}

/** While one caller asks those questions, one after the other. */
async function beside(
  { url }: Server,
  heavy: readonly string[],
  work: () => Promise<number>,
): Promise<number> {
  const over = new AbortController()
  const asking = (async () => {
    while (!over.signal.aborted) for (const query of heavy) await ask(url, query)
  })()
  const found = await work()
  over.abort()
  await asking
  return found
}
