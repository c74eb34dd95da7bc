/** Series in time: groups without records, changes from group to group, and groups in which the data begin or end. */
import { isObject, type Json, valueAt } from '../../../util/is-object.ts'
import { type CalendarUnit, moved } from '../../../util/time/calendar.ts'
import { leafPath } from '../../../schema/model/leaves.ts'
import { isTimePart, measureFields, wherePath } from '../../../schema/model/operators.ts'
import type { Group } from '../../../ask/groups.ts'
import type { Subject } from '../../../ask/collections.ts'
import { leaves, type Selection } from '../../../ask/graphql-text.ts'
import { holderAfter, parsePath, type SchemaContext } from '../../../ask/paths.ts'
import type { Where } from '../../../ask/where.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { IndexRead } from '../toolbox.ts'
import type { AggregateArguments, Column, Table } from './columns.ts'

const change = 'change'

export const changeColumn: Column = {
  title: change,
  select: { change: {} },
  read: ({ change }) => change,
}

/**
 * The arguments of a series by the main time that `fill` makes whole: until today, unless they say how long. Throws an
 * AskError if they do not say from when, or if `fill` or `change` is given with groups that are not series.
 */
export function boundSeries(
  args: AggregateArguments,
  groups: readonly Group[],
  { time }: Subject,
): AggregateArguments {
  const { fill = false, change = false, unusual, filters, since, until } = args
  const asked = fill ? 'fill' : change ? 'change' : null
  const isSeries = groups.filter(isTime).length === 1 && !(fill && groups.length > 1)
  if (asked !== null && !isSeries)
    throw new AskError(`${asked} is for one time in by, such as ["${time}:day"]; leave it out otherwise.`)
  if (asked !== null && unusual !== undefined)
    throw new AskError(`${asked} and unusual exclude each other: unusual groups are not series.`)
  const { field } = groups[0] ?? {}
  if (!fill || field?.joins.length !== 0 || field.name !== `${time}_${field.bucket}`) return args
  const condition = isObject(filters) ? filters[time] : undefined
  const operators = isObject(condition) ? Object.keys(condition) : condition === undefined ? [] : ['eq']
  const bounds = (names: readonly string[]) => operators.some((name) => names.includes(name))
  if (since === undefined && !bounds(['gte', 'gt', 'eq']))
    throw new AskError('fill needs a time to begin with: add since, such as "last 7 days".')
  return until !== undefined || bounds(['lte', 'lt', 'eq']) ? args : { ...args, until: 'today' }
}

/** The moments between which there are data, as an aggregate with this alias; empty where nothing is grouped by time. */
export function selectSpan(groups: readonly Group[], subject: Subject, context: SchemaContext): Selection {
  const group = groups.find(isTime)
  if (group === undefined) return {}
  const path = wherePath(group.field, context.catalogue.model).join('.')
  const holder = holderAfter(parsePath(path, subject.collection, context).steps, subject.collection)
  const own = leafPath(group.field.leaf).join('.')
  const name = measureFields(holder).find(({ leaf }) => leafPath(leaf).join('.') === own)?.name
  return name === undefined
    ? {}
    : { [`span: ${holder.rootField}Aggregate`]: { min: leaves(`at: ${name}`), max: leaves(`at: ${name}`) } }
}

/**
 * Ranges of the times of groups in which the data, or the times that are asked for, begin or end, or that are outside
 * them; these times and the next have no change.
 */
export function partialTimes(
  groups: readonly Group[],
  rows: readonly Json[],
  { data: { span }, asOf }: IndexRead,
  where: Where | null,
  { catalogue, now }: SchemaContext & { readonly now: () => Date },
): { readonly incomplete: readonly string[]; readonly unchanged: ReadonlySet<unknown> } {
  const group = groups.find(isTime)
  if (group === undefined || span === undefined) return { incomplete: [], unchanged: new Set() }
  const { min, max } = span as { readonly min: Json; readonly max: Json }
  const asked = valueAt(where, wherePath(group.field, catalogue.model))
  const { gte, gt, lt, lte } = isObject(asked) ? asked : {}
  const at = (...times: readonly unknown[]) =>
    times.flatMap((time) => (typeof time === 'string' ? Date.parse(time) : []))
  const first = Math.max(...at(min['at'], gte, gt))
  const last = Math.min(...at(max['at'], lt, lte, asOf), now().getTime())
  const { name, bucket } = group.field
  const keys = new Set(rows.flatMap((row) => (typeof row[name] === 'string' ? row[name] : [])))
  const times = [...keys].sort((one, other) => Date.parse(one) - Date.parse(other))
  const isEarly = (key: string) => Date.parse(key) < first
  const isPartial = (key: string | undefined) =>
    key !== undefined && (isEarly(key) || beside(key, bucket, 1) > last)
  // The time before may be in no row, because it has no records, or because of the order and the page.
  const isNext = (key: string, before: string | undefined) =>
    isPartial(before) || beside(key, bucket, -1) < first
  return {
    incomplete: [
      ...rangeOf(times.filter(isEarly)),
      ...rangeOf(times.filter((key) => !isEarly(key) && isPartial(key))),
    ],
    unchanged: new Set(times.filter((key, place) => isPartial(key) || isNext(key, times[place - 1]))),
  }
}

/** All times from the first to the last, also those that are in no row. */
function rangeOf(times: readonly string[]): readonly string[] {
  const [first, last] = [times[0], times.at(-1)]
  return first === undefined ? [] : [first === last ? first : `${first} to ${last}`]
}

function isTime({ field: { bucket } }: Group): boolean {
  return bucket !== null && !isTimePart(bucket)
}

/** The moment at which the group after or before begins, in the local time that the key is written in. */
function beside(key: string, bucket: Group['field']['bucket'], steps: 1 | -1): number {
  const day = Date.parse(`${key.slice(0, 10)}T00:00:00Z`)
  return Date.parse(key) + (moved(bucket as CalendarUnit, day, steps) - day)
}

/** The table without changes from or to a time that is incomplete. */
export function withoutPartialChanges(
  table: Table,
  groups: readonly Group[],
  { unchanged }: ReturnType<typeof partialTimes>,
): Table {
  const [at, time] = [table.columns.indexOf(change, groups.length), groups.findIndex(isTime)]
  if (at === -1) return table
  return { ...table, rows: table.rows.map((row) => (unchanged.has(row[time]) ? row.with(at, null) : row)) }
}
