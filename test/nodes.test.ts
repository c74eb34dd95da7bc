/** `node`, `nodes` and the interfaces that all record types implement. */
import assert from 'node:assert/strict'
import { unlimited } from '../src/query/execute/execute.ts'
import type { Json } from './reference/shapes.ts'
import type { PlainRecord } from './reference/dataset.ts'
import type { Engine } from './support/store/postgres.ts'
import { openLibrary } from './support/service/library.ts'
import { onEveryDatabase as test } from './support/store/databases.ts'
import { collections } from './support/records/lexicons.ts'
import { buildRecord, refTo } from './support/records/records.ts'
import { openTestService, accountStatus } from './support/service/service.ts'

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

test('the id of a record is its AT-URI, and node finds the record by it', async (database) => {
  await using service = await open(database)
  const { list, node } = await service.data(
    `query ($id: ID!) {
      list: orgExampleLibraryBook { nodes { id uri } }
      node(id: $id) { __typename id ... on Record { collection rkey } ... on OrgExampleLibraryBook { title } }
    }`,
    { id: written.uri },
  )
  assert.deepEqual(list.nodes, [{ id: written.uri, uri: written.uri }])
  assert.deepEqual(node, {
    __typename: 'OrgExampleLibraryBook',
    id: written.uri,
    collection: book,
    rkey: 'book',
    title: 'A Book',
  })
})

test('a record of a hidden account is null', async (database) => {
  await using service = await open(database)
  const unlimited = `{ node(id: "${author.uri}") { id } nodes(ids: ["${author.uri}", "${written.uri}"]) { id } }`
  const before = await service.data(unlimited)
  assert.deepEqual(before, { node: { id: author.uri }, nodes: [{ id: author.uri }, { id: written.uri }] })
  await service.opened.database.write.applyBatch([accountStatus(other, false)])
  const after = await service.data(unlimited)
  assert.deepEqual(after, { node: null, nodes: [null, { id: written.uri }] })
})

test('an id that is not an AT-URI is refused as in ByUri', async (database) => {
  await using service = await open(database)
  for (const wrong of ['', 'https://example.com/', 'at://', 'did:plc:nobody', '7']) {
    const one = await service.refusal('query ($id: ID!) { node(id: $id) { id } }', { id: wrong })
    assert.equal(one.code, 'BAD_USER_INPUT')
    assert.match(one.message, /^`id` is no AT-URI\./)
    const many = await service.refusal('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids: [written.uri, wrong],
    })
    assert.equal(many.code, 'BAD_USER_INPUT')
    assert.match(many.message, /^`ids\[1\]` is no AT-URI\./)
  }
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

test('a resolved reference gives the fields of every record without a fragment', async (database) => {
  await using service = await open(database)
  const { list, aggregate } = await service.data(`{
    list: orgExampleLibraryBook { nodes {
      authorResolved { __typename id uri cid did rkey collection ... on OrgExampleLibraryPerson { name } }
      author { uriResolved { id uri } }
    } }
    aggregate: orgExampleLibraryBookAggregate(groupBy: [author]) { groups { authorResolved { uri } } }
  }`)
  const { uri, cid, did, rkey, collection } = author
  assert.deepEqual(list.nodes, [
    {
      authorResolved: {
        __typename: 'OrgExampleLibraryPerson',
        id: uri,
        uri,
        cid,
        did,
        rkey,
        collection,
        name: 'Ann',
      },
      author: { uriResolved: { id: uri, uri } },
    },
  ])
  assert.deepEqual(aggregate.groups, [{ authorResolved: { uri } }])
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

/** The property `id` is everywhere that a property can be. */
const tagged = {
  lexicon: 1,
  id: 'org.example.tagged',
  defs: {
    main: {
      type: 'record',
      key: 'any',
      record: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', maxLength: 100 },
          size: { type: 'integer' },
          part: { type: 'ref', ref: '#part' },
        },
      },
    },
    part: { type: 'object', properties: { id: { type: 'string', maxLength: 100 } } },
  },
}

test('a property id of a lexicon is the field record_id, and is filtered, sorted and grouped as that', async (database) => {
  const records: PlainRecord[] = []
  for (const [rkey, value] of Object.entries({
    a: { id: 'second', part: { id: 'inner' } },
    b: { id: 'first' },
  }))
    records.push(await buildRecord('org.example.tagged', { did: shown, rkey, value }))
  await using service = await openTestService({ lexicons: [tagged], records, database })
  const uri = (rkey: string): string => `at://${shown}/org.example.tagged/${rkey}`
  const { sorted, filtered, groups, min } = await service.data(`{
    sorted: orgExampleTagged(sortBy: [{field: record_id, direction: ASC}]) { nodes { id record_id part { id } recordJson } }
    filtered: orgExampleTagged(where: {record_id: {eq: "second"}, part: {id: {eq: "inner"}}}) { nodes { id } }
    groups: orgExampleTaggedAggregate(groupBy: [record_id], orderBy: KEY_ASC) { groups { record_id count } }
    min: orgExampleTaggedAggregate { countDistinct(field: record_id) }
  }`)
  const json = (rkey: number): Json => records[rkey]?.value
  assert.deepEqual(sorted.nodes, [
    { id: uri('b'), record_id: 'first', part: null, recordJson: { $type: 'org.example.tagged', ...json(1) } },
    {
      id: uri('a'),
      record_id: 'second',
      part: { id: 'inner' },
      recordJson: { $type: 'org.example.tagged', ...json(0) },
    },
  ])
  assert.deepEqual(filtered.nodes, [{ id: uri('a') }])
  assert.deepEqual(groups.groups, [
    { record_id: 'first', count: 1 },
    { record_id: 'second', count: 1 },
  ])
  assert.equal(min.countDistinct, 2)
})
