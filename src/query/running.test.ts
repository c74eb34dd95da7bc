/** Running figures of series in time: pages and orders do not change them, and records without a time have none. */
import assert from 'node:assert/strict'
import { onEveryDatabase as test } from '../../test/support/store/databases.ts'
import type { Engine } from '../../test/support/store/postgres.ts'
import { openTestService, type TestService } from '../../test/support/service/service.ts'
import { recordLexicon } from '../../test/support/store/store.ts'

const nsid = 'org.example.photo'
const lexicon = recordLexicon(nsid, {
  takenAt: { type: 'string', format: 'datetime' },
  bytes: { type: 'integer' },
})

/** Counts by day: 3 without a time, 2 on the first day, 1 on the second, none on the third, 4 on the fourth. */
async function openPhotos(database: Engine): Promise<TestService> {
  const days = [null, null, null, '01', '01', '02', '04', '04', '04', '04']
  const records = days.map((day, index) => ({
    uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${nsid}/${index}`,
    indexedAt: '2026-01-01T00:00:00Z',
    value: { $type: nsid, ...(day !== null && { takenAt: `2026-03-${day}T12:00:00Z` }) },
  }))
  return openTestService({ lexicons: [lexicon], records, database })
}

/** Photos taken on the first days of a month, one a day. */
async function openSizes(database: Engine, sizes: readonly (number | null)[]): Promise<TestService> {
  const records = sizes.map((bytes, index) => ({
    uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${nsid}/${index}`,
    indexedAt: '2026-01-01T00:00:00Z',
    value: { $type: nsid, takenAt: `2026-03-0${index + 1}T12:00:00Z`, ...(bytes !== null && { bytes }) },
  }))
  return openTestService({ lexicons: [lexicon], records, database })
}

test('all running figures that there are can be selected at once', async (database) => {
  await using service = await openPhotos(database)
  const averages = Array.from({ length: 99 }, (_, index) => `a${index}: movingAverage(over: ${index + 2})`)
  const { all } = await service.data(
    `{ all: orgExamplePhotoAggregate(groupBy: [takenAt_day], orderBy: KEY_DESC, limit: 1) { groups { cumulative change ${averages.join(' ')} nodes(first: 1) { takenAt } } } }`,
  )
  const [{ cumulative, change, a0, a1, a2, a98, nodes }] = all.groups
  assert.deepEqual([cumulative, change, a0, a1, a2, a98], [7, 3, 2.5, 7 / 3, null, null])
  assert.equal(nodes.length, 1)
})

const sizesBy = (selection: string): string =>
  `{ all: orgExamplePhotoAggregate(groupBy: [takenAt_day], orderBy: KEY_ASC) { groups { ${selection} } } }`
const largest = Number.MAX_SAFE_INTEGER

test('cumulative sums are exact, or an error beyond what a JSON number holds', async (database) => {
  const sums = sizesBy('cumulative(of: {measure: SUM, field: bytes})')
  await using exact = await openSizes(database, [-1, largest, null, -largest, 3 - largest, 7])
  const { all } = await exact.data(sums)
  assert.deepEqual(
    all.groups.map(({ cumulative }: any) => cumulative),
    [-1, largest - 1, largest - 1, -1, 2 - largest, 9 - largest],
  )
  await using beyond = await openSizes(database, [largest, largest, largest])
  await assert.rejects(beyond.data(sums), /A sum is beyond ±9007199254740991/)
})
