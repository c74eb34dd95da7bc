/** The program's own HTTP server with agents, over a database of the demo corpus in memory. */
import { fileURLToPath } from 'node:url'
import { createAgentHttp } from '../../src/mcp/protocol/http.ts'
import type { AgentGiven } from '../../src/mcp/protocol/server.ts'
import { loadLexicons } from '../../src/lexicon/load.ts'
import { buildModel } from '../../src/schema/model/build-model.ts'
import { buildGraphQLSchema } from '../../src/schema/graphql/graphql.ts'
import type { AppOptions } from '../../src/server/http/app.ts'
import type { Json } from '../reference/shapes.ts'
import { type HttpServer, startServer } from '../support/server/http-server.ts'

/** What agents' servers are made from: the news lexicons, and a clock that stands still. */
export async function newsParts(): Promise<Omit<AgentGiven, 'endpoint'>> {
  const result = await loadLexicons(fileURLToPath(new URL('../../lexicons', import.meta.url)))
  if (!result.ok) throw new Error('The lexicons of the package are broken.')
  const model = buildModel(result.lexicons)
  return {
    model,
    schema: buildGraphQLSchema(model),
    now: () => new Date('2026-07-01T12:00:00Z'),
    version: '1.2.3',
    website: 'https://news.example',
    onFault: (error) => {
      throw error
    },
  }
}

export interface AgentServerGiven
  extends Partial<Pick<AgentGiven, 'tools' | 'chatgpt' | 'addition' | 'now' | 'onFault'>> {
  readonly isLocal?: boolean
  readonly app?: Partial<Omit<AppOptions, 'explorer'>>
}

export async function startAgentServer(given: AgentServerGiven = {}): Promise<HttpServer> {
  const { isLocal = true, app = {}, ...rest } = given
  const agent = createAgentHttp({ ...(await newsParts()), ...rest, isLocal })
  return startServer({ ...app, agent })
}

/** Of a caller who may ask as much as a test does. */
export const tier = {
  name: 'generous',
  pointsPerMinute: 100,
  pointsPerQuery: 1000,
  pageSize: 100,
  seconds: 600,
  concurrent: 9,
  fileRows: 1_000,
  fileSeconds: 60,
}

/** What each message of revision 2026-07-28 has. */
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Sends a message as clients do, if other headers are not given. */
export function post(
  { url }: Pick<HttpServer, 'url'>,
  message: object | string,
  headers: Record<string, string> = {},
): Promise<Response & { json(): Promise<Json> }> {
  const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  return fetch(`${url}/mcp`, { method: 'POST', headers: { ...usual, ...headers }, body })
}
