import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Where } from '../reference/matches.ts'
import { argumentList, facetArguments, literal } from '../support/service/graphql-text.ts'
import { anyCollection, type Loaded, property } from '../support/random/property.ts'
import { facets } from '../support/random/questions.ts'
import { wheres } from '../support/random/where.ts'

const selection = '{ field values { value count } missing cut }'

/** Conditions of which many are on the fields that are asked for; three facets of them are affordable in any case. */
const faceted = ({ reference }: Loaded, collection: string) =>
  fc
    .tuple(wheres(reference, collection, 1), wheres(reference, collection, 0))
    .map(([one, other]): Where => ({ ...one, ...other }))
    .chain((where) =>
      fc.record({
        where: fc.constant(where),
        given: facets(reference, collection, where).map((given) => ({
          ...given,
          fields: given.fields.slice(0, 3),
        })),
      }),
    )

const ofLists = (loaded: Loaded) =>
  anyCollection.chain((collection) =>
    fc.record({
      collection: fc.constant(collection),
      asked: fc.oneof(
        faceted(loaded, collection),
        facets(loaded.reference, collection).map((given) => ({ where: {}, given })),
      ),
      first: fc.integer({ min: 0, max: 2 }),
    }),
  )

property(
  'the facets of a list are those of all its records, whatever page is selected',
  ofLists,
  async ({ reference, service }, { collection, asked: { where, given }, first }) => {
    const { rootField } = reference.shapes.get(collection)!
    const { list } = await service.data(`{ list: ${rootField}(where: ${literal(where)}, first: ${first}) {
      facets${facetArguments(given)} ${selection} nodes { uri } pageInfo { hasNextPage } } }`)
    const expected = reference.list(collection, { where, first })
    assert.deepEqual(list, {
      facets: expected.facets(given),
      nodes: expected.records.map(({ uri }) => ({ uri })),
      pageInfo: { hasNextPage: expected.hasNextPage },
    })
  },
  50,
)

const ofInnerLists = (loaded: Loaded) =>
  anyCollection
    .filter((collection) => loaded.reference.referredBy(collection).length > 0)
    .chain((collection) =>
      fc.constantFrom(...loaded.reference.referredBy(collection)).chain((held) =>
        fc.record({
          collection: fc.constant(collection),
          held: fc.constant(held),
          asked: faceted(loaded, held.collection),
        }),
      ),
    )

property(
  'a list below a record has the facets of the records that refer to that record',
  ofInnerLists,
  async ({ reference, service }, { collection, held, asked: { where, given } }) => {
    const { rootField } = reference.shapes.get(collection)!
    const inner = `${held.viaField}${argumentList({ where: literal(where) })}`
    const { list } = await service.data(
      `{ list: ${rootField}(first: 12) { nodes { inner: ${inner} { totalCount facets${facetArguments(given)} ${selection} } } } }`,
    )
    const expected = reference.list(collection, { first: 12 }).records.map((record) => {
      const { totalCount, facets } = reference.reverse(record, held, { where })
      return { inner: { totalCount, facets: facets(given) } }
    })
    assert.deepEqual(list.nodes, expected)
  },
  30,
)
