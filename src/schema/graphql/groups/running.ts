/** Generates the running figures of groups that are a series in time. */
import type { GraphQLInputType } from 'graphql'
import { GraphQLFloat, GraphQLInt, GraphQLNonNull } from 'graphql/type'
import type { Fields } from '../roles.ts'

/** `value`: the input that names a value of groups. */
export function runningFigures(value: GraphQLInputType): Fields {
  const of = { type: value, description: 'COUNT when absent.' }
  const needs = 'With one time bucket in `groupBy`; use `fill: true`, since missing buckets are skipped.'
  return {
    cumulative: {
      type: GraphQLFloat,
      args: { of: { ...of, description: 'COUNT when absent; also SHARE or SUM.' } },
      description: `The count, share or sum of this and all earlier groups; null for records without a time. ${needs}`,
    },
    movingAverage: {
      type: GraphQLFloat,
      args: {
        over: { type: new GraphQLNonNull(GraphQLInt), description: 'How many groups: 2 to 100.' },
        of,
      },
      description: `The mean of the values of this and the groups before it; null until there are so many, or if one has no value. ${needs}`,
    },
    change: {
      type: GraphQLFloat,
      args: { of },
      description: `The difference from the previous group; null for the first, or if one has no value. ${needs}`,
    },
  }
}
