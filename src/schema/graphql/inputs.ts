/** Generates the input types of `where`, `sortBy` and `groupBy` from the lists in operators.ts. */
import type { GraphQLInputFieldConfigMap, GraphQLInputType, GraphQLScalarType } from 'graphql'
import {
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLString,
} from 'graphql/type'
import type { Collection, FieldType, Model, ObjectType } from '../model/model.ts'
import type { ObjectPath, PropertyField, WhereField } from '../model/operators.ts'
import {
  distinctFields,
  freeTextsOf,
  groupFields,
  holderOf,
  isCountable,
  objectWhereFields,
  recordWhereFields,
  relevanceField,
  sortFields,
  targetOf,
} from '../model/operators.ts'
import { isStoredInstant } from '../model/leaves.ts'
import { typeNameOf } from '../model/naming.ts'
import { createMeasureInputs } from './groups/measure-inputs.ts'
import { listOf, nonNull } from './roles.ts'
import { DateTime, scalarOf } from './scalars.ts'
import { enumValues, type TypeRegistry } from './type-registry.ts'
import { isUrl, operatorsOn, type OperatorTarget } from '../model/where-operators.ts'

const reading = 'Several operators on one field must all hold; a missing value satisfies none but `isNull`.'

/** Input types by collection, each created once; circular types refer to each other lazily. */
export function createInputTypes(model: Model, registry: TypeRegistry) {
  const direction = registry.define(GraphQLEnumType, 'every list', {
    name: 'SortDirection',
    values: { ASC: { value: 'asc' }, DESC: { value: 'desc' } },
  })
  const nulls = registry.define(GraphQLEnumType, 'every list', {
    name: 'NullsPlace',
    description: 'Where an order has missing values.',
    values: { FIRST: { value: 'first' }, LAST: { value: 'last' } },
  })
  const aggregateOrder = registry.define(GraphQLEnumType, 'every aggregate', {
    name: 'AggregateOrderBy',
    description: 'By count or by the group keys; equal counts come in ascending key order.',
    values: {
      COUNT_ASC: { value: { by: 'count', direction: 'asc' } },
      COUNT_DESC: { value: { by: 'count', direction: 'desc' } },
      KEY_ASC: { value: { by: 'key', direction: 'asc' } },
      KEY_DESC: { value: { by: 'key', direction: 'desc' } },
    },
  })

  const conditions = new WhereTypes(model, registry)
  const sortBy = (collection: Collection) => {
    const field = registry.of(GraphQLEnumType, collection, 'SortField', 'the order', () => ({
      values: {
        ...enumValues(sortFields(collection)),
        ...(collection.searchFields.length > 0 && {
          RELEVANCE: { value: relevanceField, description: 'How well a record fits `search`; best first.' },
        }),
      },
    }))
    return registry.of(GraphQLInputObjectType, collection, 'SortFieldInput', 'the order', () => ({
      description: 'A missing value is smaller than any value, unless `nulls` says where they are.',
      fields: {
        field: { type: nonNull(field) },
        direction: { type: direction, description: 'ASC when absent; for RELEVANCE, DESC.' },
        nulls: { type: nulls },
      },
    }))
  }
  const distinctOn = (collection: Collection) =>
    registry.fieldsOf(collection, 'DistinctField', 'lists', () => distinctFields(collection))
  const groupBy = (collection: Collection) =>
    registry.fieldsOf(collection, 'GroupByField', 'groups', () => groupFields(collection, model))
  const searchField = (collection: Collection) =>
    registry.fieldsOf(collection, 'SearchField', 'searched texts', () => collection.searchFields)
  const measures = createMeasureInputs(model, registry, { direction, nulls })
  const where = (collection: Collection): GraphQLInputObjectType => conditions.where(collection)
  return { where, sortBy, distinctOn, groupBy, searchField, aggregateOrder, ...measures }
}

/** The types of conditions on records, and on the objects and references inside them. */
class WhereTypes {
  readonly #model: Model
  readonly #operators: ReturnType<typeof createOperatorTypes>
  /** Objects with texts that searches find; where they are in arrays, their conditions have a name of their own. */
  readonly #searched: ReadonlySet<ObjectType | null>

