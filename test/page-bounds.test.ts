/** What a page says of its bounds, whatever else is selected of its list: some of it depends on no record. */
import assert from 'node:assert/strict'
import type { PlainRecord } from './reference/dataset.ts'
import { onEveryDatabase as test } from './support/store/databases.ts'
import { collections, libraryLexicons, libraryReferences } from './support/records/lexicons.ts'
import { buildRecord, refTo } from './support/records/records.ts'
import { openLibrary } from './support/service/library.ts'
import { sharedService } from './support/service/service.ts'

const { book, person, review } = collections

/** Ann has three books, Bob none; one book has two reviews. */
const open = sharedService(async () => {
  const people = await Promise.all(
    ['ann', 'bob'].map((rkey) => buildRecord(person, { rkey, value: { name: rkey } })),
  )
  const ann = refTo(people[0] as PlainRecord)
  const books = await Promise.all(
    ['a', 'b', 'c'].map((rkey) => buildRecord(book, { rkey, value: { title: rkey, author: ann } })),
  )
  const first = refTo(books[0] as PlainRecord)
  const reviews = await Promise.all(
    ['x', 'y'].map((rkey) => buildRecord(review, { rkey, value: { book: first } })),
  )
  const records = [...people, ...books, ...reviews]
  return { lexicons: libraryLexicons, references: libraryReferences, records }
})

const selections = [
  ['first: 2', 'hasPreviousPage', { hasPreviousPage: false }],
  ['last: 2', 'hasNextPage', { hasNextPage: false }],
  ['first: 0', 'startCursor endCursor', { startCursor: null, endCursor: null }],
  ['last: 0', 'startCursor hasNextPage', { startCursor: null, hasNextPage: false }],
  ['first: 2', '__typename', { __typename: 'PageInfo' }],
  ['last: 2', 'a: hasNextPage b: __typename', { a: false, b: 'PageInfo' }],
] as const

for (const [size, fields, pageInfo] of selections) {
  test(`with ${size} a list answers pageInfo { ${fields} } alone, with totalCount, with nodes, and twice`, async (database) => {
    const service = await open(database)
    for (const where of ['', ', where: {title: {eq: "nothing"}}']) {
      const list = `orgExampleLibraryBook(${size}${where})`
      const uris = await service.data(`{ list: ${list} { totalCount nodes { uri } } }`)
      const { totalCount, nodes } = uris.list
      const data = await service.data(`{
        alone: ${list} { pageInfo { ${fields} } }
        counted: ${list} { totalCount pageInfo { ${fields} } }
        twice: ${list} { __typename pageInfo { ${fields} } other: pageInfo { ${fields} } }
        filled: ${list} { pageInfo { ${fields} } nodes { uri } edges { node { uri } } }
        mixed: ${list} { one: pageInfo { hasPreviousPage } two: pageInfo { hasNextPage } same: pageInfo { ${fields} } }
      }`)
      assert.deepEqual(data.alone, { pageInfo })
      assert.deepEqual(data.counted, { totalCount, pageInfo })
      assert.deepEqual(data.twice, {
        __typename: 'OrgExampleLibraryBookConnection',
        pageInfo,
        other: pageInfo,
      })
      const edges = nodes.map((node: unknown) => ({ node }))
      assert.deepEqual(data.filled, { pageInfo, nodes, edges })
      assert.deepEqual(data.mixed.same, pageInfo)
    }
  })

  test(`with ${size} a nested list that selects pageInfo { ${fields} } alone leaves no record around it out`, async (database) => {
    const service = await open(database)
    const books = `orgExampleLibraryBookViaAuthor(${size})`
    const uri = (rkey: string, nsid: string) => `"at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${nsid}/${rkey}"`
    const data = await service.data(`{
      people: orgExampleLibraryPerson(sortBy: [{field: name}]) {
        nodes { name books: ${books} { pageInfo { ${fields} } } }
      }
      ann: orgExampleLibraryPersonByUri(uri: ${uri('ann', person)}) {
        books: ${books} { totalCount pageInfo { ${fields} } }
        deeper: orgExampleLibraryBookViaAuthor(sortBy: [{field: rkey}]) {
          nodes { rkey reviews: orgExampleLibraryReviewViaBook(${size}) { pageInfo { ${fields} } } }
        }
      }
      bob: orgExampleLibraryPersonByUri(uri: ${uri('bob', person)}) { books: ${books} { pageInfo { ${fields} } } }
    }`)
    const books0 = { pageInfo }
    assert.deepEqual(data.people.nodes, [
      { name: 'ann', books: books0 },
      { name: 'bob', books: books0 },
    ])
    assert.deepEqual(data.ann.books, { totalCount: 3, pageInfo })
    assert.deepEqual(
      data.ann.deeper.nodes,
      ['a', 'b', 'c'].map((rkey) => ({ rkey, reviews: { pageInfo } })),
    )
    assert.deepEqual(data.bob, { books: books0 })
  })
}

test('behind a cursor hasPreviousPage is true of a page that is empty, and of one that is not', async (database) => {
  const service = await open(database)
  const list = 'orgExampleLibraryBook'
  const { all } = await service.data(`{ all: ${list} { edges { cursor } } }`)
  const [first, last] = [all.edges[0].cursor, all.edges[2].cursor]
  const data = await service.data(`{
    filled: ${list}(first: 1, after: "${first}") { pageInfo { hasPreviousPage } }
    empty: ${list}(first: 1, after: "${last}") { pageInfo { hasPreviousPage } }
    before: ${list}(last: 1, before: "${first}") { totalCount pageInfo { hasNextPage } }
    none: ${list}(first: 0, after: "${first}") { pageInfo { hasPreviousPage startCursor } }
    narrow: ${list}(first: 2, after: "${last}", where: {title: {eq: "nothing"}}) { pageInfo { hasPreviousPage } }
  }`)
  assert.deepEqual(data, {
    filled: { pageInfo: { hasPreviousPage: true } },
    empty: { pageInfo: { hasPreviousPage: true } },
    before: { totalCount: 3, pageInfo: { hasNextPage: true } },
    none: { pageInfo: { hasPreviousPage: true, startCursor: null } },
    narrow: { pageInfo: { hasPreviousPage: false } },
  })
})

test('the last page under a bound on its sort key is followed by no record without that key', async (database) => {
  const books = await Promise.all(
    [5, 3, null].map((pages) =>
      buildRecord(book, {
        rkey: `pages-${pages}`,
        value: { title: 'a book', ...(pages !== null && { pages }) },
      }),
    ),
  )
  await using service = await openLibrary(database, books)
  const page = async (after: string) => {
    const sort = 'sortBy: [{field: pages, direction: DESC}], where: {pages: {lte: 5}}'
    const text = `{ list: orgExampleLibraryBook(first: 1, ${sort}${after}) { nodes { pages } pageInfo { hasNextPage endCursor } } }`
    return (await service.data(text)).list
  }
  const first = await page('')
  assert.deepEqual([first.nodes, first.pageInfo.hasNextPage], [[{ pages: 5 }], true])
  const second = await page(`, after: ${JSON.stringify(first.pageInfo.endCursor)}`)
  assert.deepEqual([second.nodes, second.pageInfo.hasNextPage], [[{ pages: 3 }], false])
  const third = await page(`, after: ${JSON.stringify(second.pageInfo.endCursor)}`)
  assert.deepEqual(third.nodes, [])
})
