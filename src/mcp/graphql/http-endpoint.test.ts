/** Questions to services that answer as they should, and to all sorts that do not. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { EndpointError } from '../../endpoint/endpoint.ts'
import { createHttpEndpoint } from './http-endpoint.ts'

const never = new AbortController().signal
const json = { 'content-type': 'application/json' }

test('a question is one POST with the key, and its answer comes with what it cost', async () => {
  const seen: unknown[] = []
  await using service = await startService(async (request, response) => {
    seen.push(request.method, request.headers['x-api-key'], JSON.parse(await readText(request)))
    response.writeHead(200, json).end('{"data":{"hello":"you"},"extensions":{"cost":3}}')
  })
  const question = { query: 'query($n: Int) { hello(n: $n) }', variables: { n: 1 } }
  const answer = await createHttpEndpoint({ url: service.url, apiKey: 'lgk_x' }).ask(question, never)
  assert.deepEqual(answer, { data: { hello: 'you' }, errors: [], cost: 3 })
  assert.deepEqual(seen, ['POST', 'lgk_x', question])
})

test('errors of the service are passed on with their code and their seconds', async () => {
  const errors = [{ message: 'Too often.', extensions: { code: 'RATE_LIMITED', retryAfter: 7 } }]
  await using service = await startService((_request, response) => {
    response.writeHead(429, json).end(JSON.stringify({ errors }))
  })
  const { data, errors: told } = await ask(service.url)
  assert.equal(data, null)
  assert.deepEqual(told, [{ message: 'Too often.', code: 'RATE_LIMITED', retryAfter: 7 }])
})

test('what a gateway in front refuses is a fault with its seconds, not a broken service', async () => {
  for (const [status, code] of [
    [401, 'UNAUTHENTICATED'],
    [403, 'UNAUTHENTICATED'],
    [429, 'RATE_LIMITED'],
    [503, 'UNAVAILABLE'],
    [504, 'TIMEOUT'],
  ] as const) {
    await using service = await startService((_request, response) => {
      response.writeHead(status, { 'retry-after': '12', 'content-type': 'text/html' }).end('<p>No.</p>')
    })
    const [fault] = (await ask(service.url)).errors
    assert.deepEqual([fault?.code, fault?.retryAfter], [code, 12])
  }
})

test('a service that is not GraphQL is told from one that is down, and from one that moved', async () => {
  await using page = await startService((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello.</p>')
  })
  await refuses(
    page.url,
    /is not a GraphQL service \(HTTP 200, text\/html\); name the address of GraphQL itself/,
  )
  await using list = await startService((_request, response) => response.writeHead(200, json).end('[1]'))
  await refuses(list.url, /is not a GraphQL service/)
  await using moved = await startService((_request, response) => {
    response.writeHead(308, { location: 'https://elsewhere.example/graphql' }).end()
  })
  await refuses(moved.url, /sends its callers elsewhere, to https:\/\/elsewhere\.example\/graphql/)
  const { url } = moved
  await moved[Symbol.asyncDispose]()
  await refuses(url, /cannot be reached \(connect ECONNREFUSED/)
})

test('an answer that is too long is not read to its end', async () => {
  await using service = await startService((_request, response) => {
    response.writeHead(200, json)
    const piece = 'x'.repeat(1024 * 1024)
    const more = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  await refuses(service.url, /more than 8 MiB; ask for less/)
})

test('a service that does not answer is given up, and one whose caller has gone at once', async (t) => {
  let asked = Promise.withResolvers<void>()
  await using service = await startService(() => asked.resolve())
  const endpoint = createHttpEndpoint({ url: service.url, apiKey: null })
  const deadline = new AbortController()
  const limits = t.mock.method(AbortSignal, 'timeout', () => deadline.signal)
  const late = endpoint.ask({ query: '{ x }' }, never)
  await asked.promise
  deadline.abort()
  await assert.rejects(late, /has not answered within 60 s/)
  assert.deepEqual(limits.mock.calls[0]?.arguments, [60_000])
  limits.mock.restore()
  asked = Promise.withResolvers()
  const gone = new AbortController()
  const reason = new Error('The caller has gone.')
  const pending = endpoint.ask({ query: '{ x }' }, gone.signal)
  await asked.promise
  gone.abort(reason)
  await assert.rejects(pending, reason)
})

function ask(url: URL) {
  return createHttpEndpoint({ url, apiKey: null }).ask({ query: '{ x }' }, never)
}

async function refuses(url: URL, message: RegExp): Promise<void> {
  await assert.rejects(ask(url), (error) => {
    assert.ok(error instanceof EndpointError, String(error))
    assert.match(error.message, message)
    return true
  })
}

async function startService(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<AsyncDisposable & { readonly url: URL }> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
