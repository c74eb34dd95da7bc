/** Finds time zones by their names, and the names that are near to an unknown one. */
import { nearest } from '../text/nearest.ts'
import { findZoneRules, type ZoneRules } from './zone-rules.ts'

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
