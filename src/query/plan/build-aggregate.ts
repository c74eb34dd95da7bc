/**
 * Builds the plan of an aggregate field: keys, measures (each computed once however often it is selected) and order.
 */
import { findArray, findReference, findValue, type Table } from '../../database/layout/tables.ts'
import { ServiceError } from '../../errors.ts'
import { type GroupField, leafType, type MeasureField, targetOf } from '../../schema/model/operators.ts'
import { buildRecords, fieldsBelow } from './build-output.ts'
import { buildWhere } from './build-where.ts'
import { argumentsOf, type Collected, integerArgument } from '../parse/collect.ts'
import type {
  AggregateOutput,
  AggregatePlan,
  Direction,
  GroupKey,
  GroupOrder,
  GroupOutput,
  Join,
  KeyLeaf,
  MeasureOutput,
  MeasurePlan,
  MeasuresOutput,
  PlanContext,
  Selected,
} from './plan.ts'
import { tableOf } from './plan-facts.ts'
import { assertWithin, limits } from '../parse/limits.ts'

interface RankArgument {
  readonly measure: MeasurePlan['measure']
  readonly field: GroupField | MeasureField
  readonly direction: Direction
}

const defaultLimit = 50

/** The id names measure and field, so that selecting a measure twice computes it once. */
type Measures = { readonly plan: MeasurePlan; readonly id: string }[]

export function buildAggregate(context: PlanContext, collected: Collected, table: Table): AggregatePlan {
  const given = argumentsOf(context.selection, collected)
  const groupBy = (given.groupBy ?? []) as readonly GroupField[]
  assertWithin('groupFields', groupBy.length, '`groupBy` has too many fields')
  const twice = groupBy.find((field, index) => groupBy.indexOf(field) !== index)
  if (twice !== undefined)
    throw new ServiceError('BAD_USER_INPUT', `\`groupBy\` names ${twice.name} twice. Name each field once.`)
  const measures: Measures = []
  const fields = aggregateFields(context, collected, table, groupBy, measures)
  const order = groupOrder(context, given, table, measures)
  return {
    table,
    where: buildWhere(context, table, given.where),
    keys: groupBy.map((field) => groupKey(context, table, field)),
    measures: measures.map(({ plan }) => plan),
    order,
    minCount: integerArgument('minCount', given.minCount, { min: 0, max: 2 ** 31 - 1, otherwise: 1 }),
    limit: integerArgument('limit', given.limit, { min: 0, max: limits.groups, otherwise: defaultLimit }),
    fields,
  }
}

function groupOrder(
  context: PlanContext,
  { orderBy, rankBy }: Readonly<Record<string, unknown>>,
  table: Table,
  measures: Measures,
): GroupOrder {
  if (rankBy === undefined || rankBy === null)
    return (orderBy ?? { by: 'count', direction: 'desc' }) as Extract<GroupOrder, { by: 'count' | 'key' }>
  if (orderBy !== undefined && orderBy !== null)
    throw new ServiceError('BAD_USER_INPUT', '`orderBy` and `rankBy` exclude each other. Leave one out.')
  const { measure, field, direction } = rankBy as RankArgument
  if (direction === null)
    throw new ServiceError(
      'BAD_USER_INPUT',
      'The `direction` in `rankBy` is null. Write ASC or DESC, or leave it out.',
    )
  assertMeasurable(measure, field)
  return { by: 'measure', measure: measureOf(context, table, measures, measure, field), direction }
}

function assertMeasurable(measure: MeasurePlan['measure'], field: GroupField | MeasureField): void {
  const bare = !('joins' in field) || (field.joins.length === 0 && field.bucket === null)
  const { kind } = leafType(field.leaf)
  const isArray = field.leaf.kind === 'property' && field.leaf.field.type.kind === 'array'
  const isNumber = bare && !isArray && kind === 'integer'
  const isOrdered = isNumber || (bare && !isArray && kind === 'datetime')
  const groupable = 'joins' in field || kind === 'integer' || field.name === 'indexedAt'
  const fits = { avg: isNumber, sum: isNumber, min: isOrdered, max: isOrdered, countDistinct: groupable }[
    measure
  ]
  if (fits) return
  const wanted = {
    avg: 'an integer',
    sum: 'an integer',
    min: 'an integer or datetime',
    max: 'an integer or datetime',
    countDistinct: 'a groupable',
  }[measure]
  throw new ServiceError(
    'BAD_USER_INPUT',
    `\`rankBy\` cannot take that measure of ${field.name}: name ${wanted} field.`,
  )
}

