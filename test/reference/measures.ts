/** Measures of records, over whole arrays. */
import { groupFields } from './group-fields.ts'
import { nearestDouble } from './rationals.ts'
import { keyNamed } from './places.ts'
import { compareKeys, type Key } from './values.ts'
import type { PlainRecord, World } from './world.ts'

export type RankMeasure = 'AVG' | 'SUM' | 'MIN' | 'MAX' | 'COUNT_DISTINCT'

/** The value by which `rankBy` orders. */
export function rankOf(
  world: World,
  collection: string,
  records: readonly PlainRecord[],
  measure: RankMeasure,
  field: string,
): Key {
  if (measure === 'COUNT_DISTINCT') return countDistinct(world, collection, records, field)
  if (measure === 'MIN' || measure === 'MAX') return extreme(world, records, field, measure)
  if (measure === 'AVG') return mean(world, records, field) ?? undefined
  const { sum, count } = total(world, records, field)
  return count === 0n ? undefined : sum
}

/** The exact average, rounded once; it is ranked by as it is shown. */
export function mean(world: World, records: readonly PlainRecord[], field: string): number | null {
  const { sum, count } = total(world, records, field)
  return count === 0n ? null : nearestDouble(sum, count)
}

export function total(
  world: World,
  records: readonly PlainRecord[],
  field: string,
): { sum: bigint; count: bigint } {
  const present = presentKeys(world, records, field).map((key) => BigInt(Number(key)))
  return { sum: present.reduce((sum, value) => sum + value, 0n), count: BigInt(present.length) }
}

export function extreme(
  world: World,
  records: readonly PlainRecord[],
  field: string,
  which: 'MIN' | 'MAX',
): Key {
  const sorted = presentKeys(world, records, field).sort(compareKeys)
  return which === 'MIN' ? sorted[0] : sorted.at(-1)
}

export function countDistinct(
  world: World,
  collection: string,
  records: readonly PlainRecord[],
  name: string,
): number {
  const field = groupFields(world, collection).find((candidate) => candidate.name === name)
  if (field === undefined) throw new Error(`${collection} cannot be grouped by ${name}.`)
  return new Set(records.flatMap((record) => field.keysOf(record)).filter((key) => key !== undefined)).size
}

function presentKeys(world: World, records: readonly PlainRecord[], field: string): Key[] {
  return records.map((record) => keyNamed(world, record, field)).filter((key) => key !== undefined)
}