  constructor(model: Model, registry: TypeRegistry) {
    this.#model = model
    this.#operators = createOperatorTypes(registry)
    this.#searched = new Set(
      model.collections
        .flatMap(({ type }) => freeTextsOf(type).flatMap(({ inside }) => inside))
        .map(({ type }) => (type.kind === 'object' ? type.type : null)),
    )
  }

  where(collection: Collection): GraphQLInputObjectType {
    return this.#operators.nested(
      `${collection.typeName}WhereInput`,
      collection.nsid,
      `Conditions on ${collection.nsid} records; all must hold.`,
      () => this.#conditions(recordWhereFields(collection), [collection.type]),
    )
  }

  /** `within`: the record and the objects around the fields; null where searches do not find their texts. */
  #conditions(
    fields: readonly WhereField[],
    within: readonly ObjectType[] | null,
  ): GraphQLInputFieldConfigMap {
    const { strings, instants, elements } = this.#operators
    return Object.fromEntries(
      fields.map((field) => {
        switch (field.kind) {
          case 'system':
            return [field.name, { type: isStoredInstant(field.name) ? instants : strings }]
          case 'reverse': {
            const source = holderOf(field.reference, this.#model)
            const type = elements(
              `${source.typeName}ReverseWhereInput`,
              `${source.nsid} records that refer to one`,
              () => this.where(source),
              ['reverse'],
              'Conditions on the records that refer to this one.',
            )
            return [field.name, { type }]
          }
          case 'property': {
            const type = this.#typeOf(field, within)
            return [field.name, { type, description: field.field.description || null }]
          }
        }
      }),
    )
  }

  #typeOf(field: PropertyField, within: readonly ObjectType[] | null): GraphQLInputType {
    const { type } = field.field
    const { searched, urls, strings, scalars } = this.#operators
    switch (type.kind) {
      case 'string':
        if (type.freeText && within !== null) return searched
        return isUrl(type) ? urls : strings
      case 'datetime':
      case 'integer':
      case 'boolean':
        return scalars(type.kind, scalarOf(type))
      case 'strongRef':
      case 'atUri':
        return this.#references(type.kind, targetOf(field.reference, this.#model))
      case 'object':
        return this.#objects(type.type, field.inside, within)
      case 'array':
        return this.#typeOfArray(field, type.of)
      case 'bytes':
      case 'cidLink':
      case 'blob':
      case 'unknown':
      case 'union':
        throw new Error(`A ${type.kind} has no conditions.`)
    }
  }

  #typeOfArray({ reference, inside }: PropertyField, of: FieldType): GraphQLInputType {
    const { arrays, elements } = this.#operators
    if (isCountable(of)) return arrays(of)
    if (of.kind === 'strongRef') {
      const target = targetOf(reference, this.#model)
      return elements(
        `${target?.typeName ?? ''}StrongRefArrayWhereInput`,
        `arrays of references to ${target?.nsid ?? 'records'}`,
        () => this.#references('strongRef', target),
      )
    }
    if (of.kind === 'object')
      return elements(
        `${nameOf(of.type, inside)}ArrayWhereInput`,
        `arrays of ${placeOf(of.type, inside)}`,
        () => this.#objects(of.type, inside, null),
        freeTextsOf(of.type).length > 0 ? ['elements', 'texts'] : ['elements'],
      )
    throw new Error(`An array of ${of.kind} has no conditions.`)
  }

  #objects(
    type: ObjectType,
    place: ObjectPath | null,
    within: readonly ObjectType[] | null,
  ): GraphQLInputObjectType {
    const isSearched = within !== null && !within.includes(type)
    const kind = isSearched || place !== null || !this.#searched.has(type) ? '' : 'Unsearched'
    return this.#operators.nested(
      `${nameOf(type, place)}${kind}WhereInput`,
      `${placeOf(type, place)}${kind}`,
      `Conditions on a ${type.origin}; inside a missing one none holds.`,
      () => ({
        ...this.#conditions(objectWhereFields(type, place), isSearched ? [...within, type] : null),
        isNull: { type: GraphQLBoolean, description: 'Whether the object is missing.' },
      }),
    )
  }

  #references(kind: 'strongRef' | 'atUri', target: Collection | null): GraphQLInputObjectType {
    const { nested, operatorFields, uris } = this.#operators
    const suffix = kind === 'strongRef' ? 'StrongRefWhereInput' : 'AtUriWhereInput'
    const words =
      target === null ? 'a record' : `a ${target.nsid} record, and on that record when it is indexed`
    const name = `${target?.typeName ?? ''}${suffix}`
    return nested(name, `references to ${words}`, `Conditions on a reference to ${words}.`, () => ({
      ...(target === null ? {} : this.#conditions(recordWhereFields(target), [target.type])),
      uri: { type: uris, description: 'The URI as the reference has it.' },
      ...operatorFields([kind], GraphQLString),
    }))
  }
}

