/** Groups without a value of the measure that orders them are the last ones, on pages, in files and inside groups. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { loadCorpus } from '../../../../test/support/random/property.ts'
import { libraryLexicons, libraryReferences } from '../../../../test/support/records/lexicons.ts'
import { rounds, seed } from '../../../../test/support/rounds.ts'
import { createAgent, engineEndpoint, modelOf, readPages } from '../../../../test/support/service/agents.ts'
import { type Answer, file } from '../tool.ts'

const loaded = await loadCorpus(22)
after(() => loaded[Symbol.asyncDispose]())
const endpoint = engineEndpoint(loaded.service.engine)
const agent = createAgent(modelOf(libraryLexicons, libraryReferences), endpoint)

/** Paths to group by, and fields that many of the records lack. */
const collections = [
  ['book', ['author', 'author.country', 'series', 'genre', 'tags'], ['pages', 'record_count']],
  ['review', ['book', 'book.author', 'book.genre'], ['stars', 'share']],
  ['person', ['employer', 'country', 'role'], ['rating', 'fortune']],
] as const

const tables = fc.constantFrom(...collections).chain(([collection, paths, fields]) =>
  fc.record({
    collection: fc.constant(collection),
    by: fc.uniqueArray(fc.constantFrom(...paths), { minLength: 1, maxLength: 2 }),
    measure: fc
      .tuple(fc.constantFrom('min', 'max'), fc.constantFrom(...fields))
      .map(([word, field]) => `${word}:${field}`),
    isDescending: fc.boolean(),
    limit: fc.constantFrom(3, 20, 100),
  }),
)

/** Ascending or descending, and then null. */
function assertOrdered(values: readonly (string | number | null)[], isDescending: boolean, of: string): void {
  const present = values.filter((value) => value !== null)
  const sorted = present.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
  const missing = Array.from({ length: values.length - present.length }, () => null)
  assert.deepEqual(values, [...(isDescending ? sorted.toReversed() : sorted), ...missing], of)
}

test('groups without a value are last in either direction', async () => {
  let missing = 0
  const check = fc.asyncProperty(tables, async ({ measure, isDescending, ...table }) => {
    const args = { ...table, order: `${isDescending ? '-' : ''}${measure}` }
    const of = JSON.stringify(args)
    const pages = await readPages(agent.call, 'aggregate', args)
    const values = pages.flatMap(({ rows }) => rows.map((row: readonly unknown[]) => row.at(-1)))
    assertOrdered(values, isDescending, of)
    missing += values.filter((value) => value === null).length
    const aggregate = agent.tools.find(({ name }) => name === 'aggregate')
    const answer: Answer = (await aggregate?.run(args, new AbortController().signal)) ?? {}
    const linked = answer[file]
    if (linked === undefined) return
    const { data } = await endpoint.ask({ query: linked.query }, new AbortController().signal)
    const [{ groups }] = Object.values(data ?? {}) as [{ groups: readonly Record<string, any>[] }]
    const [word = '', field = ''] = measure.split(':')
    assert.deepEqual(
      groups.map((group) => group[word][field]),
      values,
      of,
    )
  })
  await fc.assert(check, { seed, numRuns: rounds(25) })
  assert.ok(missing > 0)
})

test('inner groups without a value are last in either direction', async () => {
  let missing = 0
  for (const [collection, [by, ...inner], [field]] of collections)
    for (const isDescending of [false, true])
      for (const path of inner) {
        const top = { by: path, limit: 10, order: `${isDescending ? '-' : ''}max:${field}` }
        const { rows } = await agent.call('aggregate', { collection, by: [by], top, max_tokens: 10_000 })
        for (const row of rows) {
          const values = Object.values(row.at(-1)) as (string | number | null)[]
          assertOrdered(values, isDescending, JSON.stringify(top))
          missing += values.filter((value) => value === null).length
        }
      }
  assert.ok(missing > 0)
})
