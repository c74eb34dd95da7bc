/** Periods of time in UTC, as groups have them: a period is named by its first moment, in milliseconds since 1970. */
import { parseInstant } from '../../util/instant.ts'
import { moved, startOf } from '../../util/time/calendar.ts'
import type { Language } from '../languages/language.ts'
import { isDate } from '../../ask/where.ts'
import { valuesOf, type View, withCondition } from '../view/view.ts'
import type { ShownField } from '../fields/shown-field.ts'

/** 0001-01-01 and 9999-12-31: addresses and filters have years from 0001 to 9999. */
export const firstDay = -62_135_596_800_000
const lastDay = 253_402_214_400_000

export const periods = ['hour', 'day', 'week', 'month', 'year'] as const
export type Period = (typeof periods)[number]

const hour = 3_600_000
const day = 24 * hour

/** A chart shows no more. */
export const mostPeriods = 400

/** In milliseconds since 1970; null for what is none. */
export function momentOf(time: unknown): number | null {
  const instant = typeof time === 'string' ? parseInstant(time) : null
  return instant === null ? null : Number(instant / 1000n)
}

/** One that divides so many milliseconds into at most about a hundred. */
export function periodFor(span: number): Period {
  if (span <= 2 * day) return 'hour'
  if (span <= 93 * day) return 'day'
  if (span <= 93 * 7 * day) return 'week'
  return span <= 120 * 31 * day ? 'month' : 'year'
}

/** In milliseconds, the shortest. */
const lengths = { hour, day, week: 7 * day, month: 28 * day, year: 365 * day }

/** All periods from that of `first` to that of `last`, but only the last so many. */
export function periodsBetween(period: Period, first: number, last: number, most: number): readonly number[] {
  const starts: number[] = []
  const end = startOf(period, last)
  // Periods that would be left out are not made: bounds may be thousands of years apart.
  const from = Math.max(first, end - (most + 1) * lengths[period] * 1.12)
  for (let at = startOf(period, from); at <= end; at = moved(period, at, 1)) starts.push(at)
  return starts.slice(-most)
}

export function periodLabel(period: Period, start: number, { tag }: Language): string {
  return periodFormat(period, tag).format(start)
}

const date = { year: 'numeric', month: 'short', day: 'numeric' } as const
const formats: Readonly<Record<Period, Intl.DateTimeFormatOptions>> = {
  hour: { ...date, hour: 'numeric', minute: '2-digit' },
  day: date,
  week: date,
  month: { year: 'numeric', month: 'short' },
  year: { year: 'numeric' },
}
/** By period and language: making one takes longer than a hundred labels. */
const periodFormats = new Map<string, Intl.DateTimeFormat>()

export function periodFormat(period: Period, tag: string): Intl.DateTimeFormat {
  const key = `${period} ${tag}`
  const format =
    periodFormats.get(key) ?? new Intl.DateTimeFormat(tag, { ...formats[period], timeZone: 'UTC' })
  periodFormats.set(key, format)
  return format
}

/** The date in UTC; of a moment before or after those that filters can have, the first or the last date. */
export function dateText(at: number): string {
  return new Date(Math.min(Math.max(at, firstDay), lastDay)).toISOString().slice(0, 10)
}

/** The bounds of the periods from one to another: what follows on the last day of the year 9999 has no date. */
export function boundsOfPeriods(period: Period, first: number, last: number) {
  const end = moved(period, last, 1)
  const gte = new Date(Math.max(first, firstDay)).toISOString()
  return end > lastDay
    ? { gte, lte: '9999-12-31T23:59:59.999999Z' }
    : { gte, lt: new Date(end).toISOString() }
}

/** As groups name it: `2026-11-16`, and an hour `2026-11-16T09:00:00Z`. */
export function periodText(period: Period, start: number): string {
  const text = new Date(start).toISOString()
  return period === 'hour' ? `${text.slice(0, -'.000Z'.length)}Z` : text.slice(0, -'T00:00:00.000Z'.length)
}

/** Moments, in milliseconds since 1970; the end is not included. Null where there is none. */
export interface Bounds {
  readonly from: number | null
  readonly to: number | null
}

export function isUnbounded({ from, to }: Bounds): boolean {
  return from === null && to === null
}

/** Operators of a `where`. */
export function momentsOf({ from, to }: Bounds): Readonly<Record<string, string>> {
  return {
    ...(from !== null && { gte: new Date(Math.max(from, firstDay)).toISOString() }),
    ...(to !== null && to <= lastDay && { lt: new Date(to).toISOString() }),
  }
}

/** Whether the bounds cut the period, or it is not over yet. */
export function isPartial(period: Period, start: number, { from, to }: Bounds, now: number): boolean {
  const end = moved(period, start, 1)
  return (from !== null && from > start) || (to !== null && to < end) || (start <= now && now < end)
}

/** The bounds of the view on the field. */
export function boundsOf(view: View, field: ShownField): Bounds {
  const at = (text: string | undefined) => momentOf(text?.trim())
  const [to] = valuesOf(view, field.name, 'to')
  const end = at(to)
  return {
    from: at(valuesOf(view, field.name, 'from')[0]),
    to: end === null ? null : end + (isDate(to?.trim() ?? '') ? day : 1),
  }
}

/** The view of one period, or of what its bounds leave of it. */
export function viewOfPeriod(view: View, field: ShownField, period: Period, start: number): View {
  const bounds = boundsOf(view, field)
  const end = moved(period, start, 1)
  const from = period === 'hour' ? periodText(period, start) : dateText(start)
  const to =
    period === 'hour' ? `${new Date(end - 1).toISOString().slice(0, 19)}.999999Z` : dateText(end - day)
  const given = (operator: 'from' | 'to') => valuesOf(view, field.name, operator)
  const keepsFrom = bounds.from !== null && bounds.from > start
  const keepsTo = bounds.to !== null && bounds.to < end
  const begun = withCondition(view, { field, operator: 'from', values: keepsFrom ? given('from') : [from] })
  return withCondition(begun, { field, operator: 'to', values: keepsTo ? given('to') : [to] })
}
