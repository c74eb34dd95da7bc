/** Whatever a caller sends: a status, a code and a sentence that helps; never our insides; and then the next answer. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { badArguments } from './bad-input/arguments.ts'
import { type BadRequest, refused } from './bad-input/bad-request.ts'
import { badDocuments } from './bad-input/documents.ts'
import { badMeasures } from './bad-input/measures.ts'
import { newsLexicons } from './golden/corpora.ts'
import type { Json } from './reference/shapes.ts'
import { type HttpServer, startServer } from './support/server/http-server.ts'
import { openTestService, type TestService } from './support/service/service.ts'

const modern = { accept: 'application/graphql-response+json' }

interface Served {
  readonly service: TestService
  readonly server: HttpServer
}

let opened: Promise<Served> | undefined
/** One server for all tests: that it still answers after each of them is what they are for. */
function open(): Promise<Served> {
  opened ??= (async () => {
    const records = [...buildDemoCorpus()] as Json[]
    const { documents: lexicons, references } = newsLexicons
    const service = await openTestService({ lexicons, references, records })
    return { service, server: await startServer({ engine: service.engine }) }
  })()
  return opened
}
after(async () => {
  const served = await opened
  await served?.server[Symbol.asyncDispose]()
  await served?.service[Symbol.asyncDispose]()
})

const cases = [...badArguments, ...badDocuments, ...badMeasures]

for (const bad of cases) {
  test(`bad input, ${bad.name}: ${bad.code}`, async () => {
    const { server } = await open()
    await assertRefused(server, bad)
  })
}

test('cursors that are damaged or belong to something else are refused', async (t) => {
  const { server, service } = await open()
  const newest = 'sortBy: [{field: publishedAt, direction: DESC}]'
  const endOf = async (list: string): Promise<string> =>
    (await service.data(`{ list: ${list} }`)).list.pageInfo.endCursor
  const cursor = await endOf(`techServiceNewsArticle(first: 2, ${newest}) { pageInfo { endCursor } }`)
  const ofSources = await endOf('techServiceNewsSource(first: 2) { pageInfo { endCursor } }')
  const { source } = await service.data(
    '{ source: techServiceNewsSource(where: {domain: {eq: "uferblatt.example"}}) { nodes { page: techServiceNewsArticleViaSource(first: 1) { pageInfo { endCursor } } } } }',
  )
  const bytes = Buffer.from(cursor, 'base64url')
  const position = bytes.subarray(6).toString()
  const asked = (given: string, sortBy = newest) =>
    `{ techServiceNewsArticle(after: ${JSON.stringify(given)}, ${sortBy}) { nodes { uri } } }`
  const damaged: readonly (readonly [name: string, cursor: string, sortBy?: string])[] = [
    ['empty', ''],
    ['no base64', '%%%'],
    ['a number', '20'],
    ['cut short by one', cursor.slice(0, -1)],
    ['cut in half', cursor.slice(0, cursor.length / 2)],
    ['with a letter more', `${cursor}A`],
    ['with padding', `${cursor}==`],
    ['with white space', ` ${cursor}`],
    ['with one letter changed', cursor.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))],
    ['with one bit changed in the position', flipBit(bytes).toString('base64url')],
    ['encoded again as plain base64', `${bytes.toString('base64')}+/`],
    ['in hexadecimal', bytes.toString('hex')],
    ['with its position in clear', position],
    [
      'with another position under the same seal',
      Buffer.concat([bytes.subarray(0, 6), Buffer.from('["0","a","b"]')]).toString('base64url'),
    ],
    ['a foreign service’s', Buffer.from('{"uri":"at://did:plc:a/b.c.d/e"}').toString('base64url')],
    ['of another list', ofSources, 'first: 1'],
    ['of a reverse field', source.nodes[0].page.pageInfo.endCursor, 'first: 1'],
    ['of the other direction', cursor, 'sortBy: [{field: publishedAt, direction: ASC}]'],
    ['of another field', cursor, 'sortBy: [{field: createdAt, direction: DESC}]'],
    ['of the default order', cursor, 'sortBy: []'],
    ['of more fields', cursor, 'sortBy: [{field: publishedAt, direction: DESC}, {field: title}]'],
    ['very long', 'A'.repeat(20_000)],
    ['with NUL', 'A\0B'],
    ['with half a surrogate pair', '\ud83d'],
  ]
  const says =
    /no cursor of this list with this `sortBy` and `distinctOn`\. Take an `endCursor` or `startCursor` of the same list/
  for (const [name, given, sortBy] of damaged) {
    await t.test(`a cursor ${name}`, async () => {
      const query = 'query ($x: String) { techServiceNewsArticle(after: $x, SORT) { nodes { uri } } }'
      const [bad] = refused('INVALID_CURSOR', [
        [name, query.replace('SORT', sortBy ?? newest), says, { variables: { x: given } }],
      ])
      await assertRefused(server, bad!)
    })
  }
  await t.test('before as much as after', async () => {
    const query = `{ techServiceNewsArticle(last: 1, before: "${cursor.slice(1)}", ${newest}) { nodes { uri } } }`
    await assertRefused(server, { name: 'before', query, code: 'INVALID_CURSOR', says })
  })
  await t.test('while the cursor itself is answered', async () => {
    const { techServiceNewsArticle: list } = await service.data(asked(cursor))
    assert.equal(list.nodes.length, 20)
  })
})

