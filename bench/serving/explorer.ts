/**
 * What pages of the explorer take: over HTTP, from the request to the last byte, and the CPU time of the server and of
 * PostgreSQL, for pages of several kinds, each asked three times; their bytes; and latencies under a steady load of various pages.
 * Answers are not kept, except under load; charts are, so that two of three pages do not draw theirs.
 * Usage: node bench/serving/explorer.ts database=PATH|URL [pages=MINUTE] [seconds=60] [only=pages|sizes|load] [kind=WORDS]
 * `database`: the bench corpus, such as bench/analysis/analysis.ts makes, in SQLite or on a PostgreSQL server of this machine.
 * `pages`: so many a minute are asked for. `kind`: part of the name of a kind of pages; others are left out.
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { bundle } from '../../build/explorer.ts'
import { ms } from '../support/asker.ts'
import { cpuOf } from '../support/cpu-time.ts'
import { readOptions } from '../support/options.ts'
import { isPostgres, serverProcess } from '../support/postgres-client.ts'
import { post, type Server, startServer } from '../support/server.ts'
import { median } from '../support/statistics.ts'

const {
  database,
  pages: perMinute,
  seconds,
  only,
  kind,
} = readOptions(process.argv.slice(2), { database: '', pages: 1_000, seconds: 60, only: '', kind: '' })
const rounds = 3

const articles = '/c/tech.service.news.article'
const analyses = '/c/tech.service.news.enrichment'
const languages = ['en', 'fr', 'ru']
const words = ['election', 'storm', 'climate', 'police', 'market', 'school', 'energy', 'border', 'health']
const days = Array.from({ length: 28 }, (_, at) => `2020-05-${String(at + 1).padStart(2, '0')}`)
const sorts = ['wordCount', '-wordCount', 'publishedAt', '-publishedAt', 'title', '-title']
const each = (values: readonly string[], address: (value: string) => string): readonly string[] =>
  values.map(address)

/** Addresses of one kind, each of which asks the database for something else. */
const allKinds: Readonly<Record<string, readonly string[]>> = {
  'first page': each(['en', 'es', 'ar'], (lang) => `/?lang=${lang}`),
  'collection: five facets, chart, 20 records': each(
    ['', '?show=list', '?per=day', '?as=count', '?per=month'],
    (query) => articles + query,
  ),
  'the same, by week over eight years': [`${articles}?per=week`],
  'the same, sorted': each(sorts, (sort) => `${articles}?sort=${sort}`),
  'a language': each(languages, (language) => `${articles}?language=${language}`),
  'a day': each(days.slice(0, 14), (day) => `${articles}?publishedAt=${day}&publishedAt.to=${day}`),
  'a week of a language': each(
    languages,
    (language) => `${articles}?language=${language}&publishedAt=2020-05-04&publishedAt.to=2020-05-10`,
  ),
  'a word': each(words, (word) => `${articles}?q=${word}`),
  'a word in all collections': each(words, (word) => `/search?q=${word}`),
  'table of analyses': each(
    ['negative', 'neutral', 'positive', 'mixed'],
    (tone) => `${analyses}?show=table&sentiment=${tone}`,
  ),
  'charts: average by outlet': each(
    ['clickbaitScore', 'impactLevel', 'sentimentScore'],
    (of) => `${analyses}/charts?measure=average&of=${of}&by=article_source`,
  ),
  'topics: two words compared': each(words.slice(1), (word) => `${articles}/topic?q=election&q=${word}`),
  'topics: unusual on a day': each(
    days.slice(14, 20),
    (day) => `${articles}/topic?publishedAt=${day}&publishedAt.to=${day}&panel=words`,
  ),
}

const kinds = Object.fromEntries(Object.entries(allKinds).filter(([name]) => name.includes(kind)))
/** Of the database, if that is a server. */
const postgres = isPostgres(database) ? [await serverProcess(database)] : []
const agent = new Agent({ keepAlive: true, maxSockets: 64 })

interface Got {
  readonly took: number
  /** Milliseconds until the first byte of the page. */
  readonly began: number
  readonly status: number
  readonly bytes: number
}

/** Compressed, as browsers ask. */
function get(url: string): Promise<Got> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let began = 0
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => {
        if (began === 0) began = performance.now() - start
        pieces.push(piece)
      })
      response.on('error', reject).on('end', () => {
        const content = Buffer.concat(pieces)
        const took = performance.now() - start
        const failure = /role="alert">.{0,400}/.exec(gunzipSync(content).toString())
        if (failure !== null) return reject(new Error(`${url}: ${failure[0]}`))
        resolve({ took, began, status: response.statusCode ?? 0, bytes: content.length })
      })
    })
    asked.on('error', reject).end()
  })
}

