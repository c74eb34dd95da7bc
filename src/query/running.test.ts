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

const figures = 'count cumulative change movingAverage(over: 2) cursor'

/** Photos taken on the first days of a month, one a day. */
async function openSizes(database: Engine, sizes: readonly (number | null)[]): Promise<TestService> {
  const records = sizes.map((bytes, index) => ({
    uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${nsid}/${index}`,
    indexedAt: '2026-01-01T00:00:00Z',
    value: { $type: nsid, takenAt: `2026-03-0${index + 1}T12:00:00Z`, ...(bytes !== null && { bytes }) },
  }))
  return openTestService({ lexicons: [lexicon], records, database })
}

async function groups(service: TestService, given: string): Promise<(readonly [string | null, string])[]> {
  const { all } = await service.data(
    `{ all: orgExamplePhotoAggregate(groupBy: [takenAt_day], ${given}) { groups { takenAt_day ${figures} } } }`,
  )
  return all.groups.map(({ takenAt_day: day, cumulative, change, movingAverage, cursor }: any) => [
    [day, cumulative, change, movingAverage].join(' '),
    cursor,
  ])
}

const missing = '   '
const [first, second, fourth] = ['2026-03-01 2  ', '2026-03-02 3 -1 1.5', '2026-03-04 7 3 2.5']

test('running figures skip missing buckets unless they are filled, and records without a time', async (database) => {
  await using service = await openPhotos(database)
  const shown = async (given: string) => (await groups(service, given)).map(([text]) => text)
  assert.deepEqual(await shown('orderBy: KEY_ASC'), [missing, first, second, fourth])
  assert.deepEqual(await shown('fill: true, where: {takenAt: {gte: "2026-03-01", lt: "2026-03-05"}}'), [
    first,
    second,
    '2026-03-03 3 -1 0.5',
    '2026-03-04 7 4 2',
  ])
})

test('neither an order, nor conditions on groups, nor a page changes running figures', async (database) => {
  await using service = await openPhotos(database)
  const shown = async (given: string) => (await groups(service, given)).map(([text]) => text)
  assert.deepEqual(await shown('orderBy: COUNT_DESC'), [fourth, missing, first, second])
  assert.deepEqual(await shown('orderBy: KEY_DESC, minCount: 2'), [fourth, first, missing])
  assert.deepEqual(await shown('having: [{measure: COUNT, operator: GT, value: 3}]'), [fourth])
  const paged: string[] = []
  for (let after = 'null'; ; ) {
    const [found] = await groups(service, `orderBy: KEY_ASC, limit: 1, after: ${after}`)
    if (found === undefined) break
    paged.push(found[0] ?? '')
    after = JSON.stringify(found[1])
  }
  assert.deepEqual(paged, [missing, first, second, fourth])
})

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

test('a group without a value has no average or change, and is in none', async (database) => {
  await using service = await openSizes(database, [3, 6, null, 5, 4, 7])
  const { all } = await service.data(
    sizesBy(
      'two: movingAverage(over: 2, of: {measure: AVG, field: bytes}) three: movingAverage(over: 3, of: {measure: MAX, field: bytes}) change(of: {measure: MEDIAN, field: bytes})',
    ),
  )
  assert.deepEqual(
    all.groups.map(({ two, three, change }: any) => [two, three, change]),
    [
      [null, null, null],
      [4.5, null, 3],
      [null, null, null],
      [null, null, null],
      [4.5, null, -1],
      [5.5, 16 / 3, 3],
    ],
  )
})
