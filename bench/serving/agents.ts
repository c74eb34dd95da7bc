/**
 * Pages of others during many concurrent calls of tools: the page of 20 of a caller with a key, asked fifty times a
 * second, and `/healthz` ten times, beside nothing, and then while agents call tools in turn as fast as answers come:
 * all with one key that has no limit of points, and each without a key at an address of its own.
 * The aim: at p99 at most 25 ms, or 3 times idle.
 * Usage: node bench/serving/agents.ts DATABASE [seconds=30] [calls=60]. The database holds an imported news corpus; keys are
 * added to it. All workers, default tiers; the agents are a process of its own, which runs last on the machine.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type AgentOptions } from 'node:http'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createKey, startDefaultServer } from '../support/default-server.ts'
import { ask, raiseOwnPriority, repeat, type Sent } from '../support/fixed-rate.ts'
import { quantile } from '../support/statistics.ts'

const port = 4691
const page = `{ techServiceNewsArticle(first: 20) { nodes {
  uri title url publishedAt language sourceResolved { ... on TechServiceNewsSource { displayName domain } } } } }`

const words = [
  'election',
  'storm',
  'climate',
  'police',
  'market',
  'school',
  'energy',
  'border',
  'health',
  'fire',
]
const pick = <Value>(values: readonly Value[], n: number): Value => values[n % values.length] as Value
const month = (n: number): string => `20${18 + (n % 3)}-${String((n % 12) + 1).padStart(2, '0')}`

/** Calls in the proportions of the sixty questions: most count, some search, some look up. */
const calls: readonly ((n: number) => readonly [tool: string, args: object])[] = [
  (n) => ['aggregate', { collection: 'article', by: ['language'], since: month(n), limit: 3 + (n % 50) }],
  (n) => [
    'aggregate',
    { collection: 'article', by: ['source'], search: pick(words, n), limit: 3 + (n % 50) },
  ],
  (n) => ['search_records', { collection: 'article', search: `${pick(words, n)} ${pick(words, n >> 3)}` }],
  (n) => ['aggregate', { collection: 'enrichment', by: ['sentiment'], since: month(n), limit: 3 + (n % 50) }],
  () => ['describe', {}],
  (n) => ['search_records', { collection: 'article', since: month(n), limit: 1 + (n % 50) }],
  () => ['describe', { collection: 'article' }],
  (n) => [
    'aggregate',
    { collection: 'article', by: ['publishedAt:month'], text: pick(words, n), limit: 3 + (n % 50) },
  ],
  (n) => ['describe', { name: pick(words, n) }],
]

function callOf(n: number, key: string | null): Sent {
  const [name, args] = pick(calls, n)(Math.floor(n / calls.length))
  return {
    path: '/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name, arguments: args } }),
    headers: { accept: 'application/json, text/event-stream', ...(key !== null && { 'x-api-key': key }) },
  }
}

if (process.argv[2] === 'agents') await callTools(JSON.parse(process.argv[3] ?? ''))
else {
  const [database = '', seconds = '30', concurrent = '60'] = process.argv.slice(2)
  await measure(database, Number(seconds), Number(concurrent))
}

async function measure(database: string, seconds: number, concurrent: number): Promise<void> {
  const [key, agentKey] = ['bench pages', 'bench agents'].map((name) => createKey(database, name))
  const server = await startDefaultServer(database, port)
  raiseOwnPriority()
  try {
    await observe(key ?? '', 3)
    for (let n = 0; n < 4 * calls.length; n += 1) await ask(port, callOf(n, agentKey ?? null), {})
    const idle = await observe(key ?? '', seconds)
    report('idle', idle, idle)
    for (const [name, own] of [
      [`${concurrent} calls of one key`, agentKey],
      [`${concurrent} calls, each of an address`, null],
    ] as const) {
      const given: Agents = { concurrent, key: own ?? null }
      const child = fork(fileURLToPath(import.meta.url), ['agents', JSON.stringify(given)])
      await once(child, 'message')
      const beside = await observe(key ?? '', seconds)
      child.send('stop')
      const [outcomes] = await once(child, 'message')
      report(name, beside, idle, outcomes)
    }
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}

/** Milliseconds of each request. */
interface Observed {
  readonly pages: readonly number[]
  readonly health: readonly number[]
}

async function observe(key: string, seconds: number): Promise<Observed> {
  const asked = { path: '/api/graphql', body: JSON.stringify({ query: page }), headers: { 'x-api-key': key } }
  const [pages, health] = await Promise.all([
    repeat(seconds, 50, (agent) => ask(port, asked, { agent })),
    repeat(seconds, 10, (agent) => ask(port, { path: '/healthz', body: '' }, { agent, method: 'GET' })),
  ])
  return { pages, health }
}

interface Agents {
  readonly concurrent: number
  /** Null: each at an address of its own. */
  readonly key: string | null
}

/** Numbers of calls by outcome, and what the first few refusals said. */
interface Outcomes {
  readonly answered: number
  readonly refused: number
  readonly texts: readonly string[]
  /** Milliseconds of answered calls. */
  readonly took: readonly number[]
}

async function callTools({ concurrent, key }: Agents): Promise<void> {
  setPriority(19)
  const outcomes = { answered: 0, refused: 0, texts: new Set<string>(), took: [] as number[] }
  const end = new AbortController()
  const loop = async (index: number): Promise<void> => {
    const localAddress = key === null ? `127.0.5.${index + 1}` : '127.0.0.1'
    const options: AgentOptions & { localAddress: string } = { keepAlive: true, localAddress }
    const agent = new Agent(options)
    for (let n = index * 1_009; !end.signal.aborted; n += 1) {
      const began = performance.now()
      let text = ''
      const status = await ask(
        port,
        callOf(n, key),
        { agent, signal: end.signal },
        (said) => (text = said),
      ).catch(() => 0)
      if (end.signal.aborted) break
      if (status === 200 && !/"isError":true|"error":/.test(text)) {
        outcomes.answered += 1
        outcomes.took.push(performance.now() - began)
      } else {
        outcomes.refused += 1
        if (outcomes.texts.size < 4) outcomes.texts.add(`${status} ${text.slice(0, 300)}`)
      }
    }
    agent.destroy()
  }
  const loops = Array.from({ length: concurrent }, (_, index) => loop(index))
  process.send?.('begun')
  await once(process, 'message')
  end.abort()
  await Promise.all(loops)
  const sent: Outcomes = { ...outcomes, texts: [...outcomes.texts] }
  process.send?.(sent, () => process.exit())
}

function report(name: string, seen: Observed, idle: Observed, outcomes?: Outcomes): void {
  const ratio = quantile(seen.pages, 0.99) / quantile(idle.pages, 0.99)
  const pages = `pages p50 ${quantile(seen.pages, 0.5).toFixed(1)} ms, p99 ${quantile(seen.pages, 0.99).toFixed(1)} ms (${ratio.toFixed(1)} of idle)`
  const health = `/healthz at most ${Math.max(...seen.health).toFixed(1)} ms`
  console.log(`${name.padEnd(34)} ${pages}, ${health}`)
  if (outcomes === undefined) return
  const { answered, refused, texts, took } = outcomes
  console.log(
    `  ${answered} calls answered, p50 ${quantile(took, 0.5).toFixed(0)} ms, p99 ${quantile(took, 0.99).toFixed(0)} ms; ${refused} refused`,
  )
  for (const text of texts) console.log(`  ${text}`)
}
