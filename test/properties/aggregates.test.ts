import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { AggregateArguments } from '../reference/reference.ts'
import { assertAnswered } from '../support/random/ask.ts'
import { filledAggregates, timeFrames } from '../support/random/aggregates.ts'
import { aggregateOperations } from '../support/random/operations.ts'
import { type Loaded, loadCorpus, points, property } from '../support/random/property.ts'
import { groupNames, isTimeName, smallIntegers } from '../support/random/questions.ts'
import { wheres } from '../support/random/where.ts'
import { collections } from '../support/records/lexicons.ts'
import { literal } from '../support/service/graphql-text.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { isSpread } from '../support/store/postgres.ts'

const { book, person, review } = collections
const limit = 1000

/**
 * `asked` draws the arguments; what is selected is anything that aggregates have. An operation that
 * exceeds the price limit of random questions is drawn again.
 */
function aggregateProperty(
  sentence: string,
  few: number,
  asked?: (loaded: Loaded, collection: string) => fc.Arbitrary<AggregateArguments>,
  among?: readonly string[],
): void {
  property(
    sentence,
    (loaded) => aggregateOperations(loaded.reference, among, asked && ((one) => asked(loaded, one))),
    async ({ service }, operation) => fc.pre(await assertAnswered(service, operation, points)),
    few,
  )
}

aggregateProperty('groups, measures and series are those of the reference evaluator', 60)

aggregateProperty(
  'local times are grouped and counted as by the reference evaluator, in odd zones too',
  20,
  ({ reference }, collection) =>
    fc
      .record({
        groupBy: fc.uniqueArray(fc.constantFrom(...groupNames(reference, collection).filter(isTimeName)), {
          minLength: 1,
          maxLength: 2,
        }),
        frame: timeFrames,
        orderBy: fc.constantFrom('KEY_ASC' as const, 'KEY_DESC' as const),
      })
      .map(({ frame, ...given }) => ({ ...frame, ...given, limit })),
)

aggregateProperty('groups that `fill` adds are ranked by what they show', 20, ({ reference }, collection) =>
  fc
    .tuple(
      filledAggregates(reference, collection).filter(({ orderBy }) => orderBy === undefined),
      fc.constantFrom(...groupNames(reference, collection)),
      fc.constantFrom('ASC' as const, 'DESC' as const),
    )
    .map(([given, field, direction]) => ({
      ...given,
      rankBy: { measure: 'COUNT_DISTINCT', field, direction },
    })),
)

aggregateProperty(
  'groups are compared with others as by the reference evaluator',
  40,
  ({ reference }, collection) =>
    fc
      .record({
        groupBy: fc.uniqueArray(fc.constantFrom(...groupNames(reference, collection)), {
          minLength: 1,
          maxLength: 2,
        }),
        where: wheres(reference, collection, 1),
        against: fc.oneof(fc.constant({}), wheres(reference, collection, 1)),
        minCount: fc.integer({ min: 1, max: 3 }),
        isPart: fc.boolean(),
      })
      .map(({ where, against, minCount, isPart, ...given }) => ({
        ...given,
        // Where they meet `against` too, the background is read as all that does, without them.
        where: isPart ? { ...where, ...against } : where,
        significant: { against, minCount },
        limit,
      })),
)

const ofBooks = fc.oneof(
  fc.constant({}),
  fc.constantFrom('novel', 'poetry', 'essay').map((eq) => ({ genre: { eq } })),
  fc.constantFrom('paper', 'audio').map((eq) => ({ medium: { eq } })),
  fc.constantFrom('en', 'es').map((eq) => ({ language: { eq } })),
)

// Of those with a value the numbers are stored, from which those with the condition may be subtracted.
aggregateProperty(
  'records with a value but without a condition are counted as by the reference evaluator',
  40,
  ({ reference }, collection) =>
    fc
      .record({ value: ofBooks, excluded: wheres(reference, collection, 1), isPart: fc.boolean() })
      .map(({ value, excluded, isPart }) => ({
        where: { ...value, NOT: isPart ? { ...excluded, ...value } : excluded },
      })),
  [book],
)

/** Where a collection's references lead to references of the next: sums are kept of the first two. */
const twoAway: readonly (readonly [collection: string, path: string])[] = [
  [review, 'book_author'],
  [book, 'author_employer'],
  [review, 'book_series'],
  [person, 'employer_head'],
]

aggregateProperty(
  'groups by what lies two references away are those of the reference evaluator',
  20,
  ({ reference }, collection) => {
    const paths = twoAway.flatMap(([from, path]) => (from === collection ? [path] : []))
    const names = groupNames(reference, collection).filter((name) =>
      paths.some((path) => name === path || name.startsWith(`${path}_`)),
    )
    const field = fc.constantFrom(...smallIntegers(reference, collection))
    const order = fc.oneof(
      fc.constant({}),
      fc.record({ orderBy: fc.constantFrom('KEY_ASC' as const, 'COUNT_ASC' as const) }),
      fc.record({
        rankBy: fc.record({
          measure: fc.constantFrom('AVG' as const, 'SUM' as const),
          field,
          direction: fc.constant('ASC' as const),
        }),
      }),
    )
    return fc
      .record({
        groupBy: fc.tuple(fc.constantFrom(...names)),
        order,
      })
      .map(({ order: by, ...given }) => ({ ...given, ...by, limit }))
  },
  twoAway.map(([collection]) => collection),
)

const ofCredits = fc.oneof(
  fc.record({ craft: fc.constantFrom({ eq: 'text' }, { eq: 'image' }, { isNull: true }) }),
  fc.record({ share: fc.constantFrom({ gte: 50 }, { lt: 20 }) }),
  fc.record({ paid: fc.constantFrom({ eq: true }, { eq: false }) }),
  fc.record({ person: fc.constantFrom({ country: { eq: 'MX' } }, { isIndexed: true }, { isNull: false }) }),
  fc.constant({}),
)

