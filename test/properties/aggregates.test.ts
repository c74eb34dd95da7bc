import assert from 'node:assert/strict'
import fc from 'fast-check'
import { printKey } from '../reference/groups/group-fields.ts'
import type { AggregateArguments, Reference } from '../reference/reference.ts'
import type { Json } from '../reference/shapes.ts'
import { parseInstant } from '../reference/values.ts'
import type { PlainRecord } from '../reference/world.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { aggregateArguments, literal } from '../support/service/graphql-text.ts'
import { collections } from '../support/records/lexicons.ts'
import { anyCollection, type Loaded, loadCorpus, property } from '../support/random/property.ts'
import {
  aggregates,
  filledAggregates,
  fieldsOfKind,
  groupNames,
  isTimeName,
  smallIntegers,
} from '../support/random/questions.ts'
import { expectedRecord, recordSelection } from '../support/service/selection.ts'
import { timeZones } from '../support/random/values/time-zones.ts'
import { weekdays } from '../reference/zones.ts'
import { wheres } from '../support/random/where.ts'

const significance = 'significance { share againstCount againstShare score }'

const groupQuestions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({ collection: fc.constant(collection), given: aggregates(reference, collection) }),
  )

const seriesQuestions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({ collection: fc.constant(collection), given: filledAggregates(reference, collection) }),
  )

property(
  'groups have the keys, counts and order that the plain evaluator finds',
  groupQuestions,
  checkGroups,
  50,
)

property(
  'groups without records are added as the plain evaluator adds them',
  seriesQuestions,
  checkGroups,
  30,
)

async function checkGroups(
  { reference, service }: Loaded,
  { collection, given }: { readonly collection: string; readonly given: AggregateArguments },
): Promise<void> {
  const { rootField } = reference.shapes.get(collection)!
  const names = given.groupBy ?? []
  const { aggregate } = await service.data(`{ aggregate: ${rootField}Aggregate${aggregateArguments(given)} {
    count total share groupCount groups { count total share ${names.join(' ')} ${significance} } } }`)

  const expected = reference.aggregate(collection, given)
  const fields = names.map(
    (name) => reference.groupFields(collection, given).find((field) => field.name === name)!,
  )
  assert.deepEqual(aggregate, {
    count: expected.count,
    total: expected.total,
    share: expected.share,
    groupCount: expected.groupCount,
    groups: expected.groups.map((group) => ({
      count: group.members.length,
      total: group.total,
      share: group.share,
      ...Object.fromEntries(fields.map((field, index) => [field.name, printKey(field, group.keys[index])])),
      significance: group.significance,
    })),
  })
}

/** The same of times alone, in all zones and with weeks of all starts. */
const timeQuestions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) => {
    const times = groupNames(reference, collection).filter(isTimeName)
    return fc.record({
      collection: fc.constant(collection),
      distinct: fc.constantFrom(...times),
      given: fc.record(
        {
          groupBy: fc.uniqueArray(fc.constantFrom(...times), { minLength: 1, maxLength: 2 }),
          timeZone: fc.constantFrom(...timeZones),
          weekStart: fc.constantFrom(...weekdays),
          orderBy: fc.constantFrom('KEY_ASC' as const, 'KEY_DESC' as const),
          limit: fc.constant(1000),
        },
        { requiredKeys: ['groupBy', 'orderBy', 'limit'] },
      ),
    })
  })

property(
  'local times are grouped and counted as the plain evaluator does, in odd zones too',
  timeQuestions,
  async ({ reference, service }, { collection, distinct, given }) => {
    const { rootField } = reference.shapes.get(collection)!
    const names = given.groupBy
    const { aggregate } = await service.data(`{ aggregate: ${rootField}Aggregate${aggregateArguments(given)} {
    distinct: countDistinct(field: ${distinct}) groups { count ${names.join(' ')} } } }`)
    const expected = reference.aggregate(collection, given)
    const fields = names.map(
      (name) => reference.groupFields(collection, given).find((field) => field.name === name)!,
    )
    assert.deepEqual(aggregate, {
      distinct: reference.countDistinct(collection, expected.members, distinct, given),
      groups: expected.groups.map(({ keys, members }) => ({
        count: members.length,
        ...Object.fromEntries(fields.map((field, index) => [field.name, printKey(field, keys[index])])),
      })),
    })
  },
  40,
)

