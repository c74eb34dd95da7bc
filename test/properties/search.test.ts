import assert from 'node:assert/strict'
import fc from 'fast-check'
import { argumentList, literal, sortLiteral } from '../support/graphql-text.ts'
import { collections } from '../support/lexicons.ts'
import { type Loaded, property } from '../support/property.ts'
import { sorts } from '../support/questions.ts'
import { searches } from '../support/searches.ts'
import { wheres } from '../support/where.ts'
import { expectedList, wholeList } from '../support/whole-list.ts'

/** Collections with free texts, and the names of these. */
const searched = {
  [collections.book]: ['title', 'blurb'],
  [collections.person]: ['name'],
  [collections.publisher]: ['name'],
} as const

const questions = ({ reference }: Loaded) =>
  fc.constantFrom(...Object.entries(searched)).chain(([collection, fields]) => {
    const texts = reference
      .sorted(collection, {})
      .flatMap(({ value }) => fields.map((field) => value[field]))
      .filter((text) => typeof text === 'string')
    return fc.record({
      collection: fc.constant(collection),
      search: searches(texts, fields),
      where: fc.oneof(
        { weight: 2, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: wheres(reference, collection, 1) },
      ),
      sortBy: fc.oneof(fc.constant([]), sorts(reference, collection)),
      first: fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 5 })),
    })
  })

property(
  'a search finds the records, in their order, that have its words',
  questions,
  async ({ reference, service }, { collection, search, where, sortBy, first }) => {
    const { rootField } = reference.shapes.get(collection)!
    const given = argumentList({
      search: JSON.stringify(search),
      where: literal(where),
      sortBy: sortLiteral(sortBy),
      first: String(first),
    })
    const { list, all } = await service.data(`{ list: ${rootField}${given} ${wholeList}
      all: ${rootField}Aggregate(search: ${JSON.stringify(search)}, where: ${literal(where)}) { count } }`)
    const expected = expectedList(reference, collection, { search, where, sortBy, first })
    assert.deepEqual(list, expected)
    assert.equal(all.count, expected.totalCount)
  },
  150,
)
