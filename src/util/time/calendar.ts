/** Units of the calendar in UTC. Moments are milliseconds since 1970. */

const hour = 3_600_000
const day = 24 * hour
/** Of units that are always as long. */
const lengths = { hour, day, week: 7 * day }
/** Months of the others. */
const months = { month: 1, quarter: 3, year: 12 }

export type CalendarUnit = keyof typeof lengths | keyof typeof months

/** The moment at which the unit begins that has a moment. `weekStart`: 0 for Monday to 6 for Sunday. */
export function startOf(unit: CalendarUnit, at: number, weekStart = 0): number {
  if (isEven(unit)) {
    // 1970-01-01 was a Thursday, three days after a Monday.
    const shift = unit === 'week' ? (3 - weekStart) * day : 0
    return Math.floor((at + shift) / lengths[unit]) * lengths[unit] - shift
  }
  const date = new Date(at)
  const month = date.getUTCMonth()
  // `Date.UTC` takes years below 100 as those of the last century.
  return new Date(0).setUTCFullYear(date.getUTCFullYear(), month - (month % months[unit]), 1)
}

/** The moment so many units later. */
export function moved(unit: CalendarUnit, at: number, by: number): number {
  if (isEven(unit)) return at + by * lengths[unit]
  const date = new Date(at)
  const month = date.getUTCMonth() + by * months[unit]
  // One month before 31 March is the last day of February.
  const last = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate()
  return date.setUTCMonth(month, Math.min(date.getUTCDate(), last))
}

function isEven(unit: CalendarUnit): unit is keyof typeof lengths {
  return Object.hasOwn(lengths, unit)
}
