/** Builds the measures of an aggregate, each computed once however often it is selected. */
import type { Table } from '../../../database/layout/tables.ts'
import { leafType } from '../../../schema/model/leaves.ts'
import type { FieldMeasureName } from '../../../schema/model/measures.ts'
import { type GroupField, type MeasureField, measureFields } from '../../../schema/model/operators.ts'
import { argumentsOf, badInput, type Collected } from '../../parse/prepare.ts'
import { assertWithin } from '../../parse/limits.ts'
import { fieldsBelow } from '../build-fields.ts'
import type { MeasureOutput, MeasurePlan, MeasuresOutput } from './group-plan.ts'
import type { PlanContext } from '../plan.ts'
import { groupKey } from './build-group-key.ts'
import type { TimeFrame } from './build-time-frame.ts'

/** The context of one aggregate, which collects its measures. */
export interface MeasureContext extends PlanContext {
  readonly table: Table
  readonly time: TimeFrame
  /** By measure and field. */
  readonly measures: Map<string, MeasurePlan>
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
  const measure = collected.name as FieldMeasureName
  const fields = fieldsBelow(context, collected, ({ name }): MeasureOutput => {
    return { kind: 'measure', measure: measureOf(context, measure, measureFieldNamed(context, name)) }
  })
  return { kind: 'measures', fields }
}

/** Millionths, from numbers between 0 and 1 with at most six decimals. */
export function ranksOf(given: readonly number[]): readonly number[] {
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
export function measureOf(
  context: MeasureContext,
  measure: FieldMeasureName,
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
