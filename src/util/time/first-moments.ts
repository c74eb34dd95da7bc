/** The first moments of local days: usually midnight, later where clocks skip midnight or a whole day. */

/** A stretch of time with one offset: local time minus UTC. */
export interface ZonePeriod {
  readonly start: number
  readonly offset: number
}

export interface FirstMoment {
  /** Seconds of local time from the day's midnight to the moment, which is on a later day if the day was left out. */
  readonly after: number
  readonly offset: number
}

/** A function that is constant from each position, in order, to the next; the first is -Infinity. */
export type Steps<Value> = readonly { readonly from: number; readonly value: Value }[]

/** Seconds. */
export const dayLength = 86_400

/** Of the days around each change of the offset; any other day begins at midnight, as the day before it. */
export function firstMoments(periods: readonly ZonePeriod[]): Steps<FirstMoment> {
  const days = new Set<number>()
  for (const [index, { start, offset }] of periods.entries()) {
    const before = periods[index - 1]
    if (before === undefined) continue
    const first = dayOf(start + Math.min(offset, before.offset)) - 1
    const last = dayOf(start + Math.max(offset, before.offset)) + 1
    for (let day = first; day <= last; day++) days.add(day)
  }
  const found = [...days].sort((a, b) => a - b).map((from) => ({ from, value: firstMoment(periods, from) }))
  const start = { from: Number.NEGATIVE_INFINITY, value: { after: 0, offset: periods[0]?.offset ?? 0 } }
  return merged([start, ...found])
}

function firstMoment(periods: readonly ZonePeriod[], day: number): FirstMoment {
  const midnight = day * dayLength
  let [least, offsetThen] = [Number.POSITIVE_INFINITY, 0]
  for (const [index, { start, offset }] of periods.entries()) {
    const moment = Math.max(midnight - offset, start)
    const isIn = moment < (periods[index + 1]?.start ?? Number.POSITIVE_INFINITY)
    if (isIn && dayOf(moment + offset) === day && moment < least) [least, offsetThen] = [moment, offset]
  }
  if (least !== Number.POSITIVE_INFINITY) return { after: least + offsetThen - midnight, offset: offsetThen }
  // Nowhere more than one day was left out.
  const next = firstMoment(periods, day + 1)
  return { ...next, after: next.after + dayLength }
}

function merged(steps: Steps<FirstMoment>): Steps<FirstMoment> {
  return steps.filter(({ value }, index) => {
    const before = steps[index - 1]?.value
    return before === undefined || value.after !== before.after || value.offset !== before.offset
  })
}

function dayOf(second: number): number {
  return Math.floor(second / dayLength)
}
