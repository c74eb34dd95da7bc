/**
 * Whether the memory of `serve` stays flat: 100,000 different requests over HTTP, and what the process holds
 * after every tenth of them. `npm run lexigraph -- import` a large corpus first, then
 * `node bench/serving/soak-memory.ts DATABASE [REQUESTS]`. Reads /proc, so it runs on Linux.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { requestNumber } from '../../test/support/service/requests.ts'

const [database, given] = process.argv.slice(2)
if (database === undefined) {
  console.error('Name a database: node bench/serving/soak-memory.ts DATABASE [REQUESTS]')
  process.exit(2)
}
const requests = Number(given ?? 100_000)
const connections = 8

// The server tells its heap, garbage collected, when it is asked by a signal.
const teller = `process.on('SIGUSR2', () => { gc(); process.stderr.write('\\nheap ' + process.memoryUsage().heapUsed + '\\n') })`
const program = fileURLToPath(new URL('../../bin/lexigraph.js', import.meta.url))
const child = spawn(
  process.execPath,
  [
    '--expose-gc',
    '--import',
    `data:text/javascript,${encodeURIComponent(teller)}`,
    program,
    'serve',
    '--port',
    '0',
    '--database',
    database,
  ],
  { stdio: ['ignore', 'ignore', 'pipe'] },
)
let said = ''
child.stderr.setEncoding('utf8').on('data', (text: string) => {
  said = (said + text).slice(-10_000)
})
process.on('exit', () => child.kill('SIGKILL'))

const [, url] = await untilSaid(/answers at (http:\/\/[\d.]+:\d+)/)
console.log('  requests   seconds   answered    refused   private MB    RSS MB   heap MB')
const start = performance.now()
let [answered, refused, next] = [0, 0, 0]
let cursor: string | null = null
await report()
for (let tenth = 1; tenth <= 10; tenth += 1) {
  await Promise.all(Array.from({ length: connections }, () => ask(Math.ceil((requests * tenth) / 10))))
  await report()
}
child.kill('SIGTERM')

async function ask(upTo: number): Promise<void> {
  while (next < upTo) {
    const response = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(requestNumber(next++, cursor)),
    })
    const text = await response.text()
    if (response.status >= 500) throw new Error(`Request ${next - 1} failed: ${text}`)
    if (text.startsWith('{"data"')) answered += 1
    else refused += 1
    cursor = /"endCursor":"([^"]+)"/.exec(text)?.[1] ?? cursor
  }
}

async function report(): Promise<void> {
  said = ''
  child.kill('SIGUSR2')
  const [, heap] = await untilSaid(/heap (\d+)\n/)
  const memory = readFileSync(`/proc/${child.pid}/smaps_rollup`, 'utf8')
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(memory)?.[1]) / 1024
  const columns = [
    next,
    ((performance.now() - start) / 1000).toFixed(0),
    answered,
    refused,
    (of('Private_Clean') + of('Private_Dirty')).toFixed(0),
    of('Rss').toFixed(0),
    (Number(heap) / 1024 / 1024).toFixed(1),
  ]
  console.log(
    columns
      .map((column, index) => String(column).padStart([10, 10, 11, 11, 13, 10, 10][index] ?? 10))
      .join(''),
  )
}

async function untilSaid(pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const found = pattern.exec(said)
    if (found !== null) return found
    if (child.exitCode !== null) throw new Error(`The server ended: ${said}`)
    await once(child.stderr, 'data')
  }
}
