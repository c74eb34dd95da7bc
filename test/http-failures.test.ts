/** What is refused over HTTP, and what fails: a status, a code and a sentence, and the next request is answered. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../src/errors.ts'
import type { Explorer, FinishedPage } from '../src/explorer/explorer.ts'
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

test('a page that fails by our fault ends with the request id, before and after its start was sent', async () => {
  const failing = Promise.withResolvers<FinishedPage>()
  const page = { status: 200, language: 'en', location: null, isEmbedded: false }
  const finished = { media: 'text/html', name: null, retryAfter: null, start: '' }
  const open: Explorer['open'] = ({ path, refusal }) => {
    if (refusal === null && path === '/') return { ...page, start: '<head>', finish: () => failing.promise }
    if (refusal === null)
      return { ...page, start: '', finish: () => Promise.reject(new Error('the secret cause')) }
    return { ...page, start: '', finish: async () => ({ ...finished, status: 500, rest: refusal.message }) }
  }
  const explorer = { open, robots: () => '', sitemap: async () => null }
  const routes = { dataVersion: () => null, version: '1', imageHosts: [], logo: null }
  await using server = await startServer({ explorer: { ...routes, create: async () => explorer } })
  const early = await server.get('/')
  failing.reject(new Error('the secret cause'))
  for (const response of [early, await server.get('/search')]) {
    assert.equal(response.status, response === early ? 200 : 500)
    const body = await response.text()
    const [, requestId = 'none'] = /name the request ([\w-]+)\./.exec(body) ?? []
    const logged = server.log.find((line) => line.includes(requestId)) ?? ''
    assert.match(logged, /the secret cause/)
    assert.doesNotMatch(body, /secret/)
  }
})

test('a key that does not hold is told how to send one', async () => {
  const authenticate = () => {
    throw new ServiceError('UNAUTHENTICATED', 'It is none.')
  }
  await using server = await startServer({ authenticate })
  const response = await server.post({ query: '{ hello }' })
  assert.equal(response.headers.get('www-authenticate'), 'ApiKey header="X-API-Key"')
  await assertFailure(response, 401, 'UNAUTHENTICATED')
})

test('an engine that throws is our fault too', async () => {
  const engine = { execute: () => Promise.reject(new Error('the secret cause')) }
  await using server = await startServer({ engine })
  const response = await server.post({ query: '{ hello }' })
  const body = await assertFailure(response, 500, 'INTERNAL')
  assert.doesNotMatch(JSON.stringify(body), /secret/)
  assert.match(server.log.join(''), /the secret cause/)
})

// What else is wrong with heads, bodies and parameters is in the table of `attacks`, on the real program.
test('bad input gets a status, a code and a sentence, and the next request is answered', async (t) => {
  await using server = await startServer()
  const post = (body: Body | null, headers: Headers = json) =>
    fetch(`${server.url}/api/graphql`, { method: 'POST', headers, body })
  const nested = (open: number, close: number) =>
    post(`{"query":"{ hello }","variables":{"a":${'['.repeat(open)}${']'.repeat(close)}}}`)
  const cases: readonly (readonly [
    what: string,
    send: () => Promise<Response>,
    status: number,
    code: string,
  ])[] = [
    ['no body and no type', () => post(null, {}), 400, 'BAD_REQUEST'],
    ['no query', () => post('{"variables":{}}'), 400, 'BAD_REQUEST'],
    ['a boolean as extensions', () => post('{"query":"{ hello }","extensions":true}'), 400, 'BAD_REQUEST'],
    ['257 levels', () => nested(255, 255), 400, 'QUERY_TOO_COMPLEX'],
    ['256 unclosed levels', () => nested(254, 0), 400, 'BAD_REQUEST'],
  ]
  for (const [what, send, status, code] of cases) {
    await t.test(`${what}: ${status} ${code}`, async () => {
      await assertFailure(await send(), status, code)
      await assertAlive(server.url)
    })
  }
})

test('other methods get 405 with what is allowed', async () => {
  await using server = await startServer()
  const response = await fetch(`${server.url}/api/graphql`, { method: 'PUT' })
  assert.equal(response.headers.get('allow'), 'GET, HEAD, POST, OPTIONS')
  await assertFailure(response, 405, 'METHOD_NOT_ALLOWED')
})

async function assertAlive(url: string): Promise<void> {
  const response = await fetch(`${url}/api/graphql?query=%7Bhello%7D`)
  assert.equal(await response.text(), '{"data":{"hello":"Hello, world"}}')
}
