/** The program as it is run, asked by the official client: on standard input, over HTTP, and beside the endpoint. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { createTools } from '../../src/mcp/tools/tools.ts'
import { newsParts } from './agent-server.ts'
import { answerOf } from './conversation.ts'
import { programFile } from '../network/service.ts'
import { generousTiers } from '../support/server/tiers.ts'

/** All that is asked comes from one address, within seconds. */
const folder = mkdtempSync(join(tmpdir(), 'lexigraph-agents-'))
after(async () => {
  for (const service of served.values()) await (await service)[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`on standard input a client of ${revision} gets all there is`, async () => {
    const service = await serving(1)
    await using agent = await connect(stdio(['--endpoint', `${service.url}/api/graphql`]), revision)
    await assertWhole(agent.client, revision)
    await assertGuide(agent.client)
  })

  test(`over HTTP a client of ${revision} gets all there is, from a service elsewhere`, async () => {
    const service = await serving(1)
    await using own = await start([
      'mcp',
      '--endpoint',
      `${service.url}/api/graphql`,
      '--listen',
      '127.0.0.1:0',
    ])
    await using agent = await connect(http(own.url), revision)
    await assertWhole(agent.client, revision)
  })

  test(`each worker of a service answers a client of ${revision}`, async () => {
    const service = await serving(2)
    for (let turn = 0; turn < 3; turn += 1) {
      await using agent = await connect(http(service.url), revision)
      await assertWhole(agent.client, revision)
    }
  })
}

test('nothing but the protocol is on standard output, and the end of standard input is the end', async () => {
  const child = spawn(process.execPath, [programFile, 'mcp', '--endpoint', 'http://127.0.0.1:9/'])
  const said = collect(child.stdout)
  child.stdin.write('no message\n')
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  const [status] = await once(child, 'exit')
  assert.equal(status, 0)
  for (const line of (await said).trim().split('\n'))
    assert.ok(line === '' || JSON.parse(line).jsonrpc === '2.0', line)
})

test('a service is asked with the key of the caller, and of those without one with that of the program', async () => {
  const keys: unknown[] = []
  const service = createServer((request, response) => {
    keys.push(request.headers['x-api-key'])
    response.setHeader('content-type', 'application/json').end('{"data":{"__typename":"Query"}}')
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const endpoint = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`
  await using own = await start([
    'mcp',
    '--endpoint',
    endpoint,
    '--listen',
    '127.0.0.1:0',
    '--api-key',
    'lgk_own',
  ])
  for (const headers of [{ 'x-api-key': 'lgk_mine' }, undefined]) {
    await using agent = await connect(http(own.url, headers), '2026-07-28')
    const answer = answerOf(await agent.client.callTool(anyQuestion))
    assert.deepEqual(answer['data'], { __typename: 'Query' })
  }
  assert.deepEqual(keys, ['lgk_mine', 'lgk_own'])
  service.closeAllConnections()
  await new Promise((resolve) => service.close(resolve))
  await using agent = await connect(http(own.url), '2026-07-28')
  const { isError, content } = await agent.client.callTool(anyQuestion)
  assert.equal(isError, true)
  assert.match(JSON.stringify(content), /cannot be reached \(ECONNREFUSED\)/)
})

test('a key that is unknown and a limit that is reached are told in the words of the service', async () => {
  const tiers = join(folder, 'tiers.json')
  writeFileSync(tiers, '{"public":{"pointsPerMinute":3,"pointsPerQuery":3}}')
  await using service = await start([
    'serve',
    '--port',
    '0',
    '--database',
    database(),
    '--workers',
    '1',
    '--tiers',
    tiers,
  ])
  const endpoint = `${service.url}/api/graphql`
  await using unknown = await connect(
    stdio(['--endpoint', endpoint, '--api-key', `lgk_${'a'.repeat(8)}`]),
    '2026-07-28',
  )
  const refused = await unknown.client.callTool(anyQuestion)
  assert.equal(refused.isError, true)
  assert.match(JSON.stringify(refused.content), /The header X-API-Key is no key of this service/)
  await using agent = await connect(stdio(['--endpoint', endpoint]), '2025-11-25')
  const answers = []
  for (let turn = 0; turn < 4; turn += 1) answers.push(await agent.client.callTool(anyQuestion))
  const limited = answers.find(({ isError }) => isError === true)
  assert.match(JSON.stringify(limited?.content), /that the tier \\"public\\" has for a minute/)
})

test('a signal ends a server of agents alone', async () => {
  await using own = await start(['mcp', '--listen', '127.0.0.1:0'])
  assert.equal((await fetch(own.url)).status, 404)
  own.child.kill('SIGTERM')
  const [status] = await once(own.child, 'exit')
  assert.equal(status, 0)
})

test('what cannot be an endpoint or a place to listen is refused with what to write', () => {
  const told = (...args: readonly string[]) => {
    const { stderr, status } = spawnSync(process.execPath, [programFile, 'mcp', ...args], {
      encoding: 'utf8',
    })
    assert.ok(status === 1 || status === 2)
    return stderr
  }
  assert.match(
    told('--endpoint', 'news.example'),
    /^--endpoint: "news\.example" is not the address of a service; write one/,
  )
  assert.match(told('--endpoint', 'https://a:b@news.example/'), /^--endpoint takes no user and no password/)
  const refused = told('--api-key', 'lgk_secret\nmore')
  assert.match(refused, /^--api-key: this is not a key/)
  assert.doesNotMatch(refused, /secret/)
  assert.match(
    told('--listen', '4001'),
    /^--listen: "4001" is not an address and port; write for example 127\.0\.0\.1:4001/,
  )
  assert.match(
    told('--listen', '192.0.2.1:4001'),
    /^192\.0\.2\.1 is no address of this machine; --listen takes one/,
  )
})

const anyQuestion = { name: 'run_graphql', arguments: { query: '{ __typename }' } }

/** What does not depend on one tool: the lists, a resource of each kind, and a prompt. */
async function assertWhole(client: Client, revision: string): Promise<void> {
  assert.equal(client.getNegotiatedProtocolVersion(), revision)
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    await toolNames(),
  )
  const guide = await client.readResource({ uri: 'lexigraph://guide' })
  assert.match(JSON.stringify(guide), /tech\.service\.news\.article/)
  const { prompts } = await client.listPrompts()
  assert.equal(prompts.length, 4)
  const brief = await client.getPrompt({ name: 'daily_brief', arguments: {} })
  assert.match(JSON.stringify(brief), /today/)
}

/** Each call of the guide is one that can be made as it stands. */
async function assertGuide(client: Client): Promise<void> {
  const [content] = (await client.readResource({ uri: 'lexigraph://guide' })).contents
  const text = content !== undefined && 'text' in content ? content.text : ''
  for (const [line, name = '', args = ''] of text.matchAll(/^ {4}(\w+) (\{.*\})$/gm)) {
    const result = await client.callTool({ name, arguments: JSON.parse(args) })
    assert.equal(result.isError ?? false, false, `${line}: ${JSON.stringify(result.content)}`)
  }
}

async function toolNames(): Promise<readonly string[]> {
  const endpoint = { ask: () => Promise.reject(new Error('Nothing is asked here.')) }
  return createTools({ ...(await newsParts()), endpoint }).map(({ name }) => name)
}

let imported: string | undefined
/** One for all tests, which only read. */
function database(): string {
  if (imported !== undefined) return imported
  imported = join(folder, 'news.db')
  const records = join(folder, 'records.jsonl')
  const lines = [...buildDemoCorpus()].map((record) => JSON.stringify(record))
  writeFileSync(records, `${lines.join('\n')}\n`)
  const { status, stderr } = spawnSync(
    process.execPath,
    [programFile, 'import', records, '--database', imported],
    {
      encoding: 'utf8',
    },
  )
  assert.equal(status, 0, stderr)
  return imported
}

const served = new Map<number, Promise<Running>>()
/** A service of so many workers, with agents; one for all tests, none of which changes it. */
function serving(workers: number): Promise<Running> {
  const args = ['serve', '--mcp', '--port', '0', '--database', database(), '--workers', String(workers)]
  args.push('--tiers', generousTiers)
  const service = served.get(workers) ?? start(args)
  served.set(workers, service)
  return service
}

interface Running extends AsyncDisposable {
  readonly child: ChildProcess
  readonly url: string
}

async function start(args: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, [programFile, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  const url = await addressOf(child)
  child.stderr.resume()
  return {
    child,
    url,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  let said = ''
  for await (const piece of stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    said += piece
    const [, url] = /answers at (http:\/\/[\d.]+:\d+)/.exec(said) ?? []
    if (url !== undefined) return url
  }
  throw new Error(`It does not answer: ${said}`)
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const piece of stream.setEncoding('utf8')) text += piece
  return text
}

function stdio(args: readonly string[]): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [programFile, 'mcp', ...args],
    stderr: 'ignore',
  })
}

function http(url: string, headers: Record<string, string> = {}): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } })
}

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  revision: '2025-11-25' | '2026-07-28',
): Promise<AsyncDisposable & { readonly client: Client }> {
  const mode = revision === '2025-11-25' ? 'legacy' : ({ pin: revision } as const)
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return { client, [Symbol.asyncDispose]: () => client.close() }
}
