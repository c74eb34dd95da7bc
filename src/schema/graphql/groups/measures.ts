/** Generates the types of measures: averages, sums, extremes, percentiles, deviations and distinct counts. */
import type { GraphQLOutputType } from 'graphql'
import { GraphQLFloat, GraphQLInt, GraphQLList, GraphQLNonNull } from 'graphql/type'
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
        median: measured(
          'Median',
          'Medians of present values: the mean of the two middle ones of an even number.',
          integers,
          () => GraphQLFloat,
        ),
        stddev: measured(
          'Stddev',
          'Standard deviations of present values, as of a sample; null below two values.',
          integers,
          () => GraphQLFloat,
        ),
        percentile: {
          type: new GraphQLList(BigInt53),
          args: {
            field: { type: new GraphQLNonNull(inputs.measureInteger(collection)) },
            p: {
              type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLFloat))),
              description: 'Up to ten numbers from 0 to 1, such as 0.9 for the 90th percentile.',
            },
          },
          description:
            'Present values at the nearest ranks, in the order of `p`: 0 is the smallest value, 1 the largest. Null without values.',
        },
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