test('10,000 levels in variables are measured before they are parsed', async () => {
  const { server } = await open()
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = `${open.repeat(10_000)}0${close.repeat(10_000)}`
    const body = `{"query":"query ($x: Int) { __typename }","variables":{"x":${nested}}}`
    const response = await fetch(`${server.url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    assert.equal(response.status, 400)
    const { errors } = (await response.json()) as Json
    assert.deepEqual(errors[0].extensions, { code: 'QUERY_TOO_COMPLEX', limit: 256, actual: 10_002 })
  }
  assert.equal((await server.post({ query: '{ __typename }' })).status, 200)
})

test('what is just within the limits is answered', async (t) => {
  const { server } = await open()
  const levels = (count: number, of: (inner: unknown) => unknown): unknown =>
    Array.from({ length: count - 1 }).reduce((inner) => of(inner), {})
  const query =
    'query ($x: TechServiceNewsArticleWhereInput) { list: techServiceNewsArticle(where: $x, first: 0) { totalCount } }'
  const within: readonly (readonly [name: string, x: unknown])[] = [
    ['64 levels of AND', levels(64, (inner) => ({ AND: [inner] }))],
    ['63 levels of NOT', levels(63, (inner) => ({ NOT: inner }))],
    [
      '32 joins',
      { AND: Array.from({ length: 32 }, () => ({ source: { indexedAt: { gt: '2000-01-01T00:00:00Z' } } })) },
    ],
    [
      '400 conditions',
      { NOT: { OR: Array.from({ length: 400 }, (_, at) => ({ wordCount: { eq: -at - 1 } })) } },
    ],
    ['1,000 values', { title: { notIn: Array.from({ length: 1_000 }, String) } }],
    ['20,000 characters', { title: { ne: 'x'.repeat(20_000) } }],
  ]
  for (const [name, x] of within) {
    await t.test(name, async () => {
      const response = await server.post({ query, variables: { x } }, modern)
      assert.deepEqual(((await response.json()) as Json).data, { list: { totalCount: 660 } })
    })
  }
})

test('there are cases enough', () => {
  assert.ok(cases.length >= 100, `${cases.length} cases`)
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length)
})

async function assertRefused(server: HttpServer, bad: BadRequest): Promise<void> {
  const { query, variables, operationName } = bad
  const request = { query, ...(variables && { variables }), ...(operationName && { operationName }) }
  const response = await server.post(request, modern)
  const text = await response.text()
  assert.equal(response.status, 400, text)
  const body = JSON.parse(text)
  assert.deepEqual(Object.keys(body), ['errors'])
  for (const { extensions } of body.errors) assert.equal(extensions.code, bad.code, text.slice(0, 2000))
  assert.match(body.errors.map(({ message }: Json) => message).join('\n'), bad.says)
  assert.doesNotMatch(text, insides)
  assert.equal((await server.post(request)).status, 200)
  assert.deepEqual(server.log, [])

  const next = await server.post({ query: '{ techServiceNewsSourceAggregate { count } }' })
  assert.deepEqual(((await next.json()) as Json).data, { techServiceNewsSourceAggregate: { count: 53 } })
}

/** Stacks, files, statements, and messages of engines. */
const insides = /node_modules|\bat .*\.[jt]s\b|\bselect [\w".]+ from\b|SQLITE|json_object|Maximum call stack/

function flipBit(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[10]! ^= 1
  return copy
}
