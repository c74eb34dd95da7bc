/**
 * Builds the plan of an aggregate field: keys, measures (each computed once however often it is selected) and order.
 */
import { findArray, findReference, findValue, type Table } from '../../database/layout/tables.ts'
import { type GroupField, leafType, type MeasureField, targetOf } from '../../schema/model/operators.ts'
import { buildRecords, fieldsBelow } from './build-output.ts'
import { buildWhere } from './build-where.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../parse/prepare.ts'
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
} from './plan.ts'
import { tableOf } from './plan-facts.ts'
import { assertWithin, limits } from '../parse/limits.ts'

interface RankArgument {
  readonly measure: MeasurePlan['measure']
  readonly field: GroupField | MeasureField
  readonly direction: Direction
}

const defaultLimit = 50

/** The context of one aggregate, which collects its measures. */
interface Building extends PlanContext {
  readonly table: Table
  readonly groupBy: readonly GroupField[]
  /** By measure and field, so that selecting a measure twice computes it once. */
  readonly measures: Map<string, MeasurePlan>
}

export function buildAggregate(context: PlanContext, collected: Collected, table: Table): AggregatePlan {
  const given = argumentsOf(context.selection, collected)
  const groupBy = (given.groupBy ?? []) as readonly GroupField[]
  assertWithin('groupFields', groupBy.length, '`groupBy` has too many fields')
  const twice = groupBy.find((field, index) => groupBy.indexOf(field) !== index)
  if (twice !== undefined) throw badInput(`\`groupBy\` names ${twice.name} twice. Name each field once.`)
  const building: Building = { ...context, table, groupBy, measures: new Map() }
  const fields = fieldsBelow(context, collected, (below) => aggregateOutput(building, below))
  const order = groupOrder(building, given)
  return {
    table,
    where: buildWhere(context, table, given.where),
    keys: groupBy.map((field) => groupKey(building, field)),
    measures: [...building.measures.values()],
    order,
    minCount: integerArgument('minCount', given.minCount, 2 ** 31 - 1, 1),
    limit: integerArgument('limit', given.limit, limits.groups, defaultLimit),
    fields,
  }
}

function groupOrder(building: Building, { orderBy, rankBy }: Readonly<Record<string, unknown>>): GroupOrder {
  if (rankBy === undefined || rankBy === null)
    return (orderBy ?? { by: 'count', direction: 'desc' }) as Extract<GroupOrder, { by: 'count' | 'key' }>
  if (orderBy !== undefined && orderBy !== null)
    throw badInput('`orderBy` and `rankBy` exclude each other. Leave one out.')
  const { measure, field, direction } = rankBy as RankArgument
  if (direction === null)
    throw badInput('The `direction` in `rankBy` is null. Write ASC or DESC, or leave it out.')
  assertMeasurable(measure, field)
  return { by: 'measure', measure: measureOf(building, measure, field), direction }
}

function assertMeasurable(measure: MeasurePlan['measure'], field: GroupField | MeasureField): void {
  const isBare = !('joins' in field) || (field.joins.length === 0 && field.bucket === null)
  const { kind } = leafType(field.leaf)
  const isArray = field.leaf.kind === 'property' && field.leaf.field.type.kind === 'array'
  const isNumber = isBare && !isArray && kind === 'integer'
  const isOrdered = isNumber || (isBare && !isArray && kind === 'datetime')
  const groupable = 'joins' in field || kind === 'integer' || field.name === 'indexedAt'
  const needed: Readonly<Record<MeasurePlan['measure'], readonly [fits: boolean, wanted: string]>> = {
    avg: [isNumber, 'an integer'],
    sum: [isNumber, 'an integer'],
    min: [isOrdered, 'an integer or datetime'],
    max: [isOrdered, 'an integer or datetime'],
    countDistinct: [groupable, 'a groupable'],
  }
  const [fits, wanted] = needed[measure]
  if (!fits) throw badInput(`\`rankBy\` cannot take that measure of ${field.name}: name ${wanted} field.`)
}

function aggregateOutput(building: Building, below: Collected): AggregateOutput {
  switch (below.name) {
    case 'count':
    case 'groupCount':
      return { kind: below.name }
    case 'groups':
      return { kind: 'groups', fields: fieldsBelow(building, below, (field) => groupOutput(building, field)) }
    default:
      return measureOutput(building, below)
  }
}

function groupOutput(building: Building, below: Collected): GroupOutput {
  const role = below.field?.extensions.role
  if (role?.kind !== 'group' && role?.kind !== 'groupResolved')
    return below.name === 'count' ? { kind: 'count' } : measureOutput(building, below)
  const key = building.groupBy.findIndex(({ name }) => name === role.field.name)
  if (key < 0)
    throw badInput(
      `\`${below.name}\` is no field of these groups: add ${role.field.name} to \`groupBy\`, or leave it out.`,
    )
  if (role.kind === 'group') return { kind: 'key', key }
  return { kind: 'keyResolved', key, records: buildRecords(building, below.selections) }
}

function measureOutput(building: Building, collected: Collected): MeasuresOutput {
  if (collected.name === 'countDistinct') {
    const field = argumentsOf(building.selection, collected).field as GroupField
    return { kind: 'measure', measure: measureOf(building, 'countDistinct', field) }
  }
  const measure = collected.name as MeasurePlan['measure']
  const fields = fieldsBelow(building, collected, ({ name }): MeasureOutput => {
    return { kind: 'measure', measure: measureOf(building, measure, measureFieldNamed(building, name)) }
  })
  return { kind: 'measures', fields }
}

function measureFieldNamed({ table }: Building, name: string): MeasureField {
  if (name === 'indexedAt') return { name, leaf: { kind: 'system', name: 'indexedAt' } }
  const field = table.collection.type.fields.find((it) => it.name === name)
  if (field === undefined) throw new Error(`No field ${name} to measure.`)
  return { name, leaf: { kind: 'property', field } }
}

/** The position of the measure in the plan; adds a measure that is new. */
function measureOf(
  building: Building,
  measure: MeasurePlan['measure'],
  field: GroupField | MeasureField,
): number {
  const { measures } = building
  const id = `${measure} ${field.name}`
  if (!measures.has(id)) {
    const of = groupKey(building, 'joins' in field ? field : { ...field, joins: [], bucket: null })
    const type = leafType(field.leaf)
    measures.set(id, { measure, of, isWide: type.kind === 'integer' && type.bits !== 32 })
  }
  return [...measures.keys()].indexOf(id)
}

function groupKey(building: Building, { joins, leaf, bucket }: GroupField): GroupKey {
  const path: Join[] = []
  let holder = building.table
  for (const reference of joins) {
    const columns = findReference(holder, reference.path)
    const target = targetOf(reference, building.model)
    if (columns === undefined || target === null)
      throw new Error(`No way to join ${reference.collection}#${reference.path.join('.')}.`)
    holder = tableOf(building, target)
    path.push({ ...columns, table: holder })
  }
  return { joins: path, leaf: keyLeaf(holder, leaf), bucket }
}

function keyLeaf(table: Table, leaf: GroupField['leaf']): KeyLeaf {
  if (leaf.kind === 'system')
    return {
      kind: 'system',
      name: leaf.name === 'indexedAt' ? 'indexed_at' : leaf.name === 'did' ? 'did' : 'collection',
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