/** Milliseconds of computing since the start. */
function cpuWith({ pid }: Server): number {
  return [pid, ...postgres].reduce((sum, each) => sum + cpuOf(each), 0)
}

function originOf(server: Server): string {
  return new URL(server.url).origin
}

if (only === '' || only === 'pages') await timePages()
if (only === '' || only === 'sizes') await measureFiles()
if (only === '' || only === 'load') await load()

async function timePages(): Promise<void> {
  await using server = await startServer(database)
  const origin = originOf(server)
  // Bundles scripts, starts the thread that draws, and compiles what pages share.
  for (const address of ['/', articles, `${articles}?q=warm&language=en`, `${analyses}/charts`])
    for (let round = 0; round < 3; round += 1) await get(origin + address)
  console.log('| page | ms | least | first byte | CPU ms | kB, gzipped |\n|---|---|---|---|---|---|')
  for (const [name, addresses] of Object.entries(kinds)) {
    const found: Got[] = []
    const cpus: number[] = []
    for (let round = 0; round < rounds; round += 1)
      for (const address of addresses) {
        const before = cpuWith(server)
        const got = await get(origin + address)
        if (got.status !== 200) throw new Error(`${address} answers ${got.status}.`)
        found.push(got)
        cpus.push(cpuWith(server) - before)
      }
    const took = found.map((got) => got.took)
    const began = median(found.map((got) => got.began))
    const bytes = median(found.map((got) => got.bytes)) / 1_000
    console.log(
      `| ${name} | ${ms(median(took))} | ${ms(Math.min(...took))} | ${ms(began)} | ${ms(median(cpus))} | ${ms(bytes)} |`,
    )
  }
}

async function measureFiles(): Promise<void> {
  const { files } = await bundle()
  console.log('\n| file | bytes, gzipped |\n|---|---|')
  for (const [name, content] of files) console.log(`| ${name} | ${gzipSync(content).length} |`)
}

/**
 * Requests start at equal distances, whether or not those before have been answered. Of twenty pages ten are records, six
 * have been asked before, as first pages have, and four ask something else each time.
 */
async function load(): Promise<void> {
  await using server = await startServer(database, { answerCache: 64, workers: 2 })
  const origin = originOf(server)
  const usual = [
    '/',
    articles,
    analyses,
    `${articles}?show=table`,
    '/c/tech.service.news.source',
    `${articles}/charts`,
  ]
  const records = await recordPages(server)
  const others = [
    ...Object.values(kinds).flat(),
    ...languages.flatMap((language) =>
      days.map((day) => `${articles}?language=${language}&publishedAt=${day}`),
    ),
  ]
  for (const address of usual) await get(origin + address)
  const address = (at: number): string => {
    const [set, turn] = at % 20 < 10 ? [records, at] : at % 20 < 16 ? [usual, at] : [others, at * 31]
    return set[turn % set.length] ?? '/'
  }
  const total = Math.round((perMinute * seconds) / 60)
  const distance = 60_000 / perMinute
  const start = performance.now()
  const before = cpuWith(server)
  const asked = Array.from({ length: total }, async (_, at) => {
    await sleep(Math.max(0, start + at * distance - performance.now()))
    return get(origin + address(at))
  })
  const found = await Promise.all(asked)
  const sorted = found.map(({ took }) => took).toSorted((one, other) => one - other)
  const part = (of: number): string => ms(sorted[Math.floor(of * (sorted.length - 1))] ?? 0)
  const wrong = found.filter(({ status }) => status !== 200).length
  const cores = (cpuWith(server) - before) / (performance.now() - start)
  console.log(
    `\n${total} pages at ${perMinute} a minute: median ${part(0.5)} ms, p95 ${part(0.95)}, p99 ${part(0.99)}, most ${part(1)}; ${wrong} not answered; ${cores.toFixed(2)} cores.`,
  )
}

async function recordPages({ url }: Server): Promise<readonly string[]> {
  const query = '{ techServiceNewsArticle(first: 500) { nodes { uri } } }'
  const { data } = (await (await post(url, query)).json()) as {
    readonly data: {
      readonly techServiceNewsArticle: { readonly nodes: readonly { readonly uri: string }[] }
    }
  }
  return data.techServiceNewsArticle.nodes.map(({ uri }) => uri.replace('at://', '/at/'))
}
