/** `node` and `nodes`: what they hide, limit and cost; test/cases/references and test/properties have their answers. */
import assert from 'node:assert/strict'
import { unlimited } from '../src/query/execute/execute.ts'
import type { Json } from './reference/shapes.ts'
import type { Engine } from './support/store/postgres.ts'
import { openLibrary } from './support/service/library.ts'
import { onEveryEngine as test } from './support/store/databases.ts'
import { collections } from './support/records/lexicons.ts'
import { buildRecord, refTo } from './support/records/records.ts'
import { accountStatus } from './support/service/service.ts'

const { book, person } = collections
const shown = 'did:plc:shownshownshownshownshow'
const other = 'did:plc:otherotherotherotherothe'

const author = await buildRecord(person, { did: other, rkey: 'ann', value: { name: 'Ann', country: 'MX' } })
const written = await buildRecord(book, {
  did: shown,
  rkey: 'book',
  value: { title: 'A Book', author: refTo(author), language: 'en' },
})

const open = (database: Engine) => openLibrary(database, [author, written])

test('a record of a hidden account is null', async (database) => {
  await using service = await open(database)
  const both = `{ node(id: "${author.uri}") { id } nodes(ids: ["${author.uri}", "${written.uri}"]) { id } }`
  const before = await service.data(both)
  assert.deepEqual(before, { node: { id: author.uri }, nodes: [{ id: author.uri }, { id: written.uri }] })
  await service.opened.database.write.applyBatch([accountStatus(other, false)])
  const after = await service.data(both)
  assert.deepEqual(after, { node: null, nodes: [null, { id: written.uri }] })
})

test('nodes takes at most a page of ids', async (database) => {
  await using service = await open(database)
  const ask = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'
  const { nodes } = await service.data(ask, { ids: Array(100).fill(written.uri) })
  assert.equal(nodes.length, 100)
  assert.ok(nodes.every((node: Json) => node.id === written.uri))
  const { code, message } = await service.refusal(ask, { ids: Array(101).fill(written.uri) })
  assert.equal(code, 'BAD_USER_INPUT')
  assert.equal(message, '`ids` has 101 ids, and a page has at most 100: ask for them in several requests.')
})

test('one list of ids cannot be asked for without end', async (database) => {
  await using service = await open(database)
  const roots = Array.from({ length: 100 }, (_, index) => `f${index}: nodes(ids: $ids) { id }`).join(' ')
  const answer = await service.engine.execute(
    { query: `query ($ids: [ID!]!) { ${roots} }`, variables: { ids: Array(1_000).fill(written.uri) } },
    unlimited,
  )
  assert.ok(answer.kind === 'errors')
  assert.equal(answer.code, 'QUERY_TOO_COMPLEX')
  assert.match(
    answer.errors[0]?.message ?? '',
    /compares with too many values: 31000, and the limit is 30000/,
  )
})

test('ids are priced like records that are found by their URIs', async (database) => {
  await using service = await open(database)
  const cost = async (text: string, variables: Json = {}): Promise<number> =>
    (await service.query(text, variables)).extensions.cost
  const list =
    'orgExampleLibraryBookViaAuthor(first: 100, sortBy: [{field: title}]) { totalCount nodes { title } }'
  const one = await cost(`{ node(id: "${author.uri}") { ... on OrgExampleLibraryPerson { ${list} } } }`)
  const byUri = await cost(`{ orgExampleLibraryPersonByUri(uri: "${author.uri}") { ${list} } }`)
  assert.equal(one, byUri)
  const ids = Array(100).fill(author.uri)
  const many = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on OrgExampleLibraryPerson { ${list} } } }`
  const tenth = await cost(many, { ids: ids.slice(0, 10) })
  const all = await cost(many, { ids })
  assert.ok(all > 8 * tenth && all <= 10 * tenth, `${all} and ${tenth}`)
})
