/** Cursors that are well sealed and hold a position that nothing has, and those of one place on both engines. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeCursor } from '../src/util/cursor.ts'
import { weekdays } from './reference/zones.ts'
import { collections } from './support/records/lexicons.ts'
import { buildRecord } from './support/records/records.ts'
import { books, openLibrary } from './support/service/library.ts'
import { onEveryEngine } from './support/store/databases.ts'
import { databases } from './support/store/postgres.ts'

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

onEveryEngine('a well-sealed cursor of what no record and no first page has is refused', async (database) => {
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

const edges = '0001-01-01 0001-01-03 0001-01-08 1969-12-31 1970-01-01 2020-10-25 9999-12-26 9999-12-31'
const units = ['hour', 'day', 'week', 'month', 'quarter', 'year', 'hourOfDay', 'weekday']
const zones = ['', ', timeZone: "America/New_York"', ', timeZone: "Pacific/Kiritimati"']

test('a time bucket has one cursor on both engines, at the ends of time too', {
  skip: databases.length < 2,
}, async () => {
  const instants = [
    ...edges.split(' ').flatMap((day) => [`${day}T00:00:00Z`, `${day}T23:59:59.999999Z`]),
    undefined,
  ]
  const records = await Promise.all(
    instants.map((bornAt, index) =>
      buildRecord(collections.person, { rkey: String(index), value: { name: 'Ada', bornAt } }),
    ),
  )
  await using sqlite = await openLibrary('sqlite', records)
  await using postgres = await openLibrary('postgres', records)
  for (const zone of zones)
    for (const unit of units)
      for (const day of unit === 'week' ? weekdays : ['MONDAY']) {
        const query = `{ orgExampleLibraryPersonAggregate(groupBy: [bornAt_${unit}], weekStart: ${day}${zone}) {
          groups { cursor bornAt_${unit} count }
        } }`
        assert.deepEqual(await postgres.data(query), await sqlite.data(query), query)
      }
})
