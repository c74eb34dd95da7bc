import assert from 'node:assert/strict'
import fc from 'fast-check'
import { encodeCursor } from '../../src/util/cursor.ts'
import { printKey } from '../reference/groups/group-fields.ts'
import type { Json } from '../reference/shapes.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { aggregateArguments, literal } from '../support/service/graphql-text.ts'
import { anyCollection, type Loaded, loadCorpus, property } from '../support/random/property.ts'
import { aggregates } from '../support/random/aggregates.ts'
import { isBucketName } from '../support/random/questions.ts'

const walks = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      given: aggregates(reference, collection),
      sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      stopsEarly: fc.boolean(),
    }),
  )

property(
  'pages of groups give every group once, in order, and say whether there are more',
  walks,
  async ({ reference, service }, { collection, given, sizes, stopsEarly }) => {
    const { rootField } = reference.shapes.get(collection)!
    const names = given.groupBy ?? []
    const fields = names.map(
      (name) => reference.groupFields(collection, given).find((field) => field.name === name)!,
    )
    const hasChanges = names.length === 1 && isBucketName(names[0] ?? '') && given.significant === undefined
    let after: string | undefined
    let skip = 0
    for (let page = 0; page < 60; page += 1) {
      const limit = sizes[page % sizes.length] ?? 1
      const { aggregate } = await service.data(
        `{ aggregate: ${rootField}Aggregate${aggregateArguments({ ...given, limit }, after)} {
          groupCount groups { cursor count ${names.join(' ')} ${hasChanges ? 'change' : ''} } groupsPageInfo { hasNextPage endCursor } } }`,
      )
      const expected = reference.aggregate(collection, { ...given, limit, skip })
      const { groups, groupsPageInfo, groupCount } = aggregate
      assert.equal(groupCount, expected.groupCount)
      assert.deepEqual(
        groups,
        expected.groups.map(({ keys, members, change }, place) => ({
          cursor: groups[place]?.cursor,
          count: members.length,
          ...(hasChanges && { change: change({ measure: 'COUNT' }) }),
          ...Object.fromEntries(fields.map((field, index) => [field.name, printKey(field, keys[index])])),
        })),
      )
      assert.deepEqual(groupsPageInfo, {
        hasNextPage: expected.hasNextPage,
        endCursor: groups.at(-1)?.cursor ?? null,
      })
      if (!expected.hasNextPage) break
      // Any group may be the one behind which a page begins.
      const taken = stopsEarly ? Math.ceil(groups.length / 2) : groups.length
      after = groups.at(taken - 1)?.cursor
      skip += taken
    }
  },
  40,
)

const field = 'orgExampleLibraryBookAggregate'

/** What a cursor is bound to. */
interface Bound {
  readonly groupBy: string
  readonly order: string
  readonly direction?: string
  readonly by: Json
}

const byCount = { order: 'orderBy: COUNT_DESC', by: { by: 'count' } }
const byKey = (groupBy: string): Bound => ({ groupBy, order: 'orderBy: KEY_DESC', by: { by: 'key' } })
const byMeasure = (measure: string, ranked: string): Bound => ({
  groupBy: 'genre',
  order: `rankBy: {measure: ${measure}, field: ${ranked}}`,
  by: {
    by: 'measure',
    ranked,
    measure: measure === 'COUNT_DISTINCT' ? 'countDistinct' : measure.toLowerCase(),
    direction: 'desc',
  },
})
const largest = Number.MAX_SAFE_INTEGER
const text = 'novel'

