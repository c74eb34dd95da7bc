/** What other services get wrong of pages, with data on which it would show. */
import assert from 'node:assert/strict'
import type { Json } from './reference/shapes.ts'
import { books, openLibrary } from './support/service/library.ts'
import { onEveryDatabase as test } from './support/store/databases.ts'

test('peer fault 2: a thousand records, 250 to a second, are a thousand different ones over all pages', async (database) => {
  const records = await books(1000, (index) => ({ indexedAt: `2026-01-01T00:00:0${index % 4}Z` }))
  await using service = await openLibrary(database, records)
  const keys: string[] = []
  for (let after: string | null = 'null'; after !== null; ) {
    const { list }: Json = await service.data(
      `{ list: orgExampleLibraryBook(first: 50, after: ${after}) { nodes { rkey } pageInfo { hasNextPage endCursor } } }`,
    )
    keys.push(...list.nodes.map(({ rkey }: Json) => rkey))
    after = list.pageInfo.hasNextPage && keys.length < 2_000 ? JSON.stringify(list.pageInfo.endCursor) : null
  }
  assert.equal(keys.length, 1000)
  assert.equal(new Set(keys).size, 1000)
})
