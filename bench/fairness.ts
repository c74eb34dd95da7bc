/**
 * One caller against the others: the page of 20 of a caller with a key, asked a hundred times a second, on an idle
 * server and then while somebody without a key sends the heaviest operations allowed, as fast as answers come, on many
 * connections. All workers, default tiers; the hostile caller is a process of its own, each time at a new address with
 * all its points.
 * Usage: node bench/fairness.ts DATABASE [seconds]. The database holds an imported news corpus; a key is added to it.
 */
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, type AgentOptions, request } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../bin/lexigraph.js', import.meta.url))
const port = 4690
const page = `{ techServiceNewsArticle(first: 20) { nodes {
  uri title url publishedAt language sourceResolved { ... on TechServiceNewsSource { displayName domain } } } } }`

const times = (count: number, part: (alias: string) => string): string =>
  `{ ${Array.from({ length: count }, (_, index) => part(`a${index}`)).join(' ')} }`

/** Each near the 250 points that an operation of the public may cost, and the last two many for little. */
const heavy: Readonly<Record<string, (n: number) => string>> = {
  'groups by three fields': (n) =>
    times(
      3,
      (a) => `${a}: techServiceNewsArticleAggregate(groupBy: [source, publishedAt_day, language],
      limit: 1000, minCount: ${n % 1000}) { count groupCount groups { count countDistinct(field: tags) } }`,
    ),
  'needles that no index finds': (n) =>
    times(
      7,
      (a) =>
        `${a}: techServiceNewsArticle(first: 1, where: {url: {contains: "${a}x${n}"}}) { totalCount nodes { uri } }`,
    ),
  'lists in lists': (n) =>
    times(
      3,
      (
        a,
      ) => `${a}: techServiceNewsSource(first: ${100 - (n % 3)}) { nodes { techServiceNewsArticleViaSource(first: 100) {
      nodes { uri title url description publishedAt language } } } }`,
    ),
  'pages of a hundred': (n) =>
    `{ techServiceNewsArticle(first: ${100 - (n % 50)}) { nodes { uri title url publishedAt language
      sourceResolved { ... on TechServiceNewsSource { displayName domain } } } } }`,
  'documents without sense': (n) => `{ ${'techServiceNewsArticel '.repeat(300)} n${n} }`,
}

if (process.argv[2] === 'hostile') await attack(JSON.parse(process.argv[3] ?? ''))
else await measure(process.argv[2] ?? '', Number(process.argv[3] ?? 15))

async function measure(database: string, seconds: number): Promise<void> {
  const made = ['keys', 'create', '--name', 'bench', '--tier', 'unlimited', '--database', database]
  const key = execFileSync(process.execPath, [program, ...made], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const args = [program, 'serve', '--database', database, '--port', String(port), '--request-log', 'none']
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  await once(server.stderr, 'data')
  try {
    await calls(key.trim(), 3)
    const idle = await calls(key.trim(), seconds)
    report('idle', idle, idle)
    let addresses = 1
    const during = async (name: string, connections: number, span: number): Promise<Beside> => {
      addresses += 1
      const given: Hostile = { name, connections, address: `127.0.0.${addresses}` }
      const child = fork(fileURLToPath(import.meta.url), ['hostile', JSON.stringify(given)])
      await once(child, 'message')
      const took = await calls(key.trim(), span)
      child.send('stop')
      const [statuses] = await once(child, 'message')
      return { took, statuses }
    }
    for (const name of Object.keys(heavy))
      for (const connections of [4, 64]) {
        // A server that has seen the like before, as one that is attacked for longer than a moment has.
        await during(name, connections, 3)
        const { took, statuses } = await during(name, connections, seconds)
        report(`${name}, ${connections} connections`, took, idle, statuses)
      }
  } finally {
    server.kill()
    await once(server, 'exit')
  }
}

/** Milliseconds of each request, asked at fixed moments whatever became of those before. */
async function calls(key: string, seconds: number): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true })
  const took: number[] = []
  const one = async (): Promise<void> => {
    const began = performance.now()
    const status = await ask(page, agent, { 'x-api-key': key })
    if (status !== 200) throw new Error(`The page was answered with ${status}.`)
    took.push(performance.now() - began)
  }
  const asked: Promise<void>[] = []
  const start = performance.now()
  for (let n = 0; n < seconds * 100; n += 1) {
    await setTimeout(Math.max(0, start + n * 10 - performance.now()))
    asked.push(one())
  }
  await Promise.all(asked)
  agent.destroy()
  return took
}

interface Beside {
  readonly took: readonly number[]
  readonly statuses: object
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
      const status = await ask(heavy[name]?.(n) ?? '', agent, {}).catch(() => 'cut')
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

function ask(query: string, agent: Agent, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `http://127.0.0.1:${port}/api/graphql`,
      {
        method: 'POST',
        agent,
        headers: {
          ...headers,
          'content-type': 'application/json',
          accept: 'application/graphql-response+json',
        },
      },
      (response) => {
        response
          .on('end', () => resolve(response.statusCode ?? 0))
          .on('error', reject)
          .resume()
      },
    )
    asked.on('error', reject).end(JSON.stringify({ query }))
  })
}

function report(name: string, took: readonly number[], idle: readonly number[], statuses?: object): void {
  const [p50, p99] = [at(took, 0.5), at(took, 0.99)]
  const ratio = p99 / at(idle, 0.99)
  console.log(
    `${name.padEnd(46)} p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms  ${ratio.toFixed(2)} of idle  ${statuses === undefined ? '' : JSON.stringify(statuses)}`,
  )
}

function at(took: readonly number[], share: number): number {
  return took.toSorted((a, b) => a - b)[Math.floor(took.length * share)] ?? Number.NaN
}
