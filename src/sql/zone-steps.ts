/** The rules of a time zone as step functions, of which each engine makes expressions. Times are in seconds. */
import { dayLength, merged, type Steps, type ZoneRules } from '../util/time/zone-rules.ts'

const [minute, hour] = [60, 3_600]

/** How the label of a moment is written. */
export interface Label {
  /** From the moment, or the midnight of its day, to the local time in the label. */
  readonly shift: number
  /** Such as `+01:00`. */
  readonly offset: string
}

/** Where local hours begin, as seconds after a UTC hour, by instants. */
export interface HourStart {
  readonly after: number
  /** Whether an hour begins with this step, though not with a local hour. */
  readonly isCut: boolean
}

export function hourSteps({ offsets }: ZoneRules): Steps<HourStart> {
  const steps = offsets.map(({ from, value: offset }, index) => {
    const isCut = index > 0 && modulo(from + offset, hour) !== 0
    return { from, value: { after: modulo(-offset, hour), isCut } }
  })
  return steps.filter(({ value }, index) => value.isCut || value.after !== steps[index - 1]?.value.after)
}

/** Labels of hours, by instants. */
export function hourLabels({ offsets }: ZoneRules): Steps<Label> {
  return merged(
    offsets.map(({ from, value }) => {
      const written = writtenOffset(value)
      return { from, value: { shift: written, offset: offsetText(written) } }
    }),
  )
}

/** Labels of days, by their local midnights as if these were in UTC. */
export function dayLabels({ days }: ZoneRules): Steps<Label> {
  return merged(
    days.map(({ from, value: { after, offset } }) => {
      const written = writtenOffset(offset)
      const label = { shift: after + written - offset, offset: offsetText(written) }
      return { from: from * dayLength, value: label }
    }),
  )
}

/** RFC 3339 has no seconds in offsets. They are rounded up, so that a label of midnight is on the right day. */
function writtenOffset(offset: number): number {
  return Math.ceil(offset / minute) * minute
}

function offsetText(offset: number): string {
  const size = Math.abs(offset)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${two(size / hour)}:${two((size % hour) / minute)}`
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
