/**
 * How many source files run for one request: V8's precise coverage of one serving process, for a list, a page of the
 * explorer, an aggregate of an agent and a file, each new and again.
 * Usage: node bench/coverage/files-run.ts DATABASE [--list]
 */
import { main } from '../../src/cli/main.ts'
import { startCoverage } from './coverage.ts'

const [database, flag] = process.argv.slice(2)
if (database === undefined) throw new Error('Usage: node bench/coverage/files-run.ts DATABASE [--list]')
const port = 4999
const origin = `http://127.0.0.1:${port}`
const list = (size: number): string =>
  `{ techServiceNewsArticle(first: ${size}, where: {language: {eq: "en"}}) { nodes { title sourceResolved { ... on TechServiceNewsSource { displayName } } } pageInfo { hasNextPage endCursor } } }`

process.argv = [process.argv[0] ?? '', 'lexigraph', 'serve', '--database', database, '--port', String(port)]
process.argv.push('--workers', '1', '--log-level', 'error', '--mcp')
void main(new URL('../../', import.meta.url))

const coverage = await startCoverage()
await ready()
const post = (path: string, body: object): Promise<Response> =>
  fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(body),
  })
const ask = (size: number) => post('/api/graphql', { query: list(size) })
const page = (size: number) => fetch(`${origin}/c/tech.service.news.article?language=en&q=flood+-w${size}`)
const count = (limit: number) =>
  post('/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'aggregate',
      arguments: { collection: 'tech.service.news.article', by: ['language'], limit },
    },
  })
const file = (size: number) =>
  fetch(
    `${origin}/api/graphql?format=csv&query=${encodeURIComponent(`{ techServiceNewsArticle(first: ${size}) { nodes { title url } } }`)}`,
  )

for (const [name, send] of Object.entries({ list: ask, page, aggregate: count, file })) {
  // Modules are loaded by the first requests.
  for (const size of [3, 4, 5]) await read(send(size))
  for (const kind of ['new', 'repeated']) {
    await coverage.filesRun()
    await read(send(20))
    const files = await coverage.filesRun()
    console.log(`${name}, ${kind}: ${files.length} files`)
    if (flag === '--list') console.log(files.map((path) => `  ${path}`).join('\n'))
  }
}
process.exit()

async function read(answer: Promise<Response>): Promise<void> {
  const response = await answer
  const text = await response.text()
  if (!response.ok || text.includes('isError') || text.startsWith('{"errors'))
    throw new Error(`${response.status} ${text.slice(0, 500)}`)
}

async function ready(): Promise<void> {
  for (;;) {
    const isUp = await fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
