/** What an operation may cost: what is answered, over stored records too, and what is refused as too much. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { buildRecord, refTo } from '../../../test/support/records/records.ts'
import { openTestService, type TestService } from '../../../test/support/service/service.ts'
import { createPlanner } from '../../../test/support/store/plans.ts'
import { recordLexicon } from '../../../test/support/store/store.ts'
import { assertAffordable } from '../execute/execute.ts'
import { limits } from '../parse/limits.ts'
import { costOf } from './cost.ts'
import { openLibrary } from '../../../test/support/service/library.ts'

const list = 'orgExampleLibraryBook'
const reverse = 'orgExampleLibraryBookViaAuthor'
const total = `${list}(where: $where) { totalCount }`
const planned = createPlanner(libraryLexicons, libraryReferences)

test('conditions and their values are limited in all filters of an operation together', () => {
  const query = (number: number): string =>
    `query ($where: OrgExampleLibraryBookWhereInput) { ${Array.from({ length: number }, (_, n) => `a${n}: ${total}`).join(' ')} }`
  const refused = (number: number, where: object, limit: number): void => {
    const stopped = { code: 'QUERY_TOO_COMPLEX', details: { limit, actual: limit + 1 } }
    assert.throws(() => planned(query(number), { where }), stopped)
  }
  const conditions = Array.from({ length: 99 }, () => ({ rkey: { eq: '' } }))
  // An object around 99 objects with an operator each.
  planned(query(10), { where: { OR: conditions } })
  refused(11, { OR: conditions }, 2_000)
  refused(100, { OR: Array.from({ length: 900 }, () => ({})) }, 2_000)
  const nested = (levels: number): object => (levels === 0 ? {} : { OR: [nested(levels - 1)] })
  planned(query(31), { where: nested(62) })
  refused(32, nested(62), 2_000)
  const values = { rkey: { in: Array.from({ length: 1_000 }, () => '') } }
  planned(query(30), { where: values })
  assert.throws(() => planned(query(31), { where: values }), { details: { limit: 30_000, actual: 31_000 } })
})

test('many whole records are refused before they are read', () => {
  const whole = Array.from({ length: 45 }, (_, n) => `a${n}: recordJson`).join(' ')
  const pages = Array.from({ length: 20 }, (_, n) => `r${n}: ${list}(first: 100) { nodes { ${whole} } }`)
  assert.ok(costOf(planned(`{ ${pages.join(' ')} }`)) > limits.points)
})

test('what costs more than is allowed is refused with both numbers', () => {
  assertAffordable(250, 250)
  assert.throws(() => assertAffordable(251, 250), {
    code: 'QUERY_TOO_COMPLEX',
    message: /costs 251 points, and the limit is 250\./,
    details: { limit: 250, actual: 251 },
  })
})

test('an operation’s cost does not depend on the records', async () => {
  const text = `{ ${list}(where: {title: {contains: "a book"}}) { totalCount nodes { uri } } }`
  await using full = await open()
  await using empty = await openTestService({ lexicons: libraryLexicons, references: libraryReferences })
  const [some, none] = [await full.query(text), await empty.query(text)]
  assert.equal(some.data[list].totalCount, 3)
  assert.equal(none.data[list].totalCount, 0)
  assert.deepEqual(
    [some.extensions.cost, none.extensions.cost],
    [costOf(planned(text)), costOf(planned(text))],
  )
})

test('pages of pages of pages are refused before they are read, with the limit and the actual cost', async () => {
  await using service = await open()
  const nested = (levels: number, first: number): string => {
    let inner = 'uri'
    for (let level = 1; level < levels; level += 1)
      inner = `authorResolved { ... on OrgExampleLibraryPerson { ${reverse}(first: ${first}) { nodes { ${inner} } } } }`
    return `{ ${list}(first: ${first}) { nodes { ${inner} } } }`
  }
  await service.data(nested(2, 100))
  await service.data(nested(5, 5))
  const answer = await service.query(nested(3, 100))
  const { code, limit, actual } = answer.errors[0].extensions
  assert.deepEqual([code, limit], ['QUERY_TOO_COMPLEX', 1_000])
  assert.ok(actual > 1_000, String(actual))
})

test('a page that is not asked for costs nothing', async () => {
  await using service = await open()
  const inner = `authorResolved { ... on OrgExampleLibraryPerson { ${reverse}(first: 100) { nodes { ${reverseOfBook} } } } }`
  await service.data(`{ ${list}(first: 0) { nodes { ${inner} } } }`)
  assert.equal(
    (await service.refusal(`{ ${list}(first: 100) { nodes { ${inner} } } }`)).code,
    'QUERY_TOO_COMPLEX',
  )
})

test('a dozen groupings in one operation are answered, a hundred are refused', async () => {
  await using service = await open()
  const groupings = (number: number): string =>
    `{ ${Array.from({ length: number }, (_, n) => `a${n}: ${list}Aggregate(groupBy: [title]) { groups { count } }`).join(' ')} }`
  await service.data(groupings(12))
  assert.equal((await service.refusal(groupings(100))).code, 'QUERY_TOO_COMPLEX')
})

test('as many conditions as are allowed are answered, however they are joined', async () => {
  await using service = await open()
  const texts = Array.from({ length: 40 }, (_, n) => ({ title: { contains: `none ${n}` } }))
  const bounds = Array.from({ length: 360 }, (_, n) => ({ indexedAt: { lt: `${1000 + n}-01-01T00:00:00Z` } }))
  const conditions = [...texts, ...bounds]
  assert.equal(await countOf(service, { OR: conditions }), 0)
  assert.equal(await countOf(service, { OR: [...conditions.slice(1), { title: { contains: 'a book' } }] }), 3)
  assert.equal(await countOf(service, { AND: conditions.map((NOT) => ({ NOT })) }), 3)
})

test('a list of a thousand URIs is answered', async () => {
  await using service = await open()
  const [{ uri }] = (await service.data(`{ ${list}(first: 1) { nodes { uri } } }`))[list].nodes
  const uris = [...Array.from({ length: 999 }, (_, n) => `at://did:plc:nobody/a.b.c/${n}`), uri]
  assert.equal(await countOf(service, { uri: { in: uris } }), 1)
  assert.equal(await countOf(service, { uri: { notIn: uris } }), 2)
  assert.equal(await countOf(service, { author: { uri: { in: uris } } }), 0)
})

test('an array may be asked for a thousand elements', async () => {
  await using service = await open()
  const elements = Array.from({ length: 1000 }, (_, n) => `tag ${n}`)
  for (const operator of ['hasAny', 'hasAll'])
    assert.equal(await countOf(service, { tags: { [operator]: elements } }), 0)
})

test('more values than a statement takes are refused as too many, not as our fault', async () => {
  await using service = await open()
  const OR = Array.from({ length: 31 }, (_, part) => ({
    title: { in: Array.from({ length: 1000 }, (_, n) => `${part} ${n}`) },
  }))
  const { code, message } = await service.refusal(listed, { where: { OR } })
  assert.equal(code, 'QUERY_TOO_COMPLEX')
  assert.match(message, /too many values: \d+, and the limit is 30000/)
})

test('the state of an index is told however many collections there are, but not a dozen times at once', async () => {
  const lexicons = Array.from({ length: 250 }, (_, n) => recordLexicon(`org.example.many.c${n}`, {}))
  await using service = await openTestService({ lexicons })
  const told = 'indexStatus { collections { name records newestIndexedAt } }'
  const { indexStatus } = await service.data(`{ ${told} }`)
  assert.equal(indexStatus.collections.length, 250)
  const dozen = Array.from({ length: 12 }, (_, n) => `a${n}: ${told}`)
  assert.equal((await service.refusal(`{ ${dozen.join(' ')} }`)).code, 'QUERY_TOO_COMPLEX')
})

const reverseOfBook = 'orgExampleLibraryReviewViaBook(first: 100) { nodes { uri } }'

const listed = `query ($where: OrgExampleLibraryBookWhereInput) { ${list}(where: $where) { totalCount nodes { uri } } }`

/** How many books a condition finds, of which a page shows all. */
async function countOf(service: TestService, where: object): Promise<number> {
  const { totalCount, nodes } = (await service.data(listed, { where }))[list]
  assert.equal(nodes.length, totalCount)
  return totalCount
}

async function open(): Promise<TestService> {
  const author = await buildRecord('org.example.library.person', { rkey: 'p', value: { name: 'Somebody' } })
  const books = await Promise.all(
    ['a', 'b', 'c'].map((rkey) =>
      buildRecord('org.example.library.book', { rkey, value: { title: 'A book', author: refTo(author) } }),
    ),
  )
  return openLibrary('sqlite', [author, ...books])
}
