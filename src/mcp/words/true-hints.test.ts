/** Every sentence that says why nothing was found is true: random filters, each sentence against counts of records. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Json } from '../../../test/reference/shapes.ts'
import { property, type Loaded } from '../../../test/support/random/property.ts'
import { libraryLexicons, libraryReferences, libraryStories } from '../../../test/support/records/lexicons.ts'
import { createAgent, engineEndpoint, modelOf } from '../../../test/support/service/agents.ts'

const model = modelOf(libraryLexicons, libraryReferences, libraryStories)

/** The last day of all, 9999-12-31, ends with no other. */
const endOfDay = 'T23:59:59.999999Z'

interface Question {
  readonly collection: string
  readonly filters: Json
  readonly since?: string
  readonly until?: string
}

const codes = ['novel', 'essay', 'NOVEL', 'zz', 'new', 'old', 'print', 'writer', 'good', 'en', 'a', 'b', 'US']
const times = ['1999', '2020', '2026-01-01', '2026-01-01T00:00:00Z', '2031']
const code = fc.constantFrom(...codes)
const number = fc.integer({ min: -3, max: 8 })
const time = fc.constantFrom(...times)
const missing = fc.constantFrom<Json>({ isNull: true }, { isNull: false }, { ne: null })
// Longer lists are cut in a hint.
const codesOf = fc.array(code, { minLength: 1, maxLength: 4 })

/** Any of these operators, some of them together. */
const together = (operators: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(operators, { requiredKeys: [] }).filter((some) => Object.keys(some).length > 0)
const kinds: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text: fc.oneof(code, codesOf, missing, together({ eq: code, ne: code, in: codesOf, contains: code })),
  list: fc.oneof(
    code,
    codesOf,
    missing,
    together({ has: code, hasAny: codesOf, hasAll: codesOf, contains: code }),
  ),
  number: fc.oneof(number, missing, together({ eq: number, ne: number, gte: number, lt: number })),
  numbers: fc.oneof(number, together({ has: number, hasAll: fc.array(number) })),
  time: fc.oneof(time, fc.array(time), missing, together({ gte: time, lt: time })),
  flag: fc.oneof(fc.boolean(), missing),
  state: fc.boolean(),
  records: fc.constantFrom<unknown>(
    'some',
    'none',
    { none: { indexedAt: '1999' } },
    { some: { indexedAt: '1999' } },
  ),
}

/** Paths of every form: lists, objects, references in both directions, and what is true of a reference itself. */
const paths: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  book: pathsOf({
    text: 'genre medium language author.country credits.craft imprint.trade related.genre review.verdict',
    list: 'tags labels',
    numbers: 'scores',
    number:
      'pages count author.rating credits.share imprint.founded imprint.house.founded review.stars review.count',
    time: 'publishedAt indexedAt author.bornAt credits.since review.writtenAt',
    flag: 'inPrint credits.paid',
    state: 'author.isIndexed author.isCurrent series.isIndexed imprint.house.isIndexed related.isCurrent',
    records: 'review',
  }),
  publisher: pathsOf({
    text: 'country',
    list: 'languages',
    number: 'founded',
    records: 'personViaEmployer',
    state: 'head.isIndexed',
  }),
  person: pathsOf({ text: 'role bookViaAuthor.genre', list: 'bookViaAuthor.tags', flag: 'active' }),
}

function pathsOf(byKind: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const named = Object.entries(byKind).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind]),
  )
  return Object.fromEntries(named)
}

const questions: fc.Arbitrary<Question> = fc.constantFrom(...Object.keys(paths)).chain((collection) =>
  fc.record(
    {
      collection: fc.constant(collection),
      filters: fc
        .uniqueArray(fc.constantFrom(...Object.keys(paths[collection] ?? {})), { minLength: 1, maxLength: 7 })
        .chain((names) =>
          fc.record(
            Object.fromEntries(
              names.map((name) => [name, kinds[paths[collection]?.[name] ?? ''] ?? fc.constant(null)]),
            ),
          ),
        ),
      since: time,
      until: time,
    },
    { requiredKeys: ['collection', 'filters'] },
  ),
)

property(
  'every sentence about an empty answer is true',
  () => questions,
  async (loaded, question) => {
    const agent = createAgent(model, engineEndpoint(loaded.service.engine, undefined, { points: 100_000 }))
    const { count, hint } = await agent.call('aggregate', { ...question }).catch((error: unknown): Json => {
      // Times that exclude each other, and operators that set the same bound.
      assert.match(String(error), /since begins|set the same bound/)
      return { count: 1 }
    })
    if (count === 0) await assertTrue(hint ?? '', question, loaded)
  },
  60,
)

