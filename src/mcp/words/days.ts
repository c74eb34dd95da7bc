/** Times of records as days of UTC, and the first and the last time of records. */
import { EnumValue, leaves, printField, type Selection } from '../../ask/graphql-text.ts'
import type { Subject } from '../../ask/collections.ts'
import { allOf, type Where } from '../../ask/where.ts'
import { formatInstant, instantText, parseInstant } from '../../util/instant.ts'
import type { Json } from '../../util/is-object.ts'
import { mayLackTime } from './side-counts.ts'

/** No record has an earlier time, so that a bound here leaves out the records without a time. */
const firstDay = '0001-01-01T00:00:00Z'

/** Such as `2026-11-15`; a text that is not a time stays as it is. */
export function dayOf(time: unknown): string {
  const instant = parseInstant(String(time))
  return instant === null ? String(time) : formatInstant(instant).slice(0, 10)
}

/** Selects the record at one end of the main time of a collection, among those that meet the conditions. */
export function selectEnd(
  alias: string,
  { collection, time }: Subject,
  direction: 'ASC' | 'DESC',
  { search, where = {} }: { readonly search?: string | undefined; readonly where?: Where } = {},
): Selection {
  const list = printField(collection.rootField, {
    first: 1,
    search,
    where: allOf([where, { [time]: { gte: firstDay } }]),
    sortBy: [{ field: new EnumValue(time), direction: new EnumValue(direction) }],
  })
  return { [`${alias}: ${list}`]: { nodes: leaves(time) } }
}

/** Microseconds; null if no record was found. */
export function readEnd(data: Json, alias: string, { time }: Subject): bigint | null {
  const [node] = (data[alias] as { readonly nodes: readonly Json[] }).nodes
  return node === undefined ? null : parseInstant(String(node[time]))
}

export type TimeRange = NonNullable<ReturnType<typeof readRange>>

/** `name` begins the aliases, so that one operation may have several ranges. */
export function selectRange(name: string, subject: Subject): Selection {
  const { collection, time } = subject
  const none = printField(`${collection.rootField}Aggregate`, { where: { [time]: { isNull: true } } })
  return {
    ...selectEnd(`${name}_newest`, subject, 'DESC'),
    ...selectEnd(`${name}_oldest`, subject, 'ASC'),
    ...(mayLackTime(subject) && { [`${name}_undated: ${none}`]: { count: {} } }),
  }
}

/** The range of the main time in UTC, null if no record has one, and the number without; null if it was not asked for. */
export function readRange(data: Json, name: string, subject: Subject) {
  if (data[`${name}_newest`] === undefined) return null
  const timeOf = (end: string) => instantText(readEnd(data, `${name}_${end}`, subject))
  const { count } = (data[`${name}_undated`] ?? { count: 0 }) as { readonly count: number }
  return { oldest: timeOf('oldest'), newest: timeOf('newest'), undated: count }
}
