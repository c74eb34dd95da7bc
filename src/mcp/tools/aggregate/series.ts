/** Series in time: groups without records, and changes from group to group. */
import { isObject } from '../../../util/is-object.ts'
import { isTimePart } from '../../../schema/model/operators.ts'
import type { Group } from '../../../ask/groups.ts'
import type { Subject } from '../../../ask/collections.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { AggregateArguments, Column } from './columns.ts'

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
    throw new AskError(`${asked} is for one time in by, such as ["${time}:day"]; leave it out otherwise.`)
  if (unusual !== undefined)
    throw new AskError(`${asked} and unusual exclude each other: unusual groups are not series.`)
}

/**
 * The arguments of a series by the main time that `fill` makes whole: until today, unless they say how long. Throws a
 * AskError if they do not say from when.
 */
export function boundSeries(
  args: AggregateArguments,
  [group]: readonly Group[],
  { time }: Subject,
): { readonly args: AggregateArguments; readonly hint: string | null } {
  const { fill = false, filters, since, until } = args
  const { field } = group ?? {}
  if (!fill || field?.joins.length !== 0 || field.name !== `${time}_${field.bucket}`)
    return { args, hint: null }
  const condition = isObject(filters) ? filters[time] : undefined
  const operators = isObject(condition) ? Object.keys(condition) : condition === undefined ? [] : ['eq']
  const bounds = (names: readonly string[]) => operators.some((name) => names.includes(name))
  if (since === undefined && !bounds(['gte', 'gt', 'eq']))
    throw new AskError('fill needs a time to begin with: add since, such as "last 7 days".')
  if (until !== undefined || bounds(['lte', 'lt', 'eq'])) return { args, hint: null }
  return { args: { ...args, until: 'today' }, hint: 'fill ends today, because there is no until.' }
}