aggregateProperty(
  'groups and measures through arrays of objects are of the elements that the condition selects',
  40,
  ({ reference }) => {
    const names = groupNames(reference, book)
    const inside = fc.constantFrom(...names.filter((name) => name.startsWith('credits_')))
    const other = fc.constantFrom(...names, 'tags', 'imprint_marks', 'author_country')
    const filters = fc.oneof(
      fc.constant({}),
      ofCredits.map((some) => ({ credits: { some } })),
      fc
        .tuple(ofCredits, ofCredits)
        .map(([one, some]) => ({ credits: { some: one }, AND: [{ credits: { some } }] })),
      ofCredits.map((some) => ({ OR: [{ credits: { some } }] })),
    )
    const further = fc.constantFrom({}, { pages: { gte: 50 } }, { inPrint: { eq: true } })
    return fc.record({
      where: fc.oneof(
        filters,
        fc.tuple(filters, further).map((AND) => ({ AND })),
      ),
      groupBy: fc
        .oneof(
          fc.tuple(inside),
          fc.tuple(inside, inside),
          fc.tuple(inside, other),
          fc.tuple(other),
          fc.constant([]),
        )
        .map((all) => [...new Set(all)]),
      limit: fc.constant(limit),
    })
  },
  [book],
)

aggregateProperty(
  'elements of a record behind a reference are not restricted by a condition on them',
  10,
  ({ reference }) =>
    fc.record({
      where: ofCredits.map((some) => ({ book: { credits: { some } } })),
      groupBy: fc.tuple(
        fc.constantFrom(...groupNames(reference, review).filter((name) => name.startsWith('book_credits_'))),
      ),
      limit: fc.constant(limit),
    }),
  [review],
)

property(
  'a sum is exact to the last digit, or an error beyond what a JSON number holds',
  ({ reference }) =>
    fc.constantFrom([book, 'serial'] as const, [person, 'fortune'] as const).chain(([collection, field]) =>
      fc.record({
        collection: fc.constant(collection),
        field: fc.constant(field),
        where: wheres(reference, collection, 2),
      }),
    ),
  async ({ reference, service }, { collection, field, where }) => {
    const { rootField } = reference.shapes.get(collection)!
    const { members } = reference.aggregate(collection, { where })
    const { sum, count } = reference.total(members, field)
    const having = (operator: string, value: string): string =>
      `${rootField}Aggregate(where: ${literal(where)}, groupBy: [collection], having: [{measure: SUM, field: ${field}, operator: ${operator}, value: ${value}}]) { groups { count } }`
    const found = await service.data(
      `{ eq: ${having('EQ', `${sum}`)} text: ${having('EQ', Number.isSafeInteger(Number(sum)) ? `${sum}` : `"${sum}"`)} gt: ${having('GT', `${sum}`)} lt: ${having('LT', `${sum + 1n}`)} }`,
    )
    const some = count === 0n ? 0 : 1
    assert.deepEqual(
      [found.eq, found.text, found.gt, found.lt].map(({ groups }) => groups.length),
      [some, some, 0, some],
    )
    const text = `{ aggregate: ${rootField}Aggregate(where: ${literal(where)}) { sum { ${field} } } }`
    if (sum > Number.MAX_SAFE_INTEGER || sum < Number.MIN_SAFE_INTEGER) {
      assert.equal((await service.refusal(text)).code, 'BAD_USER_INPUT')
      return
    }
    const { aggregate } = await service.data(text)
    assert.equal(aggregate.sum[field], count === 0n ? null : Number(sum))
  },
)

test('a series has all its buckets, also if groups outside the bounds of its denominator come first', async (database) => {
  await using loaded = await loadCorpus(5, { database })
  const { aggregate } = await loaded.service.data(`{ aggregate: orgExampleLibraryBookAggregate(
    groupBy: [indexedAt_day], fill: true, denominator: {indexedAt: {gte: "2020-01-01", lte: "2020-03-31"}}
  ) { groupCount groups { indexedAt_day } } }`)
  assert.ok(aggregate.groupCount > 91, aggregate.groupCount)
  assert.equal(aggregate.groups.length, aggregate.groupCount)
})

test('what lies two references away is answered from sums, unless a condition or another measure needs the records', async (database) => {
  // A cluster keeps no sums.
  if (database === 'postgres' && isSpread) return
  await using loaded = await loadCorpus(5, { database })
  const { service } = loaded
  const askedOfSums = async (given: string, fields: string): Promise<boolean> => {
    await service.data(`{ orgExampleLibraryReviewAggregate(${given}) { groups { count ${fields} } } }`)
    return service.opened.lastStatement().includes(':sums')
  }
  assert.ok(await askedOfSums('groupBy: [book_author]', 'avg { stars }'))
  assert.ok(await askedOfSums('groupBy: [book_author_country]', 'avg { stars } sum { stars }'))
  assert.ok(await askedOfSums('groupBy: [book_author_bornAt_year]', ''))
  assert.ok(await askedOfSums('groupBy: [book_author_role], rankBy: {measure: AVG, field: stars}', ''))
  assert.ok(!(await askedOfSums('groupBy: [book_author_role], where: {stars: {gt: 1}}', '')))
  assert.ok(!(await askedOfSums('groupBy: [book_author_role]', 'max { stars }')))
  assert.ok(!(await askedOfSums('groupBy: [book_author_role, verdict]', 'avg { stars }')))
  assert.ok(!(await askedOfSums('groupBy: [book_language]', 'avg { stars }')))
})
