/** Pages of other origins in a real browser, and the preflights that the browser sends for them. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, skipWithoutBrowser } from '../support/server/browser.ts'
import { startServer } from '../support/server/http-server.ts'
import { patience } from '../support/until.ts'
import { startAgentServer } from '../mcp/agent-server.ts'

test('a preflight allows the headers that it asks for', async () => {
  await using server = await startServer()
  const asked =
    'apollographql-client-name,apollographql-client-version,authorization,content-type,traceparent,x-api-key'
  for (const path of ['/api/graphql', '/healthz', '/nowhere']) {
    const response = await preflight(server.url + path, asked)
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    assert.equal(response.headers.get('access-control-allow-credentials'), null)
    assert.equal(response.headers.get('access-control-allow-headers'), asked)
    assert.equal(response.headers.get('access-control-allow-methods'), 'GET, HEAD, POST, OPTIONS')
    assert.equal(response.headers.get('access-control-max-age'), '86400')
    assert.equal(response.headers.get('vary'), 'access-control-request-headers')
    assert.equal(await response.text(), '')
  }
})

test('a preflight without headers allows none', async () => {
  await using server = await startServer()
  const response = await fetch(`${server.url}/api/graphql`, { method: 'OPTIONS' })
  assert.equal(response.status, 204)
  assert.equal(response.headers.get('access-control-allow-headers'), null)
})

test('a list of headers that no browser sends is not reflected', async () => {
  await using server = await startServer()
  const longest = 'x-'.padEnd(4_000, 'a')
  assert.equal((await preflight(server.url, longest)).headers.get('access-control-allow-headers'), longest)
  for (const asked of [`${longest}a`, 'x-a; path=/', '<script>', 'x-é']) {
    const response = await preflight(server.url, asked)
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('access-control-allow-headers'), null, asked.slice(0, 20))
  }
})

test('a page of another origin reads answers and their headers', { skip: skipWithoutBrowser }, async (t) => {
  await using server = await startServer()
  const page = await openPage(t)
  const answer = await page.evaluate(async (url) => {
    const headers = { authorization: 'Bearer x', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
    const found = await fetch(`${url}?query={hello}`, { headers })
    const refused = await fetch(url, { method: 'PUT' }).catch(() => null)
    const failed = await fetch(url, { method: 'POST', headers: { 'content-type': 'text/csv', 'x-any': 'y' } })
    return {
      data: await found.json(),
      headers: [...found.headers.keys()],
      refused,
      failed: [failed.status, failed.headers.has('x-request-id')],
    }
  }, `${server.url}/api/graphql`)
  assert.deepEqual(answer.data, { data: { hello: 'Hello, world' } })
  for (const name of ['etag', 'x-request-id']) assert.ok(answer.headers.includes(name), name)
  assert.equal(answer.refused, null)
  assert.deepEqual(answer.failed, [415, true])
})

test("a page of another origin cannot ask the agents' server", { skip: skipWithoutBrowser }, async (t) => {
  await using server = await startAgentServer()
  const page = await openPage(t)
  const outcome = await page.evaluate(
    (url) =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then(
        ({ status }) => `answered with ${status}`,
        () => 'refused',
      ),
    `${server.url}/mcp`,
  )
  assert.equal(outcome, 'refused')
})

function preflight(url: string, asked: string): Promise<Response> {
  return fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://somewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    },
  })
}

/** An empty page of an origin of its own, in a browser. */
async function openPage(t: TestContext): Promise<Page> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const browser = await openBrowser()
  t.after(async () => {
    await browser.close()
    server.close()
  })
  const page = await browser.newPage()
  page.setDefaultTimeout(patience)
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return page
}
