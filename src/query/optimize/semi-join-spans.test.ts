import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../../test/support/store/databases.ts'
import { buildRecord, refTo } from '../../../test/support/records/records.ts'
import { openLibrary } from '../../../test/support/service/library.ts'

onEveryDatabase(
  'a page that asks of other records looks at all rows, however few were expected',
  async (database) => {
    const author = await buildRecord('org.example.library.person', { rkey: 'p', value: { role: 'critic' } })
    const books = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        buildRecord('org.example.library.book', {
          rkey: `b${String(index).padStart(2, '0')}`,
          indexedAt: `2026-01-01T00:00:${String(59 - index).padStart(2, '0')}Z`,
          value: { title: 'a book', pages: index, author: refTo(author) },
        }),
      ),
    )
    await using service = await openLibrary(database)
    const found = async (where: string): Promise<readonly string[]> => {
      const text = `{ list: orgExampleLibraryBook(first: 1, where: ${where}) { nodes { rkey } } }`
      const { list } = await service.data(text)
      return list.nodes.map(({ rkey }: { rkey: string }) => rkey)
    }
    const wheres = [
      '{pages: {gte: 30}, author: {role: {eq: "critic"}}}',
      '{pages: {gte: 30}, NOT: {author: {role: {eq: "writer"}}}}',
      '{NOT: {OR: [{pages: {lt: 30}}, {author: {role: {eq: "writer"}}}]}}',
      '{imprint: {isNull: true}, NOT: {OR: [{pages: {lt: 30}}, {author: {role: {eq: "writer"}}}]}}',
      '{NOT: {pages: {lt: 30}}, orgExampleLibraryReviewViaBook: {none: {}}}',
    ]
    // Statements are kept as they were made for the empty tables.
    for (const where of wheres) assert.deepEqual(await found(where), [])
    await service.store([author, ...books])
    for (const where of wheres) assert.deepEqual(await found(where), ['b30'], where)
  },
)
