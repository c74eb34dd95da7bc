/**
 * The rules of a time zone, found by its name and by asking `Intl` for local times. They are exact for instants from 1900 to
 * 2100; the offsets at these bounds hold before and after. Times are seconds since 1970.
 */
import { nearest } from '../text/nearest.ts'

/** Of a local day: usually midnight, later where clocks skip midnight or a whole day. */
interface FirstMoment {
  /** Seconds of local time from the day's midnight to the moment, which is on a later day if the day was left out. */
  readonly after: number
  readonly offset: number
}

/** A function that is constant from each position, in order, to the next; the first is -Infinity. */
export type Steps<Value> = readonly { readonly from: number; readonly value: Value }[]

/** Seconds. */
export const dayLength = 86_400

export interface ZoneRules {
  /** Its canonical name. */
  readonly name: string
  /** Local time minus UTC, by instants. */
  readonly offsets: Steps<number>
  /** The first moments of local days, by the number of the day since 1970-01-01. */
  readonly days: Steps<FirstMoment>
}

const firstExact = Date.UTC(1900, 0) / 1_000
const lastExact = Date.UTC(2100, 0) / 1_000
/** Shorter than an offset has held since 1900; the shortest, of Freetown in 1939, has not quite four days. */
const longestStep = 3 * dayLength
/** The first and the last day of all instants are those of UTC, so that local times have years from 1 to 9999. */
const secondDay = Date.parse('0001-01-02T00:00:00Z') / 1_000
const lastDay = Date.parse('9999-12-31T00:00:00Z') / 1_000

/** By canonical name; there are some 420. */
const known = new Map<string, ZoneRules>()

/** Null if there is no zone of that name. Letter case does not matter, and links lead to their zone. */
export function findZone(name: string): ZoneRules | null {
  const canonical = canonicalName(name)
  if (canonical === null) return null
  const found = known.get(canonical) ?? findZoneRules(canonical)
  known.set(canonical, found)
  return found
}

/** The names that `name` most likely misspells: as a whole, or by its city. */
export function nearestZones(name: string): readonly string[] {
  const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC']
  const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll(' ', '_')
  const city = nearest(
    cityOf(name),
    zones.map((zone) => cityOf(zone)),
  )
  const found = [nearest(name, zones), zones.find((zone) => cityOf(zone) === city)]
  return [...new Set(found.filter((zone) => zone !== null && zone !== undefined))]
}

/** `Intl` takes offsets such as `+01:00` too, which are no names. */
function canonicalName(name: string): string | null {
  if (!/^[a-z]/i.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Without changes of the offset. */
export function isUtc({ offsets }: ZoneRules): boolean {
  return offsets.every(({ value }) => value === 0)
}

/** Finding rules takes 50 ms, which only buckets need: an operation may name many zones that group nothing. */
export function findZoneRules(name: string): ZoneRules {
  let offsets: ZoneRules['offsets'] | undefined
  let days: ZoneRules['days'] | undefined
  return {
    name,
    get offsets() {
      return (offsets ??= withBounds(findOffsets(name)))
    },
    get days() {
      return (days ??= firstMoments(this.offsets))
    },
  }
}

/** From 1900 to 2100; the first has no beginning. */
function findOffsets(name: string): Steps<number> {
  const offsetAt = offsetsOf(name)
  const found = [{ from: Number.NEGATIVE_INFINITY, value: offsetAt(firstExact) }]
  let [from, offset] = [firstExact, offsetAt(firstExact)]
  while (from < lastExact) {
    const to = Math.min(from + longestStep, lastExact)
    const next = offsetAt(to)
    if (next !== offset) found.push({ from: changeBetween(from, to, offset, offsetAt), value: next })
    ;[from, offset] = [to, next]
  }
  return found
}

/** The first second with another offset than the one at `from`. */
function changeBetween(from: number, to: number, offset: number, offsetAt: (second: number) => number) {
  let [before, after] = [from, to]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(middle) === offset) before = middle
    else after = middle
  }
  return after
}

function offsetsOf(timeZone: string): (second: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (second) => {
    const [month, day, year, hour, minute, ofMinute] = (
      format.format(second * 1_000).match(/\d+/g) ?? []
    ).map(Number) as [number, number, number, number, number, number]
    return Date.UTC(year, month - 1, day, hour, minute, ofMinute) / 1_000 - second
  }
}

function withBounds([first, ...others]: Steps<number>): Steps<number> {
  return merged([
    { from: Number.NEGATIVE_INFINITY, value: 0 },
    { from: secondDay, value: first?.value ?? 0 },
    ...others,
    { from: lastDay, value: 0 },
  ])
}

/** Of the days around each change of the offset; any other day begins at midnight, as the day before it. */
function firstMoments(offsets: Steps<number>): Steps<FirstMoment> {
  const days = new Set<number>()
  for (const [index, { from, value: offset }] of offsets.entries()) {
    const before = offsets[index - 1]
    if (before === undefined) continue
    const first = dayOf(from + Math.min(offset, before.value)) - 1
    const last = dayOf(from + Math.max(offset, before.value)) + 1
    for (let day = first; day <= last; day++) days.add(day)
  }
  const found = [...days].sort((a, b) => a - b).map((from) => ({ from, value: firstMoment(offsets, from) }))
  const start = { from: Number.NEGATIVE_INFINITY, value: { after: 0, offset: offsets[0]?.value ?? 0 } }
  return merged([start, ...found])
}

function firstMoment(offsets: Steps<number>, day: number): FirstMoment {
  const midnight = day * dayLength
  let [least, offsetThen] = [Number.POSITIVE_INFINITY, 0]
  for (const [index, { from, value: offset }] of offsets.entries()) {
    const moment = Math.max(midnight - offset, from)
    const isIn = moment < (offsets[index + 1]?.from ?? Number.POSITIVE_INFINITY)
    if (isIn && dayOf(moment + offset) === day && moment < least) [least, offsetThen] = [moment, offset]
  }
  if (least !== Number.POSITIVE_INFINITY) return { after: least + offsetThen - midnight, offset: offsetThen }
  // Nowhere more than one day was left out.
  const next = firstMoment(offsets, day + 1)
  return { ...next, after: next.after + dayLength }
}

/** Without the steps whose value is that of the step before. */
export function merged<Value>(steps: Steps<Value>): Steps<Value> {
  const texts = steps.map(({ value }) => JSON.stringify(value))
  return steps.filter((_, index) => texts[index] !== texts[index - 1])
}

function dayOf(second: number): number {
  return Math.floor(second / dayLength)
}
