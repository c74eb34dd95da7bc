/** Parses time ranges as people write them, in UTC and relative to a given time. */
import { nearest } from '../util/text/nearest.ts'
import { formatInstant, parseInstant } from '../util/instant.ts'
import { type CalendarUnit, moved, startOf } from '../util/time/calendar.ts'
import { AskError } from './ask-error.ts'

/** From `start` to `end`, both RFC 3339; an instant has equal `start` and `end`. */
export interface Stretch {
  readonly start: string
  readonly end: string
  /** True for an instant and for a range until now: in an archive, that is the time of the newest record. */
  readonly includesEnd: boolean
}

const counted = /^(?:last|past) (\d+) (hour|day|week|month|year)s?$/
const ago = /^(\d+) (hour|day|week|month|year)s? ago$/

const examples =
  'Write a date such as "2026-11-16", a month "2026-11", RFC 3339, "today", "yesterday", "this week", "last month", "last 7 days" or "3 days ago"'
const known = [
  'today',
  'yesterday',
  ...['this', 'last'].flatMap((which) => ['week', 'month', 'year'].map((unit) => `${which} ${unit}`)),
  'last 24 hours',
  'last 7 days',
  'last 30 days',
  '3 days ago',
]

/** Throws an AskError if the text is not a time. */
export function parseStretch(text: string, now: Date): Stretch {
  const words = foldWords(text)
  const found = namedStretch(words, now) ?? writtenStretch(text.trim())
  if (found !== null) return found
  const near = nearest(words, known)
  const reason = reasonOf(text.trim(), words) ?? (near === null ? '' : `; "${near}" is`)
  throw new AskError(`"${text.slice(0, 80)}" is not a time${reason}. ${examples}.`)
}

/** What is wrong with a text that looks like a time; null if it does not. */
function reasonOf(text: string, words: string): string | null {
  if (counted.test(words) || ago.test(words)) return ': it is before the year 0001'
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return ': there is no such day'
  if (/^\d{4}-\d\d$/.test(text)) return ': there is no such month'
  const [, day, minute, second, zone] =
    /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)?$/.exec(text) ?? []
  if (day === undefined) return null
  const whole = `${day}T${minute}${second ?? ':00'}${zone ?? 'Z'}`
  if (parseInstant(whole) === null) return ': there is no such moment'
  const missing = [
    ...(second === undefined ? ['seconds'] : []),
    ...(zone === undefined ? ['a time zone'] : []),
  ]
  return missing.length === 0 ? null : ` without ${missing.join(' and ')}: write "${whole}"`
}

/** Whether any text of a JSON value is a time that counts from now, such as "last 7 days". */
export function isRelative(value: unknown): boolean {
  if (typeof value === 'string') return namedStretch(foldWords(value), new Date()) !== null
  return typeof value === 'object' && value !== null && Object.values(value).some(isRelative)
}

function foldWords(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
}

function namedStretch(words: string, at: Date): Stretch | null {
  const now = at.getTime()
  if (words === 'now') return stretch(now, now, true)
  if (words === 'today') return unitAt('day', now)
  if (words === 'yesterday') return unitAt('day', moved('day', now, -1))
  const [, which, named] = /^(this|last|past|previous) (week|month|year)$/.exec(words) ?? []
  if (which !== undefined) {
    const unit = named as CalendarUnit
    // From the start of the unit, because the previous month may lack the day.
    return unitAt(unit, which === 'this' ? now : moved(unit, startOf(unit, now), -1))
  }
  const [, count, unit] = counted.exec(words) ?? []
  if (count !== undefined) return stretch(moved(unit as CalendarUnit, now, -Number(count)), now, true)
  const [, back, of] = ago.exec(words) ?? []
  if (back === undefined) return null
  const then = moved(of as CalendarUnit, now, -Number(back))
  return of === 'hour' ? stretch(then, then, true) : unitAt('day', then)
}

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)

/** `March 2023` or `Mar 2023` as `2023-03`; other texts themselves. */
function withMonthNumber(text: string): string {
  const [, name = '', year = ''] = /^([a-z]{3,9})\.? (\d{4})$/i.exec(text) ?? []
  const at = name === '' ? -1 : months.findIndex((month) => month.startsWith(name.toLowerCase()))
  return at === -1 ? text : `${year}-${String(at + 1).padStart(2, '0')}`
}

/** A year, a month, a date or an instant. */
function writtenStretch(given: string): Stretch | null {
  const text = withMonthNumber(given)
  const unit = /^\d{4}$/.test(text) ? 'year' : /^\d{4}-\d\d$/.test(text) ? 'month' : 'day'
  const whole = `${text}${unit === 'year' ? '-01-01' : unit === 'month' ? '-01' : ''}`
  const instant = parseInstant(whole)
  if (instant === null) return null
  if (whole.length === 10) return unitAt(unit, Date.parse(`${whole}T00:00Z`))
  const at = formatInstant(instant)
  return { start: at, end: at, includesEnd: true }
}

function unitAt(unit: CalendarUnit, at: number): Stretch | null {
  const start = startOf(unit, at)
  return stretch(start, moved(unit, start, 1), false)
}

/** Null outside the years 0001 to 9999: datetimes have four-digit years. */
function stretch(from: number, to: number, includesEnd: boolean): Stretch | null {
  const [start, end] = [new Date(from), new Date(to)]
  const years = [start, end].map((at) => at.getUTCFullYear())
  if (!years.every((year) => year >= 1 && year <= 9999)) return null
  return { start: start.toISOString(), end: end.toISOString(), includesEnd }
}
