/** Generates the types of lists: connections with their pages, facets and snippets, and the arguments of list fields. */
import type { GraphQLFieldConfigArgumentMap } from 'graphql'
import { GraphQLBoolean, GraphQLInt, GraphQLObjectType, GraphQLString } from 'graphql/type'
import type { Collection } from '../model/model.ts'
import type { createInputTypes } from './inputs.ts'
import { listOf, nonNull } from './roles.ts'
import { defineSnippet, didYouMeanField, searchArguments } from './search-types.ts'
import type { TypeRegistry } from './type-registry.ts'

export type InputTypes = ReturnType<typeof createInputTypes>

export function createConnectionTypes(
  registry: TypeRegistry,
  inputs: InputTypes,
  recordOf: (collection: Collection) => GraphQLObjectType,
) {
  const define = registry.objects('every list')
  const pageInfo = define('PageInfo', 'Where this page ends, and whether there is more on either side.', {
    hasNextPage: { type: nonNull(GraphQLBoolean) },
    hasPreviousPage: { type: nonNull(GraphQLBoolean) },
    startCursor: { type: GraphQLString },
    endCursor: { type: GraphQLString },
  })
  const facet = defineFacet(define)
  const snippet = defineSnippet(registry)
  const didYouMean = didYouMeanField(registry)
  const connection = (collection: Collection): GraphQLObjectType =>
    registry.of(GraphQLObjectType, collection, 'Connection', 'lists', () => {
      const node = recordOf(collection)
      const isSearched = collection.searchFields.length > 0
      const edge = registry.of(GraphQLObjectType, collection, 'Edge', 'lists', () => ({
        fields: {
          cursor: { type: nonNull(GraphQLString) },
          node: { type: nonNull(node) },
          ...(isSearched && {
            score: {
              type: GraphQLInt,
              description: 'How relevant it is for `search`; null in other orders.',
            },
            snippet: {
              type: snippet,
              args: {
                field: { type: nonNull(inputs.searchField(collection)) },
                words: { type: GraphQLInt, description: 'At most so many words: 1 to 200, 30 when absent.' },
              },
              description:
                'The part of a text that shows best what `search` found in it; null without a text.',
            },
          }),
        },
      }))
      return {
        description: 'A page of a list.',
        fields: {
          edges: { type: nonNull(listOf(edge)) },
          nodes: { type: nonNull(listOf(node)), description: 'The same records without cursors.' },
          pageInfo: { type: nonNull(pageInfo) },
          totalCount: {
            type: nonNull(GraphQLInt),
            description: 'How many records match `where`; counted only when selected.',
          },
          ...(isSearched && {
            ranked: {
              type: GraphQLInt,
              description:
                'How many of the newest matches RELEVANCE ranks; the others follow. Null in other orders.',
            },
            ...didYouMean,
          }),
          facets: {
            type: nonNull(listOf(facet)),
            args: facetArguments(inputs, collection),
            description: 'How many records that match `where` have each value of some fields.',
          },
        },
      }
    })
  return {
    connection,
    listArguments: (collection: Collection) => listArguments(inputs, collection),
    pageInfo,
    didYouMean,
  }
}

function defineFacet(define: ReturnType<TypeRegistry['objects']>): GraphQLObjectType {
  const facetValue = define('FacetValue', 'A value that records of a list have, and how many have it.', {
    value: { type: nonNull(GraphQLString), description: 'As text, whatever the type of the field.' },
    count: { type: nonNull(GraphQLInt) },
  })
  return define('Facet', 'The values that the records of a list have in one field.', {
    field: { type: nonNull(GraphQLString), description: 'Its name, as in `fields`.' },
    values: {
      type: nonNull(listOf(facetValue)),
      description: 'The most frequent first; equal counts come in ascending order of the values.',
    },
    missing: { type: nonNull(GraphQLInt), description: 'How many records have no value.' },
    cut: { type: nonNull(GraphQLBoolean), description: 'Whether there are more values than `limit`.' },
  })
}

function listArguments(inputs: InputTypes, collection: Collection): GraphQLFieldConfigArgumentMap {
  return {
    first: {
      type: GraphQLInt,
      description: 'Page size from the start or from `after`; 20 when neither size is given.',
    },
    after: { type: GraphQLString, description: 'An `endCursor` of this list with the same `sortBy`.' },
    last: { type: GraphQLInt, description: 'Page size back from the end or from `before`.' },
    before: {
      type: GraphQLString,
      description: 'A `startCursor` of this list with the same `sortBy`; goes with `last`.',
    },
    where: { type: inputs.where(collection) },
    ...searchArguments(collection),
    sortBy: {
      type: listOf(inputs.sortBy(collection)),
      description: 'Up to five fields; `indexedAt DESC` when empty or absent.',
    },
    distinctOn: {
      type: listOf(inputs.distinctOn(collection)),
      description:
        'Up to three fields: of the records with the same values only the first stays in the list; null is a value.',
    },
  }
}

function facetArguments(inputs: InputTypes, collection: Collection): GraphQLFieldConfigArgumentMap {
  return {
    fields: {
      type: nonNull(listOf(inputs.groupBy(collection))),
      description: 'Up to ten fields of `groupBy`, without periods of time.',
    },
    limit: { type: GraphQLInt, description: 'How many values of each field: 1 to 100, 10 when absent.' },
    ignoreOwn: {
      type: GraphQLBoolean,
      defaultValue: false,
      description: 'Whether each facet leaves out the conditions of `where` on its own field.',
    },
  }
}
