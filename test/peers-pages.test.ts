/** What other services get wrong of orders, cursors and pages, one test each, with data on which it would show. */
import assert from 'node:assert/strict'
import type { Json } from './reference/shapes.ts'
import { collections } from './support/records/lexicons.ts'
import { buildRecord } from './support/records/records.ts'
import { books, openLibrary } from './support/service/library.ts'
import type { TestService } from './support/service/service.ts'
import { onEveryDatabase as test } from './support/store/databases.ts'

const { person } = collections

/** Record keys over all pages of a list. */
async function walk(service: TestService, list: string, size: number): Promise<string[]> {
  const keys: string[] = []
  let after = 'null'
  for (let more = true; more; ) {
    const { page } =
      await service.data(`{ page: orgExampleLibraryBook(first: ${size}, after: ${after}, ${list}) {
      nodes { rkey } pageInfo { hasNextPage endCursor } } }`)
    keys.push(...page.nodes.map((node: Json) => node.rkey))
    more = page.pageInfo.hasNextPage
    after = JSON.stringify(page.pageInfo.endCursor)
    assert.ok(keys.length <= 10_000)
  }
  return keys
}

test('peer fault 2: a thousand records, 250 to a second, are a thousand different ones over all pages', async (database) => {
  const records = await books(1000, (index) => ({ indexedAt: `2026-01-01T00:00:0${index % 4}Z` }))
  await using service = await openLibrary(database, records)
  const keys = await walk(service, 'sortBy: [{field: indexedAt, direction: DESC}]', 50)
  assert.equal(keys.length, 1000)
  assert.equal(new Set(keys).size, 1000)
})

test('peer fault 6: a cursor that is damaged or of another list is an error, never the first page', async (database) => {
  await using service = await openLibrary(database, [
    ...(await books(5, (index) => ({ value: { pages: index } }))),
    await buildRecord(person, { value: { name: 'Ann' } }),
  ])
  const cursorOf = async (list: string) =>
    (await service.data(`{ list: ${list} { pageInfo { startCursor } } }`)).list.pageInfo.startCursor
  const byPages = await cursorOf('orgExampleLibraryBook(sortBy: [{field: pages}])')
  const damaged = `${byPages.slice(0, -2)}${byPages.at(-1)}${byPages.at(-2)}`
  const others = [
    '',
    'x',
    '20',
    'at://did:plc:nobody/org.example.library.book/x',
    byPages.slice(0, -1),
    `${byPages}A`,
    damaged === byPages ? `${byPages}==` : damaged,
    await cursorOf('orgExampleLibraryBook'),
    await cursorOf('orgExampleLibraryBook(sortBy: [{field: pages, direction: DESC}])'),
    await cursorOf('orgExampleLibraryPerson(sortBy: [{field: rkey}])'),
  ]
  for (const cursor of others) {
    const list = `orgExampleLibraryBook(sortBy: [{field: pages}], first: 2, after: ${JSON.stringify(cursor)})`
    assert.equal((await service.refusal(`{ ${list} { nodes { uri } } }`)).code, 'INVALID_CURSOR', cursor)
  }
})
