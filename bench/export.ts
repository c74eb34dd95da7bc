/**
 * What an export of a whole collection costs: its time, its first byte, the memory of the server and its processes above
 * idle, and how long others wait for a page meanwhile. Reads /proc, so it runs on Linux.
 * Usage: node bench/export.ts DATABASE [format=csv] [fields=uri,title,…] [gzip] [rounds=3].
 * DATABASE has an imported news corpus; bench/growth-corpus.ts makes one of a million articles.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { childrenOf } from '../test/support/processes.ts'
import { post, startServer } from './server.ts'

const [database = '', ...options] = process.argv.slice(2)
if (database === '') throw new Error('Name a database first.')
const option = (name: string, otherwise: string): string =>
  options.find((it) => it.startsWith(`${name}=`))?.slice(name.length + 1) ?? otherwise
const format = option('format', 'csv')
const fields = option('fields', '')
const rounds = Number(option('rounds', '3'))
const isZipped = options.includes('gzip')
const nsid = 'tech.service.news.article'
const page =
  '{ techServiceNewsArticle(first: 20) { nodes { uri title publishedAt sourceResolved { ... on TechServiceNewsSource { displayName } } } } }'
/** Milliseconds between two pages of others. */
const between = 20

await using server = await startServer(database)
const exported = new URL(`/export/${nsid}.${format}${fields === '' ? '' : `?fields=${fields}`}`, server.url)
// Everything that is loaded once is loaded.
await download(new URL(`${exported}${fields === '' ? '?' : '&'}limit=1000`))
for (let count = 0; count < 50; count += 1) await ask()
const alone = await waits(pause(5_000))
for (let round = 1; round <= rounds; round += 1) {
  await pause(1_000)
  const idle = memoryOf(server.pid)
  const cpuBefore = cpuOf(server.pid)
  let highest = idle
  const watching = setInterval(() => (highest = Math.max(highest, memoryOf(server.pid))), 50)
  const downloading = download(exported)
  const during = await waits(downloading)
  clearInterval(watching)
  const { rows, bytes, firstByte, took } = await downloading
  console.log(
    [
      `${rows} rows`,
      `${(bytes / 1e6).toFixed(0)} MB`,
      `${(took / 1000).toFixed(1)} s (CPU ${(cpuOf(server.pid) - cpuBefore).toFixed(1)} s)`,
      `first byte ${firstByte.toFixed(0)} ms`,
      `memory ${idle.toFixed(0)} + ${(highest - idle).toFixed(0)} MB`,
      `pages p50 ${at(during, 0.5)} ms, p99 ${at(during, 0.99)} ms (idle ${at(alone, 0.5)} and ${at(alone, 0.99)})`,
    ].join(', '),
  )
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

async function ask(): Promise<void> {
  await (await post(server.url, page)).arrayBuffer()
}

/** Sorted milliseconds of pages that are asked for one after the other while something goes on. */
async function waits(going: Promise<unknown>): Promise<readonly number[]> {
  const end = new AbortController()
  const over = going.then(() => end.abort())
  const times: number[] = []
  while (!end.signal.aborted) {
    const started = performance.now()
    await ask()
    times.push(performance.now() - started)
    await Promise.race([over, pause(between)])
  }
  return times.toSorted((a, b) => a - b)
}

function at(times: readonly number[], part: number): string {
  return (times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? 0).toFixed(1)
}

/** Seconds of CPU of a server and of its processes that have ended. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
}

/** Megabytes of a process and all below it, pages of files left out. */
function memoryOf(pid: number): number {
  let own = 0
  try {
    own = Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    // It has ended.
  }
  return childrenOf(pid).reduce((sum, child) => sum + memoryOf(child), own)
}
