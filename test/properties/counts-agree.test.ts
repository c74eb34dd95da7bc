import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Json } from '../reference/shapes.ts'
import { parseInstant } from '../reference/values.ts'
import { literal } from '../support/service/graphql-text.ts'
import { anyCollection, type Loaded, property } from '../support/random/property.ts'
import { wheres } from '../support/random/where.ts'

const questions = ({ reference }: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      where: wheres(reference, collection),
      size: fc.integer({ min: 1, max: 12 }),
    }),
  )

property(
  'totalCount, the rows of all pages and the aggregate count agree',
  questions,
  async (loaded, question) => {
    const { rootField } = loaded.reference.shapes.get(question.collection)!
    const where = literal(question.where)
    const { list, aggregate } = await loaded.service.data(`{
    list: ${rootField}(where: ${where}, first: 0) { totalCount }
    aggregate: ${rootField}Aggregate(where: ${where}) { count }
  }`)
    let rows = 0
    let after = ''
    for (let more = true; more; ) {
      const { page } =
        await loaded.service.data(`{ page: ${rootField}(where: ${where}, first: ${question.size}${after}) {
      edges { cursor } pageInfo { hasNextPage endCursor } } }`)
      rows += page.edges.length
      more = page.pageInfo.hasNextPage
      after = `, after: ${literal(page.pageInfo.endCursor)}`
      assert.ok(rows <= list.totalCount, `${rows} rows of ${list.totalCount}`)
    }
    const counts = { totalCount: list.totalCount, rows, aggregate: aggregate.count }
    const expected = loaded.reference.count(question.collection, question.where)
    assert.deepEqual(counts, { totalCount: expected, rows: expected, aggregate: expected })
  },
)

property(
  'the state of the index has the counts and newest records that the plain evaluator finds',
  () => fc.constant(null),
  async ({ reference, service }) => {
    const { indexStatus } = await service.data(
      '{ indexStatus { collections { name records newestIndexedAt } } }',
    )
    const expected = [...reference.shapes.keys()].toSorted().map((name) => {
      const records = reference.list(name, { first: 1 })
      const newest = records.records[0]?.indexedAt
      return { name, records: records.totalCount, newest }
    })
    assert.deepEqual(
      indexStatus.collections.map(({ newestIndexedAt, ...others }: Json) => ({
        ...others,
        newest: newestIndexedAt === null ? undefined : parseInstant(newestIndexedAt),
      })),
      expected,
    )
  },
  1,
)