/** The name of the object type; if references inside have declared targets, a name from the object's path. */
function nameOf(type: ObjectType, place: ObjectPath | null): string {
  return place === null ? type.name : `${place.collection.typeName}At${typeNameOf(place.path.join('-'))}`
}

function placeOf(type: ObjectType, place: ObjectPath | null): string {
  return place === null ? type.origin : `${place.collection.nsid}#${place.path.join('.')}`
}

function createOperatorTypes(registry: TypeRegistry) {
  /** The operators of some targets; `value` is the type of their arguments. */
  const operatorFields = (
    targets: readonly OperatorTarget[],
    value: GraphQLScalarType,
    where?: () => GraphQLInputObjectType,
  ): GraphQLInputFieldConfigMap =>
    Object.fromEntries(
      operatorsOn(...targets).map(([name, operator, description]) => {
        const type = {
          value: () => value,
          list: () => listOf(value),
          text: () => GraphQLString,
          flag: () => GraphQLBoolean,
          where: () => where?.() ?? value,
          number: () => scalars('integer', GraphQLInt),
        }[operator.value]()
        return [name, description === null ? { type } : { type, description }]
      }),
    )
  const input = (
    name: string,
    origin: string,
    description: string,
    fields: () => GraphQLInputFieldConfigMap,
  ): GraphQLInputObjectType =>
    registry.once(GraphQLInputObjectType, name, `conditions on ${origin}`, () => ({ description, fields }))
  const texts = (name: string, origin: string, what: string, targets: readonly OperatorTarget[]) =>
    input(`${name}WhereInput`, origin, `Conditions on ${what}. ${reading}`, () =>
      operatorFields(targets, GraphQLString),
    )
  const scalars = (target: OperatorTarget, type: GraphQLScalarType) =>
    input(`${type.name}WhereInput`, `every ${type.name}`, `Conditions on a ${type.name}. ${reading}`, () =>
      operatorFields([target], type),
    )
  return {
    operatorFields,
    scalars,
    strings: scalars('string', GraphQLString),
    instants: scalars('datetime', DateTime),
    searched: texts('SearchedText', 'every text that searches find', 'a text that searches find', [
      'string',
      'searched',
    ]),
    urls: texts('Url', 'every text of format uri', 'a web address or another URI', ['url']),
    uris: texts('Uri', 'the AT-URI of every reference', "a reference's AT-URI", ['uri']),
    arrays(type: FieldType): GraphQLInputObjectType {
      const scalar = scalarOf(type)
      return input(
        `${scalar.name}ArrayWhereInput`,
        `every array of ${scalar.name}`,
        'Conditions on an array; a missing one satisfies none but `isNull`.',
        () => operatorFields(scalar === GraphQLString ? ['array', 'texts'] : ['array'], scalar),
      )
    },
    /** Conditions on the elements of an array, or on other records. */
    elements: (
      name: string,
      origin: string,
      element: () => GraphQLInputObjectType,
      targets: readonly OperatorTarget[] = ['elements'],
      description = 'Conditions on elements.',
    ) => input(name, origin, description, () => operatorFields(targets, GraphQLBoolean, element)),
    /** Conditions that `AND`, `OR` and `NOT` combine. */
    nested(
      name: string,
      origin: string,
      description: string,
      fields: () => GraphQLInputFieldConfigMap,
    ): GraphQLInputObjectType {
      const type = input(name, origin, description, () => ({
        AND: { type: listOf(type), description: 'All hold; an empty list holds.' },
        OR: { type: listOf(type), description: 'At least one holds; an empty list does not.' },
        NOT: { type },
        ...fields(),
      }))
      return type
    },
  }
}