const measureQuestions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      where: wheres(reference, collection, 1),
      groupBy: fc.uniqueArray(fc.constantFrom(...groupNames(reference, collection)), { maxLength: 2 }),
      summed: fc.subarray(smallIntegers(reference, collection), { minLength: 1 }),
      averaged: fc.subarray(fieldsOfKind(reference, collection, ['integer']), { minLength: 1 }),
      ordered: fc.subarray(fieldsOfKind(reference, collection, ['integer', 'datetime']), { minLength: 1 }),
      distinct: fc.constantFrom(...groupNames(reference, collection)),
    }),
  )

property(
  'measures of the whole and of each group are the plain evaluator’s',
  measureQuestions,
  async (loaded, question) => {
    const { reference, service } = loaded
    const { collection, where, groupBy, summed, averaged, ordered, distinct } = question
    const { rootField } = reference.shapes.get(collection)!
    const measures = `avg { ${averaged.join(' ')} } median { ${averaged.join(' ')} } stddev { ${averaged.join(' ')} } sum { ${summed.join(' ')} } min { ${ordered.join(' ')} } max { ${ordered.join(' ')} }
    countDistinct(field: ${distinct})`
    const given = { where, groupBy, limit: 1000 }
    const { aggregate } = await service.data(`{ aggregate: ${rootField}Aggregate${aggregateArguments(given)} {
    ${measures} groups { ${measures} } } }`)

    const expected = reference.aggregate(collection, given)
    checkMeasures(reference, question, aggregate, expected.members)
    assert.equal(aggregate.groups.length, expected.groups.length)
    expected.groups.forEach((group, index) => {
      checkMeasures(reference, question, aggregate.groups[index], group.members)
    })
  },
  30,
)

/** Where a collection's references lead to references of the next: sums are kept of the first two. */
const twoAway: readonly (readonly [collection: string, path: string])[] = [
  [collections.review, 'book_author'],
  [collections.book, 'author_employer'],
  [collections.review, 'book_series'],
  [collections.person, 'employer_head'],
]

const questionsTwoAway = ({ reference }: Loaded) =>
  fc.constantFrom(...twoAway).chain(([collection, path]) => {
    const names = groupNames(reference, collection)
    const small = smallIntegers(reference, collection)
    return fc.record({
      collection: fc.constant(collection),
      groupBy: fc.constantFrom(...names.filter((name) => name === path || name.startsWith(`${path}_`))),
      summed: fc.subarray(small),
      minCount: fc.integer({ min: 1, max: 2 }),
      order: fc.oneof(
        fc.constant({}),
        fc.constantFrom('KEY_ASC' as const, 'COUNT_ASC' as const).map((orderBy) => ({ orderBy })),
        fc
          .record({
            measure: fc.constantFrom('AVG' as const, 'SUM' as const),
            field: fc.constantFrom(...small),
            direction: fc.constantFrom('ASC' as const, 'DESC' as const),
          })
          .map((rankBy) => ({ rankBy })),
      ),
    })
  })

property(
  'sums and averages by what lies two references away are the plain evaluator’s',
  questionsTwoAway,
  async ({ reference, service }, { collection, groupBy, summed, minCount, order }) => {
    const { rootField } = reference.shapes.get(collection)!
    const given = { groupBy: [groupBy], minCount, limit: 1000, ...order }
    const measures = summed.length === 0 ? '' : `avg { ${summed.join(' ')} } sum { ${summed.join(' ')} }`
    const { aggregate } = await service.data(`{ aggregate: ${rootField}Aggregate${aggregateArguments(given)} {
      count groupCount groups { count ${groupBy} ${measures} } } }`)
    const expected = reference.aggregate(collection, given)
    const field = reference.groupFields(collection).find(({ name }) => name === groupBy)!
    assert.equal(aggregate.count, expected.count)
    assert.equal(aggregate.groupCount, expected.groupCount)
    assert.deepEqual(
      aggregate.groups.map((group: Json) => ({ count: group.count, key: group[groupBy] })),
      expected.groups.map(({ keys, members }) => ({
        count: members.length,
        key: printKey(field, keys[0]),
      })),
    )
    for (const [index, { members }] of expected.groups.entries())
      checkTotals(reference, { summed, averaged: summed }, aggregate.groups[index], members)
  },
  40,
)

