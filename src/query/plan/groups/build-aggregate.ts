/**
 * Builds the plan of an aggregate field: keys, measures (each computed once however often it is selected) and order.
 */
import type { Table } from '../../../database/layout/tables.ts'
import { type GroupField, leafType, type MeasureField } from '../../../schema/model/operators.ts'
import { constantOutput, fieldsBelow } from '../build-fields.ts'
import { groupFieldsOf, groupKey } from './build-group-key.ts'
import { buildRecords } from '../build-output.ts'
import { buildSearch } from '../build-search.ts'
import {
  buildSignificance,
  buildUnusualWords,
  minSignificantCount,
  significanceFields,
} from './build-significance.ts'
import { buildWhere } from '../build-where.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../../parse/prepare.ts'
import type { Condition } from '../conditions.ts'
import type {
  AggregateOutput,
  AggregatePlan,
  Constant,
  Direction,
  GroupOrder,
  GroupOutput,
  MeasureOutput,
  MeasurePlan,
  MeasuresOutput,
  PlanContext,
} from '../plan.ts'
import { limits } from '../../parse/limits.ts'

interface RankArgument {
  readonly measure: MeasurePlan['measure']
  readonly field: GroupField | MeasureField
  readonly direction: Direction
}

const defaultLimit = 50

/** The context of one aggregate, which collects its measures. */
interface Building extends PlanContext {
  readonly table: Table
  readonly where: Condition
  readonly groupBy: readonly GroupField[]
  readonly isSignificant: boolean
  /** By measure and field, so that selecting a measure twice computes it once. */
  readonly measures: Map<string, MeasurePlan>
}

export function buildAggregate(context: PlanContext, collected: Collected, table: Table): AggregatePlan {
  const given = argumentsOf(context.selection, collected)
  const groupBy = groupFieldsOf('groupBy', given.groupBy, 'groupFields')
  const isSignificant = given.significant !== undefined && given.significant !== null
  const where = buildWhere(context, table, given.where, buildSearch(table, given.search))
  const building: Building = { ...context, table, where, groupBy, isSignificant, measures: new Map() }
  const fields = fieldsBelow(context, collected, (below) => aggregateOutput(building, below))
  const order = isSignificant ? ({ by: 'score' } as const) : groupOrder(building, given)
  return {
    table,
    where,
    keys: groupBy.map((field) => groupKey(building, table, field)),
    measures: [...building.measures.values()],
    order,
    significance: isSignificant ? buildSignificance(context, table, where, given) : null,
    minCount: integerArgument(
      'minCount',
      given.minCount,
      2 ** 31 - 1,
      isSignificant ? minSignificantCount : 1,
    ),
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
    case 'unusualWords':
      return {
        kind: 'unusualWords',
        words: buildUnusualWords(building, below, building.table, building.where),
      }
    default:
      return measureOutput(building, below)
  }
}

function groupOutput(building: Building, below: Collected): GroupOutput | Constant {
  const role = below.field?.extensions.role
  if (below.name === 'significance')
    return building.isSignificant
      ? {
          kind: 'significance',
          fields: significanceFields(building, below),
        }
      : constantOutput(null)
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
    const of = groupKey(
      building,
      building.table,
      'joins' in field ? field : { ...field, joins: [], bucket: null },
    )
    const type = leafType(field.leaf)
    measures.set(id, { measure, of, isWide: type.kind === 'integer' && type.bits !== 32 })
  }
  return [...measures.keys()].indexOf(id)
}
