/** Fields of groups for what lies within them: inner groups and sample records. */
import type { GraphQLFieldConfigArgumentMap, GraphQLObjectType } from 'graphql'
import { GraphQLInt, GraphQLList, GraphQLNonNull } from 'graphql/type'
import type { Collection } from '../../model/model.ts'
import type { InputTypes } from '../connections.ts'
import { type Fields, listOf, nonNull } from '../roles.ts'

/** `args`: those of the aggregate; `top` has the same for its groups. */
export function nestedFields(
  inputs: InputTypes,
  collection: Collection,
  group: GraphQLObjectType,
  record: GraphQLObjectType,
  args: GraphQLFieldConfigArgumentMap,
): Fields {
  const ordering = Object.fromEntries(
    ['orderBy', 'rankBy', 'having', 'minCount'].flatMap((name) => {
      const argument = args[name]
      return argument === undefined ? [] : [[name, argument]]
    }),
  )
  return {
    top: {
      type: nonNull(listOf(group)),
      args: {
        groupBy: {
          type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(inputs.groupBy(collection)))),
          description: 'Fields besides those of the groups: together up to five.',
        },
        ...ordering,
        limit: { type: GraphQLInt, description: 'How many groups in each: 1 to 20, 3 when absent.' },
      },
      description: 'Groups within the group, by further fields.',
    },
    nodes: {
      type: nonNull(listOf(record)),
      args: {
        first: { type: GraphQLInt, description: 'How many records of each group: 1 to 5, 2 when absent.' },
        sortBy: {
          type: new GraphQLList(new GraphQLNonNull(inputs.sortBy(collection))),
          description: 'Up to five fields; `indexedAt DESC` when empty or absent.',
        },
      },
      description: 'The first records of the group in an order.',
    },
  }
}
