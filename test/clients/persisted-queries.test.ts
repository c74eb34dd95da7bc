/** Automatic persisted queries: clients that send a hash instead of a document fall back to the document. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { json, startServer } from '../support/server/http-server.ts'

const query = '{ hello(name: "hash") }'
const sha256Hash = createHash('sha256').update(query).digest('hex')
const extensions = { persistedQuery: { version: 1, sha256Hash } }
const accepts = {
  legacy: 'application/json',
  current: 'application/graphql-response+json, application/json;q=0.9',
}
const refusal = {
  errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
}

for (const [profile, accept] of Object.entries(accepts)) {
  test(`a POST with a hash alone is told to send the document (${profile} media type)`, async () => {
    await using server = await startServer()
    for (const body of [{ extensions }, { query: null, variables: {}, operationName: null, extensions }]) {
      const response = await server.post(body, { accept })
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), refusal)
    }
  })

  test(`a GET with a hash alone is told to send the document (${profile} media type)`, async () => {
    await using server = await startServer()
    const response = await server.get(`/api/graphql?${parameters({ extensions })}`, { accept })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await response.json(), refusal)
  })
}

test('a hash beside a document is ignored, whatever it is', async () => {
  await using server = await startServer()
  for (const persistedQuery of [{ version: 1, sha256Hash }, { sha256Hash: 'wrong' }, true, null, []]) {
    const body = { query, extensions: { persistedQuery } }
    const posted = await server.post(body)
    assert.deepEqual(await posted.json(), { data: { hello: 'Hello, hash' } })
    const got = await server.get(`/api/graphql?${parameters(body)}`, json)
    assert.deepEqual(await got.json(), { data: { hello: 'Hello, hash' } })
  }
})

test('other extensions do not replace a document', async () => {
  await using server = await startServer()
  for (const extensions of [{}, { persistedQuery: null }, { clientLibrary: { name: 'x' } }]) {
    const response = await server.post({ extensions })
    const { errors } = (await response.json()) as { errors: readonly { extensions: { code: string } }[] }
    assert.equal(errors[0]?.extensions.code, 'BAD_REQUEST')
  }
})

function parameters(request: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(request).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return new URLSearchParams(Object.fromEntries(texts)).toString()
}
