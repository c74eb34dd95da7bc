/**
 * What stories cost, next to a copy of the same database without them: microseconds of CPU for each article, of the
 * writer and of PostgreSQL; what is left of the rate of ingestion; how long a whole corpus takes, how far stories are
 * behind at a fixed rate, and two questions about them. Articles come in the order in which they were indexed.
 * Usage: node bench/stories/cost.ts [engine=sqlite] [articles=210000] [added=10000] [rate=100] [seconds=20]
 *   [corpus=FOLDER] [work=FOLDER] [postgres=URL]
 * `engine`: sqlite or postgres. `added`: so many of the articles come last, in batches as ingestion writes them, after a
 * batch with which stories are read into memory.
 */
import { copyFileSync, createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { keepStories } from '../../src/cli/background/ingest.ts'
import { loadProject } from '../../src/cli/store/project.ts'
import { now } from '../../src/util/instant.ts'
import type { Change, Database } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open.ts'
import { createChangeReader } from '../../src/ingest/sources/change-reader.ts'
import { type CorpusRecord, createEvents, readFolder } from '../support/corpus.ts'
import { cpuMeter, runningHere } from '../support/cpu-time.ts'
import { openEngine } from '../support/engine.ts'
import { benchCorpus, readOptions } from '../support/options.ts'
import { withClient } from '../support/postgres-client.ts'
import { openPostgres } from '../support/stores.ts'

const { engine, articles, added, rate, seconds, corpus, work, postgres } = readOptions(
  process.argv.slice(2),
  {
    engine: 'sqlite',
    articles: 210_000,
    added: 10_000,
    rate: 100,
    seconds: 20,
    corpus: benchCorpus,
    work: tmpdir(),
    postgres: '',
  },
)
const collection = 'tech.service.news.article'
const started = Date.now() - 86_400_000
/** As src/ingest/pump.ts and src/ingest/sources/files/import.ts have it. */
const [batchSize, derivedAtOnce] = [500, 5_000]
/** Some of them are late by days, so that all days that late ones need are in memory afterwards. */
const warming = 3_000
/** With and without stories in turns, so that neither runs on files or code that the other has warmed. */
const rounds = 4
const [list, groups] = ['techServiceNewsArticle', 'techServiceNewsArticleAggregate']
const newest = `{ ${list}(first: 20, distinctOn: [story], sortBy: [{field: publishedAt, direction: DESC}]) { nodes { story } } }`
const outlets = 'groups { story count outlets: countDistinct(field: source) }'
const ofWeek = `{ ${groups}(groupBy: [story], limit: 20, where: {story: {isNull: false},
  publishedAt: {gte: "2020-05-04T00:00:00Z", lt: "2020-05-11T00:00:00Z"}},
  rankBy: {measure: COUNT_DISTINCT, field: source, direction: DESC}) { ${outlets} } }`

const project = await loadProject(new URL('../../lexicons', import.meta.url).pathname)
await using stack = new AsyncDisposableStack()
const place = mkdtempSync(join(work, 'lexigraph-stories-'))
stack.defer(() => rmSync(place, { recursive: true }))
const server = engine === 'postgres' ? stack.use(await openPostgres(postgres)).url : null
/** The articles in a file: in memory, each collection of garbage would look at all of them. */
const lines = join(place, 'articles.jsonl')
const loaded = (await writeArticles()) - warming - added - rate * seconds
/** What comes first after a start, a burst, and what comes at the rate. */
const late = await Array.fromAsync(readChanges(loaded, Number.POSITIVE_INFINITY))
const [first, burst, live] = [
  late.slice(0, warming),
  late.slice(warming, -rate * seconds),
  late.slice(-rate * seconds),
]

const whole = await create('with')
{
  const base = await loadAll(await create('without'), false)
  const both = await loadAll(whole, true)
  const took = ((both.ms - base.ms) / 1_000).toFixed(1)
  print(`${loaded} articles at once`, `${took} s`, perArticle(both.cpu - base.cpu, loaded))
}
collectGarbage()
const copied = await create('without', whole)
{
  await using withStories = await open(whole, true)
  await using without = await open(copied, false)
  const meter = await cpuMeter(withStories.read)
  const opening = await meter(async () => {
    for (const batch of batchesOf(first, batchSize)) await withStories.write.applyBatch(batch)
    await deriveAll(withStories)
  })
  print(`the first ${first.length} after a start`, `${opening.toFixed(0)} ms of CPU`, '')
  for (const batch of batchesOf(first, batchSize)) await without.write.applyBatch(batch)
  const measure = async (database: Database, round: number, costs: Costs): Promise<void> => {
    const stop = new AbortController()
    let keeping = Promise.resolve()
    costs.burst += await meter(async () => {
      keeping = keepStories(database.write.metadata, stop.signal)
      for (const batch of batchesOf(partOf(burst, round), batchSize)) await database.write.applyBatch(batch)
    })
    stop.abort()
    await keeping
    costs.rest += await meter(() => deriveAll(database))
    costs.live += await meter(() => follow(database, partOf(live, round), costs.behind))
  }
  const [base, more] = [costsOf(), costsOf()]
  for (let round = 0; round < rounds; round += 1) {
    const both = [() => measure(without, round, base), () => measure(withStories, round, more)]
    for (const each of round % 2 === 0 ? both : both.toReversed()) await each()
  }
  const share = ((100 * base.burst) / more.burst).toFixed(0)
  const behind = Math.max(...more.behind).toFixed(2)
  const [extra, extraLive] = [more.burst + more.rest - base.burst - base.rest, more.live - base.live]
  print('ingestion without stories', '', perArticle(base.burst, added))
  print('the same with stories', `${share} % of the rate`, perArticle(extra, added))
  print(`${rate} articles/s without stories`, '', perArticle(base.live, live.length))
  print('the same with stories', `at most ${behind} s behind`, perArticle(extraLive, live.length))
}
await ask()

function print(...cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}

function perArticle(milliseconds: number, count: number): string {
  return `${((1_000 * milliseconds) / count).toFixed(0)} µs`
}

/** Milliseconds of CPU, and seconds that articles waited for their stories. */
interface Costs {
  burst: number
  rest: number
  live: number
  readonly behind: number[]
}

function costsOf(): Costs {
  return { burst: 0, rest: 0, live: 0, behind: [] }
}

/** Applies articles at the rate, and notes how many seconds each waits for its story. */
async function follow({ write }: Database, given: readonly Change[], behind: number[]): Promise<void> {
  const stop = new AbortController()
  let waiting: number[] = []
  const deriveStories = async (limit: number): Promise<boolean> => {
    const before = waiting
    waiting = []
    const isMore = await write.metadata.deriveStories(limit)
    if (isMore) waiting.unshift(...before)
    else behind.push(...before.map((at) => (performance.now() - at) / 1_000))
    return isMore
  }
  const keeping = keepStories({ ...write.metadata, deriveStories }, stop.signal)
  const start = performance.now()
  for (const [index, batch] of [...batchesOf(given, rate / 10)].entries()) {
    await pause(Math.max(start + 100 * index - performance.now(), 0))
    await write.applyBatch(batch)
    waiting.push(performance.now())
  }
  while (waiting.length > 0) await pause(50)
  stop.abort()
  await keeping
}

function partOf<Its>(all: readonly Its[], round: number): readonly Its[] {
  return all.slice((all.length * round) / rounds, (all.length * (round + 1)) / rounds)
}

/** Milliseconds of CPU, the least of some. */
async function ask(): Promise<void> {
  await using opened = await openEngine(whole, runningHere)
  const meter = await cpuMeter(opened.database)
  const answerOf = async (query: string) => {
    const answer = await opened.engine.execute({ query })
    if (answer.kind !== 'data') throw new Error(JSON.stringify(answer))
    return JSON.parse(Buffer.from(answer.body).toString()).data
  }
  const least = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const times = await Array.fromAsync({ length: 15 }, () => meter(work))
    print(name, `${Math.min(...times).toFixed(1)} ms of CPU`, '')
  }
  await least('newest 20 stories with their outlets', async () => {
    const { nodes } = (await answerOf(newest))[list] as { readonly nodes: readonly { story: string }[] }
    const uris = JSON.stringify(nodes.map(({ story }) => story))
    await answerOf(`{ ${groups}(groupBy: [story], where: {story: {uri: {in: ${uris}}}}) { ${outlets} } }`)
  })
  await least('stories of a week with most outlets', () => answerOf(ofWeek))
}

