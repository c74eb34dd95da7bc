/**
 * One address at its worst against the others. Beside an idle server, and then while somebody without a key sends the
 * worst of its kind on many connections as fast as answers come: the page of 20 of a caller with a key, asked fifty
 * times a second, `/healthz` ten times, a long question of another address once, and the memory of all processes.
 * All workers, default tiers; the hostile caller is a process of its own, each time at a new address with all its points.
 * Usage: node bench/serving/fairness.ts DATABASE [seconds=30] [connections=60] [PART OF A NAME]. The database holds an
 * imported news corpus; a key is added to it. Reads /proc.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type AgentOptions, get, type IncomingMessage } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { privateMemoryOf, sumOfFamily } from '../../test/support/processes.ts'
import { createKey, startDefaultServer } from '../support/default-server.ts'
import { ask, raiseOwnPriority, repeat, type Sent } from '../support/fixed-rate.ts'
import { quantile } from '../support/statistics.ts'
import { type Raw, sendRaw, type Worst, worstCases } from './worst-cases.ts'

const port = 4690
const page = `{ techServiceNewsArticle(first: 20) { nodes {
  uri title url publishedAt language sourceResolved { ... on TechServiceNewsSource { displayName domain } } } } }`
/** Reads all articles; each number another one. */
const long = (n: number): string =>
  `{ techServiceNewsArticle(first: 1, where: {url: {contains: "long${n}"}}) { nodes { uri } } }`

const asked = (query: string): Sent => ({ path: '/api/graphql', body: JSON.stringify({ query }) })
if (process.argv[2] === 'hostile') await attack(JSON.parse(process.argv[3] ?? ''))
else {
  const [database = '', seconds = '30', connections = '60', part = ''] = process.argv.slice(2)
  await measure(database, Number(seconds), Number(connections), part)
}

async function measure(database: string, seconds: number, connections: number, part: string): Promise<void> {
  const key = createKey(database, 'bench')
  const server = await startDefaultServer(database, port)
  raiseOwnPriority()
  try {
    await observe(server.pid ?? 0, key, 3, '127.0.1.1')
    const idle = await observe(server.pid ?? 0, key, seconds, '127.0.1.2')
    report('idle', idle, idle)
    let addresses = 1
    for (const name of Object.keys(worstCases).filter((one) => one.includes(part))) {
      addresses += 1
      const given: Hostile = { name, connections, address: `127.0.0.${addresses}` }
      await warmUp(name, `127.0.3.${addresses}`)
      const before = sumOfFamily(server.pid ?? 0, privateMemoryOf)
      const child = fork(fileURLToPath(import.meta.url), ['hostile', JSON.stringify(given)])
      await once(child, 'message')
      const beside = await observe(server.pid ?? 0, key, seconds, `127.0.2.${addresses}`)
      child.send('stop')
      const [statuses] = await once(child, 'message')
      report(name, beside, { ...idle, memory: before }, statuses)
    }
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}

/** Some requests of that kind, so that each worker has loaded the modules they need, as one that has run for a while. */
async function warmUp(name: string, localAddress: string): Promise<void> {
  for (let n = 1; n <= 16; n += 1) {
    const sent = worstCases[name]?.(n)
    const agent = new Agent({ localAddress } as AgentOptions)
    const { method = 'POST' } = sent !== undefined && 'path' in sent ? sent : {}
    if (sent !== undefined && 'path' in sent)
      await ask(port, { ...sent, isUnread: false }, { agent, method }).catch(() => 0)
    agent.destroy()
  }
}

/** Milliseconds of each request, and the most megabytes that all processes of the service held. */
interface Observed {
  readonly pages: readonly number[]
  readonly health: readonly number[]
  readonly long: readonly number[]
  readonly memory: number
}

/** `other`: the address that asks the long question, with all its points. */
async function observe(pid: number, key: string, seconds: number, other: string): Promise<Observed> {
  let memory = 0
  const watch = setInterval(() => (memory = Math.max(memory, sumOfFamily(pid, privateMemoryOf))), 500)
  let n = Math.floor(Math.random() * 1e9)
  const [pages, health, took] = await Promise.all([
    repeat(seconds, 50, (agent) => ask(port, { ...asked(page), headers: { 'x-api-key': key } }, { agent })),
    repeat(seconds, 10, (agent) => ask(port, { path: '/healthz', body: '' }, { agent, method: 'GET' })),
    repeat(seconds, 1, (agent) => ask(port, asked(long((n += 1))), { agent }), other),
  ])
  clearInterval(watch)
  return { pages, health, long: took, memory }
}

interface Hostile {
  readonly name: string
  readonly connections: number
  readonly address: string
}

async function attack({ name, connections, address }: Hostile): Promise<void> {
  // A caller works on a machine of its own; here its work comes last.
  setPriority(19)
  const options: AgentOptions & { localAddress: string } = { keepAlive: true, localAddress: address }
  const agent = new Agent(options)
  const statuses: Record<string, number> = {}
  const end = new AbortController()
  let n = 0
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      n += 1
      const sent = worstCases[name]?.(n)
      if (sent === undefined) throw new Error(`There is no ${name}.`)
      const status = await send(sent, options, agent, end.signal).catch(() => 'cut')
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  const loops = Array.from({ length: connections }, loop)
  process.send?.('begun')
  await once(process, 'message')
  end.abort()
  agent.destroy()
  await Promise.all(loops)
  process.send?.(statuses, () => process.exit())
}

/** The status of the answer, or how it ended without one. */
async function send(
  sent: Worst | Raw,
  options: AgentOptions,
  keeping: Agent,
  end: AbortSignal,
): Promise<string | number> {
  if ('pieces' in sent) return sendRaw(port, sent, { ...options, keepAlive: false }, end)
  const { manner, method = 'POST' } = sent
  const leaving = manner === 'leave' ? [AbortSignal.timeout(20)] : []
  const agent = manner === undefined ? keeping : new Agent({ ...options, keepAlive: false })
  const signal = AbortSignal.any([end, ...leaving])
  if (manner !== 'slow') return ask(port, sent, { agent, method, signal })
  const { path, headers } = sent
  const [response] = (await once(get({ port, path, headers, agent, signal }), 'response')) as [
    IncomingMessage,
  ]
  for await (const _ of response) await pause(50)
  return response.statusCode ?? 0
}

function report(name: string, seen: Observed, idle: Observed, statuses?: object): void {
  const times = (['pages', 'long'] as const).map((kind) => {
    const share = kind === 'pages' ? 0.99 : 0.5
    const ratio = quantile(seen[kind], share) / quantile(idle[kind], share)
    return `${kind} p${share * 100} ${quantile(seen[kind], share).toFixed(1)} ms (${ratio.toFixed(1)} of idle)`
  })
  const health = `/healthz at most ${Math.max(...seen.health).toFixed(1)} ms`
  const memory = `${Math.round(seen.memory)} MB (${Math.round(seen.memory - idle.memory)} more than before)`
  const became = statuses === undefined ? '' : ` ${JSON.stringify(statuses)}`
  console.log(`${name.padEnd(32)} ${[...times, health, memory].join(', ')}${became}`)
}
