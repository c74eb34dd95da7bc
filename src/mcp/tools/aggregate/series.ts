/** Series in time: groups without records, changes from group to group, and groups in which the data begin or end. */
import { isObject, type Json } from '../../../util/is-object.ts'
import { leafPath } from '../../../schema/model/leaves.ts'
import { isTimePart, measureFields, wherePath } from '../../../schema/model/operators.ts'
import type { Group } from '../../../ask/groups.ts'
import type { Subject } from '../../../ask/collections.ts'
import { leaves, type Selection } from '../../../ask/graphql-text.ts'
import { holderAfter, parsePath, type SchemaContext } from '../../../ask/paths.ts'
import type { Where } from '../../../ask/where.ts'
import type { Table } from './aggregate-table.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { AggregateArguments, Column } from './columns.ts'

const change = 'change'

export const changeColumn: Column = {
  title: change,
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

/** The moments between which there are data, as an aggregate with this alias; empty where nothing is grouped by time. */
export function selectSpan(groups: readonly Group[], subject: Subject, context: SchemaContext): Selection {
  const group = timeGroup(groups)
  if (group === null) return {}
  const path = wherePath(group.field, context.catalogue.model).join('.')
  const holder = holderAfter(parsePath(path, subject.collection, context).steps, subject.collection)
  const own = leafPath(group.field.leaf).join('.')
  const name = measureFields(holder).find(({ leaf }) => leafPath(leaf).join('.') === own)?.name
  return name === undefined
    ? {}
    : { [`span: ${holder.rootField}Aggregate`]: { min: leaves(`at: ${name}`), max: leaves(`at: ${name}`) } }
}

/** The times of groups in which the data, or the times that are asked for, begin or end. */
export function incompleteTimes(
  groups: readonly Group[],
  rows: readonly Json[],
  { span }: Json,
  where: Where | null,
  { catalogue, now }: SchemaContext & { readonly now: () => Date },
): ReadonlySet<unknown> {
  const group = timeGroup(groups)
  if (group === null || span === undefined) return new Set()
  const { min, max } = span as { readonly min: Json; readonly max: Json }
  const path = wherePath(group.field, catalogue.model)
  const asked = path.reduce<unknown>((inside, name) => (isObject(inside) ? inside[name] : undefined), where)
  const { gte, gt, lt, lte } = isObject(asked) ? asked : {}
  const at = (...times: readonly unknown[]) =>
    times.flatMap((time) => (typeof time === 'string' ? Date.parse(time) : []))
  const first = Math.max(...at(min['at'], gte, gt))
  const last = Math.min(...at(max['at'], lt, lte), now().getTime())
  const keys = rows.map((row) => row[group.field.name])
  return new Set(
    keys.filter((key) => {
      const start = Date.parse(String(key))
      return start < first || endOf(String(key), start, group.field.bucket) > last
    }),
  )
}

function timeGroup(groups: readonly Group[]): Group | null {
  const isTime = ({ field: { bucket } }: Group) => bucket !== null && !isTimePart(bucket)
  return groups.find(isTime) ?? null
}

/** The moment at which the next group begins, in the local time that the key is written in. */
function endOf(key: string, start: number, bucket: Group['field']['bucket']): number {
  if (bucket === 'hour') return start + 3_600_000
  const day = new Date(`${key.slice(0, 10)}T00:00:00Z`)
  const next = new Date(day)
  if (bucket === 'day' || bucket === 'week') next.setUTCDate(day.getUTCDate() + (bucket === 'day' ? 1 : 7))
  else next.setUTCMonth(day.getUTCMonth() + (bucket === 'month' ? 1 : bucket === 'quarter' ? 3 : 12))
  return start + (next.getTime() - day.getTime())
}

/** The table without changes from or to a time that is incomplete. */
export function withoutPartialChanges(table: Table, incomplete: ReadonlySet<unknown>): Table {
  const at = table.columns.indexOf(change)
  if (at === -1) return table
  const isPartial = (row: readonly unknown[] | undefined) => row !== undefined && incomplete.has(row[0])
  const rows = table.rows.map((row, index) =>
    isPartial(row) || isPartial(table.rows[index - 1]) ? row.with(at, null) : row,
  )
  return { ...table, rows }
}
