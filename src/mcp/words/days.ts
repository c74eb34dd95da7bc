/** Times of records as days of UTC. */
import { formatInstant, parseInstant } from '../../util/instant.ts'

/** No record has an earlier time, so that a bound here leaves out the records without a time. */
export const firstDay = '0001-01-01T00:00:00Z'

/** Such as `2026-11-15`; a text that is not a time stays as it is. */
export function dayOf(time: unknown): string {
  const instant = parseInstant(String(time))
  return instant === null ? String(time) : formatInstant(instant).slice(0, 10)
}
