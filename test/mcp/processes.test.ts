/** The program as it is run, asked by the official client: on standard input, over HTTP, and next to the endpoint. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import { createTools } from '../../src/mcp/tools/tools.ts'
import { type Program, programFile, type Service, startProgram, startService } from '../network/service.ts'
import { freePort } from '../support/free-port.ts'
import { demoRecords } from '../support/records/demo.ts'
import { commandsInTurn } from '../support/server/commands.ts'
import { newsParts } from './agent-server.ts'
import { someForms } from '../support/rounds.ts'
import { connect, onStdio, overHttp, revisions, textOf } from './connect.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-agents-'))
const command = commandsInTurn()
/** Of every collection. */
const some = demoRecords().filter((_, at) => at % 8 === 0)
const articles = some.filter(({ uri }) => uri.includes('.article/')).length
/** A service with agents, and the agents' server of a program of its own; none of the tests changes them. */
let service: Service
let agents: { readonly program: Program; readonly url: string }

before(async () => {
  const records = join(folder, 'records.jsonl')
  writeFileSync(records, some.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const env = { LEXIGRAPH_DATABASE: join(folder, 'news.db') }
  const { status, stderr } = await command(['import', records], { env })
  assert.equal(status, 0, stderr)
  service = await startService(['serve', '--mcp', '--chatgpt', '--workers', '2'], { env })
  agents = await startAgents('--endpoint', `${service.url}/api/graphql`)
})
after(async () => {
  await agents.program[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function startAgents(...args: readonly string[]) {
  const program = startProgram(['mcp', '--listen', '127.0.0.1:0', ...args])
  const [, url = ''] = await program.said(/answers at (http:\/\/[^/]+)/)
  return { program, url }
}

for (const revision of someForms(revisions))
  test(`a client of ${revision} gets everything on standard input, over HTTP and from a service`, async () => {
    for (const [transport, chatgpt] of [
      [onStdio(service.url), false],
      [overHttp(agents.url), false],
      [overHttp(service.url), true],
    ] as const) {
      await using client = await connect(transport, revision)
      await assertWhole(client, chatgpt)
    }
  })

/** What does not depend on one tool: the list of tools, an answer and a mistake. */
async function assertWhole(client: Client, chatgpt: boolean): Promise<void> {
  const endpoint = { ask: () => assert.fail('Nothing is asked.') }
  const expected = createTools({ ...(await newsParts()), endpoint, chatgpt })
  const { tools } = await client.listTools()
  assert.deepEqual(
    tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
    expected.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  )
  const counted = await textOf(client, 'aggregate', { collection: 'article' })
  assert.equal(JSON.parse(counted.text).count, articles)
  const mistake = await textOf(client, 'aggregate', { collection: 'artcle' })
  assert.match(mistake.text, /^There is no collection "artcle"\. Did you mean "article"\?/)
  assert.deepEqual([counted.isError, mistake.isError], [false, true])
}

test('nothing but the protocol is on standard output, and the end of standard input is the end', async () => {
  const child = spawn(process.execPath, [programFile, 'mcp', '--endpoint', 'http://127.0.0.1:9/'])
  const said = text(child.stdout)
  child.stderr.resume()
  child.stdin.write('no message\n')
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
  const [status] = await once(child, 'exit')
  assert.equal(status, 0)
  const lines = (await said).trim().split('\n')
  assert.equal(lines.length, 2)
  for (const line of lines) assert.equal(JSON.parse(line).jsonrpc, '2.0', line)
})

test('a service is asked with the key of the caller, or else with that of the program', async () => {
  const keys: unknown[] = []
  const endpoint = createServer((request, response) => {
    keys.push(request.headers['x-api-key'])
    response.setHeader('content-type', 'application/json').end('{"data":{"__typename":"Query"}}')
  }).listen(await freePort(), '127.0.0.1')
  await once(endpoint, 'listening')
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/`
  const { program, url: own } = await startAgents('--endpoint', url, '--api-key', 'lgk_own')
  await using _ = program
  for (const headers of [{ 'x-api-key': 'lgk_mine' }, {}]) {
    await using client = await connect(overHttp(own, headers), '2026-07-28')
    const answer = await textOf(client, 'run_graphql', { query: '{ __typename }' })
    assert.deepEqual(JSON.parse(answer.text).data, { __typename: 'Query' })
  }
  assert.deepEqual(keys, ['lgk_mine', 'lgk_own'])
  endpoint.closeAllConnections()
  await new Promise((resolve) => endpoint.close(resolve))
  await using client = await connect(overHttp(own), '2026-07-28')
  const { text: told, isError } = await textOf(client, 'run_graphql', { query: '{ __typename }' })
  assert.equal(isError, true)
  assert.match(told, /cannot be reached \(connect ECONNREFUSED/)
  assert.equal((await fetch(own)).status, 404)
  await client.close()
  await program.stop()
})

test('a key that is unknown is told in the words of the service', async () => {
  await using client = await connect(overHttp(agents.url, { 'x-api-key': `lgk_${'a'.repeat(8)}` }))
  const { text: told, isError } = await textOf(client, 'aggregate', { collection: 'article' })
  assert.equal(isError, true)
  assert.match(told, /^The header X-API-Key is no key of this service/)
})

const mistakes: readonly (readonly [args: readonly string[], says: RegExp])[] = [
  [['--endpoint', 'news.example'], /^--endpoint: "news\.example" is not the address of a service; write one/],
  [['--endpoint', 'https://a:b@news.example/'], /^--endpoint takes no user and no password/],
  [['--api-key', 'lgk_secret\nmore'], /^--api-key: this is not a key(?![^]*secret)/],
  [['--listen', '4001'], /^--listen: "4001" is not an address and port; write for example 127\.0\.0\.1:4001/],
  [['--listen', '192.0.2.1:4001'], /^192\.0\.2\.1 is no address of this machine; --listen takes one/],
]
for (const [args, says] of mistakes)
  test(`mcp ${args.join(' ')} is refused with what to write`, async () => {
    const { stderr, status } = await command(['mcp', ...args])
    assert.ok(status === 1 || status === 2)
    assert.match(stderr, says)
  })
