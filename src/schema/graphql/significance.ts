/** Types of significance: what groups are compared with, and how unusual each of them is. */
import {
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
} from 'graphql/type'
import type { Collection } from '../model/model.ts'
import { nonNull } from './roles.ts'
import type { TypeRegistry } from './type-registry.ts'

/** The type of `significance` of all groups. */
export function defineSignificance(registry: TypeRegistry): GraphQLObjectType {
  return registry.define(GraphQLObjectType, 'every aggregate', {
    name: 'Significance',
    description: 'How far the share of a group exceeds its share of the records it is compared with.',
    fields: {
      share: {
        type: nonNull(GraphQLFloat),
        description: 'The part of the records under `where` that are in the group, to six decimals.',
      },
      againstCount: {
        type: nonNull(GraphQLInt),
        description: 'How many records under `against`, but not under `where`, are in the group.',
      },
      againstShare: {
        type: nonNull(GraphQLFloat),
        description: 'The part of these records that are in the group, to six decimals.',
      },
      score: {
        type: nonNull(GraphQLFloat),
        description:
          'The log-odds ratio of the two shares in standard deviations, to three decimals; above 2 is rarely chance.',
      },
    },
  })
}

/** The type of the argument `significant`. */
export function significantInput(
  registry: TypeRegistry,
  { typeName, nsid }: Collection,
  where: GraphQLInputObjectType,
): GraphQLInputObjectType {
  return registry.once(
    GraphQLInputObjectType,
    `${typeName}SignificantInput`,
    `unusual groups of ${nsid}`,
    () => ({
      description: 'What groups are compared with.',
      fields: {
        against: {
          type: new GraphQLNonNull(where),
          description:
            'The records to compare with, of which those under `where` are left out; `{}` means all others.',
        },
      },
    }),
  )
}
