/** `GET /schema.graphql`: what tools that generate code read. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { buildSchema } from 'graphql'
import { buildGraphQLSchema } from '../src/schema/graphql/graphql.ts'
import { schemaText } from '../src/schema/schema-text.ts'
import { newsLexicons } from './golden/corpora.ts'
import { modelOf } from './support/service/agents.ts'
import { startServer } from './support/server/http-server.ts'

const schema = buildGraphQLSchema(
  modelOf(newsLexicons.documents, newsLexicons.references, newsLexicons.stories),
)
const path = '/schema.graphql'

test('the schema is served as text that builds the same schema, with its hash as ETag', async () => {
  await using server = await startServer({ schema })
  const response = await server.get(path, { 'accept-encoding': 'identity' })
  const text = await response.text()
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  assert.equal(response.headers.get('etag'), `W/"${createHash('sha256').update(text).digest('hex')}"`)
  assert.deepEqual(
    Object.keys(buildSchema(text).getTypeMap()).sort(),
    Object.keys(schema.getTypeMap()).sort(),
  )
})

test('a schema is printed once', () => {
  assert.equal(schemaText(schema), schemaText(schema))
})

test('who has the schema is answered 304, and HEAD has the headers alone', async () => {
  await using server = await startServer({ schema })
  const { headers } = await server.get(path)
  const etag = headers.get('etag') ?? ''
  for (const given of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
    const response = await server.get(path, { 'if-none-match': given })
    assert.equal(response.status, 304, given)
    assert.equal(response.headers.get('etag'), etag)
    assert.equal(await response.text(), '')
  }
  assert.equal((await server.get(path, { 'if-none-match': '"other"' })).status, 200)
  const head = await fetch(server.url + path, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('etag'), await head.text()], [200, etag, ''])
})

test('the schema is compressed for those who can read that', async () => {
  await using server = await startServer({ schema })
  const plain = await (await server.get(path, { 'accept-encoding': 'identity' })).text()
  const answer = await server.raw(
    `GET ${path} HTTP/1.0\r\nhost: x\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n`,
  )
  assert.match(answer, /content-encoding: gzip/i)
  const response = await fetch(server.url + path, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  assert.equal(await response.text(), plain)
})

test('other methods are told what the path takes', async () => {
  await using server = await startServer({ schema })
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(response.status, 405)
  assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
})

test('custom scalars say where they are specified, and the schema what it is', () => {
  const urls = ['DateTime', 'BigInt', 'JSON', 'MeasureValue'].map((name) => {
    const type = schema.getType(name)
    return type !== undefined && 'specifiedByURL' in type ? type.specifiedByURL : null
  })
  assert.deepEqual(urls, [
    'https://atproto.com/specs/lexicon#datetime',
    'https://atproto.com/specs/data-model#data-types',
    'https://www.rfc-editor.org/rfc/rfc8259',
    'https://www.rfc-editor.org/rfc/rfc8259',
  ])
  assert.match(schema.description ?? '', /read-only/)
})
