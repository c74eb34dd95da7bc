/**
 * What searches cost: thirty named ones over the articles of the bench corpus, each as newest 20, as the 20 most
 * relevant, and as a count, then searches with other conditions and orders. Prints tables, and which of the limits hold.
 * Documents are repeated, so that plans are cached; answers are not. Times are those of the engine in this process,
 * whose long statements run in a process of their own as in a server, of a server over HTTP, or CPU times, which tell
 * more on a busy machine.
 * Usage: node bench/search/search.ts [database=PATH|URL] [engine=sqlite|postgres] [over=engine|http|cpu] [seconds=0.5]
 *   [times=1] [only=WORDS] [corpus=FOLDER] [work=FOLDER] [postgres=URL]
 * `database`: one with an imported corpus; otherwise it is made in the folder `work`, and used again. `times`: so many
 * times the records are measured too, on SQLite. `postgres`: a server whose user may create databases; otherwise one is
 * started, and is gone afterwards. `only`: part of a search or its name.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Asker, inProcess, ms } from '../support/asker.ts'
import { writeCorpora } from '../support/growing-corpus.ts'
import { readOptions } from '../support/options.ts'
import { isPostgres } from '../support/postgres-client.ts'
import { ask, post, startServer } from '../support/server.ts'
import { median, quantile } from '../support/statistics.ts'
import { countCorpus, databaseOptions, findDatabase, importInto, loadSQLite } from '../support/stores.ts'
import { combinations, isRanked, list, searches, type Way, ways } from './questions.ts'

const given = readOptions(process.argv.slice(2), {
  ...databaseOptions,
  over: 'engine',
  seconds: 0.5,
  times: 1,
  only: '',
})
const { over, seconds, times, only, work, corpus: folder } = given
/** Fewest and most times that a question is asked. */
const [fewest, most] = [15, 1_000]

/** Milliseconds. */
interface Timing {
  readonly least: number
  readonly median: number
  readonly p99: number
}

interface Measured {
  readonly name: string
  readonly search: string
  readonly kind: string
  readonly matches: number
  readonly timings: Readonly<Partial<Record<Way, Timing>>>
}

interface Limit {
  readonly title: string
  readonly engine: 'sqlite' | 'postgres'
  readonly way: Way
  /** Milliseconds. */
  readonly most: number
  isFor(one: Measured): boolean
}

/** A list by relevance ranks at most 10,000 records, however many match. */
const limits: readonly Limit[] = [
  limit('newest 20 of words', 'sqlite', 'newest', 0.6, ({ kind }) => kind === 'words'),
  limit('newest 20 of phrases', 'sqlite', 'newest', 3, ({ kind }) => kind === 'phrase'),
  limit('relevance of up to 1,100 matches', 'sqlite', 'relevance', 5, ({ matches }) => matches <= 1_100),
  limit('relevance of 10,000 ranked', 'sqlite', 'relevance', 30, () => true),
  limit('count of up to 43,000 matches', 'sqlite', 'count', 6, ({ matches }) => matches <= 43_000),
  limit('newest 20', 'postgres', 'newest', 5, ({ kind }) => kind !== 'prefix'),
  limit('relevance of 10,000 ranked', 'postgres', 'relevance', 60, () => true),
]

function limit(title: string, engine: Limit['engine'], way: Way, most: number, isFor: Limit['isFor']): Limit {
  return { title, engine, way, most, isFor }
}

await using stack = new AsyncDisposableStack()
const url = await findDatabase(stack, 'search', given, async () => folder)
const engine = isPostgres(url) ? 'postgres' : 'sqlite'
const found = await measureAll(url)
printSearches(found)
printLimits(found)
if (times > 1) printGrowth(found, await measureAll(await loadTimes()))

/** The same records again and again, by other accounts and later in time. */
async function loadTimes(): Promise<string> {
  const corpus = await countCorpus(folder)
  const grown = { ...corpus, records: corpus.records * times, articles: corpus.articles * times }
  const { database } = await loadSQLite(work, `search-${times}-times`, grown, async (path) => {
    mkdirSync(work, { recursive: true })
    const file = join(work, `grown-${process.pid}.jsonl`)
    try {
      await writeCorpora(folder, [{ path: file, records: grown.records }])
      return await importInto([file])(path)
    } finally {
      if (existsSync(file)) rmSync(file)
    }
  })
  return database
}

