/** Running figures of series in time: pages and orders do not change them, and records without a time have none. */
import assert from 'node:assert/strict'
import { onEveryDatabase as test } from '../../test/support/databases.ts'
import type { Engine } from '../../test/support/postgres.ts'
import { openTestService, type TestService } from '../../test/support/service.ts'
import { recordLexicon } from '../../test/support/store.ts'

const nsid = 'org.example.photo'
const lexicon = recordLexicon(nsid, { takenAt: { type: 'string', format: 'datetime' } })

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

const figures = 'count cumulative { count } change { count } movingAverage(over: 2) { count } cursor'

async function groups(service: TestService, given: string): Promise<(readonly [string | null, string])[]> {
  const { all } = await service.data(
    `{ all: orgExamplePhotoAggregate(groupBy: [takenAt_day], ${given}) { groups { takenAt_day ${figures} } } }`,
  )
  return all.groups.map(({ takenAt_day: day, cumulative, change, movingAverage, cursor }: any) => [
    [day, cumulative.count, change.count, movingAverage.count].join(' '),
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
  const averages = Array.from(
    { length: 99 },
    (_, index) => `a${index}: movingAverage(over: ${index + 2}) { count }`,
  )
  const { all } = await service.data(
    `{ all: orgExamplePhotoAggregate(groupBy: [takenAt_day], orderBy: KEY_DESC, limit: 1) { groups { cumulative { count } change { count } ${averages.join(' ')} nodes(first: 1) { takenAt } } } }`,
  )
  const [{ cumulative, change, a0, a1, a2, a98, nodes }] = all.groups
  assert.deepEqual(
    [cumulative, change, a0, a1, a2, a98].map(({ count }) => count),
    [7, 3, 2.5, 7 / 3, null, null],
  )
  assert.equal(nodes.length, 1)
})
