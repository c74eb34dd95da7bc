/** Builds the running figures of a series in time: cumulative counts, moving averages, changes. */
import { type GroupField, isTimePart } from '../../../../schema/model/operators.ts'
import { limits } from '../../../parse/limits.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../../../parse/prepare.ts'
import { fieldsBelow } from '../../build-fields.ts'
import type { PlanContext } from '../../plan.ts'
import type { RunningFigure, RunningOutput } from '../group-plan.ts'

/** The context of one aggregate, which collects its running figures. */
export interface RunningContext extends PlanContext {
  readonly groupBy: readonly GroupField[]
  readonly outer: number | null
  readonly isSignificant: boolean
  /** By name and argument. */
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
  const figure = kind === 'movingAverage' ? { kind, over: overOf(context, collected) } : { kind }
  const id = Object.values(figure).join(' ')
  const { running } = context
  if (!running.has(id)) running.set(id, figure)
  return {
    kind: 'running',
    figure: [...running.keys()].indexOf(id),
    fields: fieldsBelow(context, collected, () => ({ kind: 'count' })),
  }
}

function overOf({ selection }: RunningContext, collected: Collected): number {
  return integerArgument('over', argumentsOf(selection, collected).over, limits.movingAverage, 2, 2)
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
