/** What searches add to a schema: their arguments, snippets, and the root field over all collections. */
import type { GraphQLFieldConfigArgumentMap, GraphQLInterfaceType } from 'graphql'
import { GraphQLInt, GraphQLObjectType, GraphQLString } from 'graphql/type'
import type { Collection, Model } from '../model/model.ts'
import { type Fields, listOf, nonNull } from './roles.ts'
import type { TypeRegistry } from './type-registry.ts'

const syntax = 'Words, "phrases", prefix*, -not, OR, field:word; all words must match, in any order.'

export function searchArguments({ searchFields }: Collection): GraphQLFieldConfigArgumentMap {
  return searchFields.length === 0 ? {} : { search: { type: GraphQLString, description: syntax } }
}

export function defineSnippet(registry: TypeRegistry): GraphQLObjectType {
  const textRange = registry.define(GraphQLObjectType, 'every snippet', {
    name: 'TextRange',
    description: 'A part of a text, from `start` to before `end`, in UTF-16 units as JavaScript counts.',
    fields: { start: { type: nonNull(GraphQLInt) }, end: { type: nonNull(GraphQLInt) } },
  })
  return registry.objects('every list')('Snippet', null, {
    text: { type: nonNull(GraphQLString), description: 'A part of the text, unchanged.' },
    ranges: { type: nonNull(listOf(textRange)), description: 'Where it has what `search` asks for.' },
  })
}

export function didYouMeanField(registry: TypeRegistry): Fields {
  const define = registry.objects('every search')
  const nearWord = define('NearWord', 'A word, and how many records have it.', {
    word: { type: nonNull(GraphQLString) },
    count: { type: nonNull(GraphQLInt) },
  })
  const missingWord = define('MissingWord', 'A word of a search that no record has.', {
    word: { type: nonNull(GraphQLString) },
    nearest: {
      type: nonNull(listOf(nearWord)),
      description:
        'Up to five words that differ by one or two letters: the nearest first, then the most frequent.',
    },
  })
  return {
    didYouMean: {
      type: nonNull(listOf(missingWord)),
      description: 'Those of the first ten words of the search that no record has.',
    },
  }
}

/** The root field `search`, unless no collection has free text. */
export function searchField(
  registry: TypeRegistry,
  { collections }: Model,
  record: GraphQLInterfaceType,
  pageInfo: GraphQLObjectType,
  didYouMean: Fields,
): Fields {
  if (collections.every(({ searchFields }) => searchFields.length === 0)) return {}
  const define = registry.objects('the search of all collections')
  const edge = define('RecordEdge', null, {
    cursor: { type: nonNull(GraphQLString) },
    node: { type: nonNull(record) },
  })
  const connection = define('RecordConnection', null, {
    edges: { type: nonNull(listOf(edge)) },
    nodes: { type: nonNull(listOf(record)), description: 'The same records without cursors.' },
    pageInfo: { type: nonNull(pageInfo) },
    ...didYouMean,
  })
  return {
    search: {
      type: nonNull(connection),
      args: {
        text: { type: nonNull(GraphQLString), description: syntax },
        first: { type: GraphQLInt, description: 'Page size; 20 when absent.' },
        after: { type: GraphQLString, description: 'An `endCursor` of this field.' },
      },
      description: 'The records of all collections that a search finds, newest first.',
      extensions: { role: { kind: 'search' } },
    },
  }
}
