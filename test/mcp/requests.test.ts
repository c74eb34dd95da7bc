/** Requests to the path of agents as such: who is let in, and what is no message. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../src/errors.ts'
import { createMemoryLimiter } from '../support/server/memory-limiter.ts'
import { startServer } from '../support/server/http-server.ts'
import { envelope, post, startAgentServer } from './agent-server.ts'

test('an unknown key is refused before the message is read', async () => {
  await using server = await startAgentServer({
    app: {
      authenticate: () => {
        throw new ServiceError('UNAUTHENTICATED', 'The API key is unknown here.')
      },
    },
  })
  const refused = await post(server, listTools)
  assert.deepEqual([refused.status, await messageOf(refused)], [401, 'The API key is unknown here.'])
  assert.equal(refused.headers.get('www-authenticate'), 'ApiKey header="X-API-Key"')
})

test('pages of other sites and foreign hosts are refused, programs are not', async () => {
  await using server = await startAgentServer()
  const statuses = async (headers: Record<string, string>) => (await post(server, listTools, headers)).status
  assert.equal(await statuses({}), 200)
  assert.equal(await statuses({ origin: 'http://localhost:5173' }), 200)
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'nonsense'])
    assert.equal(await statuses({ origin }), 403, origin)
  const head = (host: string) =>
    `POST /mcp HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`
  assert.match(await server.raw(head('evil.example')), /^HTTP\/1\.1 403 [^]*Invalid Host: evil\.example/)
  assert.match(await server.raw(head('[::1]:80')), /^HTTP\/1\.1 400 /)
  await using everywhere = await startAgentServer({ isLocal: false })
  assert.match(await everywhere.raw(head('news.example')), /^HTTP\/1\.1 400 /)
  const preflight = await fetch(`${server.url}/mcp`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example' },
  })
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [403, null])
})

test('every request costs a point, and a long message its bytes before it is parsed', async () => {
  const spent: number[] = []
  const limiter = {
    ...createMemoryLimiter(),
    spend: (_: object, points: number) => {
      spent.push(points)
      return { granted: points <= 10, remaining: 10, resetSeconds: 9 }
    },
  }
  await using server = await startAgentServer({ app: { limiter } })
  const costOf = async (work: Promise<Response>): Promise<[status: number, points: readonly number[]]> => {
    const { status } = await work
    return [status, spent.splice(0)]
  }
  assert.deepEqual(await costOf(post(server, listTools)), [200, [1]])
  assert.deepEqual(await costOf(post(server, listTools, { origin: 'https://evil.example' })), [403, [1]])
  assert.deepEqual(await costOf(fetch(`${server.url}/mcp`)), [405, [1]])
  assert.deepEqual(await costOf(post(server, ' '.repeat(5_500))), [400, [3]])
  // Not parsed: it would be a 400.
  assert.deepEqual(await costOf(post(server, ' '.repeat(200_000))), [429, [197]])
})

test('what is no message is refused in the terms of the protocol', async () => {
  await using server = await startAgentServer()
  const broken = await post(server, '{"jsonrpc":')
  assert.deepEqual(
    [broken.status, await broken.json()],
    [400, { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error: Invalid JSON' }, id: null }],
  )
  const strange = await post(server, '{"hello":1}')
  assert.equal(strange.status, 400)
  for (const batch of [`[${listTools},${listTools}]`, ` \n[${listTools}]`, '[]']) {
    const refused = await post(server, batch)
    assert.deepEqual(
      [refused.status, await messageOf(refused)],
      [400, 'Batches are not taken: send each message by itself.'],
    )
  }
  const large = await post(server, { ...listToolsBody, filler: 'x'.repeat(300_000) })
  assert.deepEqual(
    [large.status, await messageOf(large)],
    [413, 'The body is over the limit of 262144 bytes.'],
  )
  const typed = await post(server, listTools, { 'content-type': 'text/plain' })
  assert.equal(typed.status, 415)
  for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
    const { status } = await fetch(`${server.url}/mcp`, { method })
    assert.equal(status, 405, method)
  }
  assert.match(
    await server.raw('TRACE /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'),
    /^HTTP\/1\.1 405 /,
  )
  assert.equal((await fetch(`${server.url}/mcp/more`)).status, 404)
})

test('a cursor that no list gave, and an unknown revision, are refused with what there is', async () => {
  await using server = await startAgentServer()
  const paged = await post(server, { ...listToolsBody, params: { cursor: 'MQ==' } })
  assert.deepEqual((await paged.json()).error.code, -32602)
  const key = 'io.modelcontextprotocol/protocolVersion'
  const unknown = await post(server, {
    ...listToolsBody,
    params: { _meta: { ...envelope, [key]: '2031-01-01' } },
  })
  const { code, data, message } = (await unknown.json()).error
  assert.deepEqual([unknown.status, code, data.requested], [400, -32022, '2031-01-01'])
  for (const revision of ['2026-07-28', '2025-11-25']) assert.ok(message.includes(revision), message)
})

test('a stream of news ends at once, because there never are any', async () => {
  await using server = await startAgentServer()
  const method = 'subscriptions/listen'
  const params = { notifications: { toolsListChanged: true }, _meta: envelope }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
  const response = await post(server, { jsonrpc: '2.0', id: 1, method, params }, headers)
  assert.match(await response.text(), /subscriptions\/acknowledged[^]+"resultType":"complete"/)
})

test('where agents are not served, the path is one of those that are not there', async () => {
  await using plain = await startServer()
  assert.equal((await fetch(`${plain.url}/mcp`, { method: 'POST' })).status, 404)
})

const listToolsBody = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const listTools = JSON.stringify(listToolsBody)

async function messageOf(response: Awaited<ReturnType<typeof post>>): Promise<string> {
  return (await response.json()).error.message
}
