/** Builds the time zone and the first day of weeks in which an aggregate's times are grouped. */
import type { TimeBucket } from '../../../sql/time-buckets.ts'
import { findZone, nearestZones } from '../../../util/time/find-zone.ts'
import { badInput } from '../../parse/prepare.ts'

export type TimeFrame = Pick<TimeBucket, 'weekStart' | 'zone'>

/** UTC, with weeks from Monday. */
export const utcFrame: TimeFrame = { weekStart: 0, zone: null }

export function buildTimeFrame({ timeZone, weekStart }: Readonly<Record<string, unknown>>): TimeFrame {
  return {
    weekStart: (weekStart ?? utcFrame.weekStart) as number,
    zone: typeof timeZone === 'string' ? zoneNamed(timeZone) : null,
  }
}

function zoneNamed(name: string): TimeFrame['zone'] {
  const zone = findZone(name)
  if (zone !== null) return zone
  const near = nearestZones(name.slice(0, 100))
  const guess = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
  throw badInput(
    `\`timeZone\` names no time zone: "${name.slice(0, 100)}".${guess} Write a name of the IANA time zone database, such as "Europe/Berlin".`,
  )
}