/** Milliseconds, and milliseconds of CPU, of a load into an empty database. PostgreSQL derives stories before indexes. */
async function loadAll(
  url: string,
  hasStories: boolean,
): Promise<{ readonly ms: number; readonly cpu: number }> {
  await using database = await open(url, hasStories)
  collectGarbage()
  const meter = await cpuMeter(database.read)
  const start = performance.now()
  const cpu = await meter(async () => {
    await database.write.load(batchesFrom(readChanges(0, loaded), batchSize))
    await deriveAll(database)
  })
  return { ms: performance.now() - start, cpu }
}

async function deriveAll({ write }: Database): Promise<void> {
  while (await write.metadata.deriveStories(derivedAtOnce));
}

function open(url: string, hasStories: boolean): Promise<Database> {
  const { lexicons, tables } = project
  const given = hasStories ? tables : tables.map((table) => ({ ...table, stories: null }))
  return openDatabase(url, { tables: given, fingerprint: lexicons.fingerprint, now, check: () => null })
}

/** A database of that name, empty or a copy. */
async function create(name: string, copy: string | null = null): Promise<string> {
  if (server === null) {
    const path = join(place, `${name}.db`)
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    if (copy !== null) copyFileSync(copy, path)
    return path
  }
  const called = `lexigraph_stories_${name}`
  const template = copy === null ? 'template0' : new URL(copy).pathname.slice(1)
  await withClient(server, async (client) => {
    await client.query(`drop database if exists ${called}`)
    await client.query(`create database ${called} encoding 'UTF8' template ${template}`)
  })
  return Object.assign(new URL(server), { pathname: called }).href
}

