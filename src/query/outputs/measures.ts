/** Measures of groups and of the whole, each computed once however often it is selected, and the values that arguments name. */
import type { Table } from '../../database/layout/tables.ts'
import { isArray, leafType } from '../../schema/model/leaves.ts'
import {
  type FieldMeasureName,
  measureConstant,
  type MeasureName,
  measures,
} from '../../schema/model/measures.ts'
import { type GroupField, type MeasureField, measureFields } from '../../schema/model/operators.ts'
import { raw, type Sql, sql } from '../../sql/sql.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Source } from '../emit/groups/emit-source.ts'
import { assertWithin } from '../parse/limits.ts'
import { argumentsOf, badInput, type Collected } from '../parse/prepare.ts'
import { fieldsBelow } from '../plan/build-fields.ts'
import type { Condition } from '../plan/conditions.ts'
import { groupKey, type TimeFrame } from '../plan/groups/build-group-key.ts'
import type {
  GroupValue,
  MeasureOutput,
  MeasurePlan,
  MeasuresOutput,
  SharePlan,
} from '../plan/groups/group-plan.ts'
import type { PlanContext } from '../plan/plan.ts'

/** The context of one aggregate, which collects its measures and changes. */
export interface AggregateContext extends PlanContext {
  readonly table: Table
  readonly where: Condition
  readonly time: TimeFrame
  readonly groupBy: readonly GroupField[]
  /** Number of `groupBy` fields of the outer groups, which come first; null if groups are not within others. */
  readonly outer: number | null
  readonly share: SharePlan | null
  readonly isSignificant: boolean
  /** By measure and field. */
  readonly measures: Map<string, MeasurePlan>
  /** The values whose changes are selected, each by its own text. */
  readonly changes: Map<string, GroupValue>
}

export function measureOutput(context: AggregateContext, collected: Collected): MeasuresOutput {
  const measure = collected.name as FieldMeasureName
  if (measure === 'countDistinct' || measure === 'percentile') {
    const { field, p } = argumentsOf(context.selection, collected)
    const ranks = measure === 'percentile' ? ranksOf(p as readonly number[]) : []
    return {
      kind: 'measure',
      measure: measureOf(context, measure, field as GroupField | MeasureField, ranks),
    }
  }
  if (measures[measure].of === 'times') {
    const { from, to } = argumentsOf(context.selection, collected) as Record<string, GroupField>
    return { kind: 'measure', measure: measureOf(context, measure, to as GroupField, [], from) }
  }
  const fields = fieldsBelow(context, collected, ({ name }): MeasureOutput => {
    return { kind: 'measure', measure: measureOf(context, measure, measureFieldNamed(context, name)) }
  })
  return { kind: 'measures', fields }
}

/** Millionths, from numbers between 0 and 1 with at most six decimals. */
function ranksOf(given: readonly number[]): readonly number[] {
  assertWithin('percentiles', given.length, '`p` has too many values')
  if (given.length === 0) throw badInput('`p` is empty. Write numbers from 0 to 1, such as `p: [0.5, 0.9]`.')
  return given.map((p) => {
    const rank = Math.round(p * 1_000_000)
    // Both are the doubles nearest to the same decimal number, if it has at most six decimals.
    if (p >= 0 && p <= 1 && rank / 1_000_000 === p) return rank
    throw badInput(
      `\`p: ${p}\` is no percentile. Write numbers from 0 to 1 with at most six decimals, such as 0.95 for the 95th.`,
    )
  })
}

function measureFieldNamed({ table }: AggregateContext, name: string): MeasureField {
  const field = measureFields(table.collection).find((it) => it.name === name)
  if (field === undefined) throw new Error(`No field ${name} to measure.`)
  return field
}

/** The position of the measure in the plan; adds a measure that is new. */
function measureOf(
  context: AggregateContext,
  measure: FieldMeasureName,
  field: GroupField | MeasureField,
  ranks: readonly number[] = [],
  from: GroupField | null = null,
): number {
  const { measures } = context
  const id = [measure, field.name, ...ranks, from?.name].join(' ')
  if (!measures.has(id)) {
    const keyOf = (one: GroupField | MeasureField) =>
      groupKey(context, context.table, 'joins' in one ? one : { ...one, joins: [], bucket: null })
    const type = leafType(field.leaf)
    const isWide = from !== null || (type.kind === 'integer' && type.bits !== 32)
    measures.set(id, { measure, of: keyOf(field), from: from && keyOf(from), ranks, isWide })
  }
  return [...measures.keys()].indexOf(id)
}

/** The members that all these arguments have in common. */
export interface ValueArgument {
  readonly measure: MeasureName
  readonly field?: GroupField | MeasureField | null
  readonly p?: number | null
  readonly from?: GroupField | null
  readonly to?: GroupField | null
}

