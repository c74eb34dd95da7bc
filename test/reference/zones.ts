/** Local time as `Intl` tells it, asked moment by moment: no rules are kept. */
import { type Bucket, parseInstant, startOf } from './values.ts'

export const weekdays = [
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
  'SUNDAY',
] as const

export interface TimeFrame {
  readonly timeZone?: string
  readonly weekStart?: (typeof weekdays)[number]
}

const second = 1_000_000n
const minute = 60n * second
const hour = 60n * minute
const day = 24n * hour

const [secondDay, lastDay] = [parseInstant('0001-01-02'), parseInstant('9999-12-31')]
const [firstKnown, lastKnown] = [parseInstant('1900-01-01'), parseInstant('2100-01-01')]
const formats = new Map<string, Intl.DateTimeFormat>()

/** Local time minus UTC. */
function offsetAt(timeZone: string, instant: bigint): bigint {
  // On the first and the last day of all instants, clocks are those of UTC.
  if (instant < secondDay || instant >= lastDay) return 0n
  const known = instant < firstKnown ? firstKnown : instant > lastKnown ? lastKnown : instant
  const whole = known - (((known % second) + second) % second)
  let format = formats.get(timeZone)
  if (format === undefined) {
    const numbers = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
    const clock = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const
    format = new Intl.DateTimeFormat('en', { timeZone, ...numbers, ...clock })
    formats.set(timeZone, format)
  }
  const parts = new Map(
    format.formatToParts(Number(whole / 1000n)).map(({ type, value }) => [type, Number(value)]),
  )
  const of = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return BigInt(local) * 1000n - whole
}

/** Local time, as if it were in UTC. */
export function localTime({ timeZone }: TimeFrame, instant: bigint): bigint {
  return timeZone === undefined ? instant : instant + offsetAt(timeZone, instant)
}

/** The first moment of the bucket that a moment falls into. */
export function firstMoment(frame: TimeFrame, bucket: Bucket, instant: bigint): bigint {
  const { timeZone, weekStart = 'MONDAY' } = frame
  const local = localTime(frame, instant)
  const start = bucket === 'week' ? startOfWeek(local, weekdays.indexOf(weekStart)) : startOf(bucket, local)
  if (timeZone === undefined) return later(start, beginning)
  return bucket === 'hour' ? firstOfHour(timeZone, start, local, instant) : firstFrom(timeZone, start)
}

const beginning = parseInstant('0001-01-01')

function startOfWeek(local: bigint, first: number): bigint {
  let start = startOf('day', local)
  while ((new Date(Number(start / 1000n)).getUTCDay() + 6) % 7 !== first) start -= day
  return start
}

/** An hour ends where the offset changes. */
function firstOfHour(timeZone: string, start: bigint, local: bigint, instant: bigint): bigint {
  const offset = offsetAt(timeZone, instant)
  let moment = instant - (local - start)
  while (offsetAt(timeZone, moment) !== offset) {
    // A minute at a time, then a second at a time.
    const next = moment + minute
    moment = next <= instant && offsetAt(timeZone, next) !== offset ? next : moment + second
  }
  return moment
}

const found = new Map<string, bigint>()

/** The first moment on or after a local midnight, where clocks are changed sought in minutes and then in seconds. */
function firstFrom(timeZone: string, midnight: bigint): bigint {
  const id = `${timeZone} ${midnight}`
  const moment = found.get(id) ?? seekMidnight(timeZone, midnight)
  found.set(id, moment)
  return moment
}

function seekMidnight(timeZone: string, midnight: bigint): bigint {
  const earliest = midnight - 16n * hour
  const offsets = Array.from({ length: 33 }, (_, hours) =>
    offsetAt(timeZone, earliest + BigInt(hours) * hour),
  )
  const [offset = 0n] = offsets
  if (offsets.every((other) => other === offset)) return later(midnight - offset, beginning)
  const isReached = (moment: bigint) => moment + offsetAt(timeZone, moment) >= midnight
  let moment = later(earliest, beginning)
  while (!isReached(moment)) moment += minute
  moment = later(moment - minute, beginning)
  while (!isReached(moment)) moment += second
  return moment
}

/** Every bucket with a moment between two, found by looking at moments close to each other. */
export function bucketsBetween(
  frame: TimeFrame,
  bucket: Bucket,
  { first, last }: { readonly first: bigint; readonly last: bigint },
): bigint[] {
  const step = frame.timeZone === undefined || bucket !== 'hour' ? hour / 4n : minute
  const starts = new Set<bigint>()
  for (let moment = first; moment < last; moment += step) starts.add(firstMoment(frame, bucket, moment))
  if (first <= last) starts.add(firstMoment(frame, bucket, last))
  return [...starts]
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** In local time, with the offset in whole minutes, rounded up. */
export function printLocal(timeZone: string, moment: bigint): string {
  const exact = offsetAt(timeZone, moment)
  let offset = (exact / minute) * minute
  if (offset < exact) offset += minute
  const size = Number((offset < 0n ? -offset : offset) / minute)
  const clock = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0')).join(':')
  const text = new Date(Number((moment + offset) / 1000n)).toISOString().slice(0, 19)
  return `${text}${offset < 0n ? '-' : '+'}${clock}`
}
