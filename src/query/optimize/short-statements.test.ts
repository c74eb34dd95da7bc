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

/** A search, and the entries of its words and of its prefixes in the index. */
interface Search {
  readonly text: string
  readonly words: number
  readonly prefixes: number
}

const term = fc
  .record({
    before: fc.constantFrom('', '-', 'OR '),
    word: fc.constantFrom(...Object.keys(entries)),
    form: fc.constantFrom('word', 'word', 'prefix', 'phrase'),
  })
  .map(({ before, word, form }): Search => {
    const own = entries[word] ?? 0
    if (form === 'prefix') return { text: `${before}${word}*`, words: 0, prefixes: 2 * own }
    if (form === 'phrase') return { text: `${before}\\"some ${word}\\"`, words: own + 9_000, prefixes: 0 }
    return { text: `${before}${word}`, words: own, prefixes: 0 }
  })

const searches = fc.array(term, { minLength: 1, maxLength: 4 }).map(
  (terms): Search => ({
    text: terms.map(({ text }) => text).join(' '),
    words: terms.reduce((sum, { words }) => sum + words, 0),
    prefixes: terms.reduce((sum, { prefixes }) => sum + prefixes, 0),
  }),
)

const list = 'orgExampleLibraryBook'
const shapes: readonly ((search: string) => string)[] = [
  (search) => `${list}(search: "${search}") { totalCount }`,
  (search) => `${list}(where: {title: {matches: "${search}"}}) { totalCount }`,
  (search) => `${list}(where: {NOT: {title: {matches: "${search}"}}}) { totalCount }`,
  (search) => `${list}Aggregate(search: "${search}") { count }`,
  (search) => `${list}(where: {author: {name: {matches: "${search}"}}}) { totalCount }`,
  (search) => `${list}Aggregate(where: {author: {name: {matches: "${search}"}}}) { count }`,
]

test('a total is short only if the index of words has few entries for it, whatever may match', async () => {
  await using service = await openWatchedEngine(million)
  let asked = 0
  const property = fc.asyncProperty(searches, fc.constantFrom(...shapes), async (search, shape) => {
    asked += 1
    await service.ask(`{ a${asked}: ${shape(search.text)} }`)
    const time = search.words / 20 + search.prefixes / 5
    if (service.work.statements.at(-1) === 'short') assert.ok(time <= 2_000, String(time))
    else if (shape === shapes[0] && !search.text.includes('-')) assert.ok(time > 1_900, String(time))
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

test('groups of materialized counts are short only if they are few', async () => {
  for (const [counts, kind] of [
    [2_000, 'short'],
    [2_001, 'long'],
  ] as const) {
    await using service = await openWatchedEngine({ ...million, countUpTo: () => counts })
    await service.ask(`{ ${list}Aggregate(groupBy: [author], orderBy: KEY_ASC) { groups { count } } }`)
    assert.deepEqual(service.work.statements, [kind])
  }
})
