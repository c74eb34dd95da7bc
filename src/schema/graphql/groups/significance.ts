/** Types of significance: what groups and words are compared with, and how unusual each of them is. */
import {
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql/type'
import type { Collection } from '../../model/model.ts'
import { listOf, nonNull } from '../roles.ts'
import type { TypeRegistry } from '../type-registry.ts'

export function defineSignificance(registry: TypeRegistry): GraphQLObjectType {
  const exceeds = 'How far the share of a group exceeds its share of the records it is compared with.'
  return registry.objects('every aggregate')('Significance', exceeds, {
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
  })
}

export function defineUnusualWords(registry: TypeRegistry, significance: GraphQLObjectType) {
  const define = registry.objects('every aggregate')
  const word = define('UnusualWord', null, {
    word: { type: nonNull(GraphQLString), description: 'In its indexed form, which `search` finds.' },
    count: { type: nonNull(GraphQLInt), description: 'How many of the records read have it.' },
    significance: { type: nonNull(significance) },
  })
  return define('UnusualWords', null, {
    recordsRead: {
      type: nonNull(GraphQLInt),
      description: 'How many of the records under `where` are read: all up to 5,000, of more a sample.',
    },
    againstRecordsRead: {
      type: nonNull(GraphQLInt),
      description: 'The same of those under `against`, without those under `where`.',
    },
    words: {
      type: nonNull(listOf(word)),
      description: 'Words that are more frequent than under `against`, the most unusual first.',
    },
  })
}

export function significantInput(
  registry: TypeRegistry,
  collection: Collection,
  where: GraphQLInputObjectType,
): GraphQLInputObjectType {
  return registry.of(GraphQLInputObjectType, collection, 'SignificantInput', 'unusual groups', () => ({
    description: 'What groups are compared with.',
    fields: {
      against: {
        type: nonNull(where),
        description:
          'The records to compare with, of which those under `where` are left out; `{}` means all others.',
      },
      minCount: { type: GraphQLInt, description: 'Leaves out groups of fewer records; 5 when absent.' },
    },
  }))
}
