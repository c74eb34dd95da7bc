/** Automatic persisted queries by the clients that send them: after a refusal they send the document. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startServer } from '../support/server/http-server.ts'
import { importLibrary } from './library.ts'

const document = 'query Ask($name: String) { hello(name: $name) }'

for (const method of ['GET', 'POST']) {
  test(`Apollo Client falls back to the document after a ${method}`, async () => {
    await using server = await startServer()
    const { ApolloClient, HttpLink, InMemoryCache, gql } = await importLibrary('@apollo/client')
    const { PersistedQueryLink } = await importLibrary('@apollo/client/link/persisted-queries')
    const { asked, fetch } = recordRequests()
    const hashes = new PersistedQueryLink({ sha256, useGETForHashedQueries: method === 'GET' })
    const link = hashes.concat(new HttpLink({ uri: `${server.url}/api/graphql`, fetch }))
    const client = new ApolloClient({ cache: new InMemoryCache(), link })
    const query = gql(document)
    for (const name of ['Apollo', 'again'])
      assert.deepEqual((await client.query({ query, variables: { name } })).data, { hello: `Hello, ${name}` })
    // The hash, the document, and from then on no hash is tried.
    assert.deepEqual(asked, [method, 'POST', 'POST'])
  })

  test(`urql falls back to the document after a ${method}`, async () => {
    await using server = await startServer()
    const { Client, fetchExchange, gql } = await importLibrary('@urql/core')
    const { persistedExchange } = await importLibrary('@urql/exchange-persisted')
    const { asked, fetch } = recordRequests()
    const hashes = persistedExchange({
      generateHash: async (text: string) => sha256(text),
      preferGetForPersistedQueries: method === 'GET',
    })
    const exchanges = [hashes, fetchExchange]
    const client = new Client({ url: `${server.url}/api/graphql`, fetch, preferGetMethod: false, exchanges })
    for (const name of ['urql', 'again'])
      assert.deepEqual((await client.query(gql(document), { name }).toPromise()).data, {
        hello: `Hello, ${name}`,
      })
    assert.deepEqual([asked[0], asked.length], [method, 3])
  })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
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
