/** Sums and averages are exact, whatever the size and number of the integers. */
import assert from 'node:assert/strict'
import { onEveryDatabase as test } from '../../test/support/store/databases.ts'
import type { Json } from '../../test/reference/shapes.ts'
import { unchargedLimits } from '../../test/support/service/engine.ts'
import type { Engine } from '../../test/support/store/postgres.ts'
import { type TestService } from '../../test/support/service/service.ts'
import { openLibrary } from '../../test/support/service/library.ts'

const person = 'org.example.library.person'
const most = Number.MAX_SAFE_INTEGER

/** People by their countries, with these fortunes; a number stands for as many of the largest. */
async function openPeople(
  database: Engine,
  fortunes: Readonly<Record<string, readonly (number | null)[]>>,
): Promise<TestService> {
  const people = Object.entries(fortunes).flatMap(([country, each]) =>
    each.map((fortune, index) => ({
      uri: `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/${person}/${country}-${index}`,
      indexedAt: '2026-01-01T00:00:00Z',
      value: { $type: person, country, fortune },
    })),
  )
  return openLibrary(database, people)
}

async function groups(service: TestService, given: string, fields: string): Promise<Json[]> {
  const text = `{ all: orgExampleLibraryPersonAggregate(groupBy: [country], ${given}) { groups { country ${fields} } } }`
  return (await service.data(text)).all.groups
}

test('two thousand of the largest numbers have an exact average, and are ranked by their exact sums', async (database) => {
  const many = Array(2000).fill(most)
  await using service = await openPeople(database, {
    AA: many,
    BB: [...many.slice(1), most - 1],
    CC: [...many, 1],
    DD: many.map((value) => -value),
    EE: [5, -5],
    FF: [null],
  })
  const averages = await groups(service, 'orderBy: KEY_ASC', 'count avg { fortune }')
  const shown = averages.map(({ country, count, avg }) => [country, count, avg.fortune])
  // 2000 · most − 1 is nearer to most than to its neighbour; of CC one two-thousandth is missing.
  assert.deepEqual(shown, [
    ['AA', 2000, most],
    ['BB', 2000, most],
    ['CC', 2001, 9002697905788097],
    ['DD', 2000, -most],
    ['EE', 2, 0],
    ['FF', 1, null],
  ])
  const ranked = async (direction: string): Promise<string> =>
    (await groups(service, `rankBy: {measure: SUM, field: fortune, direction: ${direction}}`, ''))
      .map(({ country }) => country)
      .join(' ')
  assert.equal(await ranked('DESC'), 'CC AA BB EE DD FF')
  assert.equal(await ranked('ASC'), 'FF DD EE BB AA CC')
  const { code } = await service.refusal(
    '{ orgExampleLibraryPersonAggregate(groupBy: [country]) { groups { sum { fortune } } } }',
  )
  assert.equal(code, 'BAD_USER_INPUT')
  const { all } = await service.data(
    '{ all: orgExampleLibraryPersonAggregate(where: {country: {eq: "EE"}}) { sum { fortune } avg { fortune } } }',
  )
  assert.deepEqual(all, { sum: { fortune: 0 }, avg: { fortune: 0 } })
})

test('ranges whose lower bounds are below the least integer are paged through', async (database) => {
  await using service = await openPeople(database, { DE: [-most, -most + 1, 4, most] })
  const seen: [string, number][] = []
  let after = ''
  do {
    const page = `orgExampleLibraryPersonAggregate(groupBy: [fortune], interval: 3, orderBy: KEY_ASC, limit: 1${after}) {
      groups { fortune count } groupsPageInfo { hasNextPage endCursor } }`
    const answer = await service.opened.engine.execute({ query: `{ all: ${page} }` }, unchargedLimits)
    assert.equal(answer.kind, 'data')
    const text = Buffer.from(answer.kind === 'data' ? answer.body : []).toString()
    const [, fortune = '', count] = /"fortune":(-?\d+),"count":(\d+)/.exec(text) ?? []
    seen.push([fortune, Number(count)])
    const { hasNextPage, endCursor } = JSON.parse(text).data.all.groupsPageInfo
    after = hasNextPage ? `, after: "${endCursor}"` : ''
  } while (after !== '')
  assert.deepEqual(seen, [
    ['-9007199254740993', 1],
    ['-9007199254740990', 1],
    ['3', 1],
    ['9007199254740990', 1],
  ])
})

test('a condition on groups may compare with numbers beyond all integers', async (database) => {
  await using service = await openPeople(database, { DE: [-most], FR: [most], MX: [null] })
  const found = async (measure: string, operator: string, value: string) => {
    const having = `having: [{measure: ${measure}, field: fortune, operator: ${operator}, value: ${value}}]`
    return (await groups(service, `orderBy: KEY_ASC, ${having}`, '')).map(({ country }) => country)
  }
  for (const measure of ['MAX', 'SUM']) {
    assert.deepEqual(await found(measure, 'GT', '-1e300'), ['DE', 'FR'])
    assert.deepEqual(await found(measure, 'LT', '1e300'), ['DE', 'FR'])
    assert.deepEqual(await found(measure, 'LT', '-1e300'), [])
    assert.deepEqual(await found(measure, 'GT', '1e300'), [])
  }
})
