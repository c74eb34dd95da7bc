import assert from 'node:assert/strict'
import { onEveryDatabase } from '../../../../test/support/store/databases.ts'
import { buildRecord } from '../../../../test/support/records/records.ts'
import { openLibrary } from '../../../../test/support/service/library.ts'

const list = 'orgExampleLibraryPerson'
const largest = Number.MAX_SAFE_INTEGER

async function openPeople(database: Parameters<Parameters<typeof onEveryDatabase>[1]>[0], values: object[]) {
  const records = await Promise.all(
    values.map((value, n) =>
      buildRecord('org.example.library.person', { rkey: `p${n}`, value: { name: `Person ${n}`, ...value } }),
    ),
  )
  const service = await openLibrary(database, records)
  return service
}

onEveryDatabase('medians and deviations of the largest integers are exact', async (database) => {
  await using service = await openPeople(database, [
    { country: 'FR', fortune: -largest },
    { country: 'FR', fortune: largest - 1 },
    { country: 'DE', fortune: largest },
    { country: 'DE', fortune: largest - 1 },
    { country: 'DE', fortune: largest - 2 },
    { country: 'US', fortune: 7 },
    { country: 'GB' },
  ])
  const measures =
    'median { fortune } stddev { fortune } percentile(field: fortune, p: [1, 0, 0.5, 0.500001])'
  const { [`${list}Aggregate`]: found } = await service.data(
    `{ ${list}Aggregate(groupBy: [country], orderBy: KEY_ASC) { ${measures} groups { country ${measures} } } }`,
  )
  const [de, fr, gb, us] = found.groups
  assert.deepEqual(de, {
    country: 'DE',
    median: { fortune: largest - 1 },
    stddev: { fortune: 1 },
    percentile: [largest, largest - 2, largest - 1, largest - 1],
  })
  assert.deepEqual(fr, {
    country: 'FR',
    median: { fortune: -0.5 },
    stddev: { fortune: Math.sqrt(Number((2n * BigInt(largest) - 1n) ** 2n) / 2) },
    percentile: [largest - 1, -largest, -largest, largest - 1],
  })
  assert.deepEqual(gb, {
    country: 'GB',
    median: { fortune: null },
    stddev: { fortune: null },
    percentile: null,
  })
  assert.deepEqual(us, {
    country: 'US',
    median: { fortune: 7 },
    stddev: { fortune: null },
    percentile: [7, 7, 7, 7],
  })
  // -largest, 7, largest - 2, largest - 1, largest - 1, largest
  assert.equal(found.median.fortune, largest - 1.5 + 0)
  assert.deepEqual(found.percentile, [largest, -largest, largest - 2, largest - 1])
})

onEveryDatabase('ranks of percentiles are exact where floating-point products are not', async (database) => {
  const ratings = Array.from({ length: 100 }, (_, n) => ({ rating: 100 - n }))
  await using service = await openPeople(database, ratings)
  const p = [0.07, 0.14, 0.28, 0.29, 0.56, 0.57, 0.58, 0.070001, 0.000001]
  const { [`${list}Aggregate`]: found } = await service.data(
    `{ ${list}Aggregate { percentile(field: rating, p: [${p.join(', ')}]) } }`,
  )
  assert.deepEqual(found.percentile, [7, 14, 28, 29, 56, 57, 58, 8, 1])
})
