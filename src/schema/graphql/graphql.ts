/** Builds the GraphQL schema from the model: fields have roles instead of resolvers, because an operation becomes SQL. */
import type { GraphQLOutputType } from 'graphql'
import {
  GraphQLBoolean,
  GraphQLList,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  specifiedDirectives,
} from 'graphql/type'
import { createAggregateTypes } from './groups/aggregates.ts'
import { createConnectionTypes } from './connections.ts'
import { createInputTypes } from './inputs.ts'
import type { Collection, Field, FieldType, Model, ObjectType, Reference, UnionType } from '../model/model.ts'
import { holderOf } from '../model/operators.ts'
import { defineRecordInterfaces, nodeFields, systemFieldConfigs } from './record-interfaces.ts'
import { type FieldConfig, type Fields, listOf, nonNull, withResolved } from './roles.ts'
import { BigInt53, Json, scalarOf } from './scalars.ts'
import { searchField } from './search-types.ts'
import { semanticNonNull } from '../schema-text.ts'
import { defineIndexStatus } from './status.ts'
import { TypeRegistry, uniqueFields } from './type-registry.ts'

/**
 * Throws, with both origins, if two generated types have the same name. `assumeValid` spares the first query the
 * validation of the schema by graphql-js; the tests validate generated schemas.
 */
export function buildGraphQLSchema(model: Model, assumeValid = false): GraphQLSchema {
  const registry = new TypeRegistry()
  const inputs = createInputTypes(model, registry)
  const recordOf = (collection: Collection) => records.get(collection.nsid) as GraphQLObjectType
  const connections = createConnectionTypes(registry, inputs, recordOf)
  const { connection, listArguments, pageInfo, didYouMean } = connections
  const { node, record } = defineRecordInterfaces(registry)
  const strongRef: GraphQLObjectType = registry.define(GraphQLObjectType, 'com.atproto.repo.strongRef', {
    name: 'ComAtprotoRepoStrongRef',
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
  const { outputType, propertyFields } = createPropertyTypes(registry, record, strongRef)
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

  const recordFields = (collection: Collection): Fields => {
    const properties = propertyFields(collection.type.fields)
    const reverse = collection.referredBy
      .filter(({ viaField }) => !(viaField in properties))
      .map((reference) => [reference.viaField, reverseField(reference)])
    return { ...systemFieldConfigs(), ...properties, ...Object.fromEntries(reverse) }
  }
  const reverseField = (reference: Reference): FieldConfig => {
    const holder = holderOf(reference, model)
    return {
      type: nonNull(connection(holder)),
      args: listArguments(holder),
      description: `The ${holder.nsid} records whose \`${reference.path.join('.')}\` refers to this one.`,
      extensions: { role: { kind: 'reverse', reference, collection: holder } },
    }
  }

  const aggregates = createAggregateTypes(registry, inputs, model, { outputType, record, recordOf })
  const hasStories = model.collections.some(({ stories }) => stories !== null)
  const indexStatus: FieldConfig = {
    type: nonNull(defineIndexStatus(registry, hasStories)),
    description: 'How much is indexed at this moment, and how far behind the network that is.',
    extensions: { role: { kind: 'status' } },
  }
  const query = registry.define(GraphQLObjectType, 'the root of every operation', {
    name: 'Query',
    fields: () =>
      uniqueFields([
        ...model.collections.map((collection) =>
          rootFields(collection, recordOf(collection), connections, aggregates),
        ),
        { ...nodeFields(node), ...searchField(registry, model, record, pageInfo, didYouMean), indexStatus },
      ]),
  })
  return new GraphQLSchema({ description, query, types: [strongRef], directives, assumeValid })
}

type ConnectionTypes = ReturnType<typeof createConnectionTypes>
type AggregateTypes = ReturnType<typeof createAggregateTypes>

function rootFields(
  collection: Collection,
  record: GraphQLObjectType,
  { connection, listArguments }: ConnectionTypes,
  { aggregate, aggregateArguments }: AggregateTypes,
): Fields {
  return {
    [collection.rootField]: {
      type: nonNull(connection(collection)),
      args: listArguments(collection),
      description: collection.type.description,
      extensions: { role: { kind: 'connection', collection } },
    },
    [`${collection.rootField}Aggregate`]: {
      type: nonNull(aggregate(collection)),
      description: `Counts and measures of ${collection.nsid} records.`,
      args: aggregateArguments(collection),
      extensions: { role: { kind: 'aggregate', collection } },
    },
    [`${collection.rootField}ByUri`]: {
      type: record,
      args: { uri: { type: nonNull(GraphQLString) } },
      description: `The ${collection.nsid} record with that AT-URI; null when it is not indexed.`,
      extensions: { role: { kind: 'byUri', collection } },
    },
  }
}

function defineBlob(registry: TypeRegistry): GraphQLObjectType {
  return registry.objects('blobs')('Blob', 'A file in the repository of the record.', {
    ref: { type: GraphQLString, description: 'CID of the bytes.' },
    mimeType: { type: GraphQLString },
    size: { type: BigInt53, description: 'In bytes.' },
  })
}

function defineUnknownObject(registry: TypeRegistry): GraphQLObjectType {
  const define = registry.objects('open unions')
  return define('UnknownObject', 'An object of a type that the lexicon leaves open.', {
    type: { type: GraphQLString, description: 'Its `$type`.' },
    value: { type: nonNull(Json) },
  })
}

function createPropertyTypes(
  registry: TypeRegistry,
  record: GraphQLOutputType,
  strongRef: GraphQLObjectType,
) {
  const blob = defineBlob(registry)
  const unknownObject = defineUnknownObject(registry)
  const outputType = (type: FieldType): GraphQLOutputType => {
    switch (type.kind) {
      case 'string':
      case 'atUri':
      case 'bytes':
      case 'cidLink':
      case 'datetime':
      case 'integer':
      case 'boolean':
        return scalarOf(type)
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

  const propertyFields = (fields: readonly Field[]): Fields => {
    const names = new Set(fields.map(({ name }) => name))
    return Object.fromEntries(
      fields.flatMap((field) => {
        const { name, type, description } = field
        const many = type.kind === 'array'
        const own: FieldConfig = {
          type: outputType(type),
          description,
          extensions: { role: { kind: 'property', field } },
        }
        const resolved: FieldConfig = {
          type: many ? new GraphQLList(record) : record,
          description: many
            ? `The records that \`${name}\` refers to, position by position; null where one is not indexed.`
            : `The record that \`${name}\` refers to; null when it is not indexed. Read the fields of its type with \`... on <Type>\`.`,
          extensions: { role: { kind: 'resolved', field } },
        }
        return withResolved(name, own, resolved, many ? type.of : type, names)
      }),
    )
  }
  return { outputType, propertyFields }
}

const description =
  'Records of the AT Protocol, read-only, as their lexicons describe them. Each collection has a list, an aggregate and a field that finds one record by its URI; `node` finds any record by its id, and `indexStatus` says how complete and fresh the answers are.'

const directives = [...specifiedDirectives, semanticNonNull]

const emptyFields: Fields = {
  _empty: { type: GraphQLBoolean, description: 'Always null: the lexicon gives this object no properties.' },
}
