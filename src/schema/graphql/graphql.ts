/**
 * Builds the GraphQL schema from the model. Each field that reads data has a role in its extensions;
 * there are no resolvers, because the compiler turns a whole operation into SQL.
 */
import type { GraphQLFieldConfigArgumentMap, GraphQLObjectTypeConfig, GraphQLOutputType } from 'graphql'
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql/type'
import { createInputTypes } from './inputs.ts'
import type { Collection, Field, FieldType, Model, ObjectType, Reference, UnionType } from '../model/model.ts'
import { type GroupField, groupFields, holderOf, leafType, measureFields } from '../model/operators.ts'
import { defineRecordInterfaces, nodeFields, systemFieldConfigs } from './record-interfaces.ts'
import { type FieldConfig, type Fields, listOf, nonNull, reads } from './roles.ts'
import { BigInt53, DateTime, Json } from './scalars.ts'
import { defineSignificance, significantInput } from './significance.ts'
import { defineIndexStatus } from './status.ts'
import { createTypeRegistry, uniqueFields } from './type-registry.ts'

const strongRefName = 'ComAtprotoRepoStrongRef'

/**
 * Throws, with both origins, if two generated types have the same name. `assumeValid` spares the first query the
 * validation of the schema by graphql-js; the tests validate generated schemas.
 */
