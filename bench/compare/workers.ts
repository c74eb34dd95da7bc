/**
 * What a second worker adds, and what a page waits for while somebody else asks what takes long. The load is on the
 * same cores: so the gain is one of computing. Two workers that always have something to answer, each with a core of
 * its own and the load elsewhere, give twice what a core has for their computing per request.
 */
import { median, type Server, startServer } from '../server.ts'
import { ask } from './ask.ts'
import { type Asked, measureTimes, warmUp } from './load.ts'
import type { Options } from './options.ts'
import { documentOf } from './questions.ts'
import type { WorkersFigures } from './results.ts'

interface Load {
  readonly perSecond: number
  /** Milliseconds of computing per request, of all processes of a server. */
  readonly cpu: number
}

const connections = 16
/** Requests that two workers share. */
const shared = 8_000
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
  const loads = { one: [] as Load[], two: [] as Load[] }
  const tails = { idle: [] as number[], beside: [] as number[] }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const workers of [1, 2] as const) {
      await using server = await startServer(database, { workers, program })
      loads[workers === 1 ? 'one' : 'two'].push(await loadOf(server, page))
      if (workers === 2) {
        tails.idle.push(await tailOf(server, page))
        tails.beside.push(await beside(server, heavy, () => tailOf(server, page)))
      }
    }
    process.stderr.write(`Workers, round ${round + 1} of ${options.rounds}\n`)
  }
  const of = (all: readonly Load[], figure: keyof Load): number => median(all.map((one) => one[figure]))
  return {
    perSecond: [of(loads.one, 'perSecond'), of(loads.two, 'perSecond')],
    cpu: [of(loads.one, 'cpu'), of(loads.two, 'cpu')],
    gain: (2 * of(loads.one, 'cpu')) / of(loads.two, 'cpu'),
    idleTail: median(tails.idle),
    besideTail: median(tails.beside),
  }
}

async function loadOf(server: Server, query: string): Promise<Load> {
  const asked: Asked = { url: server.url, query, pid: server.pid, databasePid: null }
  // Twice: each worker compiles its own code.
  for (let time = 0; time < 2; time += 1) await warmUp(asked)
  const { perSecond, cpu } = await measureTimes(asked, connections, shared)
  return { perSecond, cpu }
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