function* batchesOf<Its>(all: readonly Its[], size: number): Generator<readonly Its[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}

async function* batchesFrom<Its>(all: AsyncIterable<Its>, size: number): AsyncGenerator<readonly Its[]> {
  let batch: Its[] = []
  for await (const each of all) {
    batch.push(each)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  yield batch
}

/**
 * Writes the first articles of the corpus, by the time at which they were indexed, without those that break the lexicon.
 * Returns their number.
 */
async function writeArticles(): Promise<number> {
  const records = (await Array.fromAsync(readFolder(corpus))) as (CorpusRecord & { indexedAt: string })[]
  const sorted = records
    .filter(({ uri }) => uri.includes(`/${collection}/`))
    .toSorted((a, b) => (a.indexedAt < b.indexedAt ? -1 : Number(a.indexedAt > b.indexedAt)))
    .slice(0, articles)
  const changes = await Array.fromAsync(changesOf(streamOf(sorted)))
  const kept = sorted.filter((_, at) => changes[at]?.kind === 'put')
  writeFileSync(lines, kept.map((record) => `${JSON.stringify(record)}\n`).join(''))
  return kept.length
}

async function* readChanges(from: number, to: number): AsyncGenerator<Change> {
  let at = 0
  for await (const change of changesOf(readLines())) {
    if (at >= to) return
    if (at >= from) yield change
    at += 1
  }
}

async function* readLines(): AsyncGenerator<CorpusRecord> {
  for await (const line of createInterface({ input: createReadStream(lines) })) yield JSON.parse(line)
}

async function* changesOf(records: AsyncIterable<CorpusRecord>): AsyncGenerator<Change> {
  const { read } = createChangeReader({ ...project, publishers: null })
  for await (const event of createEvents(records, { accounts: 50, startMs: started })) {
    const { record = {}, cid = '', ...named } = event
    yield read({ ...named, cid, value: record }, 'bench')
  }
}

async function* streamOf<Its>(all: Iterable<Its>): AsyncGenerator<Its> {
  yield* all
}

/** So that what was read before does not cost what is measured. */
function collectGarbage(): void {
  setFlagsFromString('--expose_gc')
  runInNewContext('gc')()
}
