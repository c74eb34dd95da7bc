/** Callers over a limit, and messages that cannot be read: what clients of the protocol get to read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../../src/errors.ts'
import type { Tool, ToolsGiven } from '../../src/mcp/tools/tool.ts'
import { createMemoryLimiter } from '../support/server/memory-limiter.ts'
import type { HttpServer } from '../support/server/http-server.ts'
import { envelope, post, startAgentServer, tier } from './agent-server.ts'
import { connect, overHttp, revisions } from './connect.ts'

const call = { name: 'hello', arguments: { text: 'x' } }

for (const revision of revisions)
  test(`a client of ${revision} over its limit reads why, and when to try again`, async () => {
    const given = { points: 100 }
    await using server = await startScarceServer(given)
    await using client = await connect(overHttp(server.url), revision)
    const answered = await client.callTool(call)
    assert.equal(answered.isError ?? false, false)
    given.points = 0
    const refused = await client.callTool(call)
    assert.equal(refused.isError, true)
    assert.deepEqual(refused._meta, answered._meta)
    const [content] = refused.content
    assert.match(
      content?.type === 'text' ? content.text : '',
      /^The call needs 1 point, but 0 of the 100 that the tier "generous" has .* Try again in \d+ seconds?\.$/,
    )
    await assert.rejects(client.listTools(), {
      code: -32000,
      message: /^The request needs 1 point/,
      data: { code: 'RATE_LIMITED', retryAfter: 60, needed: 1, remaining: 0 },
    })
  })

test('answers have the form that the page on agents says, if callers accept it', async () => {
  await using server = await startScarceServer({ points: 100 })
  const both = 'application/json, text/event-stream'
  const seen = async (message: object, accept: string, headers: Record<string, string> = {}) => {
    const answer = await post(server, message, { accept, ...headers })
    return [answer.status, answer.headers.get('content-type')?.replace(/;.*/, '')]
  }
  const called = { params: call }
  assert.deepEqual(await seen(request('ping'), both), [200, 'text/event-stream'])
  assert.deepEqual(await seen(request('tools/call', called), both), [200, 'text/event-stream'])
  for (const accept of ['application/json', 'text/event-stream', '*/*'])
    for (const message of [request('ping'), request('tools/call', called)])
      assert.deepEqual(await seen(message, accept), [406, 'application/json'])
  const newer = request('tools/call', { params: { ...call, _meta: envelope } })
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': call.name,
  }
  for (const accept of [both, 'application/json', '*/*'])
    assert.deepEqual(await seen(newer, accept, headers), [200, 'application/json'])
})

test('a refusal has the id of its request and the seconds to wait', async () => {
  await using server = await startScarceServer({ points: 0 })
  const listed = await post(server, request('tools/list', { id: 'a "b"' }))
  assert.deepEqual([listed.status, listed.headers.get('retry-after')], [200, '60'])
  const { error, ...rest } = await listed.json()
  assert.deepEqual(rest, { jsonrpc: '2.0', id: 'a "b"' })
  assert.deepEqual([error.code, error.data.code, error.data.retryAfter], [-32000, 'RATE_LIMITED', 60])
  const called = await post(server, request('tools/call', { id: 7, params: call }))
  const { result } = await called.json()
  assert.deepEqual([called.status, called.headers.get('retry-after'), result.isError], [200, '60', true])
})

test('a message without an id is refused by its HTTP status', async () => {
  await using server = await startScarceServer({ points: 0 })
  const { id: _, ...notification } = request('notifications/cancelled')
  for (const body of [notification, request('tools/list', { id: null }), { hello: 1 }]) {
    const refused = await post(server, body)
    const { id, error } = await refused.json()
    assert.deepEqual([refused.status, id, error.data.code], [429, null, 'RATE_LIMITED'])
    assert.equal(refused.headers.get('retry-after'), '60')
  }
})

test('a long message over the limit is not read', async () => {
  await using server = await startScarceServer({ points: 0 })
  const refused = async (length: number): Promise<unknown> => {
    const params = { ...call, arguments: { text: 'x'.repeat(length) } }
    const answer = await post(server, request('tools/call', { id: 1, params }))
    return [answer.status, (await answer.json()).id]
  }
  assert.deepEqual(
    [await refused(3_500), await refused(4_000)],
    [
      [200, 1],
      [429, null],
    ],
  )
})

test('a caller who cannot be identified for now is told so with the id of its request', async () => {
  for (const code of ['RATE_LIMITED', 'UNAVAILABLE'] as const) {
    await using server = await startAgentServer({
      app: {
        authenticate: () => {
          throw new ServiceError(code, 'The keys cannot be read.', { retryAfter: 4 })
        },
      },
    })
    const called = await post(server, request('tools/call', { id: 3, params: call }))
    const { id, result } = await called.json()
    assert.deepEqual([called.status, id, result.isError], [200, 3, true])
    assert.equal(result.content[0].text, 'The keys cannot be read. Try again in 4 seconds.')
    const got = await fetch(`${server.url}/mcp`)
    assert.equal(got.status, code === 'RATE_LIMITED' ? 429 : 503)
  }
})

test('a body that cannot be read is charged, and refused when it cannot be paid', async () => {
  await using server = await startScarceServer({ points: 2 })
  const send = async (body: string, type: string) =>
    (await fetch(`${server.url}/mcp`, { method: 'POST', headers: { 'content-type': type }, body })).status
  assert.equal(await send('{}', 'text/plain'), 415)
  assert.equal(await send('x'.repeat(300_000), 'application/json'), 413)
  assert.equal(await send('{}', 'text/plain'), 429)
})

/** One tool, whose call sends one query of one point. */
const tools = ({ endpoint }: ToolsGiven): readonly Tool[] => [
  {
    ...call,
    title: 'Hello',
    description: 'Asks the service for a greeting.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    run: async (_args, signal) => ({ ...(await endpoint.ask({ query: '{ hello }' }, signal)) }),
  },
]

/** `given`: what is left of the caller's points. */
function startScarceServer(given: { points: number }): Promise<HttpServer> {
  const limiter = {
    ...createMemoryLimiter(),
    spend: (_: object, wanted: number) => {
      const granted = given.points >= wanted
      if (granted) given.points -= wanted
      return { granted, remaining: given.points, resetSeconds: 60 }
    },
  }
  return startAgentServer({
    tools,
    app: { limiter, authenticate: () => ({ id: 'somebody', tier, keyName: null }) },
  })
}

function request(method: string, more: Readonly<Record<string, unknown>> = {}) {
  return { jsonrpc: '2.0', id: 1, method, ...more }
}