/** Positions that no group has but a cursor may hold, and positions that none may hold. */
const forged: readonly (readonly [bound: Bound, odd: readonly Json[], refused: readonly Json[]])[] = [
  [
    { groupBy: 'genre', ...byCount },
    [
      [0, null],
      [-largest, ''],
      [largest, text],
    ],
    [[1], [1, text, 1], [null, text], ['1', text], [1.5, text], [1, 1], [1, '\0'], [1, '\ud800'], {}, text],
  ],
  [byKey('inPrint'), [[0], [1], [null]], [[true], ['1'], [], [0.5]]],
  [byKey('pages'), [[-largest]], [['1'], [1e300]]],
  [
    byKey('publishedAt_hour'),
    [['-1'], ['9'.repeat(18)], [null]],
    [['9'.repeat(19)], [1], ['2026-11-16'], ['']],
  ],
  [
    byKey('publishedAt_month'),
    [['0001-01-01'], ['9999-12-01'], [null]],
    [['0000-01-01'], ['2026-13-01'], ['2026-11-02'], ['2026-11'], [1]],
  ],
  [byKey('publishedAt_weekday'), [[8], [-1]], [['1']]],
  [byKey('indexedAt'), [['0']], [[0]]],
  [byKey('author'), [['at://'], ['\u{10ffff}']], [[1], ['\0']]],
  [byKey('did'), [['did:plc:nobody']], [[1]]],
  [byKey('tags'), [[''], [null]], [[1]]],
  [
    byMeasure('AVG', 'pages'),
    [
      ['1e+308', text],
      ['-0.1', text],
      ['5e-324', text],
      [null, null],
    ],
    [
      [1, text],
      ['1.0', text],
      ['Infinity', text],
    ],
  ],
  [
    byMeasure('SUM', 'pages'),
    [
      ['-9223372036854775808', text],
      ['9223372036854775807', text],
      [null, text],
    ],
    [
      ['9223372036854775808', text],
      ['9'.repeat(31), text],
      [1, text],
      ['1.5', text],
      ['', text],
    ],
  ],
  [
    byMeasure('SUM', 'serial'),
    [
      ['9'.repeat(25), text],
      ['-1', text],
    ],
    [
      ['9'.repeat(30), text],
      ['1:1', text],
      ['-', text],
    ],
  ],
  [byMeasure('MAX', 'publishedAt'), [['0', text]], [[0, text]]],
  [byMeasure('MIN', 'serial'), [[largest, text]], [['0', text]]],
  [byMeasure('COUNT_DISTINCT', 'tags'), [[-1, text]], [['0', text]]],
]

test('forged cursors of groups are a position in the order, or are refused', async (database) => {
  await using loaded = await loadCorpus(5, { database })
  const { service } = loaded
  for (const [{ groupBy, order, direction = 'desc', by }, odd, refused] of forged) {
    const binding = JSON.stringify([field, [groupBy], direction, by])
    const query = (position: Json) =>
      `{ ${field}(groupBy: [${groupBy}], ${order}, after: ${literal(encodeCursor(binding, JSON.stringify(position)))}) { groups { cursor } groupsPageInfo { endCursor } } }`
    for (const position of odd) await service.data(query(position))
    for (const position of refused) {
      const { code } = await service.refusal(query(position))
      assert.equal(code, 'INVALID_CURSOR', JSON.stringify([binding, position]))
    }
  }
})

test('a cursor of groups is bound to their keys and their order, not to their conditions', async (database) => {
  await using loaded = await loadCorpus(5, { database })
  const { service } = loaded
  const { [field]: found } = await service.data(
    `{ ${field}(groupBy: [language], limit: 1) { groups { cursor } groupsPageInfo { endCursor } } }`,
  )
  const after = `after: ${literal(found.groupsPageInfo.endCursor)}`
  const asked = (given: string) => `{ ${field}(${given}, ${after}) { groups { language } } }`
  await service.data(
    asked('groupBy: [language], where: {pages: {gt: 1}}, having: {measure: COUNT, operator: GTE, value: 2}'),
  )
  for (const [query, says] of [
    [
      asked('groupBy: [language], orderBy: COUNT_ASC'),
      /`after` is no cursor of these groups in this order\./,
    ],
    [asked('groupBy: [language], orderBy: KEY_DESC'), /no cursor/],
    [asked('groupBy: [language], significant: {against: {}}'), /no cursor/],
    [asked('groupBy: [language], rankBy: {measure: COUNT_DISTINCT, field: did}'), /no cursor/],
    [asked('groupBy: [language, genre]'), /no cursor/],
    [asked('groupBy: [genre]').replace('{ language }', '{ genre }'), /no cursor/],
  ] as const) {
    const { code, message } = await service.refusal(query)
    assert.equal(code, 'INVALID_CURSOR', query)
    assert.match(message, says)
  }
})
