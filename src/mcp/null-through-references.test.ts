/** `null` in a filter holds for the records that a group of the same path has under null, and for no others. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createAgent, engineEndpoint, modelOf } from '../../test/support/service/agents.ts'
import { libraryLexicons, libraryReferences } from '../../test/support/records/lexicons.ts'
import { loadCorpus } from '../../test/support/random/property.ts'

const loaded = await loadCorpus(22)
after(() => loaded[Symbol.asyncDispose]())
const agent = createAgent(modelOf(libraryLexicons, libraryReferences), engineEndpoint(loaded.service.engine))

async function total(collection: string, filters: object): Promise<number> {
  return (await agent.call('search_records', { collection, filters, limit: 1 })).total
}

async function underNull(collection: string, path: string, filters: object = {}): Promise<number> {
  const { rows } = await agent.call('aggregate', { collection, by: [path], filters, limit: 100 })
  return rows.find(([key]: readonly unknown[]) => key === null)?.[1] ?? 0
}

const paths = [
  ['book', 'genre'],
  ['book', 'author'],
  ['book', 'author.country'],
  ['book', 'author.rating'],
  ['book', 'author.active'],
  ['book', 'author.employer'],
  ['book', 'author.employer.uri'],
  ['book', 'author.employer.country'],
  ['book', 'author.bornAt:year'],
  ['review', 'book.author'],
  ['review', 'book.author.country'],
  ['review', 'book.genre'],
  ['person', 'employer.country'],
  ['person', 'employer.head'],
] as const

for (const [collection, path] of paths) {
  test(`as many ${collection} records have no ${path} by a filter as by a group`, async () => {
    const name = path.replace(/:.*$/, '')
    const all = await total(collection, {})
    const missing = await underNull(collection, path)
    assert.ok(missing > 0 && missing < all, `${missing} of ${all}`)
    assert.equal(await total(collection, { [name]: null }), missing)
    assert.equal(await total(collection, { [name]: { isNull: true } }), missing)
    assert.equal(await total(collection, { [name]: { eq: null } }), missing)
    assert.equal(await total(collection, { [name]: { isNull: false } }), all - missing)
    assert.equal(await total(collection, { [name]: { ne: null } }), all - missing)
    assert.equal(await underNull(collection, path, { [name]: { isNull: false } }), 0)
  })
}

test('several paths that are null are each asked of every record', async () => {
  const names = ['author.country', 'author.employer.country', 'series', 'genre']
  const books = loaded.reference.list('org.example.library.book', { first: 100 }).totalCount
  const found = await total('book', Object.fromEntries(names.map((name) => [name, null])))
  const wheres = [
    { NOT: { author: { country: { isNull: false } } } },
    { NOT: { author: { employer: { country: { isNull: false } } } } },
    { series: { isNull: true }, genre: { isNull: true } },
  ]
  const expected = loaded.reference.count('org.example.library.book', { AND: wheres })
  assert.ok(expected > 0 && expected < books)
  assert.equal(found, expected)
})

test('of records that refer to one, null is asked of one of those that there are', async () => {
  const where = { NOT: { mentor: { country: { isNull: false } } }, rating: { gt: -50 } }
  const expected = loaded.reference.count('org.example.library.publisher', {
    orgExampleLibraryPersonViaEmployer: { some: where },
  })
  const filters = { 'personViaEmployer.mentor.country': null, 'personViaEmployer.rating': { gt: -50 } }
  assert.ok(expected > 0)
  assert.equal(await total('publisher', filters), expected)
})
