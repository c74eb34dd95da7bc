/** Builds the changes from group to group in a series in time. */
import { type GroupField, isTimePart } from '../../../../schema/model/operators.ts'
import { argumentsOf, badInput, type Collected } from '../../../parse/prepare.ts'
import { isInstant } from '../../plan-facts.ts'
import { buildGroupValue, type GroupValueContext, type ValueArgument } from '../build-group-values.ts'
import type { ChangeOutput, GroupValue, MeasurePlan } from '../group-plan.ts'

/** The context of one aggregate, which collects its changes. */
export interface ChangeContext extends GroupValueContext {
  readonly groupBy: readonly GroupField[]
  readonly outer: number | null
  readonly isSignificant: boolean
  /** The values whose changes are selected, each by its own text. */
  readonly changes: Map<string, GroupValue>
}

export function buildChange(context: ChangeContext, collected: Collected): ChangeOutput {
  assertSeries(context)
  const { changes, selection } = context
  const of = valueOf(context, argumentsOf(selection, collected).of)
  const id = JSON.stringify(of)
  if (!changes.has(id)) changes.set(id, of)
  return { kind: 'change', change: [...changes.keys()].indexOf(id) }
}

function valueOf(context: ChangeContext, given: unknown): GroupValue {
  if (given === undefined || given === null) return { kind: 'count' }
  const argument = given as ValueArgument
  const value = buildGroupValue(context, 'of', argument)
  if (value.kind !== 'measure') return value
  const { measure, of } = [...context.measures.values()][value.measure] as MeasurePlan
  if (isInstant(of.leaf) && (measure === 'min' || measure === 'max'))
    throw badInput(
      `\`change\` is of numbers, and ${measure.toUpperCase()} of ${argument.field?.name} is a moment. Name an integer field in \`of\`.`,
    )
  return value
}

function assertSeries({ groupBy, outer, isSignificant }: ChangeContext): void {
  if (outer !== null)
    throw badInput(
      '`change` within `top` is not possible. Select it in groups of an aggregate with one time bucket in `groupBy`, such as `groupBy: [indexedAt_day]`.',
    )
  const [field, ...others] = groupBy
  const bucket = field?.bucket ?? null
  if (bucket === null || isTimePart(bucket) || others.length > 0)
    throw badInput(
      '`change` needs one time bucket as the only field in `groupBy`: write `groupBy: [indexedAt_day]`, for example, or leave it out.',
    )
  if (isSignificant)
    throw badInput(
      '`significant` and `change` exclude each other: groups that are left out would be missing in the series. Leave one out.',
    )
}
