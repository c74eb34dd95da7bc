/** What is answered over HTTP: the bytes of an answer, its headers and how a server tells that it is ready. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverAudits } from 'graphql-http'
import type { IndexStatus } from '../src/database/database.ts'
import { someCaller } from './support/service/callers.ts'
import { createStandInEngine } from './support/service/stand-in-engine.ts'
import { assertFailure, emptyStatus, json, startServer } from './support/server/http-server.ts'

const modern = 'application/graphql-response+json'

test('all 61 audits of GraphQL over HTTP pass', async (t) => {
  await using server = await startServer()
  const audits = serverAudits({ url: `${server.url}/api/graphql` })
  assert.equal(audits.length, 61)
  for (const audit of audits) {
    await t.test(`${audit.id}: ${audit.name}`, async () => {
      const result = await audit.fn()
      assert.equal(result.status, 'ok', 'reason' in result ? result.reason : undefined)
    })
  }
})

test('a question by POST and the same by GET get the same bytes', async () => {
  await using server = await startServer()
  const query = 'query Q($name: String) { hello(name: $name) } query R { hello }'
  const request = { query, variables: { name: 'Zoë & 李' }, operationName: 'Q', extensions: { any: 1 } }
  const expected = '{"data":{"hello":"Hello, Zoë & 李"}}'
  const posted = await server.post(request)
  assert.equal(posted.headers.get('content-length'), String(Buffer.byteLength(expected)))
  assert.equal(posted.headers.get('x-powered-by') ?? posted.headers.get('server'), null)
  assert.equal(posted.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(await posted.text(), expected)
  const parameters = new URLSearchParams({
    query,
    variables: JSON.stringify(request.variables),
    operationName: 'Q',
    extensions: '{"any":1}',
  })
  assert.equal(await (await server.get(`/api/graphql?${parameters}`)).text(), expected)
  const empty = await server.get('/api/graphql?query=%7Bhello%7D&variables=&operationName=&extensions=')
  assert.equal(await empty.text(), '{"data":{"hello":"Hello, world"}}')
})

test('Accept chooses the media type', async (t) => {
  await using server = await startServer()
  const cases: readonly (readonly [accept: string, type: string])[] = [
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/*', 'application/json'],
    ['text/plain', 'application/json'],
    ['', 'application/json'],
    [modern, modern],
    ['application/GraphQL-Response+JSON; charset=utf-8', modern],
    [`${modern}, application/json`, modern],
    [`application/json, ${modern}`, modern],
    [`${modern},application/json;q=0.9`, modern],
    [`${modern}, */*`, modern],
    [`${modern};q=0.5, application/json`, 'application/json'],
    [`${modern};q=0.5, */*`, 'application/json'],
    [`${modern};q=0, */*`, 'application/json'],
    [`${modern};q=high`, 'application/json'],
  ]
  for (const [accept, type] of cases) {
    await t.test(`"${accept}" is answered with ${type}`, async () => {
      const response = await server.post({ query: '{ hello }' }, { accept })
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`)
    })
  }
})

test('HEAD has the headers of GET and no body', async () => {
  await using server = await startServer()
  const response = await fetch(`${server.url}/api/graphql?query=%7Bhello%7D`, { method: 'HEAD' })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-length'), '33')
  assert.equal(await response.text(), '')
})

test('who has an answer to GET is told so, and it is not sent again', async () => {
  await using server = await startServer()
  const path = '/api/graphql?query=%7Bhello%7D'
  const etag = (await server.get(path)).headers.get('etag') ?? ''
  const response = await server.get(path, { 'if-none-match': etag })
  assert.deepEqual([response.status, await response.text()], [304, ''])
  assert.equal((await server.get(path, { 'if-none-match': '"other"' })).status, 200)
})

test('a page from anywhere may read', async () => {
  await using server = await startServer()
  for (const path of ['/api/graphql?query=%7Bhello%7D', '/api/graphql', '/nowhere', '/%', '/healthz']) {
    const { headers } = await server.get(path)
    assert.equal(headers.get('access-control-allow-origin'), '*', path)
    assert.match(
      headers.get('access-control-expose-headers') ?? '',
      /\bretry-after\b.*\bx-request-id\b/,
      path,
    )
  }
})

test('large answers are compressed for those who can read them, ordinary ones for nobody', async () => {
  await using server = await startServer()
  const ask = (bytes: number, encoding: string) =>
    server.post({ query: `{ text(bytes: ${bytes}) }` }, { 'accept-encoding': encoding })
  assert.equal((await ask(12_000, 'gzip, br')).headers.get('content-encoding'), null)
  assert.equal((await ask(200_000, 'identity')).headers.get('content-encoding'), null)
  assert.equal((await ask(200_000, 'br')).headers.get('content-encoding'), null)
  const zipped = await ask(200_000, 'gzip, deflate, br, zstd')
  assert.equal(zipped.headers.get('content-encoding'), 'gzip')
  assert.match(zipped.headers.get('vary') ?? '', /accept-encoding/)
  assert.deepEqual(await zipped.json(), { data: { text: 'x'.repeat(200_000) } })
})

test('answers are stored by caches if they last, and those to keys by nobody else', async () => {
  const standIn = createStandInEngine()
  const kept: Pick<typeof standIn, 'execute'> = {
    execute: async (request) => {
      const answer = await standIn.execute(request)
      Object.assign(answer.report, { isTimeless: request.operationName !== 'now' })
      return answer
    },
  }
  for (const [cacheSeconds, path, headers, expected] of [
    [0, '', {}, 'public, no-cache'],
    [60, '', {}, 'public, max-age=60'],
    [60, '', { 'x-api-key': 'a' }, 'private, max-age=60'],
    [60, '&operationName=now', {}, 'no-store'],
  ] as const) {
    await using server = await startServer({ engine: kept, cacheSeconds })
    const query = path === '' ? '{hello}' : 'query now {hello}'
    const answer = await server.get(`/api/graphql?query=${encodeURIComponent(query)}${path}`, headers)
    assert.equal(answer.headers.get('cache-control'), expected)
  }
})

test('long bodies, and those in chunks, cost more points', async () => {
  await using server = await startServer({ authenticate: () => someCaller({ pointsPerMinute: 1_000 }) })
  let left = 1_000
  for (const [bytes, points] of [
    [100, 1],
    [4_000, 1],
    [4_001, 2],
    [5_000, 2],
    [5_001, 3],
  ] as const) {
    const body = '{"query":"{ hello }"}'.padEnd(bytes)
    const send = (chunks: object) =>
      fetch(`${server.url}/api/graphql`, { method: 'POST', headers: json, body, ...chunks })
    for (const [chunked, more] of [
      [{}, 0],
      [{ body: new Blob([body]).stream(), duplex: 'half' }, 1],
    ] as const) {
      const { headers } = await send(chunked)
      left -= points + more
      assert.match(headers.get('ratelimit') ?? '', new RegExp(`;r=${left};`), `${bytes} bytes`)
    }
  }
})

test('health and readiness are two answers', async () => {
  let failure: Error | null = null
  const readStatus = async (): Promise<IndexStatus> => {
    if (failure !== null) throw failure
    return emptyStatus
  }
  await using server = await startServer({ readStatus })
  assert.deepEqual(await (await server.get('/healthz')).json(), { status: 'up' })
  assert.deepEqual(await (await server.get('/readyz')).json(), { status: 'ready', ...emptyStatus })
  failure = new Error('select 1 failed')
  await assertFailure(await server.get('/readyz'), 503, 'UNAVAILABLE')
  assert.equal((await server.get('/healthz')).status, 200)
})
