/** Which statements count as short, by what they read at most; indexes of words are made up. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rounds, seed } from '../../../test/support/rounds.ts'
import { openWatchedEngine } from '../../../test/support/service/watched-engine.ts'

const entries: Readonly<Record<string, number>> = { rare: 900, some: 9_000, many: 30_000, most: 900_000 }
const million = {
  rows: ({ name }: { readonly name: string }) => (name.endsWith('person') ? 10_000 : 1_000_000),
  word: (_: unknown, word: string, isPrefix: boolean) =>
    isPrefix ? 2 * (entries[word] ?? 0) : (entries[word] ?? null),
}

/** Terms of searches, and the time that each takes, in records that are read. */
const terms = Object.entries(entries).flatMap(([word, n]): readonly (readonly [string, number])[] => [
  [word, n / 20],
  [`${word}*`, (2 * n) / 5],
  [`\\"some ${word}\\"`, (9_000 + n) / 20],
])
const parts = fc.tuple(fc.constantFrom('', '-', 'OR '), fc.constantFrom(...terms))
const searches = fc.array(parts, { minLength: 1, maxLength: 4 })

const list = 'orgExampleLibraryBook'
const shapes: readonly ((search: string) => string)[] = [
  (search) => `${list}(search: "${search}") { totalCount }`,
  (search) => `${list}(where: {NOT: {title: {matches: "${search}"}}}) { totalCount }`,
  (search) => `${list}Aggregate(search: "${search}") { count }`,
  (search) => `${list}(where: {author: {name: {matches: "${search}"}}}) { totalCount }`,
  (search) => `${list}Aggregate(where: {author: {name: {matches: "${search}"}}}) { count }`,
]

test('a total is short only if the index of words has few entries for it', async () => {
  await using service = await openWatchedEngine(million)
  let asked = 0
  const property = fc.asyncProperty(searches, fc.constantFrom(...shapes), async (search, shape) => {
    const text = search.map(([before, [term]]) => before + term).join(' ')
    const time = search.reduce((sum, [, [, each]]) => sum + each, 0)
    asked += 1
    await service.ask(`{ a${asked}: ${shape(text)} }`)
    if (service.work.statements.at(-1) === 'short') assert.ok(time <= 2_000, String(time))
    else if (shape === shapes[0] && !text.includes('-')) assert.ok(time > 1_900, String(time))
  })
  await fc.assert(property, { seed, numRuns: 100 * rounds() })
})

test('no statistics read what a frequent word or prefix finds', async () => {
  await using service = await openWatchedEngine({ ...million, countUpTo: (_, limit) => limit })
  const through = (field: string, match: string) => `{${field}: {matches: "${match}"}}`
  for (const match of ['most', 'many*', 'absent many*', 'absent -many*', '\\"absent most\\"'])
    for (const where of [
      through('title', match),
      `{author: ${through('name', match)}}`,
      `{orgExampleLibraryReviewViaBook: {some: ${through('text', match)}}}`,
      `{orgExampleLibraryReviewViaBook: {none: ${through('text', match)}}}`,
    ]) {
      service.work.statistics.splice(0)
      await service.engine.explain({ query: `{ ${list}(where: ${where}) { totalCount nodes { uri } } }` })
      assert.ok(!service.work.statistics.includes('countUpTo'), where)
    }
})

test('what reads materialized counts is short only if they are few', async () => {
  const kindsOf = async (fields: string, counts = 1): Promise<readonly string[]> => {
    await using service = await openWatchedEngine({ ...million, countUpTo: () => counts })
    await service.ask(`{ ${fields} }`)
    return service.work.statements
  }
  const groups = `${list}Aggregate(groupBy: [author], orderBy: KEY_ASC) { groups { count } }`
  assert.deepEqual([await kindsOf(groups, 2_000), await kindsOf(groups, 2_001)], [['short'], ['long']])
  const values = Array.from({ length: 1_000 }, (_, at) => `"${at}"`).join()
  const total = `${list}(where: {genre: {in: [${values}]}}) { totalCount }`
  assert.deepEqual([await kindsOf(`a: ${total} b: ${total}`)], [['short']])
  assert.deepEqual([await kindsOf(`a: ${total} b: ${total} c: ${total}`)], [['long']])
})
