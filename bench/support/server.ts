/** Servers as processes of their own, and the least a client can do to ask them: what benches over HTTP share. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { median } from './statistics.ts'

export interface Server extends AsyncDisposable {
  /** Of its GraphQL endpoint. */
  readonly url: string
  readonly pid: number
  /** Milliseconds from its start to its first answer. */
  readonly startTook: number
}

export interface ServerOptions {
  /** Megabytes. */
  readonly answerCache?: number
  readonly workers?: number
  /** The program's file; by default the checkout's. */
  readonly program?: string
}

export interface ProcessGiven {
  readonly args: readonly string[]
  readonly port: number
  /** Of its GraphQL endpoint. */
  readonly path?: string
  readonly env?: Readonly<Record<string, string>>
  /** For its standard input. */
  readonly input?: Uint8Array | string
}

/** Nobody is held to anything but what is possible at all. */
export const openTiers = new URL('./open-tiers.json', import.meta.url).pathname
export const defaultPath = '/api/graphql'
const checkout = new URL('../../bin/lexigraph.js', import.meta.url).pathname
/** Milliseconds until a server must have answered. */
const patience = 60_000
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
let lastPort = 4717

export function nextPort(): number {
  lastPort += 1
  return lastPort
}

/** Lexigraph in one process over a database; a path is one of SQLite. It keeps no answers unless it is told to. */
export function startServer(
  database: string,
  { answerCache = 0, workers = 1, program = checkout }: ServerOptions = {},
): Promise<Server> {
  const port = nextPort()
  const args = [
    'serve',
    '--database',
    database,
    '--port',
    String(port),
    '--log-level',
    'error',
    '--workers',
    String(workers),
    '--answer-cache',
    String(answerCache),
    '--tiers',
    openTiers,
  ]
  return startProcess({ args: [program, ...args], port })
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

/** The time measured is the server's and the wire's, not that of `fetch`. */
export function ask(url: string, query: string): Promise<void> {
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

/** Resolves when it answers. */
export async function startProcess(given: ProcessGiven): Promise<Server> {
  const { args, port, path = defaultPath, env = {}, input } = given
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  })
  const ended = once(child, 'exit')
  // One that ends at once does not read it; the loop below says so.
  child.stdin?.on('error', () => {}).end(input)
  const url = `http://127.0.0.1:${port}${path}`
  while (true) {
    try {
      await (await post(url, '{ __typename }')).arrayBuffer()
      break
    } catch (error) {
      const isOver = child.exitCode !== null || performance.now() - began > patience
      if (isOver) throw new Error(`${args[0]} did not answer at ${url}.`, { cause: error })
      await setTimeout(5)
    }
  }
  return {
    url,
    pid: child.pid ?? Number.NaN,
    startTook: performance.now() - began,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
