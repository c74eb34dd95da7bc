/** What is refused over HTTP, and what fails: a status, a code and a sentence, and the next request is answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFailure, type Headers, json, startServer } from './support/server/http-server.ts'

type Body = NonNullable<RequestInit['body']>

const modern = 'application/graphql-response+json'

test('the status of a failure follows its code and the media type', async (t) => {
  await using server = await startServer()
  const cases: readonly (readonly [query: string, code: string, forJson: number, forModern: number])[] = [
    ['{', 'GRAPHQL_PARSE_FAILED', 200, 400],
    ['', 'GRAPHQL_PARSE_FAILED', 200, 400],
    ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED', 200, 400],
    ['{ fail(code: "BAD_USER_INPUT") }', 'BAD_USER_INPUT', 200, 400],
    ['{ fail(code: "INVALID_CURSOR") }', 'INVALID_CURSOR', 200, 400],
    ['{ fail(code: "QUERY_TOO_COMPLEX") }', 'QUERY_TOO_COMPLEX', 200, 400],
    ['{ fail(code: "UNAVAILABLE") }', 'UNAVAILABLE', 503, 503],
    ['{ fail(code: "TIMEOUT") }', 'TIMEOUT', 504, 504],
    ['{ fail(code: "INTERNAL") }', 'INTERNAL', 500, 500],
  ]
  for (const [query, code, forJson, forModern] of cases) {
    await t.test(`${query} is ${code}`, async () => {
      await assertFailure(await server.post({ query }), forJson, code)
      await assertFailure(await server.post({ query }, { accept: modern }), forModern, code)
    })
  }
})

test('of our own faults the caller sees a request id and the operator the cause', async () => {
  await using server = await startServer()
  const response = await server.post({ query: '{ fail(code: "INTERNAL") }' })
  const body = await response.text()
  assert.doesNotMatch(body, /secret|select|disk|node_modules|\.ts/)
  const { requestId } = JSON.parse(body).errors[0].extensions
  const logged = server.log.find((line) => line.includes(requestId)) ?? ''
  assert.match(logged, /select secret from hidden_table: disk I\/O error/)
  assert.match(logged, /fail\(code/)
})

test('an engine that throws is our fault too', async () => {
  const engine = { execute: () => Promise.reject(new Error('the secret cause')) }
  await using server = await startServer({ engine })
  const response = await server.post({ query: '{ hello }' })
  const body = await assertFailure(response, 500, 'INTERNAL')
  assert.doesNotMatch(JSON.stringify(body), /secret/)
  assert.match(server.log.join(''), /the secret cause/)
})

test('bad input gets a status, a code and a sentence, and the next request is answered', async (t) => {
  await using server = await startServer()
  const post = (body: Body | null, headers: Headers = json) =>
    fetch(`${server.url}/api/graphql`, { method: 'POST', headers, body })
  const member = (name: string, value: unknown) => post(JSON.stringify({ query: '{ hello }', [name]: value }))
  const nested = (levels: number) => `{"query":"{ hello }","variables":{"a":${'['.repeat(levels)}`
  const latin1 = new Uint8Array([
    ...Buffer.from('{"query":"{ hello(name: \\"'),
    0xe9,
    ...Buffer.from('\\") }"}'),
  ])
  const charset = (name: string) => ({ 'content-type': `application/json; charset=${name}` })
  const cases: readonly (readonly [
    what: string,
    send: () => Promise<Response>,
    status: number,
    code: string,
  ])[] = [
    ['truncated JSON', () => post('{"query":"{ hel'), 400, 'BAD_REQUEST'],
    ['no JSON at all', () => post('query { hello }'), 400, 'BAD_REQUEST'],
    ['an empty body', () => post(''), 400, 'BAD_REQUEST'],
    ['no body', () => post(null), 400, 'BAD_REQUEST'],
    ['no body and no type', () => post(null, {}), 400, 'BAD_REQUEST'],
    ['an array', () => post('[{"query":"{ hello }"}]'), 400, 'BAD_REQUEST'],
    ['a number', () => post('17'), 400, 'BAD_REQUEST'],
    ['null', () => post('null'), 400, 'BAD_REQUEST'],
    ['no query', () => post('{"variables":{}}'), 400, 'BAD_REQUEST'],
    ['a null query', () => post('{"query":null}'), 400, 'BAD_REQUEST'],
    ['a numeric query', () => post('{"query":1}'), 400, 'BAD_REQUEST'],
    ['text as variables', () => member('variables', '{}'), 400, 'BAD_REQUEST'],
    ['an array as variables', () => member('variables', []), 400, 'BAD_REQUEST'],
    ['a number as operationName', () => member('operationName', 7), 400, 'BAD_REQUEST'],
    ['an object as operationName', () => member('operationName', {}), 400, 'BAD_REQUEST'],
    ['text as extensions', () => member('extensions', 'x'), 400, 'BAD_REQUEST'],
    ['a boolean as extensions', () => member('extensions', true), 400, 'BAD_REQUEST'],
    ['a query only under __proto__', () => post('{"__proto__":{"query":"{ hello }"}}'), 400, 'BAD_REQUEST'],
    ['invalid UTF-8', () => post(latin1), 400, 'BAD_REQUEST'],
    ['10,000 levels that never close', () => post(nested(10_000)), 400, 'QUERY_TOO_COMPLEX'],
    ['500,000 levels', () => post(nested(500_000)), 400, 'QUERY_TOO_COMPLEX'],
    [
      '257 levels',
      () => post(`{"query":"{ hello }","variables":{"a":${'['.repeat(255)}${']'.repeat(255)}}}`),
      400,
      'QUERY_TOO_COMPLEX',
    ],
    ['256 unclosed levels', () => post(nested(254)), 400, 'BAD_REQUEST'],
    [
      'another charset',
      () => post('{"query":"{ hello }"}', charset('iso-8859-1')),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'another charset, quoted',
      () => post('{"query":"{ hello }"}', charset('"UTF-16"')),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'another media type',
      () => post('{ hello }', { 'content-type': 'application/graphql' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a form', () => post(new URLSearchParams({ query: '{ hello }' }), {}), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a file upload', () => post(new FormData(), {}), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a broken media type', () => post('{}', { 'content-type': 'json' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'two media types in one',
      () => post('{}', { 'content-type': 'application/json, text/plain' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a compressed body',
      () => post('{}', { ...json, 'content-encoding': 'gzip' }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['GET without query', () => server.get('/api/graphql'), 400, 'BAD_REQUEST'],
    [
      'GET with the query twice',
      () => server.get('/api/graphql?query=%7Ba%7D&query=%7Bb%7D'),
      400,
      'BAD_REQUEST',
    ],
    [
      'GET with variables that are no JSON',
      () => server.get('/api/graphql?query=%7Bhello%7D&variables=%7B'),
      400,
      'BAD_REQUEST',
    ],
    [
      'GET with an array as variables',
      () => server.get('/api/graphql?query=%7Bhello%7D&variables=[]'),
      400,
      'BAD_REQUEST',
    ],
    [
      'GET with deep variables',
      () => server.get(`/api/graphql?query=%7Bhello%7D&variables=${'['.repeat(10_000)}`),
      400,
      'QUERY_TOO_COMPLEX',
    ],
    ['GET with a broken escape', () => server.get('/api/graphql?query=%7Bhello%'), 400, 'BAD_REQUEST'],
    ['GET with an escape that is no UTF-8', () => server.get('/api/graphql?query=%FF'), 400, 'BAD_REQUEST'],
    [
      'GET with a mutation',
      () => server.get('/api/graphql?query=mutation+%7Bhello%7D', { accept: modern }),
      400,
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['a broken path', () => server.get('/%'), 400, 'BAD_REQUEST'],
    ['another path', () => server.get('/graphql'), 404, 'NOT_FOUND'],
    [
      'POST to another path',
      () => fetch(`${server.url}/graphql`, { method: 'POST', body: 'x' }),
      404,
      'NOT_FOUND',
    ],
  ]
  for (const [what, send, status, code] of cases) {
    await t.test(`${what}: ${status} ${code}`, async () => {
      await assertFailure(await send(), status, code)
      await assertAlive(server.url)
    })
  }
})

test('too deep a body is told the limit and its own depth', async () => {
  await using server = await startServer()
  const response = await server.post({
    query: '{ hello }',
    variables: { a: JSON.parse('['.repeat(300) + ']'.repeat(300)) },
  })
  const [error] = (await assertFailure(response, 400, 'QUERY_TOO_COMPLEX')).errors
  assert.deepEqual(error.extensions, { code: 'QUERY_TOO_COMPLEX', limit: 256, actual: 302 })
})

test('harmless oddities are answered', async (t) => {
  await using server = await startServer()
  const bodies: readonly (readonly [what: string, body: string, headers: Headers])[] = [
    ['a charset in capitals', '{"query":"{ hello }"}', { 'content-type': 'application/json;charset=UTF-8' }],
    ['a media type in capitals', '{"query":"{ hello }"}', { 'content-type': 'Application/JSON' }],
    [
      '__proto__ keys everywhere',
      '{"query":"{ hello }","__proto__":{"query":1},"variables":{"__proto__":{"x":1},"constructor":2}}',
      json,
    ],
    ['unknown members', '{"query":"{ hello }","id":1}', json],
    ['brackets inside strings', JSON.stringify({ query: `# ${'['.repeat(500)}\n{ hello }` }), json],
    ['a member twice', '{"query":"{","query":"{ hello }"}', json],
  ]
  for (const [what, body, headers] of bodies) {
    await t.test(what, async () => {
      const response = await fetch(`${server.url}/api/graphql`, { method: 'POST', headers, body })
      assert.equal(await response.text(), '{"data":{"hello":"Hello, world"}}')
    })
  }
  assert.equal(({} as Record<string, unknown>)['x'], undefined)
})

test('of two content types the first counts', async () => {
  await using server = await startServer()
  const body = '{"query":"{ hello }"}'
  const send = (first: string, second: string) =>
    server.raw(
      `POST /api/graphql HTTP/1.1\r\nhost: x\r\ncontent-type: ${first}\r\ncontent-type: ${second}\r\n` +
        `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    )
  assert.match(await send('application/json', 'text/plain'), /^HTTP\/1.1 200 /)
  assert.match(await send('text/plain', 'application/json'), /^HTTP\/1.1 415 /)
  await assertAlive(server.url)
})

test('what is too large is refused with 413', async (t) => {
  await using server = await startServer({ maxBodyBytes: 1000 })
  await t.test('a body', async () => {
    const response = await server.post({ query: `{ hello } #${'x'.repeat(1000)}` })
    await assertFailure(response, 413, 'PAYLOAD_TOO_LARGE')
  })
  await t.test('a body of many megabytes', async () => {
    const response = await server.post({ query: `{ hello } #${'x'.repeat(20_000_000)}` })
    await assertFailure(response, 413, 'PAYLOAD_TOO_LARGE')
  })
  await t.test('a body of unknown length', async () => {
    const body = new Blob(['x'.repeat(3_000_000)]).stream()
    const init = { method: 'POST', headers: json, body, duplex: 'half' } as const
    await assertFailure(await fetch(`${server.url}/api/graphql`, init), 413, 'PAYLOAD_TOO_LARGE')
  })
  await t.test('a URL', async () => {
    const response = await server.get(`/api/graphql?query=%7Bhello%7D%23${'x'.repeat(20_000)}`)
    await assertFailure(response, 413, 'PAYLOAD_TOO_LARGE')
  })
  await t.test('a URL of a megabyte', async () => {
    const answer = await server.raw(
      `GET /api/graphql?query=${'x'.repeat(1_000_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
    )
    assert.match(answer, /^HTTP\/1.1 413 /)
    assert.match(answer, /PAYLOAD_TOO_LARGE/)
  })
  await assertAlive(server.url)
})

test('bytes that are not HTTP get a GraphQL error and a closed connection', async () => {
  await using server = await startServer()
  const answer = await server.raw('\u0016\u0003\u0001 hello\r\n\r\n')
  assert.match(answer, /^HTTP\/1.1 400 /)
  assert.match(answer, /"code":"BAD_REQUEST"/)
  await assertAlive(server.url)
})

test('other methods get 405 with what is allowed', async (t) => {
  await using server = await startServer()
  for (const method of ['PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    await t.test(method, async () => {
      const response = await fetch(`${server.url}/api/graphql`, { method })
      assert.equal(response.headers.get('allow'), 'GET, HEAD, POST, OPTIONS')
      await assertFailure(response, 405, 'METHOD_NOT_ALLOWED')
    })
  }
  await assertFailure(await fetch(`${server.url}/healthz`, { method: 'POST' }), 405, 'METHOD_NOT_ALLOWED')
})

async function assertAlive(url: string): Promise<void> {
  const response = await fetch(`${url}/api/graphql?query=%7Bhello%7D`)
  assert.equal(await response.text(), '{"data":{"hello":"Hello, world"}}')
}
