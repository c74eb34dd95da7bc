/** All time buckets between two moments. */
import { dayLength, type Steps } from '../util/time/zone-rules.ts'
import type { TimeBucket } from './time-buckets.ts'
import { moved, startOf } from '../util/time/calendar.ts'

const hour = 3_600
/** Of these only the order of magnitude matters. */
const longest = {
  hour,
  day: dayLength,
  week: 7 * dayLength,
  month: 31 * dayLength,
  quarter: 92 * dayLength,
  year: 366 * dayLength,
}

type Span = keyof typeof longest

/**
 * The buckets that have a moment between two seconds, both included: of hours their first moments, of others their first
 * local days, as if midnights were in UTC. Null if there are more than `most`.
 */
export function bucketsBetween(
  { unit, weekStart, zone }: TimeBucket & { readonly unit: Span },
  first: number,
  last: number,
  most: number,
): readonly number[] | null {
  if (first > last) return []
  if ((last - first) / longest[unit] > 2 * most) return null
  const offsets = (zone?.offsets ?? [{ from: Number.NEGATIVE_INFINITY, value: 0 }]).filter(
    ({ from }, index, all) => from <= last && (all[index + 1]?.from ?? Number.POSITIVE_INFINITY) > first,
  )
  const parts = offsets.map((offset, index) => ({
    offset,
    from: Math.max(first, offset.from),
    to: Math.min(last, (offsets[index + 1]?.from ?? Number.POSITIVE_INFINITY) - 1),
  }))
  if (unit === 'hour') {
    const hours = parts.flatMap(({ offset, from, to }) => hoursOf(offset, from, to))
    return hours.length > most ? null : hours
  }
  const local = parts.flatMap(({ offset, from, to }) => [from + offset.value, to + offset.value])
  const isSkipped = (day: number): boolean =>
    unit === 'day' &&
    (zone?.days.findLast(({ from }) => from <= day / dayLength)?.value.after ?? 0) >= dayLength
  const days: number[] = []
  const end = 1_000 * Math.max(...local)
  for (let at = startOf(unit, 1_000 * Math.min(...local), weekStart); at <= end; at = moved(unit, at, 1)) {
    const day = at / 1_000
    if (!isSkipped(day)) days.push(day)
    if (days.length > most) return null
  }
  return days
}

/** An hour begins with the offset if this begins within it. */
function hoursOf({ from: start, value: offset }: Steps<number>[number], from: number, to: number): number[] {
  const hours: number[] = []
  const begin = Math.floor((from + offset) / hour) * hour - offset
  for (let moment = begin; moment <= to; moment += hour) hours.push(Math.max(moment, start))
  return hours
}
