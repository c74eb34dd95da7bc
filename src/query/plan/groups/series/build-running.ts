/** Builds the running figures of a series in time: cumulative values, moving averages, changes. */
import { type GroupField, isTimePart } from '../../../../schema/model/operators.ts'
import { limits } from '../../../parse/limits.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../../../parse/prepare.ts'
import { isInstant } from '../../plan-facts.ts'
import { buildGroupValue, type GroupValueContext, type ValueArgument } from '../build-group-values.ts'
import type { GroupValue, MeasurePlan, RunningFigure, RunningOutput } from '../group-plan.ts'

/** The context of one aggregate, which collects its running figures. */
export interface RunningContext extends GroupValueContext {
  readonly groupBy: readonly GroupField[]
  readonly outer: number | null
  readonly isSignificant: boolean
  /** By name and arguments. */
  readonly running: Map<string, RunningFigure>
}

export function isRunningFigure(name: string): name is RunningFigure['kind'] {
  return name === 'cumulative' || name === 'movingAverage' || name === 'change'
}

export function buildRunning(
  context: RunningContext,
  kind: RunningFigure['kind'],
  collected: Collected,
): RunningOutput {
  assertSeries(context, kind)
  const { running, selection } = context
  const given = argumentsOf(selection, collected)
  const of = valueOf(context, kind, given.of)
  const figure =
    kind === 'movingAverage'
      ? { kind, of, over: integerArgument('over', given.over, limits.movingAverage, 2, 2) }
      : { kind, of }
  const id = JSON.stringify(figure)
  if (!running.has(id)) running.set(id, figure)
  return { kind: 'running', figure: [...running.keys()].indexOf(id) }
}

/** Values that add up, and otherwise numbers. */
function valueOf(context: RunningContext, kind: RunningFigure['kind'], given: unknown): GroupValue {
  if (given === undefined || given === null) return { kind: 'count' }
  const argument = given as ValueArgument
  const value = buildGroupValue(context, 'of', argument)
  if (value.kind !== 'measure') return value
  const { measure, of } = [...context.measures.values()][value.measure] as MeasurePlan
  const written = `${measure.replace(/[A-Z]/g, '_$&').toUpperCase()} of ${argument.field?.name}`
  if (isInstant(of.leaf) && (measure === 'min' || measure === 'max'))
    throw badInput(`\`${kind}\` is of numbers, and ${written} is a moment. Name an integer field in \`of\`.`)
  if (kind === 'cumulative' && measure !== 'sum')
    throw badInput(
      `\`cumulative\` adds up COUNT, SHARE or SUM, and ${written} does not add up. Write one of these in \`of\`, or \`movingAverage\`.`,
    )
  return value
}

function assertSeries({ groupBy, outer, isSignificant }: RunningContext, name: string): void {
  if (outer !== null)
    throw badInput(
      `\`${name}\` within \`top\` is not possible. Select it in groups of an aggregate with one time bucket in \`groupBy\`, such as \`groupBy: [indexedAt_day]\`.`,
    )
  const [field, ...others] = groupBy
  const bucket = field?.bucket ?? null
  if (bucket === null || isTimePart(bucket) || others.length > 0)
    throw badInput(
      `\`${name}\` needs one time bucket as the only field in \`groupBy\`: write \`groupBy: [indexedAt_day]\`, for example, or leave it out.`,
    )
  if (isSignificant)
    throw badInput(
      `\`significant\` and \`${name}\` exclude each other: groups that are left out would be missing in the series. Leave one out.`,
    )
}
