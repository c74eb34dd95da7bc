/** Builds the measures of an aggregate, each computed once however often it is selected. */
import type { Table } from '../../../database/layout/tables.ts'
import { isArray, leafType } from '../../../schema/model/leaves.ts'
import { type GroupField, type MeasureField, measureFields } from '../../../schema/model/operators.ts'
import { argumentsOf, badInput, type Collected } from '../../parse/prepare.ts'
import { assertWithin } from '../../parse/limits.ts'
import { fieldsBelow } from '../build-fields.ts'
import type { Direction } from '../fields.ts'
import type { MeasureOutput, MeasurePlan, MeasuresOutput } from './group-plan.ts'
import type { PlanContext } from '../plan.ts'
import { groupKey } from './build-group-key.ts'

/** The context of one aggregate, which collects its measures. */
export interface MeasureContext extends PlanContext {
  readonly table: Table
  /** By measure and field. */
  readonly measures: Map<string, MeasurePlan>
}

interface RankArgument {
  readonly measure: MeasurePlan['measure']
  readonly field: GroupField | MeasureField
  readonly direction: Direction
}

/** The measure that `rankBy` names, as a position in the plan. */
export function rankedMeasure(
  context: MeasureContext,
  rankBy: unknown,
): { readonly measure: number; readonly direction: Direction } {
  const { measure, field, direction } = rankBy as RankArgument
  if (direction === null)
    throw badInput('The `direction` in `rankBy` is null. Write ASC or DESC, or leave it out.')
  assertMeasurable(measure, field)
  return { measure: measureOf(context, measure, field), direction }
}

function assertMeasurable(measure: MeasurePlan['measure'], field: GroupField | MeasureField): void {
  const isBare = !('joins' in field) || (field.joins.length === 0 && field.bucket === null)
  const { kind } = leafType(field.leaf)
  const isSingle = isBare && !isArray(field.leaf)
  const isNumber = isSingle && kind === 'integer'
  const isOrdered = isNumber || (isSingle && kind === 'datetime')
  const groupable = 'joins' in field || kind === 'integer' || field.name === 'indexedAt'
  const needed: Readonly<Record<MeasurePlan['measure'], readonly [fits: boolean, wanted: string]>> = {
    avg: [isNumber, 'an integer'],
    sum: [isNumber, 'an integer'],
    median: [isNumber, 'an integer'],
    stddev: [isNumber, 'an integer'],
    percentile: [isNumber, 'an integer'],
    min: [isOrdered, 'an integer or datetime'],
    max: [isOrdered, 'an integer or datetime'],
    countDistinct: [groupable, 'a groupable'],
  }
  const [fits, wanted] = needed[measure]
  if (!fits) throw badInput(`\`rankBy\` cannot take that measure of ${field.name}: name ${wanted} field.`)
}

export function measureOutput(context: MeasureContext, collected: Collected): MeasuresOutput {
  if (collected.name === 'countDistinct') {
    const field = argumentsOf(context.selection, collected).field as GroupField
    return { kind: 'measure', measure: measureOf(context, 'countDistinct', field) }
  }
  if (collected.name === 'percentile') {
    const { field, p } = argumentsOf(context.selection, collected)
    return {
      kind: 'measure',
      measure: measureOf(context, 'percentile', field as MeasureField, ranksOf(p as readonly number[])),
    }
  }
  const measure = collected.name as MeasurePlan['measure']
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

function measureFieldNamed({ table }: MeasureContext, name: string): MeasureField {
  const field = measureFields(table.collection).find((it) => it.name === name)
  if (field === undefined) throw new Error(`No field ${name} to measure.`)
  return field
}

/** The position of the measure in the plan; adds a measure that is new. */
function measureOf(
  context: MeasureContext,
  measure: MeasurePlan['measure'],
  field: GroupField | MeasureField,
  ranks: readonly number[] = [],
): number {
  const { measures } = context
  const id = [measure, field.name, ...ranks].join(' ')
  if (!measures.has(id)) {
    const of = groupKey(
      context,
      context.table,
      'joins' in field ? field : { ...field, joins: [], bucket: null },
    )
    const type = leafType(field.leaf)
    measures.set(id, { measure, of, ranks, isWide: type.kind === 'integer' && type.bits !== 32 })
  }
  return [...measures.keys()].indexOf(id)
}
