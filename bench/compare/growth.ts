/** What each question costs at so many times the records: the same ones again, by other accounts and later in time. */
import { sumOfFamily, writtenMemoryOf } from '../../test/support/processes.ts'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeCorpora } from '../support/growing-corpus.ts'
import { type Server, startServer } from '../support/server.ts'
import { median } from '../support/statistics.ts'
import { type CountedCorpus, importInto, type Loaded, loadSQLite } from '../support/stores.ts'
import { textOf } from './ask.ts'
import { measure, warmUp } from './load.ts'
import type { Options } from './options.ts'
import { type QuestionName, questions } from './questions.ts'
import { type GrowthFigures, otherOrder } from './results.ts'

/** At one time and at the times that are asked for; none when that is 0. On SQLite. */
export async function measureGrowth(
  options: Options,
  corpus: CountedCorpus,
  names: readonly QuestionName[],
  program: string,
): Promise<readonly GrowthFigures[]> {
  if (options.growth === 0) return []
  const loads: { readonly grown: CountedCorpus; readonly loaded: Loaded; readonly times: number }[] = []
  for (const times of [1, options.growth]) {
    const grown = { ...corpus, records: corpus.records * times, articles: corpus.articles * times }
    loads.push({ grown, times, loaded: await load(options, grown, times, program) })
  }
  const figures = loads.map(({ loaded }) => new Found(loaded.database))
  for (let round = 1; round <= options.rounds; round += 1) {
    await measureRound(figures, names, options.seconds, program)
    process.stderr.write(`Growth, round ${round}\n`)
  }
  return loads.map(({ grown, loaded, times }, index) => ({
    times,
    system: 'lexigraph-sqlite',
    records: grown.records,
    load: loaded.load,
    startTook: median(figures[index]?.starts ?? []),
    memory: figures[index]?.memory ?? Number.NaN,
    medians: Object.fromEntries(
      Array.from(figures[index]?.times ?? [], ([name, all]) => [name, median(all)]),
    ),
  }))
}

/** Of one size. */
class Found {
  readonly database: string
  readonly starts: number[] = []
  memory = 0
  readonly times = new Map<string, number[]>()

  constructor(database: string) {
    this.database = database
  }
}

/** Each question is asked of one size right after the other, so that both are told of the same moment of the machine. */
async function measureRound(
  sizes: readonly Found[],
  names: readonly QuestionName[],
  seconds: number,
  program: string,
): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const servers = new Map<Found, Server>()
  for (const found of sizes) {
    const server = stack.use(await startServer(found.database, { program }))
    servers.set(found, server)
    found.starts.push(server.startTook)
  }
  for (const name of names)
    for (const title of /^Q[34]/.test(name) ? [name, `${name}, ${otherOrder}`] : [name])
      for (const [found, { url, pid }] of servers) {
        const text = await textOf(url, questions[name])
        const asked = { url, pid, databasePid: null, query: title === name ? text : inOtherOrder(text) }
        await warmUp(asked)
        const { median: took } = await measure(asked, 1, seconds)
        found.times.set(title, [...(found.times.get(title) ?? []), took])
      }
  for (const [found, { pid }] of servers)
    found.memory = Math.max(found.memory, sumOfFamily(pid, writtenMemoryOf))
}

function inOtherOrder(query: string): string {
  return query.replace('(first: 20,', '(first: 20, sortBy: [{field: publishedAt, direction: DESC}],')
}

/** The larger corpus is a file only while it is imported. */
function load({ work }: Options, grown: CountedCorpus, times: number, program: string): Promise<Loaded> {
  if (times === 1) return loadSQLite(work, 'lexigraph', grown, importInto(grown.files, program))
  return loadSQLite(work, `lexigraph-${times}-times`, grown, async (database) => {
    mkdirSync(work, { recursive: true })
    const path = join(work, `grown-${process.pid}.jsonl`)
    try {
      await writeCorpora(grown.folder, [{ path, records: grown.records }])
      return await importInto([path], program)(database)
    } finally {
      if (existsSync(path)) rmSync(path)
    }
  })
}
