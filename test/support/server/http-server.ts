import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { IndexStatus } from '../../../src/database/database.ts'
import { createLogs } from '../../../src/cli/log-stream.ts'
import { limits } from '../../../src/query/parse/limits.ts'
import { type AppOptions, createApp } from '../../../src/server/http/app.ts'
import type { Caller, Tier } from '../../../src/server/admission/tiers.ts'
import { createMemoryLimiter } from './memory-limiter.ts'
import { buildSchema } from 'graphql'
import { createStandInEngine } from '../service/stand-in-engine.ts'

export type Headers = Readonly<Record<string, string>>

export interface HttpServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** What the operator sees, from warnings upwards. */
  readonly log: readonly string[]
  readonly get: (path: string, headers?: Headers) => Promise<Response>
  readonly post: (body: unknown, headers?: Headers) => Promise<Response>
  /** Sends the bytes on a connection of their own and reads until the server closes it. */
  readonly raw: (bytes: string) => Promise<string>
  /** How many connections are open. */
  readonly connections: () => Promise<number>
  /** How many connections were accepted since the start, closed ones included. */
  readonly accepted: () => number
  readonly close: () => Promise<undefined>
}

/** What an answer without data has. */
interface ErrorBody {
  readonly errors: readonly [
    {
      readonly message: string
      readonly extensions: Readonly<Record<string, unknown>> & { readonly code: string }
    },
  ]
}

/** Some of the members, none of them undefined. */
type Given<Options> = { readonly [Name in keyof Options]?: Options[Name] & {} }

export const json = { 'content-type': 'application/json' }

/** Every caller is anonymous, and may ask for as much as it likes. */
export function anonymousCaller(_header: unknown, network: string): Caller {
  const tier: Tier = {
    name: 'anonymous',
    pointsPerMinute: null,
    pointsPerQuery: limits.points,
    pageSize: 100,
    seconds: 900,
    concurrent: 100,
    fileRows: 1_000,
    fileSeconds: 60,
  }
  return { id: `address:${network}`, tier, keyName: null }
}

/** Longer than any stall, for tests that are not about callers that are slow. */
export const longTimeouts = { head: 300_000, request: 900_000, idle: 900_000, reading: 900_000, check: 40 }

const standInSchema = buildSchema('type Query { hello: String }')

/** The application on a real port of its own. */
export async function startServer({
  engine,
  ...options
}: Given<Omit<AppOptions, 'engine'>> & {
  readonly engine?: Partial<AppOptions['engine']>
} = {}): Promise<HttpServer> {
  const log: string[] = []
  const app = createApp({
    authenticate: anonymousCaller,
    limiter: createMemoryLimiter(),
    observer: { asked: () => undefined, answered: () => undefined },
    trustedProxies: [],
    connections: { all: 1000, each: null },
    longestRequest: 900,
    cacheSeconds: 0,
    timeout: longTimeouts,
    engine: { ...createStandInEngine(), ...engine },
    schema: standInSchema,
    readStatus: async () => emptyStatus,
    log: createLogs({ 'log-level': 'warn' }, null, { write: (line: string) => void log.push(line) })
      .framework,
    playground: { exampleQuery: async () => '{ hello }', lexicons: 'stand-in' },
    agent: null,
    explorer: null,
    ...options,
  })
  let accepted = 0
  app.server.on('connection', () => (accepted += 1))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    log,
    get: (path, headers = {}) => fetch(url + path, { headers }),
    post: (body, headers) => postTo({ url }, body, headers),
    raw: async (bytes) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(bytes)
      return readText(socket)
    },
    connections: () => promisify(app.server.getConnections.bind(app.server))(),
    accepted: () => accepted,
    close: () => app.close(),
    [Symbol.asyncDispose]: async () => {
      // Of a test that is over no further request comes.
      app.server.closeIdleConnections()
      await app.close()
    },
  }
}

/** Posts JSON to the endpoint of a service, or to a URL. */
export function postTo(
  to: string | { readonly url: string },
  body: unknown,
  headers: Headers = {},
): Promise<Response> {
  return fetch(typeof to === 'string' ? to : `${to.url}/api/graphql`, {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify(body),
  })
}

export const emptyStatus: IndexStatus = {
  collections: [],
  sources: [],
  rejections: {},
  keptRejections: {},
  repositories: { waiting: 0, failed: 0 },
  unfinishedPurges: 0,
}

/** A failure as callers may see it; the body, for what else it says. */
export async function assertFailure(response: Response, status: number, code: string): Promise<ErrorBody> {
  const body = (await response.json()) as ErrorBody
  assert.equal(response.status, status, JSON.stringify(body))
  assert.deepEqual(Object.keys(body), ['errors'])
  const [error] = body.errors
  assert.equal(error.extensions.code, code)
  assert.match(error.message, /^[A-Z]/)
  assert.doesNotMatch(JSON.stringify(body), /node_modules|\bat .*\.[tj]s\b/)
  return body
}
