/** Series in time: groups without records, and changes from group to group. */
import { isTimePart } from '../../../schema/model/operators.ts'
import type { Group } from '../../filters/groups.ts'
import type { Subject } from '../../words/collections.ts'
import { ToolError } from '../tool.ts'
import type { AggregateArguments } from './aggregate-arguments.ts'
import type { Column } from './columns.ts'

export const changeColumn: Column = {
  title: 'change',
  select: { change: {} },
  read: ({ change }) => change,
}

/** Throws if `fill` or `change` is given with groups that are not series. */
export function assertSeries(
  { fill = false, change = false, unusual }: AggregateArguments,
  [group, ...others]: readonly Group[],
  { time }: Subject,
): void {
  const asked = fill ? 'fill' : change ? 'change' : null
  if (asked === null) return
  const bucket = group?.field.bucket ?? null
  if (bucket === null || isTimePart(bucket) || others.length > 0)
    throw new ToolError(`${asked} is for one time in by, such as ["${time}:day"]; leave it out otherwise.`)
  if (unusual !== undefined)
    throw new ToolError(`${asked} and unusual exclude each other: unusual groups are not series.`)
}
