/** Generates the types of measures, a field for each in the table of measures, and of pairs of elements in arrays. */
import type { GraphQLOutputType } from 'graphql'
import { GraphQLFloat, GraphQLInt, GraphQLList, GraphQLObjectType, GraphQLString } from 'graphql/type'
import type { Collection, FieldType, Model } from '../../model/model.ts'
import { isArray, leafType } from '../../model/leaves.ts'
import { fieldMeasures } from '../../model/measures.ts'
import { groupFields, measureFields } from '../../model/operators.ts'
import type { InputTypes } from '../connections.ts'
import { type FieldConfig, type Fields, listOf, nonNull } from '../roles.ts'
import { BigInt53 } from '../scalars.ts'
import type { TypeRegistry } from '../type-registry.ts'

export function createMeasureTypes(
  registry: TypeRegistry,
  inputs: InputTypes,
  outputType: (type: FieldType) => GraphQLOutputType,
): (collection: Collection) => Fields {
  return (collection) => {
    const fields = measureFields(collection)
    const integers = fields.filter(({ leaf }) => leafType(leaf).kind === 'integer')
    const config = ([name, { of, result }]: (typeof fieldMeasures)[number]): FieldConfig => {
      if (of === 'groupable')
        return {
          type: nonNull(GraphQLInt),
          args: { field: { type: nonNull(inputs.groupBy(collection)) } },
        }
      if (result === 'ranks')
        return {
          type: new GraphQLList(BigInt53),
          args: {
            field: { type: nonNull(inputs.measureInteger(collection)) },
            p: {
              type: nonNull(listOf(GraphQLFloat)),
              description: 'Up to ten numbers from 0 to 1, such as 0.9 for the 90th percentile.',
            },
          },
        }
      if (of === 'times') {
        const time = { type: nonNull(inputs.timeField(collection)) }
        return { type: GraphQLFloat, args: { from: time, to: time } }
      }
      const typeOf = (type: FieldType) =>
        result === 'value' ? outputType(type) : result === 'sum' ? BigInt53 : GraphQLFloat
      const measured = of === 'integer' ? integers : fields
      const suffix = `Aggregate${name[0]?.toUpperCase()}${name.slice(1)}`
      const type = registry.of(GraphQLObjectType, collection, suffix, 'measures', () => ({
        fields: Object.fromEntries(
          measured.map((field) => [field.name, { type: typeOf(leafType(field.leaf)) }]),
        ),
      }))
      return { type: nonNull(type) }
    }
    return Object.fromEntries(
      fieldMeasures
        .filter(([, { of }]) => of !== 'integer' || integers.length > 0)
        .map((measure) => [measure[0], { ...config(measure), description: measure[1].description }]),
    )
  }
}

/** The field `pairs` of aggregates, for collections that have arrays of strings. */
export function createPairFields(registry: TypeRegistry, model: Model): (collection: Collection) => Fields {
  const define = registry.objects('every aggregate')
  const pair = define('ValuePair', 'Two different elements that occur together in arrays of records.', {
    values: { type: nonNull(listOf(GraphQLString)), description: 'Both elements, in ascending order.' },
    count: { type: nonNull(GraphQLInt), description: 'How many records have both.' },
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