async function assertTrue(hint: string, { collection, filters, since, until }: Question, loaded: Loaded) {
  const agent = createAgent(model, engineEndpoint(loaded.service.engine, undefined, { points: 100_000 }))
  const counted = async (given: Json, of = collection): Promise<number> =>
    (await agent.call('aggregate', { collection: of, ...given })).count
  const filtered = (text: string, value: unknown) => counted({ filters: { [text]: value } })
  const each = [
    ...Object.keys(filters),
    ...(since === undefined ? [] : ['since']),
    ...(until === undefined ? [] : ['until']),
  ]
  const said: readonly (readonly [RegExp, (...parts: string[]) => Promise<void>])[] = [
    [
      /^Each filter is met, but not all together: (.*?)\.(?= |$)/,
      async (list) => {
        const parts = list.split(/(?<= \d+), /)
        for (const name of each)
          assert.ok(
            parts.some((part) => part.startsWith(`${name} `)),
            name,
          )
        for (const part of parts) {
          const [, text = '', json, number] = /^(\S+)(?: (\{.*\}))? (\d+)$/.exec(part) ?? assert.fail(part)
          const value = json === undefined ? filters[text] : JSON.parse(json)
          const given =
            text === 'since' ? { since } : text === 'until' ? { until } : { filters: { [text]: value } }
          assert.ok(Number(number) > 0)
          assert.equal(await counted(given), Number(number), part)
        }
      },
    ],
    [
      /^No record has "([^"]*)" in (\S+)\./,
      async (value, text) => assert.equal(await filtered(text, value), 0),
    ],
    [
      /^No \w+ has any (\S+): no record refers to one so\./,
      async (text) => assert.equal(await filtered(text, 'some'), 0),
    ],
    [
      /^No record has any of these values in (\S+)\./,
      async (text) => assert.equal(await filtered(text, filters[text]), 0),
    ],
    [/^No record has (\S+)\./, async (text) => assert.equal(await filtered(text, { ne: null }), 0)],
    [
      /^Every (\w+) has (\S+)\./,
      async (_, text) => assert.equal(await filtered(text, { ne: null }), await counted({})),
    ],
    [
      /^No record has that in (\S+): it goes from (\S+) to (\S+)\./,
      async (text, from, to) => {
        const bound = (value: string, at: string) => (/^-?\d+$/.test(value) ? Number(value) : `${value}${at}`)
        // Of the collection, or of one that refers and may refer to nothing here.
        const above = await filtered(text, { gt: bound(to, endOfDay) })
        const below = await filtered(text, { lt: bound(from, 'T00:00:00Z') })
        assert.deepEqual([above, below], [0, 0])
      },
    ],
    [
      /^No \w+ has (.*) in (\S+); (\d+) have (\S+)\./,
      async (json, text, number, own) => {
        assert.equal(await filtered(text, JSON.parse(json)), 0)
        const some = /^(review|personViaEmployer)$/.test(own) ? 'some' : { ne: null }
        assert.equal(await filtered(own, some), Number(number))
      },
    ],
    [
      /^Did you mean "(.*?)"\?(?= |$)/s,
      async (value) => assert.ok(!hint.includes(`No record has "${value}" in`), hint),
    ],
    [
      /^For records without (\S+) write null: (\{.*?\})\.(?= |$)/,
      async (text, json) => {
        assert.deepEqual(JSON.parse(json), { [text]: null })
        await filtered(text, null)
      },
    ],
    [/^(?:There are|Known|The most frequent of \d+): .*?\.(?= \d+ records? that |$)/s, async () => {}],
    [
      /^Nothing is from that time\. (The|Of what meets the other conditions, the) newest is ([\d-]+)(?:, the oldest is ([\d-]+))?\./,
      async (_, newest, oldest = newest) => {
        const { publishedAt: __, indexedAt, ...others } = filters
        const kept =
          collection === 'book' ? { ...others, ...(indexedAt !== undefined && { indexedAt }) } : filters
        assert.ok(
          (await counted({ filters: kept, since: `${newest}T00:00:00Z`, until: `${newest}${endOfDay}` })) > 0,
        )
        assert.ok(
          (await counted({ filters: kept, since: `${oldest}T00:00:00Z`, until: `${oldest}${endOfDay}` })) > 0,
        )
      },
    ],
    [
      /^\d+ records? that meets? all other conditions (?:has|have) no \w+ and (?:is|are) left out\./,
      async () => {},
    ],
  ]
  let rest = hint
  while (rest !== '') {
    const found = said.find(([form]) => form.test(rest)) ?? assert.fail(`Not known: ${rest}`)
    const [whole = '', ...parts] = found[0].exec(rest) ?? []
    await found[1](...parts)
    rest = rest.slice(whole.length).trim()
  }
}
