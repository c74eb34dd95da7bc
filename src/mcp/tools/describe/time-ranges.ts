/** The range of a collection's main time, read from both ends of its index, and the records that have none. */
import { formatInstant, parseInstant } from '../../../util/instant.ts'
import { mayLackTime } from '../../filters/side-counts.ts'
import { EnumValue, printField, type Selection } from '../../graphql/graphql-text.ts'
import type { Subject } from '../../words/collections.ts'
import { firstDay } from '../../words/days.ts'
import type { Json } from '../tool.ts'

export interface TimeRange {
  /** In UTC; null if no record has a time. */
  readonly oldest: string | null
  readonly newest: string | null
  /** Number of records without a time. */
  readonly undated: number
}

/** `name` begins the aliases, so that one operation may have several ranges. */
export function selectRange(name: string, subject: Subject): Selection {
  const { collection, time } = subject
  const ends = [
    ['newest', 'DESC'],
    ['oldest', 'ASC'],
  ] as const
  const pages = ends.map(([end, direction]) => {
    const list = printField(collection.rootField, {
      first: 1,
      where: { [time]: { gte: firstDay } },
      sortBy: [{ field: new EnumValue(time), direction: new EnumValue(direction) }],
    })
    return [`${name}_${end}: ${list}`, { nodes: { [time]: {} } }] as const
  })
  const none = printField(`${collection.rootField}Aggregate`, { where: { [time]: { isNull: true } } })
  return {
    ...Object.fromEntries(pages),
    ...(mayLackTime(subject) && { [`${name}_undated: ${none}`]: { count: {} } }),
  }
}

/** Null if the range was not asked for. */
export function readRange(data: Json, name: string, { time }: Subject): TimeRange | null {
  if (data[`${name}_newest`] === undefined) return null
  const timeOf = (end: string) => {
    const [node] = (data[`${name}_${end}`] as { readonly nodes: readonly Json[] }).nodes
    const instant = node === undefined ? null : parseInstant(String(node[time]))
    return instant === null ? null : formatInstant(instant)
  }
  const { count } = (data[`${name}_undated`] ?? { count: 0 }) as { readonly count: number }
  return { oldest: timeOf('oldest'), newest: timeOf('newest'), undated: count }
}
