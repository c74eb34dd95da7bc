import assert from 'node:assert/strict'
import fc from 'fast-check'
import { printKey } from '../reference/groups/group-fields.ts'
import type { Json } from '../reference/shapes.ts'
import { parseInstant } from '../reference/values.ts'
import { aggregateArguments } from '../support/service/graphql-text.ts'
import { collections } from '../support/records/lexicons.ts'
import { type Loaded, property } from '../support/random/property.ts'
import { groupNames } from '../support/random/questions.ts'

const { book, review } = collections

const conditions = fc.oneof(
  fc.record({ craft: fc.constantFrom({ eq: 'text' }, { eq: 'image' }, { isNull: true }) }),
  fc.record({ share: fc.constantFrom({ gte: 50 }, { lt: 20 }) }),
  fc.record({ paid: fc.constantFrom({ eq: true }, { eq: false }) }),
  fc.record({ person: fc.constantFrom({ country: { eq: 'MX' } }, { isIndexed: true }, { isNull: false }) }),
  fc.constant({}),
)

const filters = fc.oneof(
  fc.constant({}),
  conditions.map((some) => ({ credits: { some } })),
  fc.tuple(conditions, conditions).map(([one, other]) => ({
    credits: { some: one },
    AND: [{ credits: { some: other } }],
  })),
  conditions.map((some) => ({ OR: [{ credits: { some } }] })),
)

const questions = ({ reference }: Loaded) => {
  const names = groupNames(reference, book)
  const inside = fc.constantFrom(...names.filter((name) => name.startsWith('credits_')))
  const other = fc.constantFrom(...names, 'tags', 'imprint_marks', 'author_country')
  return fc.record({
    where: fc.oneof(
      filters,
      fc
        .tuple(filters, fc.constantFrom({ pages: { gte: 50 } }, { inPrint: { eq: true } }))
        .map(([one, two]) => ({ AND: [one, two] })),
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
    distinct: fc.oneof(inside, other),
  })
}

property(
  'groups and measures through arrays of objects are of the elements that count',
  questions,
  async ({ reference, service }, { where, groupBy, distinct }) => {
    const given = { where, groupBy, limit: 1000 }
    const measures = `avg { credits_share pages } sum { credits_share } min { credits_share credits_since } max { credits_share }
      countDistinct(field: ${distinct})`
    const { aggregate } =
      await service.data(`{ aggregate: orgExampleLibraryBookAggregate${aggregateArguments(given)} {
      count groupCount ${measures} groups { count ${groupBy.join(' ')} ${measures} } } }`)
    const expected = reference.aggregate(book, given)
    const instant = (text: Json) => (typeof text === 'string' ? parseInstant(text) : (text ?? undefined))
    const check = (answer: Json, members: typeof expected.members) => {
      const { sum, count } = reference.total(members, 'credits_share')
      assert.deepEqual(answer.avg, {
        credits_share: reference.mean(members, 'credits_share'),
        pages: reference.mean(members, 'pages'),
      })
      assert.equal(answer.sum.credits_share, count === 0n ? null : Number(sum))
      assert.equal(answer.min.credits_share ?? undefined, reference.extreme(members, 'credits_share', 'MIN'))
      assert.equal(answer.max.credits_share ?? undefined, reference.extreme(members, 'credits_share', 'MAX'))
      assert.equal(instant(answer.min.credits_since), reference.extreme(members, 'credits_since', 'MIN'))
      assert.equal(answer.countDistinct, reference.countDistinct(book, members, distinct), distinct)
    }
    assert.equal(aggregate.count, expected.count)
    assert.equal(aggregate.groupCount, expected.groupCount)
    check(aggregate, expected.members)
    const fields = groupBy.map((name) => reference.groupFields(book).find((field) => field.name === name)!)
    assert.deepEqual(
      aggregate.groups.map((group: Json) => [group.count, ...groupBy.map((name) => group[name])]),
      expected.groups.map(({ keys, members }) => [
        members.length,
        ...fields.map((field, index) => printKey(field, keys[index])),
      ]),
    )
    for (const [index, { members }] of expected.groups.entries()) check(aggregate.groups[index], members)
  },
  40,
)

property(
  'elements of a record behind a reference are not restricted by a condition on them',
  ({ reference }: Loaded) =>
    fc.record({
      where: conditions.map((some) => ({ book: { credits: { some } } })),
      groupBy: fc.constantFrom(
        ...groupNames(reference, review)
          .filter((name) => name.startsWith('book_credits_'))
          .map((name) => [name]),
      ),
    }),
  async ({ reference, service }, { where, groupBy }) => {
    const given = { where, groupBy, limit: 1000 }
    const [name = ''] = groupBy
    const { aggregate } =
      await service.data(`{ aggregate: orgExampleLibraryReviewAggregate${aggregateArguments(given)} {
      groups { count ${name} } } }`)
    const field = reference.groupFields(review).find((one) => one.name === name)!
    assert.deepEqual(
      aggregate.groups.map((group: Json) => [group.count, group[name]]),
      reference
        .aggregate(review, given)
        .groups.map(({ keys, members }) => [members.length, printKey(field, keys[0])]),
    )
  },
  30,
)
