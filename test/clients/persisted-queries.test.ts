/** Automatic persisted queries: clients that send a hash instead of a document fall back to the document. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { json, startServer } from '../support/server/http-server.ts'
import { importLibrary } from './library.ts'

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

for (const useGETForHashedQueries of [false, true]) {
  test(`Apollo Client falls back to the document after a ${useGETForHashedQueries ? 'GET' : 'POST'}`, async () => {
    await using server = await startServer()
    const { ApolloClient, HttpLink, InMemoryCache, gql } = await importLibrary('@apollo/client')
    const { PersistedQueryLink } = await importLibrary('@apollo/client/link/persisted-queries')
    const { asked, fetch } = recordRequests()
    const hashes = new PersistedQueryLink({ sha256, useGETForHashedQueries })
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: hashes.concat(new HttpLink({ uri: `${server.url}/api/graphql`, fetch })),
    })
    const ask = (name: string) =>
      client.query({ query: gql`query Ask($name: String) { hello(name: $name) }`, variables: { name } })
    assert.deepEqual((await ask('Apollo')).data, { hello: 'Hello, Apollo' })
    assert.deepEqual((await ask('again')).data, { hello: 'Hello, again' })
    // The hash, the document, and from then on no hash is tried.
    assert.deepEqual(asked, [useGETForHashedQueries ? 'GET' : 'POST', 'POST', 'POST'])
  })
}

for (const preferGetForPersistedQueries of [false, true]) {
  test(`urql falls back to the document after a ${preferGetForPersistedQueries ? 'GET' : 'POST'}`, async () => {
    await using server = await startServer()
    const { Client, fetchExchange, gql } = await importLibrary('@urql/core')
    const { persistedExchange } = await importLibrary('@urql/exchange-persisted')
    const { asked, fetch } = recordRequests()
    const client = new Client({
      url: `${server.url}/api/graphql`,
      fetch,
      preferGetMethod: false,
      exchanges: [
        persistedExchange({
          generateHash: async (text: string) => sha256(text),
          preferGetForPersistedQueries,
        }),
        fetchExchange,
      ],
    })
    const ask = (name: string) =>
      client.query(gql`query Ask($name: String) { hello(name: $name) }`, { name }).toPromise()
    assert.deepEqual((await ask('urql')).data, { hello: 'Hello, urql' })
    assert.deepEqual((await ask('again')).data, { hello: 'Hello, again' })
    assert.equal(asked[0], preferGetForPersistedQueries ? 'GET' : 'POST')
    assert.equal(asked.length, 3)
  })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function parameters(request: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(request).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return new URLSearchParams(Object.fromEntries(texts)).toString()
}

/** The methods of what a client sends. */
function recordRequests() {
  const asked: string[] = []
  return {
    asked,
    fetch: (url: string, options: RequestInit) => {
      asked.push(options.method ?? 'GET')
      return fetch(url, options)
    },
  }
}
