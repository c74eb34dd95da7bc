/** What each question costs at so many times the records: the same ones again, by other accounts and later in time. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeCorpora } from '../growth-corpus.ts'
import { median, medianAlone, startServer } from '../server.ts'
import type { Options } from './options.ts'
import { privateMemoryOf } from './processes.ts'
import { textOf } from './ask.ts'
import { type QuestionName, questions } from './questions.ts'
import { type GrowthFigures, otherOrder } from './results.ts'
import { type CountedCorpus, importInto, type Loaded, loadSQLite } from './stores.ts'

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
  const figures = loads.map(() => ({
    starts: [] as number[],
    memory: 0,
    times: new Map<string, number[]>(),
  }))
  for (let round = 0; round < options.rounds; round += 1)
    for (const [index, { loaded }] of loads.entries()) {
      const found = figures[index]
      if (found === undefined) continue
      await using server = await startServer(loaded.database, { program })
      found.starts.push(server.startTook)
      for (const name of names) {
        const query = await textOf(server.url, questions[name])
        const asked = new Map([[name as string, query]])
        if (/^Q[34]/.test(name)) asked.set(`${name}, ${otherOrder}`, inOtherOrder(query))
        for (const [title, text] of asked) {
          await medianAlone(server.url, text, (options.seconds * 1_000) / 4)
          const took = await medianAlone(server.url, text, options.seconds * 1_000)
          found.times.set(title, [...(found.times.get(title) ?? []), took])
        }
      }
      found.memory = Math.max(found.memory, privateMemoryOf(server.pid))
      process.stderr.write(`Growth, round ${round + 1}: ${loads[index]?.times} times\n`)
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
