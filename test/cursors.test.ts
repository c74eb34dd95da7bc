/** Cursors that are well sealed and hold a position that no record and no first page has. */
import assert from 'node:assert/strict'
import { encodeCursor } from '../src/util/cursor.ts'
import { onEveryEngine as test } from './support/store/databases.ts'
import { books, openLibrary } from './support/service/library.ts'

const place = ['1770000000000000', 'a', 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa']
const by = (field: string) => `sortBy: [{field: ${field}}]`
const relevance = 'search: "storm", sortBy: [{field: RELEVANCE}]'
const ranked = (...statistics: unknown[]) => JSON.stringify([1, ...place, JSON.stringify(statistics)])
const most = Number.MAX_SAFE_INTEGER

const forged: readonly (readonly [order: string, given: string, positions: readonly string[]])[] = [
  ['indexedAt desc', '', ['{}', 'null', '"ab"', 'no json', '[]', '[1,2,3]', '[null,null,null]']],
  [
    'indexedAt desc',
    '',
    [[...place, 'b'], place.with(1, 'a\0'), place.with(1, '\ud83d')].map((at) => JSON.stringify(at)),
  ],
  ['pages asc', by('pages'), [1.5, 1e300].map((pages) => JSON.stringify([pages, ...place.slice(1)]))],
  ['inPrint asc', by('inPrint'), [JSON.stringify([most, ...place.slice(1)])]],
  ['shelf asc', by('shelf'), [JSON.stringify(['\0', ...place.slice(1)])]],
  ['RELEVANCE desc storm', relevance, [ranked(1, 1, most, 1, null), ranked(1, 1, 1, most, null)]],
  ['RELEVANCE desc storm', relevance, [ranked(1, 1, 1, 1, JSON.stringify(place.with(1, '\0')))]],
]

test('a well-sealed cursor of what no record and no first page has is refused', async (database) => {
  await using service = await openLibrary(database, await books(1, () => ({ value: { title: 'storm' } })))
  for (const [order, given, positions] of forged)
    for (const position of positions) {
      const { code } = await service.refusal(
        `query ($after: String) { orgExampleLibraryBook(after: $after ${given}) { edges { score } } }`,
        { after: encodeCursor(`orgExampleLibraryBook ${order}`, position) },
      )
      assert.equal(code, 'INVALID_CURSOR', position)
    }
})
