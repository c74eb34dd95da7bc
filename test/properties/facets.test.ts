import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Where } from '../reference/matches.ts'
import { facetArguments, literal } from '../support/service/graphql-text.ts'
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
