/** The input types of `where`, `sortBy`, `groupBy` and `rankBy`, generated from what operators.ts lists. */
import type { GraphQLInputFieldConfigMap, GraphQLInputType, GraphQLScalarType } from 'graphql'
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql/type'
import type { Collection, FieldType, Model, ObjectType } from './model.ts'
import {
  groupFields,
  holderOf,
  isCountable,
  measureFields,
  objectWhereFields,
  type Place,
  recordWhereFields,
  sortFields,
  targetOf,
  type WhereField,
} from './operators.ts'
import { typeNameOf } from './naming.ts'
import { BigInt53, DateTime } from './scalars.ts'
import type { TypeRegistry } from './type-registry.ts'

export type InputTypes = ReturnType<typeof createInputTypes>

const reading = 'Several operators on one field must all hold; a missing value satisfies none but `isNull`.'

/** Input types by collection, each made once; circular ones refer to each other lazily. */
export function createInputTypes(model: Model, registry: TypeRegistry) {
  const direction = registry.define(
    new GraphQLEnumType({
      name: 'SortDirection',
      values: { ASC: { value: 'asc' }, DESC: { value: 'desc' } },
    }),
    'every list',
  )
  const aggregateOrder = registry.define(
    new GraphQLEnumType({
      name: 'AggregateOrderBy',
      description: 'By count or by the group keys; equal counts come in ascending key order.',
      values: {
        COUNT_ASC: { value: { by: 'count', direction: 'asc' } },
        COUNT_DESC: { value: { by: 'count', direction: 'desc' } },
        KEY_ASC: { value: { by: 'key', direction: 'asc' } },
        KEY_DESC: { value: { by: 'key', direction: 'desc' } },
      },
    }),
    'every aggregate',
  )
  const measure = registry.define(
    new GraphQLEnumType({
      name: 'Measure',
      values: Object.fromEntries(
        ['avg', 'sum', 'min', 'max', 'countDistinct'].map((value) => [
          value === 'countDistinct' ? 'COUNT_DISTINCT' : value.toUpperCase(),
          { value },
        ]),
      ),
    }),
    'every aggregate',
  )

  const operators = (name: string, type: GraphQLScalarType, extra: GraphQLInputFieldConfigMap = {}) =>
    registry.once(
      name,
      `conditions on every ${type.name}`,
      () =>
        new GraphQLInputObjectType({
          name,
          description: `Conditions on a ${type.name}. ${reading}`,
          fields: {
            eq: { type },
            ne: { type, description: 'Present and different.' },
            in: { type: listOf(type), description: 'One of these; an empty list matches nothing.' },
            notIn: { type: listOf(type), description: 'Present and none of these.' },
            gt: { type },
            gte: { type },
            lt: { type },
            lte: { type },
            ...extra,
            isNull: { type: GraphQLBoolean, description: 'Whether the value is missing.' },
          },
        }),
    )
  const strings = operators('StringWhereInput', GraphQLString, {
    contains: {
      type: GraphQLString,
      description: 'Holds this text, ignoring case and accents; no wildcards.',
    },
    startsWith: { type: GraphQLString, description: 'Begins with this text, ignoring case and accents.' },
  })
  const instants = operators('DateTimeWhereInput', DateTime)
  const booleans = registry.once(
    'BooleanWhereInput',
    'conditions on every Boolean',
    () =>
      new GraphQLInputObjectType({
        name: 'BooleanWhereInput',
        description: `Conditions on a Boolean. ${reading}`,
        fields: {
          eq: { type: GraphQLBoolean },
          ne: { type: GraphQLBoolean },
          isNull: { type: GraphQLBoolean },
        },
      }),
  )
  const uris = registry.once(
    'UriWhereInput',
    'conditions on the AT-URI of every reference',
    () =>
      new GraphQLInputObjectType({
        name: 'UriWhereInput',
        description: `Conditions on a reference's AT-URI. ${reading}`,
        fields: {
          eq: { type: GraphQLString },
          ne: { type: GraphQLString },
          in: { type: listOf(GraphQLString) },
          notIn: { type: listOf(GraphQLString) },
          isNull: { type: GraphQLBoolean },
        },
      }),
  )

  const scalarOf = (type: FieldType): GraphQLScalarType => {
    if (type.kind === 'integer') return type.bits === 32 ? GraphQLInt : BigInt53
    return type.kind === 'datetime' ? DateTime : GraphQLString
  }
  const arrays = (type: FieldType) => {
    const scalar = scalarOf(type)
    const name = `${scalar.name}ArrayWhereInput`
    return registry.once(
      name,
      `conditions on every array of ${scalar.name}`,
      () =>
        new GraphQLInputObjectType({
          name,
          description: 'Conditions on an array; a missing one satisfies none but `isNull`.',
          fields: {
            has: { type: scalar, description: 'Has this element.' },
            hasAny: {
              type: listOf(scalar),
              description: 'Has at least one of these; an empty list matches nothing.',
            },
            hasAll: {
              type: listOf(scalar),
              description: 'Has all of these; an empty list matches every array.',
            },
            isNull: { type: GraphQLBoolean },
          },
        }),
    )
  }

  const nested = (
    name: string,
    origin: string,
    description: string,
    fields: () => GraphQLInputFieldConfigMap,
  ): GraphQLInputObjectType =>
    registry.once(name, `conditions on ${origin}`, () => {
      const type: GraphQLInputObjectType = new GraphQLInputObjectType({
        name,
        description,
        fields: () => ({
          AND: { type: listOf(type), description: 'All hold; an empty list holds.' },
          OR: { type: listOf(type), description: 'At least one holds; an empty list does not.' },
          NOT: { type },
          ...fields(),
        }),
      })
      return type
    })

  const some = (
    name: string,
    origin: string,
    element: () => GraphQLInputObjectType,
    without: 'none' | 'isNull',
  ) =>
    registry.once(
      name,
      `conditions on ${origin}`,
      () =>
        new GraphQLInputObjectType({
          name,
          description:
            without === 'none'
              ? 'Conditions on the records that refer to this one.'
              : 'Conditions on elements.',
          fields: () => ({
            some: { type: element(), description: 'At least one matches; `{}` is "there is at least one".' },
            ...(without === 'none'
              ? { none: { type: element(), description: 'Not one matches.' } }
              : { isNull: { type: GraphQLBoolean } }),
          }),
        }),
    )

  const where = (collection: Collection): GraphQLInputObjectType =>
    nested(
      `${collection.typeName}WhereInput`,
      collection.nsid,
      `Conditions on ${collection.nsid} records; all must hold.`,
      () => conditions(recordWhereFields(collection)),
    )

  /** An object's own name, or its place's where references inside have declared targets. */
  const nameOf = (type: ObjectType, place: Place | null): string =>
    place === null ? type.name : `${place.collection.typeName}At${typeNameOf(place.path.join('-'))}`
  const placeOf = (type: ObjectType, place: Place | null): string =>
    place === null ? type.origin : `${place.collection.nsid}#${place.path.join('.')}`
  const objects = (type: ObjectType, place: Place | null): GraphQLInputObjectType =>
    nested(
      `${nameOf(type, place)}WhereInput`,
      placeOf(type, place),
      `Conditions on a ${type.origin}; inside a missing one none holds.`,
      () => ({
        ...conditions(objectWhereFields(type, place)),
        isNull: { type: GraphQLBoolean, description: 'Whether the object is missing.' },
      }),
    )

  const references = (kind: 'strongRef' | 'atUri', target: Collection | null): GraphQLInputObjectType => {
    const suffix = kind === 'strongRef' ? 'StrongRefWhereInput' : 'AtUriWhereInput'
    const words =
      target === null ? 'a record' : `a ${target.nsid} record, and on that record when it is indexed`
    const name = `${target?.typeName ?? ''}${suffix}`
    return nested(name, `references to ${words}`, `Conditions on a reference to ${words}.`, () => ({
      ...(target === null ? {} : conditions(recordWhereFields(target))),
      uri: { type: uris, description: 'The URI as the reference has it.' },
      isNull: { type: GraphQLBoolean, description: 'Whether the reference is missing.' },
      isIndexed: { type: GraphQLBoolean, description: 'Whether a record with that URI is indexed.' },
      ...(kind === 'strongRef'
        ? {
            isCurrent: {
              type: GraphQLBoolean,
              description: 'Whether the indexed record still has that CID.',
            },
          }
        : {}),
    }))
  }

  const typeOfProperty = (
    type: FieldType,
    field: Extract<WhereField, { kind: 'property' }>,
  ): GraphQLInputType => {
    switch (type.kind) {
      case 'string':
        return strings
      case 'datetime':
        return instants
      case 'integer':
        return operators(`${scalarOf(type).name}WhereInput`, scalarOf(type))
      case 'boolean':
        return booleans
      case 'strongRef':
      case 'atUri':
        return references(type.kind, targetOf(field.reference, model))
      case 'object':
        return objects(type.type, field.inside)
      case 'array': {
        const { of } = type
        if (isCountable(of)) return arrays(of)
        if (of.kind === 'strongRef') {
          const target = targetOf(field.reference, model)
          return some(
            `${target?.typeName ?? ''}StrongRefArrayWhereInput`,
            `arrays of references to ${target?.nsid ?? 'records'}`,
            () => references('strongRef', target),
            'isNull',
          )
        }
        if (of.kind === 'object')
          return some(
            `${nameOf(of.type, field.inside)}ArrayWhereInput`,
            `arrays of ${placeOf(of.type, field.inside)}`,
            () => objects(of.type, field.inside),
            'isNull',
          )
        throw new Error(`An array of ${of.kind} has no conditions.`)
      }
      default:
        throw new Error(`A ${type.kind} has no conditions.`)
    }
  }

  const conditions = (fields: readonly WhereField[]): GraphQLInputFieldConfigMap =>
    Object.fromEntries(
      fields.map((field) => {
        switch (field.kind) {
          case 'system':
            return [field.name, { type: strings }]
          case 'systemInstant':
            return [field.name, { type: instants }]
          case 'reverse': {
            const source = holderOf(field.reference, model)
            const type = some(
              `${source.typeName}ReverseWhereInput`,
              `${source.nsid} records that refer to one`,
              () => where(source),
              'none',
            )
            return [field.name, { type }]
          }
          case 'property':
            return [
              field.name,
              { type: typeOfProperty(field.field.type, field), description: field.field.description || null },
            ]
        }
      }),
    )

  const sortBy = (collection: Collection) => {
    const name = `${collection.typeName}SortField`
    const origin = `the order of ${collection.nsid}`
    const field = registry.once(
      name,
      origin,
      () => new GraphQLEnumType({ name, values: enumValues(sortFields(collection)) }),
    )
    return registry.once(
      `${name}Input`,
      origin,
      () =>
        new GraphQLInputObjectType({
          name: `${name}Input`,
          description: 'A missing value is smaller than any value.',
          fields: {
            field: { type: new GraphQLNonNull(field) },
            direction: { type: direction, defaultValue: 'asc' },
          },
        }),
    )
  }
  const groupBy = (collection: Collection) => {
    const name = `${collection.typeName}GroupByField`
    return registry.once(
      name,
      `groups of ${collection.nsid}`,
      () => new GraphQLEnumType({ name, values: enumValues(groupFields(collection, model)) }),
    )
  }
  const rankBy = (collection: Collection) => {
    const name = `${collection.typeName}RankByInput`
    const fields = new Map(
      [...groupFields(collection, model), ...measureFields(collection)].map((field) => [field.name, field]),
    )
    return registry.once(name, `the order of groups of ${collection.nsid}`, () => {
      const field = registry.define(
        new GraphQLEnumType({
          name: `${collection.typeName}MeasureField`,
          values: enumValues([...fields.values()]),
        }),
        `measures of ${collection.nsid}`,
      )
      return new GraphQLInputObjectType({
        name,
        description: 'Orders groups by a measure; a group without one is smaller than any.',
        fields: {
          measure: { type: new GraphQLNonNull(measure) },
          field: { type: new GraphQLNonNull(field) },
          direction: { type: direction, defaultValue: 'desc' },
        },
      })
    })
  }
  return { where, sortBy, groupBy, rankBy, aggregateOrder }
}

function enumValues(fields: readonly { readonly name: string }[]) {
  return Object.fromEntries(fields.map((field) => [field.name, { value: field }]))
}

function listOf(type: GraphQLScalarType | GraphQLInputObjectType): GraphQLInputType {
  return new GraphQLList(new GraphQLNonNull(type))
}