interface Totalled {
  readonly summed: readonly string[]
  readonly averaged: readonly string[]
}

interface Measured extends Totalled {
  readonly collection: string
  readonly ordered: readonly string[]
  readonly distinct: string
}

function checkMeasures(
  reference: Reference,
  measured: Measured,
  answer: Json,
  members: readonly PlainRecord[],
): void {
  checkTotals(reference, measured, answer, members)
  for (const field of measured.ordered) {
    const instant = (text: Json) => (typeof text === 'string' ? parseInstant(text) : (text ?? undefined))
    assert.equal(instant(answer.min[field]), reference.extreme(members, field, 'MIN'), `min of ${field}`)
    assert.equal(instant(answer.max[field]), reference.extreme(members, field, 'MAX'), `max of ${field}`)
  }
  for (const field of measured.averaged) {
    assert.equal(answer.median[field], reference.median(members, field), `median of ${field}`)
    assert.equal(answer.stddev[field], reference.deviation(members, field), `deviation of ${field}`)
  }
  const distinct = reference.countDistinct(measured.collection, members, measured.distinct)
  assert.equal(answer.countDistinct, distinct, `distinct ${measured.distinct}`)
}

function checkTotals(
  reference: Reference,
  { summed, averaged }: Totalled,
  answer: Json,
  members: readonly PlainRecord[],
): void {
  for (const field of summed) {
    const { sum, count } = reference.total(members, field)
    assert.equal(answer.sum[field], count === 0n ? null : Number(sum), `sum of ${field}`)
  }
  for (const field of averaged)
    assert.equal(answer.avg[field], reference.mean(members, field), `avg of ${field}`)
}

const bigSums = ({ reference }: Loaded) =>
  fc
    .constantFrom([collections.book, 'serial'] as const, [collections.person, 'fortune'] as const)
    .chain(([collection, field]) =>
      fc.record({
        collection: fc.constant(collection),
        field: fc.constant(field),
        where: wheres(reference, collection, 2),
      }),
    )

property(
  'a sum is exact to the last digit, or an error beyond what a JSON number holds',
  bigSums,
  async (loaded, question) => {
    const { reference, service } = loaded
    const { rootField } = reference.shapes.get(question.collection)!
    const { members } = reference.aggregate(question.collection, { where: question.where })
    const { sum, count } = reference.total(members, question.field)
    const text = `{ aggregate: ${rootField}Aggregate(where: ${literal(question.where)}) { sum { ${question.field} } } }`
    if (sum > Number.MAX_SAFE_INTEGER || sum < Number.MIN_SAFE_INTEGER) {
      assert.equal((await service.refusal(text)).code, 'BAD_USER_INPUT')
      return
    }
    const { aggregate } = await service.data(text)
    assert.equal(aggregate.sum[question.field], count === 0n ? null : Number(sum))
  },
)

test('the group of a reference offers the record behind it, unless that is hidden', async (database) => {
  await using loaded = await loadCorpus(3, { database, hiding: true })
  const { reference, service } = loaded
  const { aggregate } =
    await service.data(`{ aggregate: orgExampleLibraryBookAggregate(groupBy: [author, mention], limit: 1000) {
    groups { author mention authorResolved ${recordSelection(reference)} mentionResolved ${recordSelection(reference)} } } }`)
  assert.ok(aggregate.groups.length > 3)
  for (const { author, mention, authorResolved, mentionResolved } of aggregate.groups) {
    assert.deepEqual(authorResolved, author === null ? null : expectedRecord(reference, author))
    assert.deepEqual(mentionResolved, mention === null ? null : expectedRecord(reference, mention))
  }
})

test('what lies two references away is answered from sums, unless a condition or another measure needs the records', async (database) => {
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
