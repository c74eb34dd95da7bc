/** Answers that are made once: they say what the SDK says, and only requests in their usual form get them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint } from '../../src/endpoint/endpoint.ts'
import { type AgentHttp, createAgentHttp } from '../../src/mcp/protocol/http.ts'
import { envelope, newsParts } from './agent-server.ts'

type Headers = Readonly<Record<string, string>>
type Message = Readonly<Record<string, unknown>>

const lists = ['tools/list']
const revisions = ['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }

/** Requests of the revisions that begin by `initialize`, as clients send them. */
function older(): [Headers, Message][] {
  const clientInfo = { name: 'test', title: 'Test', version: '1' }
  const initialize = [...revisions, '2026-07-28', '1999-01-01', 'x'].map(
    (protocolVersion): [Headers, Message] => [
      usual,
      { method: 'initialize', params: { protocolVersion, capabilities: { roots: {} }, clientInfo } },
    ],
  )
  const others = [...lists, 'ping'].flatMap((method): [Headers, Message][] => [
    [usual, { method }],
    [usual, { method, params: {} }],
    [usual, { method, params: { _meta: { progressToken: 7 } } }],
    ...revisions.map((version): [Headers, Message] => [
      { ...usual, 'mcp-protocol-version': version },
      { method },
    ]),
  ])
  return [...initialize, ...others, [usual, { method: 'notifications/initialized' }]]
}

function newer(): [Headers, Message][] {
  return ['server/discover', ...lists].flatMap((method): [Headers, Message][] => {
    const headers = { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
    const _meta = { ...envelope, progressToken: 'a' }
    return [
      [headers, { method, params: { _meta: envelope } }],
      [headers, { method, params: { _meta } }],
    ]
  })
}

/** Requests that the SDK refuses, or answers in another way, and those that it might. */
const unusual: readonly (readonly [Headers, Message])[] = [
  [usual, { method: 'tools/list', params: { cursor: 'x' } }],
  [usual, { method: 'tools/list', params: { _meta: { progressToken: {} } } }],
  [usual, { method: 'tools/list', params: { _meta: [] } }],
  [usual, { method: 'tools/list', params: null }],
  [usual, { method: 'tools/list', jsonrpc: '1.0' }],
  [usual, { method: 'tools/list', more: 1 }],
  [usual, { method: 'tools/list', id: 1.5 }],
  [usual, { method: 'tools/list', id: null }],
  [usual, { method: 'server/discover' }],
  [usual, { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } }],
  [usual, { method: 'initialize' }],
  [{ ...usual, accept: 'application/json' }, { method: 'ping' }],
  [{ ...usual, 'mcp-protocol-version': '1999-01-01' }, { method: 'ping' }],
  [{ ...usual, 'mcp-protocol-version': '2026-07-28' }, { method: 'tools/list' }],
  [usual, { method: 'tools/list', params: { _meta: envelope } }],
  [
    { ...usual, 'mcp-method': 'ping' },
    { method: 'tools/list', params: { _meta: envelope } },
  ],
  [
    { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
    { method: 'tools/list', params: { _meta: envelope } },
  ],
  [
    { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'ping' },
    { method: 'ping', params: { _meta: envelope } },
  ],
  [
    { ...usual, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
    { method: 'tools/list', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } } },
  ],
]

test('prebuilt answers say what the SDK says, in every revision', async () => {
  const agent = createAgentHttp({ ...(await newsParts()), isLocal: true })
  let id = 0
  for (const [headers, given] of [...older(), ...newer()]) {
    const isNotification = String(given['method']).startsWith('notifications/')
    id += 1
    const message = { jsonrpc: '2.0', ...(!isNotification && { id: id % 2 === 0 ? id : `"${id}` }), ...given }
    const built = await agent.prebuilt(headers, message)
    const expected = await askSdk(agent, headers, message)
    if (isNotification) assert.deepEqual([built, expected], ['', { status: 202, answer: null }])
    else {
      assert.ok(built, JSON.stringify(message))
      assert.deepEqual({ status: 200, answer: JSON.parse(built) }, expected, JSON.stringify(message))
    }
  }
  await agent.close()
})

test('the SDK answers all other requests', async () => {
  const agent = createAgentHttp({ ...(await newsParts()), isLocal: true })
  for (const [headers, given] of unusual)
    assert.equal(
      await agent.prebuilt(headers, { jsonrpc: '2.0', id: 1, ...given }),
      null,
      JSON.stringify(given),
    )
  for (const message of [
    null,
    1,
    'ping',
    [],
    {},
    { method: 'ping' },
    { jsonrpc: '2.0', method: 'tools/list' },
  ])
    assert.equal(await agent.prebuilt(usual, message), null, JSON.stringify(message))
  await agent.close()
})

test('each prebuilt answer is made once', async () => {
  let servers = 0
  const addition = { options: {}, register: () => void (servers += 1) }
  const agent = createAgentHttp({ ...(await newsParts()), isLocal: true, addition })
  const ask = async (): Promise<void> => {
    for (const [headers, given] of newer())
      assert.ok(await agent.prebuilt(headers, { jsonrpc: '2.0', id: 1, ...given }))
  }
  await ask()
  const made = servers
  assert.ok(made > 0)
  await ask()
  assert.equal(servers, made)
  await agent.close()
})

const endpoint: Endpoint = { ask: () => assert.fail('Nothing is asked.') }

async function askSdk(agent: AgentHttp, headers: Headers, message: Message) {
  const request = new Request('http://localhost/mcp', { method: 'POST', headers })
  const response = await agent.answer(request, message, endpoint)
  const text = await response.text()
  const json = /^data: (.+)$/m.exec(text)?.[1] ?? text
  return { status: response.status, answer: json === '' ? null : JSON.parse(json) }
}
