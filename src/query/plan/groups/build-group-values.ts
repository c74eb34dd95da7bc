/** Builds the value of a group that an argument names: a count, a share or a measure, selected or not. */
import { isArray, leafType } from '../../../schema/model/leaves.ts'
import { type FieldMeasureName, type MeasureName, measures } from '../../../schema/model/measures.ts'
import type { GroupField, MeasureField } from '../../../schema/model/operators.ts'
import { badInput } from '../../parse/prepare.ts'
import { type MeasureContext, measureOf, ranksOf } from './build-measures.ts'
import type { GroupValue, SharePlan } from './group-plan.ts'

/** The context of one aggregate. */
export interface GroupValueContext extends MeasureContext {
  readonly share: SharePlan | null
}

/** The members that all these arguments have in common. */
export interface ValueArgument {
  readonly measure: MeasureName
  readonly field?: GroupField | MeasureField | null
  readonly p?: number | null
}

/** `name`: that of the argument, for messages. */
export function buildGroupValue(
  context: GroupValueContext,
  name: 'rankBy' | 'having' | 'of',
  { measure, field = null, p = null }: ValueArgument,
): GroupValue {
  if (measure !== 'percentile' && p !== null)
    throw badInput(`\`p\` in \`${name}\` is for PERCENTILE. Leave it out.`)
  if (measure === 'count' || measure === 'share') {
    if (field !== null)
      throw badInput(
        `\`${name}\` by ${measure.toUpperCase()} has no field: leave \`field: ${field.name}\` out, or count its values with COUNT_DISTINCT.`,
      )
    if (measure === 'share' && context.share === null)
      throw badInput(
        `\`${name}\` by SHARE needs a \`denominator\`: add the records to divide by, such as \`denominator: {}\` for all.`,
      )
    return { kind: measure }
  }
  if (field === null)
    throw badInput(`\`${name}\` has a measure without a field. Add \`field\`, or write COUNT.`)
  assertMeasurable(name, measure, field)
  return { kind: 'measure', measure: measureOf(context, measure, field, ranks(name, measure, p)) }
}

function ranks(name: string, measure: FieldMeasureName, p: number | null): readonly number[] {
  if (measure !== 'percentile') return []
  if (p === null)
    throw badInput(
      `\`${name}\` by PERCENTILE needs \`p\`: add a number from 0 to 1, such as \`p: 0.9\` for the 90th.`,
    )
  return ranksOf([p])
}

/** What a measure may be of, as messages call it. */
const wanted = { integer: 'an integer', ordered: 'an integer or datetime', groupable: 'a groupable' } as const

function assertMeasurable(name: string, measure: FieldMeasureName, field: GroupField | MeasureField): void {
  const { kind } = leafType(field.leaf)
  const isSingle =
    (!('joins' in field) || (field.joins.length === 0 && field.bucket === null)) && !isArray(field.leaf)
  const isInteger = isSingle && kind === 'integer'
  const fits = {
    integer: isInteger,
    ordered: isInteger || (isSingle && kind === 'datetime'),
    groupable: 'joins' in field || kind === 'integer' || field.name === 'indexedAt',
  }
  const { of } = measures[measure]
  if (!fits[of])
    throw badInput(`\`${name}\` cannot take that measure of ${field.name}: name ${wanted[of]} field.`)
}
