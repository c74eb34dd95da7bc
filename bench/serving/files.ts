/**
 * What an export of a whole collection costs: its time, its first byte, the memory of the server and its processes above
 * idle, and how long others wait for a page meanwhile. Several databases are exported in turns. Reads /proc, so it runs on
 * Linux.
 * Usage: node bench/serving/files.ts DATABASE… [format=csv] [fields=uri,title,…] [gzip] [rounds=3]; without fields, all.
 * DATABASE has an imported news corpus, and is a path or a URL of a PostgreSQL server on this machine;
 * bench/support/growing-corpus.ts makes a corpus of a million articles.
 */
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { privateMemoryOf, statOf, sumOfFamily } from '../../test/support/processes.ts'
import { readOptions } from '../support/options.ts'
import { isPostgres, serverProcess } from '../support/postgres-client.ts'
import { post, type Server, startServer } from '../support/server.ts'
import { quantile } from '../support/statistics.ts'

const given = process.argv.slice(2)
const databases = given.filter((it) => !/^[a-z]+(=|$)/.test(it))
const isZipped = given.includes('gzip')
if (databases.length === 0) throw new Error('Name a database first.')
const { format, fields, rounds } = readOptions(
  given.filter((it) => it !== 'gzip' && !databases.includes(it)),
  { format: 'csv', fields: '', rounds: 3 },
)
const nsid = 'tech.service.news.article'
const page =
  '{ techServiceNewsArticle(first: 20) { nodes { uri title publishedAt sourceResolved { ... on TechServiceNewsSource { displayName } } } } }'
/** Milliseconds between two pages of others. */
const between = 20

interface Exporting {
  readonly server: Server
  /** The main process of a PostgreSQL server; null for SQLite. */
  readonly postgres: number | null
  readonly url: URL
  readonly name: string
  /** Milliseconds that others wait while nothing is exported. */
  readonly alone: readonly number[]
}

await using stack = new AsyncDisposableStack()
const exporting: Exporting[] = []
for (const database of databases) exporting.push(await open(database))
for (let round = 1; round <= rounds; round += 1)
  for (const each of exporting) console.log(await measure(each))

async function open(database: string): Promise<Exporting> {
  const server = stack.use(await startServer(database))
  const queried = (selection: string, first = '') =>
    new URL(
      `/api/graphql?format=${format}&query=${encodeURIComponent(`{ techServiceNewsArticle${first} { nodes { ${selection} } } }`)}`,
      server.url,
    )
  const selection = fields.replaceAll(',', ' ')
  const url = selection === '' ? new URL(`/export/${nsid}.${format}`, server.url) : queried(selection)
  // Everything that is loaded once is loaded.
  await download(queried(selection === '' ? 'uri title' : selection, '(first: 1000)'))
  for (let count = 0; count < 50; count += 1) await ask(server)
  const alone = await waits(server, pause(5_000))
  const [postgres, name] = isPostgres(database)
    ? [await serverProcess(database), 'PostgreSQL']
    : [null, 'SQLite']
  return { server, postgres, url, name, alone }
}

async function measure({ server, postgres, url, name, alone }: Exporting): Promise<string> {
  await pause(1_000)
  const idle = sumOfFamily(server.pid, privateMemoryOf)
  const cpu = (): readonly number[] => [server.pid, ...(postgres === null ? [] : [postgres])].map(cpuOf)
  const before = cpu()
  let highest = idle
  const watching = setInterval(
    () => (highest = Math.max(highest, sumOfFamily(server.pid, privateMemoryOf))),
    50,
  )
  const downloading = download(url)
  const during = await waits(server, downloading)
  clearInterval(watching)
  const { rows, bytes, firstByte, took } = await downloading
  // The process of the database's connection has ended.
  await pause(500)
  const shown = (times: readonly number[], share: number): string => quantile(times, share).toFixed(1)
  const used = cpu().map((seconds, index) => (seconds - (before[index] ?? 0)).toFixed(1))
  return [
    name,
    `${rows} rows`,
    `${(bytes / 1e6).toFixed(0)} MB`,
    `${(took / 1000).toFixed(1)} s (CPU ${used.join(' + ')} s)`,
    `first byte ${firstByte.toFixed(0)} ms`,
    `memory ${idle.toFixed(0)} + ${(highest - idle).toFixed(0)} MB`,
    `pages p50 ${shown(during, 0.5)} ms, p99 ${shown(during, 0.99)} ms (idle ${shown(alone, 0.5)} and ${shown(alone, 0.99)})`,
  ].join(', ')
}

interface Downloaded {
  readonly rows: string
  readonly bytes: number
  readonly firstByte: number
  readonly took: number
}

function download(url: URL): Promise<Downloaded> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const headers = { 'accept-encoding': isZipped ? 'gzip' : 'identity' }
    request(url, { headers }, (response) => {
      let [bytes, firstByte] = [0, 0]
      response.on('data', (piece: Buffer) => {
        if (bytes === 0) firstByte = performance.now() - started
        bytes += piece.length
      })
      response.on('error', reject)
      response.on('end', () => {
        const rows = response.trailers['x-row-count'] ?? `status ${response.statusCode}, no`
        resolve({ rows, bytes, firstByte, took: performance.now() - started })
      })
    })
      .on('error', reject)
      .end()
  })
}

async function ask({ url }: Pick<Server, 'url'>): Promise<void> {
  await (await post(url, page)).arrayBuffer()
}

/** Milliseconds of pages that are asked for one after the other while something goes on. */
async function waits(server: Server, going: Promise<unknown>): Promise<readonly number[]> {
  const end = new AbortController()
  const over = going.then(() => end.abort())
  const times: number[] = []
  while (!end.signal.aborted) {
    const started = performance.now()
    await ask(server)
    times.push(performance.now() - started)
    await Promise.race([over, pause(between)])
  }
  return times
}

/** Seconds of CPU of a process and of its children that have ended. */
function cpuOf(pid: number): number {
  return statOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
}