function aggregateFields(
  context: PlanContext,
  collected: Collected,
  table: Table,
  groupBy: readonly GroupField[],
  measures: Measures,
): readonly Selected<AggregateOutput>[] {
  return fieldsBelow(context, collected, (below): AggregateOutput => {
    switch (below.name) {
      case 'count':
      case 'groupCount':
        return { kind: below.name }
      case 'groups':
        return { kind: 'groups', fields: groupFieldsOf(context, below, table, groupBy, measures) }
      default:
        return measureOutput(context, below, table, measures)
    }
  })
}

function groupFieldsOf(
  context: PlanContext,
  collected: Collected,
  table: Table,
  groupBy: readonly GroupField[],
  measures: Measures,
): readonly Selected<GroupOutput>[] {
  return fieldsBelow(context, collected, (below): GroupOutput => {
    const role = below.field?.extensions.role
    if (role?.kind === 'group' || role?.kind === 'groupResolved') {
      const key = groupBy.findIndex(({ name }) => name === role.field.name)
      if (key < 0)
        throw new ServiceError(
          'BAD_USER_INPUT',
          `\`${below.name}\` is no field of these groups: add ${role.field.name} to \`groupBy\`, or leave it out.`,
        )
      if (role.kind === 'group') return { kind: 'key', key }
      return { kind: 'keyResolved', key, records: buildRecords(context, below.selections) }
    }
    if (below.name === 'count') return { kind: 'count' }
    return measureOutput(context, below, table, measures)
  })
}

function measureOutput(
  context: PlanContext,
  collected: Collected,
  table: Table,
  measures: Measures,
): MeasuresOutput {
  if (collected.name === 'countDistinct') {
    const { field } = argumentsOf(context.selection, collected)
    return {
      kind: 'measure',
      measure: measureOf(context, table, measures, 'countDistinct', field as GroupField),
    }
  }
  const measure = collected.name as MeasurePlan['measure']
  const fields = fieldsBelow(context, collected, (below): MeasureOutput => {
    const field = measureFieldNamed(table, below.name)
    return { kind: 'measure', measure: measureOf(context, table, measures, measure, field) }
  })
  return { kind: 'measures', fields }
}

function measureFieldNamed(table: Table, name: string): MeasureField {
  if (name === 'indexedAt') return { name, leaf: { kind: 'system', name: 'indexedAt' } }
  const field = table.collection.type.fields.find((it) => it.name === name)
  if (field === undefined) throw new Error(`No field ${name} to measure.`)
  return { name, leaf: { kind: 'property', field } }
}

/** The position of the measure in the plan; adds a measure that is new. */
function measureOf(
  context: PlanContext,
  table: Table,
  measures: Measures,
  measure: MeasurePlan['measure'],
  field: GroupField | MeasureField,
): number {
  const id = `${measure} ${field.name}`
  const known = measures.findIndex((it) => it.id === id)
  if (known >= 0) return known
  const group: GroupField = 'joins' in field ? field : { ...field, joins: [], bucket: null }
  const type = leafType(field.leaf)
  const isWide = type.kind === 'integer' && type.bits !== 32
  return measures.push({ plan: { measure, of: groupKey(context, table, group), isWide }, id }) - 1
}

function groupKey(context: PlanContext, table: Table, { joins, leaf, bucket }: GroupField): GroupKey {
  const path: Join[] = []
  let holder = table
  for (const reference of joins) {
    const columns = findReference(holder, reference.path)
    const target = targetOf(reference, context.model)
    if (columns === undefined || target === null)
      throw new Error(`No way to join ${reference.collection}#${reference.path.join('.')}.`)
    holder = tableOf(context, target)
    path.push({ ...columns, table: holder })
  }
  return { joins: path, leaf: keyLeaf(holder, leaf), bucket }
}

function keyLeaf(table: Table, leaf: GroupField['leaf']): KeyLeaf {
  if (leaf.kind === 'system') {
    if (leaf.name === 'indexedAt') return { kind: 'system', name: 'indexed_at' }
    return { kind: 'system', name: leaf.name === 'did' ? 'did' : 'collection' }
  }
  const path = [leaf.field.property]
  const reference = findReference(table, path)
  if (reference !== undefined) return { kind: 'reference', ...reference }
  const array = findArray(table, path, false)
  if (array !== undefined) return { kind: 'array', array }
  const column = findValue(table, path)
  if (column === undefined) throw new Error(`No column for ${leaf.field.name} of ${table.name}.`)
  return { kind: 'column', column }
}
