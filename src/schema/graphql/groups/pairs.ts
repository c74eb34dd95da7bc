/** Types of pairs: which elements of an array occur together in one record, and how often. */
import { GraphQLInt, GraphQLObjectType, GraphQLString } from 'graphql/type'
import { isArray } from '../../model/leaves.ts'
import type { Collection, Model } from '../../model/model.ts'
import { groupFields } from '../../model/operators.ts'
import { type Fields, listOf, nonNull } from '../roles.ts'
import type { TypeRegistry } from '../type-registry.ts'

/** The field `pairs` of aggregates, for collections that have arrays of strings. */
export function createPairFields(registry: TypeRegistry, model: Model): (collection: Collection) => Fields {
  const pair = registry.define(GraphQLObjectType, 'every aggregate', {
    name: 'ValuePair',
    description: 'Two different elements that occur together in arrays of records.',
    fields: {
      values: { type: nonNull(listOf(GraphQLString)), description: 'Both elements, in ascending order.' },
      count: { type: nonNull(GraphQLInt), description: 'How many records have both.' },
    },
  })
  return (collection) => {
    const fields = groupFields(collection, model)
    const arrays = fields.filter(({ joins, leaf }) => joins.length === 0 && isArray(leaf))
    if (arrays.length === 0) return {}
    const field = registry.fieldsOf(collection, 'ArrayField', 'arrays', () => arrays)
    return {
      pairs: {
        type: nonNull(listOf(pair)),
        args: {
          field: { type: nonNull(field) },
          minCount: { type: GraphQLInt, description: 'Leaves out pairs of fewer records.' },
          limit: { type: GraphQLInt, description: 'How many pairs: 1 to 1000, 50 when absent.' },
        },
        description:
          'Elements that occur together in an array, the most frequent first. Records of more than 100 different elements are left out.',
      },
    }
  }
}
