/** The configurations of clients on docs/agents-clients.md, each of which is read and tried as its client does it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { after, before } from 'node:test'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { closeCorpora, corpusNamed } from '../golden/corpora.ts'
import { programFile } from '../network/service.ts'
import type { Json } from '../reference/shapes.ts'
import { anonymousCaller, type HttpServer } from '../support/server/http-server.ts'
import { readFences } from '../support/service/pages.ts'
import { startAgentServer } from './agent-server.ts'
import { clientProgram, importClient } from './client-packages.ts'
import { connect } from './connect.ts'

export const page = readFileSync(new URL('../../docs/agents-clients.md', import.meta.url), 'utf8')
export const fences = readFences(page)

export interface Configuration {
  /** Where the page has it. */
  readonly where: string
  readonly given: Json
}

const origin = 'http://127.0.0.1:4000'

/** The members under which clients keep servers. */
const lists = ['mcpServers', 'servers', 'context_servers', 'mcp_servers']

/** Files that clients read and commands that add a server, the same only once; TOML needs an installed package. */
export async function readConfigurations(languages: readonly ('json' | 'toml')[]): Promise<Configuration[]> {
  const all: Configuration[] = []
  for (const { info, body, start } of fences) {
    const [language = '', file = 'another client'] = info.split(' ')
    const section = page
      .slice(0, start)
      .match(/^## .+$/gm)
      ?.at(-1)
    if (!languages.some((known) => known === language)) continue
    const document: Json =
      language === 'json' ? JSON.parse(body) : (await importClient('smol-toml')).parse(body)
    const list = lists.find((name) => name in document) ?? assert.fail(info)
    const servers: readonly Json[] = Object.values(document[list])
    assert.ok(servers.length > 0, info)
    all.push(...servers.map((one) => ({ where: `${section}, ${file}`, given: { ...one, type: undefined } })))
  }
  const commands = fences
    .filter(({ info }) => info === 'sh')
    .flatMap(({ body }) => body.trim().split('\n'))
    .filter((line) => / mcp add /.test(line))
  assert.equal(commands.length, 6)
  for (const command of commands) {
    const words = command.split(' ')
    const url = words.find((word) => word.endsWith('/mcp'))
    const program = words.slice(words.lastIndexOf('lexigraph')).filter((word) => word !== '--')
    const given = url === undefined ? { command: program[0], args: program.slice(1) } : { url }
    all.push({ where: command, given })
  }
  return [...new Map(all.toReversed().map((one) => [JSON.stringify(one.given), one])).values()].toReversed()
}

export function hasAddress(given: Json): boolean {
  return addressOf(given) !== undefined
}

function addressOf({ url, httpUrl, serverUrl }: Json): string | undefined {
  return url ?? httpUrl ?? serverUrl
}

let server: HttpServer
/** The keys that callers have sent. */
let keys = new Set<unknown>()

/** The demo, served once for all tests of a process. */
before(async () => {
  const { service } = await corpusNamed('demo', 'sqlite')
  const authenticate: typeof anonymousCaller = (header, network) => {
    keys.add(header)
    return anonymousCaller(header, network)
  }
  server = await startAgentServer({ app: { engine: service.engine, authenticate } })
})
after(async () => {
  await server.close()
  await closeCorpora()
})

/** Asks the service for its tools, with the key, as a client with this configuration would. */
export async function assertReaches(given: Json): Promise<void> {
  keys = new Set()
  const url = addressOf(given)
  await using client = await connect(url === undefined ? startsProgram(given) : asksAddress(url, given))
  const { tools } = await client.listTools()
  assert.ok(tools.length >= 5)
  const result = await client.callTool({ name: 'aggregate', arguments: { collection: 'article' } })
  assert.ok(!result.isError)
  const hasKey = /key/i.test(JSON.stringify(given))
  assert.deepEqual([...keys], [hasKey ? 'KEY' : undefined], JSON.stringify(given))
}

function asksAddress(url: string, given: Json): StreamableHTTPClientTransport {
  const fromNames = Object.entries(given.env_http_headers ?? {}).map(([header, name]) => [
    header,
    `$${String(name)}`,
  ])
  const headers = expanded({ ...given.headers, ...Object.fromEntries(fromNames) })
  return new StreamableHTTPClientTransport(new URL(onTestPort(url)), { requestInit: { headers } })
}

function startsProgram(given: Json): StdioClientTransport {
  const passed = (given.env_vars ?? []).map((name: string) => [name, `$${name}`])
  const env = expanded({ ...given.env, ...Object.fromEntries(passed) })
  const args: string[] = given.args.map(onTestPort)
  const command = { command: process.execPath, cwd: tmpdir(), stderr: 'ignore' } as const
  if (given.command === 'lexigraph')
    return new StdioClientTransport({ ...command, args: [programFile, ...args], env })
  assert.deepEqual([given.command, ...args.slice(0, 2)], ['npx', '-y', 'mcp-remote'])
  const program = clientProgram('mcp-remote/dist/proxy.js')
  return new StdioClientTransport({
    ...command,
    args: [program, ...args.slice(2)],
    env: { HOME: tmpdir(), ...env },
  })
}

/** Clients replace the names of variables and of inputs in different ways. */
function expanded(values: Json): Record<string, string> {
  const expand = (text: unknown) => String(text).replaceAll(/\$\{(?:env:|input:)?[\w-]+\}|\$[A-Z_]+/g, 'KEY')
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value)]))
}

function onTestPort(text: string): string {
  assert.ok(!text.startsWith('http') || text.startsWith(origin), text)
  return text.replace(origin, server.url)
}
