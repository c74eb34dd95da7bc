/** Generates the inputs that name measures of groups: `rankBy`, `having`, `of`, and the field of `percentile`. */
import type { GraphQLEnumType as EnumType, GraphQLInputFieldConfigMap } from 'graphql'
import { GraphQLEnumType, GraphQLFloat, GraphQLInputObjectType, GraphQLNonNull } from 'graphql/type'
import { leafType } from '../../model/leaves.ts'
import type { Collection, Model } from '../../model/model.ts'
import { measureConstant, measureNames } from '../../model/measures.ts'
import { groupFields, measureFields } from '../../model/operators.ts'
import { comparisons } from '../../model/where-operators.ts'
import { enumValues } from '../enum-values.ts'
import { MeasureValue } from '../scalars.ts'
import type { TypeRegistry } from '../type-registry.ts'

export function createMeasureInputs(model: Model, registry: TypeRegistry, direction: EnumType) {
  const measure = registry.define(GraphQLEnumType, 'every aggregate', {
    name: 'Measure',
    values: Object.fromEntries(measureNames.map((value) => [measureConstant(value), { value }])),
  })
  const operator = registry.define(GraphQLEnumType, 'every aggregate', {
    name: 'HavingOperator',
    values: Object.fromEntries(comparisons.map((value) => [value.toUpperCase(), { value }])),
  })
  const measured = (collection: Collection): GraphQLInputFieldConfigMap => {
    const fields = new Map(
      [...groupFields(collection, model), ...measureFields(collection)].map((field) => [field.name, field]),
    )
    const field = registry.once(
      GraphQLEnumType,
      `${collection.typeName}MeasureField`,
      `measures of ${collection.nsid}`,
      () => ({ values: enumValues([...fields.values()]) }),
    )
    return {
      measure: { type: new GraphQLNonNull(measure) },
      field: { type: field, description: 'Absent for COUNT and SHARE.' },
      p: { type: GraphQLFloat, description: 'For PERCENTILE: a number from 0 to 1.' },
    }
  }
  const groupValue = (collection: Collection) =>
    registry.once(
      GraphQLInputObjectType,
      `${collection.typeName}GroupValueInput`,
      `changes of groups of ${collection.nsid}`,
      () => ({ description: 'A count, share or measure of groups.', fields: measured(collection) }),
    )
  const rankBy = (collection: Collection) =>
    registry.once(
      GraphQLInputObjectType,
      `${collection.typeName}RankByInput`,
      `the order of groups of ${collection.nsid}`,
      () => ({
        description: 'Orders groups by a measure; a group without one is smaller than any.',
        fields: { ...measured(collection), direction: { type: direction, defaultValue: 'desc' } },
      }),
    )
  const having = (collection: Collection) =>
    registry.once(
      GraphQLInputObjectType,
      `${collection.typeName}HavingInput`,
      `conditions on groups of ${collection.nsid}`,
      () => ({
        description: 'A condition on a measure of groups, selected or not; a group without it meets none.',
        fields: {
          ...measured(collection),
          operator: { type: new GraphQLNonNull(operator) },
          value: { type: new GraphQLNonNull(MeasureValue) },
        },
      }),
    )
  const measureInteger = (collection: Collection) =>
    registry.once(
      GraphQLEnumType,
      `${collection.typeName}MeasureIntegerField`,
      `percentiles of ${collection.nsid}`,
      () => ({
        values: enumValues(measureFields(collection).filter(({ leaf }) => leafType(leaf).kind === 'integer')),
      }),
    )
  return { groupValue, rankBy, having, measureInteger }
}
