/**
 * How many source files run for one request: V8's precise coverage of one serving process, for a list request whose
 * operation is new, and for the same again.
 * Usage: node bench/coverage/files-run.ts DATABASE [--list]
 */
import { main } from '../../src/cli/main.ts'
import { startCoverage } from './coverage.ts'

const [database, flag] = process.argv.slice(2)
if (database === undefined) throw new Error('Usage: node bench/coverage/files-run.ts DATABASE [--list]')
const port = 4999
const url = `http://127.0.0.1:${port}/api/graphql`
const list = (size: number): string =>
  `{ techServiceNewsArticle(first: ${size}, where: {language: {eq: "en"}}) { nodes { title sourceResolved { ... on TechServiceNewsSource { displayName } } } pageInfo { hasNextPage endCursor } } }`

process.argv = [process.argv[0] ?? '', 'lexigraph', 'serve', '--database', database, '--port', String(port)]
process.argv.push('--workers', '1', '--log-level', 'error')
void main(new URL('../../', import.meta.url))

const coverage = await startCoverage()
await answered()
// Modules are loaded by the first requests.
for (const size of [3, 4, 5]) await ask(list(size))
for (const [name, query] of [
  ['new', list(20)],
  ['repeated', list(20)],
] as const) {
  await coverage.filesRun()
  await ask(query)
  const files = await coverage.filesRun()
  console.log(`${name}: ${files.length} files`)
  if (flag === '--list') console.log(files.map((file) => `  ${file}`).join('\n'))
}
process.exit()

async function ask(query: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const answer = (await response.json()) as { readonly data?: unknown }
  if (answer.data === undefined) throw new Error(JSON.stringify(answer))
}

async function answered(): Promise<void> {
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
