/** What other services get wrong of values, groups, joins, errors and schemas, one test each, with data to show it. */
import assert from 'node:assert/strict'
import type { Json } from './reference/shapes.ts'
import { collections, libraryLexicons, libraryReferences } from './support/records/lexicons.ts'
import { buildRecord, refTo } from './support/records/records.ts'
import { books, openLibrary } from './support/service/library.ts'
import { openTestService } from './support/service/service.ts'
import { onEveryEngine as test } from './support/store/databases.ts'

const { book, review } = collections

test('peer fault 11: totalCount is the number of all that match, and costs nothing when it is not selected', async (database) => {
  await using service = await openLibrary(database, await books(30, (index) => ({ value: { pages: index } })))
  const list = 'orgExampleLibraryBook(where: {pages: {gte: 5}}, first: 2)'
  const counted = await service.data(`{ list: ${list} { totalCount nodes { pages } } }`)
  assert.equal(counted.list.totalCount, 25)
  assert.match(service.opened.lastStatement(), /count\(/)
  await service.data(`{ list: ${list} { nodes { pages } } }`)
  assert.doesNotMatch(service.opened.lastStatement(), /count\(/)
})

test('peer fault 12: reverse joins over a strongRef find their records, in one statement, and never answer from yesterday', async (database) => {
  const parents = await books(40, () => ({}))
  const reviews = await Promise.all(
    parents.flatMap((parent, index) =>
      Array.from({ length: index % 3 }, (_, nth) =>
        buildRecord(review, { rkey: `${parent.rkey}-${nth}`, value: { book: refTo(parent), stars: nth } }),
      ),
    ),
  )
  await using service = await openLibrary(database, [...parents, ...reviews])
  const ask = (first: number) =>
    service.data(`{ list: orgExampleLibraryBook(first: ${first}, sortBy: [{field: rkey}]) { nodes {
      rkey reviews: orgExampleLibraryReviewViaBook(sortBy: [{field: rkey}]) { totalCount nodes { bookResolved { ... on OrgExampleLibraryBook { title } } } } } } }`)
  const { list } = await ask(40)
  list.nodes.forEach((node: Json, index: number) => {
    assert.equal(node.reviews.totalCount, index % 3)
    assert.deepEqual(
      node.reviews.nodes,
      Array.from({ length: index % 3 }, () => ({ bookResolved: { title: `Book ${index}` } })),
    )
  })
  const before = service.opened.statements()
  await ask(1)
  const forOne = service.opened.statements() - before
  await ask(39)
  assert.equal(service.opened.statements() - before - forOne, forOne)

  await service.store([await buildRecord(book, { rkey: '0001', value: { title: 'Renamed' } })])
  const { list: renamed } = await ask(2)
  assert.deepEqual(renamed.nodes[1].reviews.nodes, [{ bookResolved: { title: 'Renamed' } }])
})

test('peer fault 13: a database that fails is an error, not an empty result', async (database) => {
  await using service = await openLibrary(database, await books(3, () => ({})))
  await service.opened.breakDatabase()
  const answer = await service.engine.execute({
    query: '{ orgExampleLibraryBook { totalCount nodes { uri } } }',
  })
  assert.equal(answer.kind, 'errors')
  assert.ok(answer.kind === 'errors' && ['UNAVAILABLE', 'INTERNAL'].includes(answer.code))
  assert.ok(answer.cause !== undefined)
})

test('peer fault 15: a record that lacks what the lexicon now requires does not fail the others', async (database) => {
  const looser = structuredClone(libraryLexicons) as Json[]
  for (const document of looser) delete document.defs.main.record.required
  const records = [
    await buildRecord(review, { rkey: 'without', value: { stars: 1 } }),
    await buildRecord(review, { rkey: 'with', value: { stars: 2, text: 'Good.' } }),
  ]
  await using service = await openTestService({
    lexicons: looser,
    references: libraryReferences,
    records,
    database,
  })
  const { list } = await service.data(
    '{ list: orgExampleLibraryReview(sortBy: [{field: stars}]) { nodes { stars text book { uri } bookResolved { __typename } } } }',
  )
  assert.deepEqual(list.nodes, [
    { stars: 1, text: null, book: null, bookResolved: null },
    { stars: 2, text: 'Good.', book: null, bookResolved: null },
  ])
  await using strict = await openLibrary(database, [])
  const { type } = await strict.data(
    '{ type: __type(name: "OrgExampleLibraryReview") { fields { name type { kind } } } }',
  )
  for (const name of ['book', 'bookResolved', 'text']) {
    assert.notEqual(type.fields.find((field: Json) => field.name === name).type.kind, 'NON_NULL', name)
  }
})

test('peer fault 16: equal CIDs are no reason to drop a record', async (database) => {
  const twins = await Promise.all(
    ['did:plc:one', 'did:plc:two'].flatMap((did) =>
      ['a', 'b'].map((rkey) => buildRecord(book, { did, rkey, value: { title: 'The same' } })),
    ),
  )
  assert.equal(new Set(twins.map(({ cid }) => cid)).size, 1)
  await using service = await openLibrary(database, twins)
  const { same } = await service.data(
    '{ same: orgExampleLibraryBook(where: {title: {eq: "The same"}}) { totalCount } }',
  )
  assert.equal(same.totalCount, 4)
})

test('peer fault 17: the schema is built once, not for every request', async (database) => {
  // Lexicons of its own, because equal ones share their schema.
  const lexicons = structuredClone(libraryLexicons) as Json[]
  await using service = await openTestService({ lexicons, references: libraryReferences, database })
  const book = service.opened.schema.getType('OrgExampleLibraryBook')
  assert.ok(book)
  book.description = 'Changed after it was built.'
  // Different texts, so that nothing can be answered from a cache of documents.
  for (let index = 0; index < 50; index++) {
    const data = await service.data(`{ a${index}: __type(name: "OrgExampleLibraryBook") { description } }`)
    assert.deepEqual(data, { [`a${index}`]: { description: book.description } })
  }
})
