/** Generates the inputs that name measures of groups: `rankBy`, `having`, `of`, and the field of `percentile`. */
import type { GraphQLEnumType as EnumType, GraphQLInputFieldConfigMap } from 'graphql'
import { GraphQLEnumType, GraphQLFloat, GraphQLInputObjectType } from 'graphql/type'
import { leafType } from '../../model/leaves.ts'
import type { Collection, Model } from '../../model/model.ts'
import { measureConstant, measureNames } from '../../model/measures.ts'
import { groupFields, measureFields, timeFields } from '../../model/operators.ts'
import { comparisons } from '../../model/where-operators.ts'
import { nonNull } from '../roles.ts'
import { MeasureValue } from '../scalars.ts'
import type { TypeRegistry } from '../type-registry.ts'

export function createMeasureInputs(
  model: Model,
  registry: TypeRegistry,
  { direction, nulls }: Readonly<Record<'direction' | 'nulls', EnumType>>,
) {
  const measure = registry.define(GraphQLEnumType, 'every aggregate', {
    name: 'Measure',
    values: Object.fromEntries(measureNames.map((value) => [measureConstant(value), { value }])),
  })
  const operator = registry.define(GraphQLEnumType, 'every aggregate', {
    name: 'HavingOperator',
    values: Object.fromEntries(comparisons.map((value) => [value.toUpperCase(), { value }])),
  })
  const timeField = (collection: Collection) =>
    registry.fieldsOf(collection, 'TimeField', 'durations', () => timeFields(collection, model))
  const measured = (collection: Collection): GraphQLInputFieldConfigMap => {
    const fields = new Map(
      [...groupFields(collection, model), ...measureFields(collection)].map((field) => [field.name, field]),
    )
    const field = registry.fieldsOf(collection, 'MeasureField', 'measures', () => [...fields.values()])
    return {
      measure: { type: nonNull(measure) },
      field: { type: field, description: 'Absent for COUNT, SHARE and TOTAL.' },
      p: { type: GraphQLFloat, description: 'For PERCENTILE: a number from 0 to 1.' },
      from: { type: timeField(collection), description: 'For AVG_DURATION and MEDIAN_DURATION.' },
      to: { type: timeField(collection), description: 'The time at which they end.' },
    }
  }
  const groupValue = (collection: Collection) =>
    registry.of(GraphQLInputObjectType, collection, 'GroupValueInput', 'changes of groups', () => ({
      description: 'A count, share or measure of groups.',
      fields: measured(collection),
    }))
  const rankBy = (collection: Collection) =>
    registry.of(GraphQLInputObjectType, collection, 'RankByInput', 'the order of groups', () => ({
      description:
        'Orders groups by a measure; a group without one is smaller than any, unless `nulls` says where they are.',
      fields: {
        ...measured(collection),
        direction: { type: direction, defaultValue: 'desc' },
        nulls: { type: nulls },
      },
    }))
  const having = (collection: Collection) =>
    registry.of(GraphQLInputObjectType, collection, 'HavingInput', 'conditions on groups', () => ({
      description: 'A condition on a measure of groups, selected or not; a group without it meets none.',
      fields: {
        ...measured(collection),
        operator: { type: nonNull(operator) },
        value: { type: nonNull(MeasureValue) },
      },
    }))
  const measureInteger = (collection: Collection) =>
    registry.fieldsOf(collection, 'MeasureIntegerField', 'percentiles', () =>
      measureFields(collection).filter(({ leaf }) => leafType(leaf).kind === 'integer'),
    )
  return { groupValue, rankBy, having, measureInteger, timeField }
}
