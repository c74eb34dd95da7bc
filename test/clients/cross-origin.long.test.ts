/** A client with its own headers on a page of another origin, in a real browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build } from 'esbuild'
import { skipWithoutBrowser } from '../support/server/browser.ts'
import { startServer } from '../support/server/http-server.ts'
import { installLibraries, librariesFolder } from './library.ts'
import { openPage } from './other-origin.ts'

test('Apollo Client with its awareness headers asks from another origin', {
  skip: skipWithoutBrowser,
}, async (t) => {
  await using server = await startServer()
  const page = await openPage(t, await bundleApollo())
  const data = await page.evaluate((uri) => {
    const { ask } = globalThis as unknown as { ask: (uri: string) => Promise<unknown> }
    return ask(uri)
  }, `${server.url}/api/graphql`)
  assert.deepEqual(data, { hello: 'Hello, Apollo' })
})

async function bundleApollo(): Promise<string> {
  installLibraries()
  const contents = `
    import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client'
    globalThis.ask = async (uri) => {
      const headers = { authorization: 'Bearer x', traceparent: '00-${'a'.repeat(32)}-${'b'.repeat(16)}-01' }
      const client = new ApolloClient({
        cache: new InMemoryCache(),
        link: new HttpLink({ uri, headers }),
        clientAwareness: { name: 'a page', version: '1.0' },
      })
      return (await client.query({ query: gql\`{ hello(name: "Apollo") }\` })).data
    }`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: librariesFolder },
    bundle: true,
    write: false,
    logLevel: 'error',
  })
  return outputFiles[0]?.text ?? ''
}
