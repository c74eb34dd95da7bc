import assert from 'node:assert/strict'
import { test } from 'node:test'
import { libraryLexicons, libraryReferences } from '../../test/support/lexicons.ts'
import { buildRecord, refTo } from '../../test/support/records.ts'
import { openTestService, type TestService } from '../../test/support/service.ts'
import { recordLexicon } from '../../test/support/store.ts'

const list = 'orgExampleLibraryBook'
const reverse = 'orgExampleLibraryBookViaAuthor'

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
    `{ ${Array.from({ length: number }, (_, n) => `a${n}: ${list}Aggregate(groupBy: [title]) { count }`).join(' ')} }`
  await service.data(groupings(12))
  assert.equal((await service.refusal(groupings(100))).code, 'QUERY_TOO_COMPLEX')
})

test('as many conditions as are allowed are answered, however they are joined', async () => {
  await using service = await open()
  const conditions = Array.from({ length: 400 }, (_, n) => ({ title: { contains: `none ${n}` } }))
  const found = async (where: object): Promise<number> => {
    const data = await service.data(
      `query ($where: OrgExampleLibraryBookWhereInput) { ${list}(where: $where) { totalCount nodes { uri } } }`,
      { where },
    )
    assert.equal(data[list].nodes.length, data[list].totalCount)
    return data[list].totalCount
  }
  assert.equal(await found({ OR: conditions }), 0)
  assert.equal(await found({ OR: [...conditions.slice(1), { title: { contains: 'a book' } }] }), 3)
  assert.equal(await found({ AND: conditions.map((NOT) => ({ NOT })) }), 3)
})

test('a list of a thousand URIs is answered', async () => {
  await using service = await open()
  const [{ uri }] = (await service.data(`{ ${list}(first: 1) { nodes { uri } } }`))[list].nodes
  const uris = [...Array.from({ length: 999 }, (_, n) => `at://did:plc:nobody/a.b.c/${n}`), uri]
  const count = async (where: object): Promise<number> =>
    (
      await service.data(
        `query ($where: OrgExampleLibraryBookWhereInput) { ${list}(where: $where) { totalCount } }`,
        {
          where,
        },
      )
    )[list].totalCount
  assert.equal(await count({ uri: { in: uris } }), 1)
  assert.equal(await count({ uri: { notIn: uris } }), 2)
  assert.equal(await count({ author: { uri: { in: uris } } }), 0)
})

test('an array may be asked for a thousand elements', async () => {
  await using service = await open()
  const query = `query ($where: OrgExampleLibraryBookWhereInput) { ${list}(where: $where) { totalCount nodes { uri } } }`
  const elements = Array.from({ length: 1000 }, (_, n) => `tag ${n}`)
  for (const operator of ['hasAny', 'hasAll'])
    assert.equal(
      (await service.data(query, { where: { tags: { [operator]: elements } } }))[list].totalCount,
      0,
    )
})

test('more values than a statement takes are refused as too many, not as our fault', async () => {
  await using service = await open()
  const OR = Array.from({ length: 31 }, (_, part) => ({
    title: { in: Array.from({ length: 1000 }, (_, n) => `${part} ${n}`) },
  }))
  const query = `query ($where: OrgExampleLibraryBookWhereInput) { ${list}(where: $where) { totalCount } }`
  const { code, message } = await service.refusal(query, { where: { OR } })
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

async function open(): Promise<TestService> {
  const author = await buildRecord('org.example.library.person', { rkey: 'p', value: { name: 'Somebody' } })
  const books = await Promise.all(
    ['a', 'b', 'c'].map((rkey) =>
      buildRecord('org.example.library.book', { rkey, value: { title: 'A book', author: refTo(author) } }),
    ),
  )
  return openTestService({
    lexicons: libraryLexicons,
    references: libraryReferences,
    records: [author, ...books],
  })
}
