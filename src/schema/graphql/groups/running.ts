/** Generates the running figures of groups that are a series in time. */
import { GraphQLFloat, GraphQLInt, GraphQLNonNull, GraphQLObjectType } from 'graphql/type'
import { type Fields, nonNull } from '../roles.ts'
import type { TypeRegistry } from '../type-registry.ts'

export function defineRunningFigures(registry: TypeRegistry): Fields {
  const cumulative = registry.define(GraphQLObjectType, 'every aggregate', {
    name: 'CumulativeFigures',
    description: 'Sums over this and all earlier groups.',
    fields: { count: { type: GraphQLInt, description: 'Null for records without a time.' } },
  })
  const average = registry.define(GraphQLObjectType, 'every aggregate', {
    name: 'MovingAverageFigures',
    description: 'Means over this group and those before it.',
    fields: { count: { type: GraphQLFloat, description: 'Null until there are so many groups.' } },
  })
  const change = registry.define(GraphQLObjectType, 'every aggregate', {
    name: 'ChangeFigures',
    description: 'Differences from the previous group.',
    fields: { count: { type: GraphQLInt, description: 'Null for the first group.' } },
  })
  const needs = 'With one time bucket in `groupBy`; use `fill: true`, since missing buckets are skipped.'
  return {
    cumulative: {
      type: nonNull(cumulative),
      description: `The sum of this and all earlier groups. ${needs}`,
    },
    movingAverage: {
      type: nonNull(average),
      args: {
        over: { type: new GraphQLNonNull(GraphQLInt), description: 'How many groups: 2 to 100.' },
      },
      description: `The mean of this and the groups before it. ${needs}`,
    },
    change: { type: nonNull(change), description: `The difference from the previous group. ${needs}` },
  }
}
