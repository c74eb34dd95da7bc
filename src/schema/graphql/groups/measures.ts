/** Generates the types of measures: averages, sums, extremes and distinct counts. */
import type { GraphQLOutputType } from 'graphql'
import { GraphQLFloat, GraphQLInt, GraphQLNonNull } from 'graphql/type'
import type { Collection, FieldType } from '../../model/model.ts'
import { leafType } from '../../model/leaves.ts'
import { measureFields } from '../../model/operators.ts'
import type { InputTypes, TypeFor } from '../connections.ts'
import { type Fields, nonNull } from '../roles.ts'
import { BigInt53 } from '../scalars.ts'

/** The fields for the measures of a collection's records, of a group or of all. */
export function createMeasureTypes(
  inputs: InputTypes,
  typeFor: TypeFor,
  outputType: (type: FieldType) => GraphQLOutputType,
): (collection: Collection) => Fields {
  return (collection) => {
    const fields = measureFields(collection)
    const integers = fields.filter(({ leaf }) => leafType(leaf).kind === 'integer')
    type MeasureType = (field: FieldType) => GraphQLOutputType
    const measured = (suffix: string, description: string, of: typeof fields, type: MeasureType) => ({
      type: nonNull(
        typeFor(collection, `Aggregate${suffix}`, 'measures', () => ({
          fields: Object.fromEntries(of.map(({ name, leaf }) => [name, { type: type(leafType(leaf)) }])),
        })),
      ),
      description,
    })
    return {
      ...(integers.length > 0 && {
        avg: measured('Avg', 'Means of present values.', integers, () => GraphQLFloat),
        sum: measured('Sum', 'Sums of present values.', integers, () => BigInt53),
      }),
      min: measured('Min', 'Smallest present values.', fields, outputType),
      max: measured('Max', 'Largest present values.', fields, outputType),
      countDistinct: {
        type: nonNull(GraphQLInt),
        args: { field: { type: new GraphQLNonNull(inputs.groupBy(collection)) } },
        description: 'How many different present values there are; of arrays, different elements.',
      },
    }
  }
}