/** `name`: that of the argument, for messages. */
export function buildGroupValue(
  context: AggregateContext,
  name: 'rankBy' | 'having' | 'of',
  { measure, field = null, p = null, from = null, to = null }: ValueArgument,
): GroupValue {
  if (measure === 'avgDuration' || measure === 'medianDuration') {
    if (from === null || to === null || field !== null || p !== null)
      throw badInput(
        `\`${name}\` by ${measureConstant(measure)} takes two times, \`from\` and \`to\`, alone.`,
      )
    return { kind: 'measure', measure: measureOf(context, measure, to, [], from) }
  }
  if (from !== null || to !== null)
    throw badInput(`\`from\` and \`to\` in \`${name}\` are for durations. Leave them out.`)
  if (measure !== 'percentile' && p !== null)
    throw badInput(`\`p\` in \`${name}\` is for PERCENTILE. Leave it out.`)
  if (measure === 'count' || measure === 'share' || measure === 'total') {
    if (field !== null)
      throw badInput(
        `\`${name}\` by ${measure.toUpperCase()} has no field: leave \`field: ${field.name}\` out, or count its values with COUNT_DISTINCT.`,
      )
    if (measure !== 'count' && context.share === null)
      throw badInput(
        `\`${name}\` by ${measure.toUpperCase()} needs a \`denominator\`: add the records to divide by, such as \`denominator: {}\` for all, or a \`numerator\`.`,
      )
    return { kind: measure }
  }
  if (field === null)
    throw badInput(`\`${name}\` has a measure without a field. Add \`field\`, or write COUNT.`)
  assertMeasurable(name, measure, field)
  return { kind: 'measure', measure: measureOf(context, measure, field, ranks(name, measure, p)) }
}

function ranks(name: string, measure: SingleMeasureName, p: number | null): readonly number[] {
  if (measure !== 'percentile') return []
  if (p === null)
    throw badInput(
      `\`${name}\` by PERCENTILE needs \`p\`: add a number from 0 to 1, such as \`p: 0.9\` for the 90th.`,
    )
  return ranksOf([p])
}

/** The measures of one field. */
type SingleMeasureName = Exclude<FieldMeasureName, 'avgDuration' | 'medianDuration'>

/** What a measure may be of, as messages call it. */
const wanted = { integer: 'an integer', ordered: 'an integer or datetime', groupable: 'a groupable' } as const

function assertMeasurable(name: string, measure: SingleMeasureName, field: GroupField | MeasureField): void {
  const { kind } = leafType(field.leaf)
  const isSingle =
    (!('joins' in field) || (field.joins.length === 0 && field.bucket === null)) && !isArray(field.leaf)
  const isInteger = isSingle && kind === 'integer'
  const fits = {
    integer: isInteger,
    ordered: isInteger || (isSingle && kind === 'datetime'),
    groupable: 'joins' in field || (isInteger && field.leaf.kind !== 'count') || field.name === 'indexedAt',
  }
  const { of } = measures[measure]
  if (!fits[of])
    throw badInput(`\`${name}\` cannot take that measure of ${field.name}: name ${wanted[of]} field.`)
}

/** In microseconds. */
const second = 1_000_000

/** Columns of a measure; an exact sum may have several. */
export function measureExpressions(
  emitter: Emitter,
  { measure, of, from, ranks, isWide }: MeasurePlan,
  source: Source,
): readonly Sql[] {
  const { dialect } = emitter
  const [end, key] = source.values(of) as readonly [Sql, Sql?]
  // Microseconds between two times, which are null without either.
  const value = from === null ? end : sql`(${end} - ${source.values(from)[0] as Sql})`
  switch (measure) {
    case 'avg':
      // Computed from the exact sum, because the engine's own mean adds floating-point numbers.
      return [dialect.mean(dialect.exactSum(value, isWide), sql`count(${value})`)]
    case 'avgDuration':
      return [dialect.mean(dialect.exactSum(value, isWide), sql`(count(${value}) * ${raw(String(second))})`)]
    case 'medianDuration':
      return [dialect.ordered.median(value, second)]
    case 'sum':
      return dialect.exactSum(value, isWide)
    case 'min':
    case 'max':
      return [sql`${raw(measure)}(${value})`]
    case 'countDistinct':
      // A URI is its repo collection, of which each has one id, and its key.
      return [sql`count(distinct ${key === undefined ? value : sql`(${value} || ' ' || ${key})`})`]
    case 'median':
      return [dialect.ordered.median(value, 1)]
    case 'percentile':
      return [dialect.ordered.percentiles(value, ranks)]
    case 'stddev':
      return [dialect.stddev(value, isWide)]
  }
}
