/** Parses time ranges as people write them, in UTC and relative to a given time. */
import { editDistance } from '../util/text/nearest.ts'
import { formatInstant, parseInstant } from '../util/instant.ts'
import { type CalendarUnit, moved, startOf } from '../util/time/calendar.ts'
import { isObject } from '../util/is-object.ts'
import { AskError } from './ask-error.ts'

/** From `start` to `end`, both RFC 3339; an instant has equal `start` and `end`. */
export interface Stretch {
  readonly start: string
  readonly end: string
  /** True for an instant and for a range until now: in an archive, that is the time of the newest record. */
  readonly includesEnd: boolean
}

const units = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']
const unit = `(${units.join('|')})`
const counted = new RegExp(`^(?:last|past|previous) (\\d+) ${unit}s?$`)
/** What stands before a period that ends now, without its number. */
const single = new RegExp(`^(past (?=${unit}$)|last (?=(?:minute|hour|day)$))`)
const ago = new RegExp(`^(\\d+) ${unit}s? ago$`)

const examples =
  'Write a date such as "2026-11-16", a month "2026-11", RFC 3339, "today", "yesterday", "this week", "last month", "last 7 days", "past hour" or "3 days ago"'
const known = [
  'today',
  'yesterday',
  ...['this', 'last', 'past'].flatMap((which) => ['week', 'month', 'year'].map((each) => `${which} ${each}`)),
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
  const meant = meantTime(words)
  const reason = reasonOf(text.trim(), words) ?? (meant === null ? '' : `; "${meant}" is`)
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

/** The times of a JSON value that count from now, such as "last 7 days", with the operators that they are under. */
export function relativeTimes(
  value: unknown,
  operator = 'eq',
): readonly (readonly [text: string, operator: string])[] {
  if (typeof value === 'string')
    return namedStretch(foldWords(value), new Date()) === null ? [] : [[value, operator]]
  if (Array.isArray(value)) return value.flatMap((each) => relativeTimes(each, operator))
  return isObject(value) ? Object.entries(value).flatMap(([name, each]) => relativeTimes(each, name)) : []
}

/** `2026-11-09 to 2026-11-15`, or the bound that an operator takes; moments, to the second, if not of whole days. */
export function printStretch({ start, end, includesEnd }: Stretch, operator = 'eq'): string {
  const last = includesEnd ? end : new Date(Date.parse(end) - 1).toISOString()
  const isOfDays = !includesEnd && [start, end].every((at) => at.endsWith('T00:00:00.000Z'))
  const [from, to] = [start, last].map((at) => (isOfDays ? at.slice(0, 10) : at.replace(/\.\d+/, '')))
  switch (operator) {
    case 'gte':
      return `from ${from}`
    case 'lt':
      return `before ${from}`
    case 'lte':
      return `until ${to}`
    case 'gt':
      return `after ${to}`
    default:
      return from === to ? `${from}` : `${from} to ${to}`
  }
}

const numbers = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** "In the past two weeks" as "past 2 weeks"; "past week" as "past 1 week", and so "last day", which is not yesterday alone. */
function foldWords(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .replace(/^(?:(?:in|within|over|during) (?=(?:the )?(?:past|last|previous) ))?(?:the )?(?=\S)/, '')
    .replace(/^current /, 'this ')
    .replace(/\ban? (?=\w+ ago$)/, '1 ')
    .replaceAll(/\b[a-z]+\b/g, (word) => (numbers.includes(word) ? String(numbers.indexOf(word) + 1) : word))
    .replace(single, '$11 ')
}

function namedStretch(words: string, at: Date): Stretch | null {
  const now = at.getTime()
  if (words === 'now') return stretch(now, now, true)
  const day = ['yesterday', 'today', 'tomorrow'].indexOf(words)
  if (day !== -1) return unitAt('day', moved('day', now, day - 1))
  const [, which, named] = /^(this|last|previous) (hour|day|week|month|quarter|year)$/.exec(words) ?? []
  if (which !== undefined) {
    const unit = named as CalendarUnit
    // From the start of the unit, because the previous month may lack the day.
    return unitAt(unit, which === 'this' ? now : moved(unit, startOf(unit, now), -1))
  }
  const [, count, unit] = counted.exec(words) ?? []
  if (count !== undefined) return stretch(earlier(unit, now, Number(count)), now, true)
  const [, back, of] = ago.exec(words) ?? []
  if (back === undefined) return null
  const then = earlier(of, now, Number(back))
  return of === 'minute' || of === 'hour' ? stretch(then, then, true) : unitAt('day', then)
}

function earlier(unit: string | undefined, at: number, count: number): number {
  return unit === 'minute' ? at - count * 60_000 : moved(unit as CalendarUnit, at, -count)
}

/** A time that the text may mean, by its words or with one letter wrong; null if it is like none. */
function meantTime(words: string): string | null {
  const [, count, written = '', back] =
    /^(?:(?:last|past|previous|now) ?-? ?)?(\d+) ?([a-z]+?)s?( ago| before)?$/.exec(words) ?? []
  const isMonth = written.length > 2 && months.some((name) => name.startsWith(written))
  const of = written === 'hr' ? 'hour' : units.find((each) => written !== '' && each.startsWith(written))
  const named = of ?? units.find((each) => !isMonth && editDistance(written, each, 1, true) !== null)
  if (named !== undefined && Number(count) > 0) {
    const much = `${Number(count)} ${named}${Number(count) === 1 ? '' : 's'}`
    return back === undefined ? `last ${much}` : `${much} ago`
  }
  return known.find((each) => editDistance(words, each, 1, true) !== null) ?? null
}

const months = 'january february march april may june july august september october november december'.split(
  ' ',
)

/** `March 2023` or `Mar 2023` as `2023-03`, `5 March 2023` and `March 5, 2023` as `2023-03-05`; other texts themselves. */
function withMonthNumber(text: string): string {
  const [, before, name = '', behind, year = ''] =
    /^(?:(\d\d?) )?([a-z]{3,9})\.?(?: (\d\d?),?)? (\d{4})$/i.exec(text) ?? []
  const at = name === '' ? -1 : months.findIndex((month) => month.startsWith(name.toLowerCase()))
  if (at === -1 || (before !== undefined && behind !== undefined)) return text
  const day = before ?? behind
  return [year, String(at + 1), ...(day === undefined ? [] : [day])]
    .map((each) => each.padStart(2, '0'))
    .join('-')
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
  const found = stretch(start, moved(unit, start, 1), false)
  // What follows on the last day, month or year is no time: these include their end.
  const last = found === null ? stretch(start, start, true) : null
  return last?.start.startsWith('9999-') ? { ...last, end: '9999-12-31T23:59:59.999999Z' } : found
}

/** Null outside the years 0001 to 9999: datetimes have four-digit years. */
function stretch(from: number, to: number, includesEnd: boolean): Stretch | null {
  const [start, end] = [new Date(from), new Date(to)]
  const years = [start, end].map((at) => at.getUTCFullYear())
  if (!years.every((year) => year >= 1 && year <= 9999)) return null
  return { start: start.toISOString(), end: end.toISOString(), includesEnd }
}
