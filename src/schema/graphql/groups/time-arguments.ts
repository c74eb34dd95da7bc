/** The arguments of aggregates that say in which days, weeks and hours times are grouped. */
import type { GraphQLFieldConfigArgumentMap } from 'graphql'
import { GraphQLBoolean, GraphQLEnumType, GraphQLString } from 'graphql/type'
import type { TypeRegistry } from '../type-registry.ts'

const weekdays = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY']

export function defineTimeArguments(registry: TypeRegistry): GraphQLFieldConfigArgumentMap {
  const weekday = registry.define(GraphQLEnumType, 'every aggregate', {
    name: 'Weekday',
    values: Object.fromEntries(weekdays.map((name, value) => [name, { value }])),
  })
  return {
    timeZone: {
      type: GraphQLString,
      description: 'Where days and hours are those of the groups, such as "Europe/Berlin"; UTC when absent.',
    },
    fill: {
      type: GraphQLBoolean,
      description:
        'Adds groups without records: each time bucket between the bounds in `where`, or each group of `denominator`.',
    },
    weekStart: { type: weekday, description: 'The first day of weeks; MONDAY when absent.' },
  }
}