async function measureAll(database: string): Promise<readonly Measured[]> {
  await using asker = await (over === 'http' ? overHttp(database) : inProcess(database, over === 'cpu'))
  // Until code is compiled, everything takes several times as long.
  for (const way of Object.values(ways)) await timingOf(asker, way('news'))
  const all: Measured[] = []
  for (const { name, search, kind } of searches) {
    if (!`${name} ${search}`.includes(only)) continue
    const counted = (await asker.answer(ways.count(search)))[`${list}Aggregate`] as { readonly count: number }
    const timings: Partial<Record<Way, Timing>> = {}
    for (const way of Object.keys(ways) as Way[])
      if (way !== 'relevance' || isRanked({ name, search, kind }))
        timings[way] = await timingOf(asker, ways[way](search))
    all.push({ name, search, kind, matches: counted.count, timings })
  }
  console.log('\n| with other conditions and orders | least | median | p99 |\n|---|---|---|---|')
  for (const [name, query] of Object.entries(combinations))
    if (name.includes(only)) {
      const timing = await timingOf(asker, query)
      console.log(`| ${name} | ${ms(timing.least)} | ${ms(timing.median)} | ${ms(timing.p99)} |`)
    }
  return all
}

async function overHttp(path: string): Promise<Asker> {
  const server = await startServer(path)
  return {
    async time(query) {
      const start = performance.now()
      await ask(server.url, query)
      return performance.now() - start
    },
    async answer(query) {
      const { data, errors } = (await (await post(server.url, query)).json()) as {
        readonly data: Readonly<Record<string, unknown>>
        readonly errors?: unknown
      }
      if (errors !== undefined) throw new Error(`${query}: ${JSON.stringify(errors)}`)
      return data
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function timingOf(asker: Asker, query: string): Promise<Timing> {
  await asker.answer(query)
  // Plans are made with guesses until statistics are there, and a statement is short once it was seen to be.
  for (let round = 0; round < 2; round += 1) await asker.time(query)
  const took: number[] = []
  const end = performance.now() + 1_000 * seconds
  while (took.length < fewest || (took.length < most && performance.now() < end))
    took.push(await asker.time(query))
  return { least: Math.min(...took), median: median(took), p99: quantile(took, 0.99) }
}

function printSearches(all: readonly Measured[]): void {
  const shown = (timing: Timing | undefined): string =>
    timing === undefined ? '– | –' : `${ms(timing.median)} | ${ms(timing.p99)}`
  console.log(`\n| ${engine} | search | matches | newest 20 | p99 | relevance | p99 | count | p99 |`)
  console.log(`|---|---|---|---|---|---|---|---|---|`)
  for (const { name, search, matches, timings } of all)
    console.log(
      `| ${name} | \`${search}\` | ${matches.toLocaleString('en')} | ${shown(timings.newest)} | ${shown(timings.relevance)} | ${shown(timings.count)} |`,
    )
}

/** Other programs only lengthen a time, so the least of all times may be within a limit that the median exceeds. */
function printLimits(all: readonly Measured[]): void {
  console.log('\n| limit, ms | of the median | of the least | misses: median, least |\n|---|---|---|---|')
  for (const { title, way, most, isFor } of limits.filter((one) => one.engine === engine)) {
    const timed = all.filter((one) => one.timings[way] !== undefined && isFor(one))
    const over = (value: 'median' | 'least') =>
      timed.filter(({ timings }) => (timings[way]?.[value] ?? 0) > most)
    const misses = over('median').map(
      ({ search, timings }) =>
        `\`${search}\` ${ms(timings[way]?.median ?? 0)}, ${ms(timings[way]?.least ?? 0)}`,
    )
    const holds = (value: 'median' | 'least') => (over(value).length === 0 ? 'holds' : 'misses')
    console.log(`| ${title}: ${most} | ${holds('median')} | ${holds('least')} | ${misses.join('; ')} |`)
  }
}

/** Newest 20 may take at most 1.3 times as long over a larger corpus. */
function printGrowth(before: readonly Measured[], after: readonly Measured[]): void {
  console.log(
    `\n| ${times} times the records | matches | newest 20 | least, times as long | relevance | count |`,
  )
  console.log('|---|---|---|---|---|---|')
  for (const [index, { search, matches, timings }] of after.entries()) {
    const ratio = (timings.newest?.least ?? 0) / (before[index]?.timings.newest?.least ?? 0)
    const others = [timings.relevance, timings.count].map((one) => (one === undefined ? '–' : ms(one.median)))
    console.log(
      `| \`${search}\` | ${matches.toLocaleString('en')} | ${ms(timings.newest?.median ?? 0)} | ${ratio.toFixed(2)}${ratio > 1.3 ? ' misses' : ''} | ${others.join(' | ')} |`,
    )
  }
}
