/**
 * The page that sets up clients is true: each configuration on it is read as its client reads it, its program is started
 * or its address asked, with the key that it names, and each link installs what stands next to it.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { closeCorpora, corpusNamed } from './golden/corpora.ts'
import { startAgentServer } from './mcp/agent-server.ts'
import { clientProgram, importClient } from './mcp/client-packages.ts'
import { programFile, runProgram, startService } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { anybody, type HttpServer } from './support/server/http-server.ts'
import { readFences } from './support/service/pages.ts'
import { generousTiers } from './support/server/tiers.ts'

const page = readFileSync(new URL('../docs/agents-clients.md', import.meta.url), 'utf8')
const fences = readFences(page)
const origin = 'http://127.0.0.1:4000'

/** The members under which clients keep servers. */
const lists = ['mcpServers', 'servers', 'context_servers', 'mcp_servers']

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-agents-clients-'))
let server: HttpServer
/** The keys that callers have sent. */
let keys = new Set<unknown>()
before(async () => {
  const { service } = await corpusNamed('demo', 'sqlite')
  const authenticate: typeof anybody = (header, network) => {
    keys.add(header)
    return anybody(header, network)
  }
  server = await startAgentServer({ app: { engine: service.engine, authenticate } })
})
after(async () => {
  await server.close()
  await closeCorpora()
  rmSync(folder, { recursive: true, force: true })
})

for (const { info, body, start } of fences) {
  const [language = '', file = 'another client'] = info.split(' ')
  if (language !== 'json' && language !== 'toml') continue
  const section = page
    .slice(0, start)
    .match(/^## (.+)$/gm)
    ?.at(-1)
  test(`what ${section} is told to write into ${file} reaches the service`, async () => {
    const document: Json =
      language === 'json' ? JSON.parse(body) : (await importClient('smol-toml')).parse(body)
    const list = lists.find((name) => name in document) ?? assert.fail(info)
    const servers: readonly Json[] = Object.values(document[list])
    assert.ok(servers.length > 0)
    for (const one of servers) await assertReaches(one)
  })
}

test('ChatGPT finds and fetches records at a service that is started as the page says', async () => {
  assert.ok(page.includes('\nlexigraph serve --mcp --chatgpt\n'))
  const records = join(folder, 'records.jsonl')
  const env = { LEXIGRAPH_DATABASE: join(folder, 'news.db'), LEXIGRAPH_TIERS: generousTiers }
  writeFileSync(records, [...buildDemoCorpus()].map((record) => `${JSON.stringify(record)}\n`).join(''))
  assert.equal((await runProgram(['import', records], { env })).status, 0)
  await using service = await startService(['serve', '--workers', '1', '--mcp', '--chatgpt'], { env })
  const overHttp = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`))
  const args = [programFile, 'mcp', '--endpoint', `${service.url}/api/graphql`, '--chatgpt']
  const onStdio = new StdioClientTransport({ command: process.execPath, args, cwd: tmpdir() })
  for (const transport of [overHttp, onStdio]) {
    const client = new Client({ name: 'lexigraph-tests', version: '1.0.0' })
    await client.connect(transport)
    const ask = async (name: string, given: Json): Promise<Json> => {
      const { content } = await client.callTool({ name, arguments: given })
      return JSON.parse((content as Json)[0].text)
    }
    const { results } = await ask('search', { query: 'harbour' })
    const { id, title, url } = results[0]
    const document = await ask('fetch', { id })
    assert.deepEqual([document.id, document.title, document.url], [id, title, url])
    await client.close()
  }
})

test('each command that adds a server names an address or a program that answers', async () => {
  const commands = fences
    .filter(({ info }) => info === 'sh')
    .flatMap(({ body }) => body.trim().split('\n'))
    .filter((line) => / mcp add /.test(line))
  assert.equal(commands.length, 6)
  for (const command of commands) {
    const words = command.split(' ')
    const url = words.find((word) => word.endsWith('/mcp'))
    const program = words.slice(words.lastIndexOf('lexigraph')).filter((word) => word !== '--')
    await assertReaches(url === undefined ? { command: program[0], args: program.slice(1) } : { url })
  }
})

test('each link installs a server that the section has, and no other', async () => {
  const links = Array.from(
    page.matchAll(/\]\(((?:cursor:|vscode:|https:\/\/insiders)[^)]+)\)/g),
    ([, link = '']) => link,
  )
  assert.equal(links.length, 6)
  for (const link of links) {
    const { client, name, config } = readLink(link)
    const block = fences.find(({ info }) => info === `json .${client}/mcp.json`) ?? assert.fail(client)
    const document: Json = JSON.parse(block.body)
    const servers: readonly Json[] = Object.values(document[client === 'cursor' ? 'mcpServers' : 'servers'])
    assert.equal(name, 'lexigraph')
    // A link is for everybody: who has no key would send an empty one, which is refused.
    assert.ok(!('headers' in config), link)
    assert.ok(
      servers.some((one) => isSame({ ...one, headers: undefined }, { ...config, headers: undefined })),
      `${link} installs ${JSON.stringify(config)}`,
    )
  }
})

function readLink(link: string): { client: 'cursor' | 'vscode'; name: string; config: Json } {
  const { protocol, searchParams, search } = new URL(link)
  if (protocol === 'https:') return readLink(searchParams.get('url') ?? '')
  if (protocol === 'cursor:') {
    const config = Buffer.from(searchParams.get('config') ?? '', 'base64').toString()
    return { client: 'cursor', name: searchParams.get('name') ?? '', config: JSON.parse(config) }
  }
  const { name, ...config } = JSON.parse(decodeURIComponent(search.slice(1)))
  return { client: 'vscode', name, config }
}

function isSame(one: Json, other: Json): boolean {
  try {
    assert.deepEqual(one, other)
    return true
  } catch {
    return false
  }
}

const asked = new Set<string>()

/** Asks the service for its tools as a client with this configuration would, once for each configuration. */
async function assertReaches(given: Json): Promise<void> {
  const { type: _, ...configuration } = given
  if (asked.has(JSON.stringify(configuration))) return
  asked.add(JSON.stringify(configuration))
  keys = new Set()
  const client = new Client({ name: 'lexigraph-tests', version: '1.0.0' })
  const url = given.url ?? given.httpUrl ?? given.serverUrl
  await client.connect(url === undefined ? startsProgram(given) : asksAddress(url, given))
  const { tools } = await client.listTools()
  assert.ok(tools.length >= 7)
  const result = await client.callTool({ name: 'aggregate', arguments: { collection: 'article' } })
  assert.ok(!result.isError)
  await client.close()
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
