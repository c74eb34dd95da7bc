/** Servers as processes of their own, and the least a client can do to ask them: what benches over HTTP share. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'

export interface Server extends AsyncDisposable {
  /** Of its GraphQL endpoint. */
  readonly url: string
}

/** Nobody is held to anything but what is possible at all. */
const openTiers = new URL('./open-tiers.json', import.meta.url).pathname
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let nextPort = 4717

/** Lexigraph in one process over a database; a path is one of SQLite. It counts nothing and keeps no answers. */
export function startServer(database: string): Promise<Server> {
  const port = (nextPort += 1)
  const program = new URL('../bin/lexigraph.js', import.meta.url).pathname
  const args = [
    'serve',
    '--database',
    database,
    '--port',
    String(port),
    '--log-level',
    'error',
    '--workers',
    '1',
    '--answer-cache',
    '0',
    '--tiers',
    openTiers,
  ]
  return start([program, ...args], port)
}

/** Those bytes, whatever is asked, through the same framework. */
export function startMemory(bytes: Uint8Array): Promise<Server> {
  const port = (nextPort += 1)
  const program = new URL('./memory-server.ts', import.meta.url).pathname
  return start([program, String(port)], port, bytes)
}

export function post(url: string, query: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
}

/** Milliseconds from request to whole answer, one at a time over one kept connection for so many milliseconds. */
export async function medianAlone(url: string, query: string, duration: number): Promise<number> {
  const times: number[] = []
  const end = performance.now() + duration
  while (performance.now() < end || times.length < 20) {
    const start = performance.now()
    await ask(url, query)
    times.push(performance.now() - start)
  }
  return median(times)
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** The time measured is the server's and the wire's, not that of `fetch`. */
function ask(url: string, query: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        response.on('end', resolve).on('error', reject).resume()
      },
    )
    asked.on('error', reject).end(JSON.stringify({ query }))
  })
}

async function start(args: readonly string[], port: number, input?: Uint8Array): Promise<Server> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin?.end(input)
  const url = `http://127.0.0.1:${port}/api/graphql`
  for (let tries = 0; ; tries += 1) {
    try {
      await (await post(url, '{ __typename }')).arrayBuffer()
      break
    } catch (error) {
      if (tries > 200) throw error
      await setTimeout(50)
    }
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
