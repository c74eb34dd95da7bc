/**
 * What the index of words costs: microseconds of CPU for each new article in SQLite, with the index and without it, in
 * alternating batches, and the parts of the difference. Two files get the first articles of a corpus by a load, then
 * the next ones in batches as ingestion writes them.
 * Usage: node bench/search/word-index-cost.ts [rounds=4] [articles=5000] [loaded=50000] [corpus=FOLDER] [work=FOLDER]
 * `articles`: so many in each round. `work`: where the files are while it runs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { loadProject } from '../../src/cli/store/project.ts'
import { now } from '../../src/util/instant.ts'
import type { Change, Database } from '../../src/database/database.ts'
import { type Table, type WordIndex } from '../../src/database/layout/tables.ts'
import { connect } from '../../src/database/sqlite/connection.ts'
import { lengthsName, wordColumns } from '../../src/database/sqlite/layout/word-ddl.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { createChangeReader } from '../../src/ingest/sources/change-reader.ts'
import { type IndexedWords, indexedWords } from '../../src/search/indexed-words.ts'
import { quote } from '../../src/sql/sql.ts'
import { type CorpusRecord, createEvents, readFolder } from '../support/corpus.ts'
import { benchCorpus, readOptions } from '../support/options.ts'

const { rounds, articles, loaded, corpus, work } = readOptions(process.argv.slice(2), {
  rounds: 4,
  articles: 5_000,
  loaded: 50_000,
  corpus: benchCorpus,
  work: tmpdir(),
})
const collection = 'tech.service.news.article'
/** Changes that ingestion writes at once, src/ingest/pump.ts. */
const batchSize = 500
/** Accounts that write in turn. */
const accounts = 50

const { lexicons, tables } = await loadProject(new URL('../../lexicons', import.meta.url).pathname)
const table = tables.find((each) => each.collection.nsid === collection) as Table
const index = table.words as WordIndex
const weights = index.fields.map(({ weight }) => weight)
/** Of a record, by field. */
type Texts = readonly (string | null)[]

const changes = readChanges()

async function measure(): Promise<void> {
  const first = await Array.fromAsync(take(loaded))
  await using withWords = await openFile('with.db', tables)
  await using without = await openFile(
    'without.db',
    tables.map((each) => (each === table ? { ...each, words: null } : each)),
  )
  for (const { write } of [withWords, without]) await write.load(batchesOf(first))
  const parts = new Parts()
  console.log('µs of CPU for each new article\n')
  console.log('| round | without words | with words | difference | reading texts | words | inserting |')
  console.log('|---|---|---|---|---|---|---|')
  const all: number[][] = []
  // What is hot is compiled in a first round, which does not count.
  for (let round = 0; round <= rounds; round += 1) {
    const times = await measureRound(without, withWords, parts)
    if (round === 0) continue
    all.push(times)
    console.log(lineOf(String(round), times))
  }
  // Other work on the machine can only add time.
  const [bare = 0, full = 0, , ...rest] = (all[0] ?? []).map((_, part) =>
    Math.min(...all.map((times) => times[part] ?? 0)),
  )
  console.log(lineOf('least', [bare, full, full - bare, ...rest]))
}

async function measureRound(without: Database, withWords: Database, parts: Parts): Promise<number[]> {
  const times = [0, 0, 0, 0, 0]
  const count = async (part: number, work: () => unknown): Promise<void> => {
    const before = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(before)
    times[part] = (times[part] ?? 0) + (user + system) / articles
  }
  const ways = [without, withWords]
  for await (const batch of batchesOf(await Array.fromAsync(take(articles)))) {
    for (const way of ways) await count(way === without ? 0 : 1, () => way.write.applyBatch(batch))
    ways.reverse()
    let texts = parts.read(batch.length)
    let words: readonly IndexedWords[] = []
    // Again: now the pages are in the cache, as they are for a connection that has just written them.
    await count(2, () => (texts = parts.read(batch.length)))
    await count(3, () => (words = texts.map((each) => indexedWords(each, weights))))
    await count(4, () => parts.insert(words))
  }
  const [bare = 0, full = 0, ...rest] = times
  return [bare, full, full - bare, ...rest]
}

/** The parts of the work by themselves, on connections of their own. */
class Parts {
  readonly #texts: StatementSync
  readonly #database: DatabaseSync
  readonly #add: StatementSync
  readonly #addLength: StatementSync
  #id = loaded

  constructor() {
    const source = connect(join(place, 'with.db'), true)
    const columns = index.fields.map(({ text }) => quote(text.name)).join(', ')
    this.#texts = source.prepare(`select ${columns} from ${quote(table.name)} where id = ?`)
    this.#texts.setReturnArrays(true)
    const file = join(place, 'apart.db')
    source.exec(`vacuum into '${file}'`)
    this.#database = connect(file, false)
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = normal')
    const names = wordColumns(index)
    this.#add = this.#database.prepare(
      `insert into ${quote(index.name)} (rowid, ${names.join(', ')}) values (?${', ?'.repeat(names.length)})`,
    )
    this.#addLength = this.#database.prepare(`insert into ${quote(lengthsName(index))} values (?, ?)`)
  }

  /** Of rows that were just added to both files. */
  read(count: number): readonly Texts[] {
    return Array.from(
      { length: count },
      (_, place) => this.#texts.get(this.#id + place + 1) as unknown as Texts,
    )
  }

  insert(words: readonly IndexedWords[]): void {
    this.#database.exec('begin immediate')
    for (const { fields, marks, length } of words) {
      this.#id += 1
      this.#add.run(this.#id, ...[...fields, marks].map((each) => each.join(' ')))
      this.#addLength.run(this.#id, length)
    }
    this.#database.exec('commit')
  }
}

const place = mkdtempSync(join(work, 'lexigraph-words-'))
try {
  await measure()
} finally {
  rmSync(place, { recursive: true })
}

function openFile(name: string, given: readonly Table[]): Promise<Database> {
  const { fingerprint } = lexicons
  return openSqlite(join(place, name), { tables: given, fingerprint, now, check: () => null })
}

/** New articles without end; the few that break the lexicon are left out. */
async function* readChanges(): AsyncGenerator<Change> {
  const { read } = createChangeReader({ lexicons, tables, publishers: null })
  for await (const { record = {}, cid = '', ...event } of createEvents(readArticles(), {
    accounts,
    startMs: Date.now() - 86_400_000,
  })) {
    const change = read({ ...event, cid, value: record }, 'bench')
    if (change.kind === 'put') yield change
  }
}

async function* readArticles(): AsyncGenerator<CorpusRecord> {
  for (;;)
    for await (const record of readFolder(corpus)) if (record.uri.includes(`/${collection}/`)) yield record
}

async function* take(count: number): AsyncGenerator<Change> {
  for (let taken = 0; taken < count; taken += 1) yield (await changes.next()).value
}

async function* batchesOf(all: readonly Change[]): AsyncGenerator<readonly Change[]> {
  for (let start = 0; start < all.length; start += batchSize) yield all.slice(start, start + batchSize)
}

function lineOf(name: string, times: readonly number[]): string {
  return `| ${[name, ...times.map((time) => time.toFixed(1))].join(' | ')} |`
}
