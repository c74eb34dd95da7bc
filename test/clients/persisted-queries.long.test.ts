/** Automatic persisted queries by the clients that send them: after a refusal they send the document. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { startServer } from '../support/server/http-server.ts'
import { importLibrary } from './library.ts'

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
