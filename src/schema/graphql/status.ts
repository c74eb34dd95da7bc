/** The types of `indexStatus`, which tells callers how complete and how fresh the answers are. */
import type { GraphQLObjectType } from 'graphql'
import { GraphQLBoolean, GraphQLFloat, GraphQLInt, GraphQLString } from 'graphql/type'
import { listOf, nonNull } from './roles.ts'
import { DateTime } from './scalars.ts'
import type { TypeRegistry } from './type-registry.ts'

export function defineIndexStatus(registry: TypeRegistry, hasStories: boolean): GraphQLObjectType {
  const define = registry.objects('the status of the index')
  const collection = define('CollectionStatus', 'One collection that is served.', {
    name: { type: nonNull(GraphQLString), description: 'NSID of the collection.' },
    records: { type: nonNull(GraphQLInt), description: 'As `totalCount` of its list.' },
    newestIndexedAt: {
      type: DateTime,
      description: 'When the newest of its records was first stored; null when there is none.',
    },
    ...(hasStories && {
      storiesComplete: {
        type: GraphQLBoolean,
        description:
          'Whether the story of each of its records is derived from the records as they are; null where there are no stories.',
      },
    }),
  })
  const source = define('SourceStatus', 'What records come from, such as a stream of events.', {
    name: { type: nonNull(GraphQLString) },
    state: {
      type: nonNull(GraphQLString),
      description: 'Known values: connecting, live, unavailable, finished, stopped.',
    },
    lagSeconds: {
      type: GraphQLFloat,
      description:
        'Live: how old the last event was when it was applied. Otherwise: how old it is now. Null before the first event.',
    },
    lastEventAt: {
      type: DateTime,
      description: "When the last event happened, by the source's clock; null before the first.",
    },
  })
  const lexicon = define('LexiconStatus', 'One lexicon that is in force.', {
    name: { type: nonNull(GraphQLString), description: 'NSID of the lexicon.' },
    revision: { type: GraphQLInt, description: 'As the lexicon names it; null when it names none.' },
    hash: {
      type: nonNull(GraphQLString),
      description: 'sha-256 of what the lexicon says, whatever the layout of its file.',
    },
  })
  return define('IndexStatus', 'How much is indexed, how fresh it is, and by which rules.', {
    version: { type: nonNull(GraphQLString), description: 'Of the program that answers.' },
    schemaHash: {
      type: nonNull(GraphQLString),
      description: 'sha-256 of the schema as text, which `/schema.graphql` gives.',
    },
    lexicons: { type: nonNull(listOf(lexicon)), description: 'The lexicons in force, by their NSIDs.' },
    collections: { type: nonNull(listOf(collection)), description: 'Every collection that is served.' },
    sources: { type: nonNull(listOf(source)), description: 'By name; none where records come from files.' },
  })
}