export function buildGraphQLSchema(model: Model, assumeValid = false): GraphQLSchema {
  const registry = createTypeRegistry()
  const inputs = createInputTypes(model, registry)

  const pageInfo = registry.define(GraphQLObjectType, 'every list', {
    name: 'PageInfo',
    description: 'Where this page ends, and whether there is more on either side.',
    fields: {
      hasNextPage: { type: nonNull(GraphQLBoolean) },
      hasPreviousPage: { type: nonNull(GraphQLBoolean) },
      startCursor: { type: GraphQLString },
      endCursor: { type: GraphQLString },
    },
  })
  const facetValue = registry.define(GraphQLObjectType, 'every list', {
    name: 'FacetValue',
    description: 'A value that records of a list have, and how many have it.',
    fields: {
      value: { type: nonNull(GraphQLString), description: 'As text, whatever the type of the field.' },
      count: { type: nonNull(GraphQLInt) },
    },
  })
  const facet = registry.define(GraphQLObjectType, 'every list', {
    name: 'Facet',
    description: 'The values that the records of a list have in one field.',
    fields: {
      field: { type: nonNull(GraphQLString), description: 'Its name, as in `fields`.' },
      values: {
        type: nonNull(listOf(facetValue)),
        description: 'The most frequent first; equal counts come in ascending order of the values.',
      },
      missing: { type: nonNull(GraphQLInt), description: 'How many records have no value.' },
      cut: { type: nonNull(GraphQLBoolean), description: 'Whether there are more values than `limit`.' },
    },
  })
  const blob = registry.define(GraphQLObjectType, 'blobs', {
    name: 'Blob',
    description: 'A file in the repository of the record.',
    fields: {
      ref: { type: GraphQLString, description: 'CID of the bytes.' },
      mimeType: { type: GraphQLString },
      size: { type: BigInt53, description: 'In bytes.' },
    },
  })
  const unknownObject = registry.define(GraphQLObjectType, 'open unions', {
    name: 'UnknownObject',
    description: 'An object of a type that the lexicon leaves open.',
    fields: { type: { type: GraphQLString, description: 'Its `$type`.' }, value: { type: nonNull(Json) } },
  })
  const strongRef = registry.define(GraphQLObjectType, 'com.atproto.repo.strongRef', {
    name: strongRefName,
    description: 'A reference that pins a version of a record.',
    fields: () => ({
      uri: { type: nonNull(GraphQLString) },
      cid: { type: nonNull(GraphQLString) },
      isCurrent: {
        type: GraphQLBoolean,
        description: 'Whether the indexed record still has that CID; null when it is not indexed.',
      },
      uriResolved: { type: record, description: 'The indexed record with that URI, whatever its version.' },
    }),
  })
  const significance = defineSignificance(registry)
  const { node, record } = defineRecordInterfaces(registry)
  const records = new Map(
    model.collections.map((collection) => [
      collection.nsid,
      registry.define(GraphQLObjectType, collection.nsid, {
        name: collection.typeName,
        description: collection.type.description,
        interfaces: [node, record],
        fields: () => recordFields(collection),
        extensions: { collection },
      }),
    ]),
  )

  const outputType = (type: FieldType): GraphQLOutputType => {
    switch (type.kind) {
      case 'string':
      case 'atUri':
      case 'bytes':
      case 'cidLink':
        return GraphQLString
      case 'datetime':
        return DateTime
      case 'integer':
        return type.bits === 32 ? GraphQLInt : BigInt53
      case 'boolean':
        return GraphQLBoolean
      case 'strongRef':
        return strongRef
      case 'blob':
        return blob
      case 'unknown':
        return Json
      case 'object':
        return objectType(type.type)
      case 'union':
        return unionType(type.type)
      case 'array':
        return listOf(outputType(type.of))
    }
  }
  const objectType = ({ name, origin, description, fields }: ObjectType): GraphQLObjectType =>
    registry.once(GraphQLObjectType, name, origin, () => ({
      description,
      fields: () => (fields.length === 0 ? emptyFields : propertyFields(fields)),
    }))
  const unions = new Map<UnionType, GraphQLUnionType>()
  const unionType = (type: UnionType): GraphQLOutputType => {
    const { name, description, members, closed } = type
    if (members.length === 0) return closed ? Json : unknownObject
    const known = unions.get(type)
    if (known !== undefined) return known
    const types = () => [
      ...members.map((member) => (member.type === 'strongRef' ? strongRef : objectType(member.type))),
      ...(closed ? [] : [unknownObject]),
    ]
    const origin = `a union of ${members.map((member) => member.origin).join(', ')}`
    const created = registry.define(GraphQLUnionType, origin, { name, description, types })
    unions.set(type, created)
    return created
  }

  /** A reference is followed by the field of its record, unless another field has that name. */
  const withResolved = (
    name: string,
    config: FieldConfig,
    resolved: FieldConfig,
    { kind }: FieldType,
    taken: ReadonlySet<string>,
  ): [string, FieldConfig][] =>
    (kind === 'strongRef' || kind === 'atUri') && !taken.has(`${name}Resolved`)
      ? [
          [name, config],
          [`${name}Resolved`, resolved],
        ]
      : [[name, config]]

  const propertyFields = (fields: readonly Field[]): Fields => {
    const names = new Set(fields.map(({ name }) => name))
    return Object.fromEntries(
      fields.flatMap((field) => {
        const { name, type, description } = field
        const own = reads({ kind: 'property', field }, { type: outputType(type), description })
        const many = type.kind === 'array'
        const resolved = reads(
          { kind: 'resolved', field },
          {
            type: many ? new GraphQLList(record) : record,
            description: many
              ? `The records that \`${name}\` refers to, position by position; null where one is not indexed.`
              : `The record that \`${name}\` refers to; null when it is not indexed. Read the fields of its type with \`... on <Type>\`.`,
          },
        )
        return withResolved(name, own, resolved, many ? type.of : type, names)
      }),
    )
  }

  const recordFields = (collection: Collection): Fields => {
    const properties = propertyFields(collection.type.fields)
    const reverse = collection.referredBy
      .filter(({ viaField }) => !(viaField in properties))
      .map((reference) => [reference.viaField, reverseField(reference)])
    return { ...systemFieldConfigs(), ...properties, ...Object.fromEntries(reverse) }
  }
  const reverseField = (reference: Reference) => {
    const holder = holderOf(reference, model)
    return reads(
      { kind: 'reverse', reference, collection: holder },
      {
        type: nonNull(connection(holder)),
        args: listArguments(holder),
        description: `The ${holder.nsid} records whose \`${reference.path.join('.')}\` refers to this one.`,
      },
    )
  }

  const textRange = registry.define(GraphQLObjectType, 'every snippet', {
    name: 'TextRange',
    description: 'A part of a text, from `start` to before `end`, in UTF-16 units as JavaScript counts.',
    fields: { start: { type: nonNull(GraphQLInt) }, end: { type: nonNull(GraphQLInt) } },
  })
  const snippet = registry.define(GraphQLObjectType, 'every list', {
    name: 'Snippet',
    fields: {
      text: { type: nonNull(GraphQLString), description: 'A part of the text, unchanged.' },
      ranges: { type: nonNull(listOf(textRange)), description: 'Where it has what `search` asks for.' },
    },
  })
  const searchArguments = ({ searchFields }: Collection): GraphQLFieldConfigArgumentMap => ({
    ...(searchFields.length > 0 && {
      search: {
        type: GraphQLString,
        description: 'Words, "phrases", prefix*, -not, OR, field:word; all words must match, in any order.',
      },
    }),
  })
  const listArguments = (collection: Collection): GraphQLFieldConfigArgumentMap => ({
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
      type: new GraphQLList(new GraphQLNonNull(inputs.sortBy(collection))),
      description: 'Up to five fields; `indexedAt DESC` when empty or absent.',
    },
  })
  /** An object type that is generated for a use of a collection, such as its lists. */
  const typeFor = (
    { typeName, nsid }: Collection,
    suffix: string,
    use: string,
    config: () => Pick<GraphQLObjectTypeConfig<unknown, unknown>, 'description' | 'fields'>,
  ): GraphQLObjectType =>
    registry.once(GraphQLObjectType, `${typeName}${suffix}`, `${use} of ${nsid}`, config)
  const connection = (collection: Collection): GraphQLObjectType =>
    typeFor(collection, 'Connection', 'lists', () => {
      const node = records.get(collection.nsid) as GraphQLObjectType
      const isSearched = collection.searchFields.length > 0
      const edge = typeFor(collection, 'Edge', 'lists', () => ({
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
                field: { type: new GraphQLNonNull(inputs.searchField(collection)) },
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
          }),
          facets: {
            type: nonNull(listOf(facet)),
            args: facetArguments(collection),
            description: 'How many records that match `where` have each value of some fields.',
          },
        },
      }
    })
  const facetArguments = (collection: Collection): GraphQLFieldConfigArgumentMap => ({
    fields: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(inputs.groupBy(collection)))),
      description: 'Up to ten fields of `groupBy`, without periods of time.',
    },
    limit: { type: GraphQLInt, description: 'How many values of each field: 1 to 100, 10 when absent.' },
    ignoreOwn: {
      type: GraphQLBoolean,
      defaultValue: false,
      description: 'Whether each facet leaves out the conditions of `where` on its own field.',
    },
  })

  const measures = (collection: Collection): Fields => {
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
  const groupConfigs = (field: GroupField, names: ReadonlySet<string>) => {
    const type = leafType(field.leaf)
    const isReference = type.kind === 'strongRef' || type.kind === 'atUri'
    const own = reads({ kind: 'group', field }, { type: isReference ? GraphQLString : outputType(type) })
    const resolved = reads({ kind: 'groupResolved', field }, { type: record })
    return withResolved(field.name, own, resolved, type, names)
  }
  const aggregate = (collection: Collection): GraphQLObjectType => {
    const fields = groupFields(collection, model)
    const names = new Set(fields.map(({ name }) => name))
    const group = typeFor(collection, 'AggregateGroup', 'aggregates', () => ({
      description: 'One group: the values it was grouped by, and what its records add up to.',
      fields: {
        ...Object.fromEntries(fields.flatMap((field) => groupConfigs(field, names))),
        count: { type: nonNull(GraphQLInt), description: 'How many records are in the group.' },
        significance: { type: significance, description: 'Null without `significant`.' },
        ...measures(collection),
      },
    }))
    return typeFor(collection, 'Aggregated', 'aggregates', () => ({
      fields: {
        count: { type: nonNull(GraphQLInt), description: 'How many records match `where`.' },
        groupCount: { type: nonNull(GraphQLInt), description: 'How many groups there are in all.' },
        groups: { type: nonNull(listOf(group)) },
        ...measures(collection),
      },
    }))
  }

  const rootFields = (collection: Collection): Fields => ({
    [collection.rootField]: reads(
      { kind: 'connection', collection },
      {
        type: nonNull(connection(collection)),
        args: listArguments(collection),
        description: collection.type.description,
      },
    ),
    [`${collection.rootField}Aggregate`]: reads(
      { kind: 'aggregate', collection },
      {
        type: nonNull(aggregate(collection)),
        description: `Counts and measures of ${collection.nsid} records.`,
        args: {
          where: { type: inputs.where(collection) },
          ...searchArguments(collection),
          groupBy: {
            type: new GraphQLList(new GraphQLNonNull(inputs.groupBy(collection))),
            description: 'Up to five fields.',
          },
          orderBy: { type: inputs.aggregateOrder, description: 'COUNT_DESC when absent.' },
          rankBy: {
            type: inputs.rankBy(collection),
            description: 'Orders by a measure instead of `orderBy`.',
          },
          significant: {
            type: significantInput(registry, collection, inputs.where(collection)),
            description:
              'Only groups that are more frequent than among other records, the most unusual first.',
          },
          minCount: { type: GraphQLInt, description: 'Leaves out groups of fewer records.' },
          limit: { type: GraphQLInt, description: 'How many groups: 0 to 1000, 50 when absent.' },
        },
      },
    ),
    [`${collection.rootField}ByUri`]: reads(
      { kind: 'byUri', collection },
      {
        type: records.get(collection.nsid) as GraphQLObjectType,
        args: { uri: { type: new GraphQLNonNull(GraphQLString) } },
        description: `The ${collection.nsid} record with that AT-URI; null when it is not indexed.`,
      },
    ),
  })
  const indexStatus = reads(
    { kind: 'status' },
    {
      type: nonNull(defineIndexStatus(registry)),
      description: 'How much is indexed at this moment, and how far behind the network that is.',
    },
  )
  const query = registry.define(GraphQLObjectType, 'the root of every operation', {
    name: 'Query',
    fields: () => uniqueFields([...model.collections.map(rootFields), { ...nodeFields(node), indexStatus }]),
  })
  return new GraphQLSchema({ description, query, types: [strongRef], assumeValid })
}

const description =
  'Records of the AT Protocol, read-only, as their lexicons describe them. Each collection has a list, an aggregate and a field that finds one record by its URI; `node` finds any record by its id, and `indexStatus` says how complete and fresh the answers are.'

const emptyFields: Fields = {
  _empty: { type: GraphQLBoolean, description: 'Always null: the lexicon gives this object no properties.' },
}
