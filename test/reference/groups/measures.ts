/** Measures of records, over whole arrays. */
import { groupFields, momentFields } from './group-fields.ts'
import { nearestDouble } from './rationals.ts'
import type { Share } from './shares.ts'
import { elementKey, elementsIn } from '../elements.ts'
import { sortKey } from '../order.ts'
import { arrayAround, placeNamed } from '../places.ts'
import { compareKeys, type Key } from '../values.ts'
import type { PlainRecord, Dataset } from '../dataset.ts'

/** What a `having` or `rankBy` names. */
export type Measured =
  | { readonly measure: 'COUNT' }
  | { readonly measure: 'SHARE' }
  | { readonly measure: 'TOTAL' }
  | { readonly measure: 'PERCENTILE'; readonly field: string; readonly p: number }
  | Duration
  | {
      readonly measure: 'AVG' | 'SUM' | 'MIN' | 'MAX' | 'COUNT_DISTINCT' | 'MEDIAN' | 'STDDEV'
      readonly field: string
    }

export interface Duration {
  readonly measure: 'AVG_DURATION' | 'MEDIAN_DURATION'
  readonly from: string
  readonly to: string
}

/** What is known of a group besides its measures. */
export type Measurable = Pick<Share, 'share' | 'total'> & { readonly members: readonly PlainRecord[] }

/** The value of a group by which `rankBy` orders and with which `having` compares. */
export function valueOf(
  data: Dataset,
  collection: string,
  { members: records, share, total: all }: Measurable,
  asked: Measured,
): Key {
  if (asked.measure === 'COUNT') return records.length
  if (asked.measure === 'SHARE') return share ?? undefined
  if (asked.measure === 'TOTAL') return all ?? undefined
  if (asked.measure === 'PERCENTILE') return percentile(data, records, asked.field, asked.p)
  if ('from' in asked) return duration(data, collection, records, asked) ?? undefined
  const { measure, field } = asked
  if (measure === 'MEDIAN') return median(data, records, field) ?? undefined
  if (measure === 'STDDEV') return deviation(data, records, field) ?? undefined
  if (measure === 'COUNT_DISTINCT') return countDistinct(data, collection, records, field)
  if (measure === 'MIN' || measure === 'MAX') return extreme(data, records, field, measure)
  if (measure === 'AVG') return mean(data, records, field) ?? undefined
  if (measure !== 'SUM') throw new Error(`There is no measure ${String(measure)}.`)
  const { sum, count } = total(data, records, field)
  return count === 0n ? undefined : sum
}

/** The exact average, rounded once; it is ranked by as it is shown. */
export function mean(data: Dataset, records: readonly PlainRecord[], field: string): number | null {
  const { sum, count } = total(data, records, field)
  return count === 0n ? null : nearestDouble(sum, count)
}

export function total(
  data: Dataset,
  records: readonly PlainRecord[],
  field: string,
): { sum: bigint; count: bigint } {
  const present = presentKeys(data, records, field).map((key) => BigInt(Number(key)))
  return { sum: present.reduce((sum, value) => sum + value, 0n), count: BigInt(present.length) }
}

/** The mean of the two middle values, rounded once. */
export function median(data: Dataset, records: readonly PlainRecord[], field: string): number | null {
  const sorted = sortedIntegers(data, records, field)
  if (sorted.length === 0) return null
  const middle = middleOf(sorted)
  return nearestDouble(
    middle.reduce((sum, value) => sum + value, 0n),
    BigInt(middle.length),
  )
}

/** The mean or median of the seconds between two times, of records that have both. */
export function duration(
  data: Dataset,
  collection: string,
  records: readonly PlainRecord[],
  { measure, from, to }: Duration,
): number | null {
  const times = momentFields(data, collection)
  const momentOf = (name: string, record: PlainRecord): Key =>
    times.find((time) => time.name === name)?.keysOf(record)[0]
  const all = records.flatMap((record): bigint[] => {
    const [start, end] = [momentOf(from, record), momentOf(to, record)]
    return typeof start === 'bigint' && typeof end === 'bigint' ? [end - start] : []
  })
  const sorted = all.sort((a, b) => (a < b ? -1 : 1))
  const some = measure === 'AVG_DURATION' ? sorted : middleOf(sorted)
  if (some.length === 0) return null
  const sum = some.reduce((before, value) => before + value, 0n)
  return nearestDouble(sum, BigInt(some.length) * 1_000_000n)
}

/** The one or two in the middle. */
function middleOf(sorted: readonly bigint[]): readonly bigint[] {
  return sorted.slice(Math.max(0, Math.ceil(sorted.length / 2) - 1), Math.floor(sorted.length / 2) + 1)
}

/** The value at the nearest rank: the first that is not smaller than the part `p` of all values; of 0, the smallest. */
export function percentile(
  data: Dataset,
  records: readonly PlainRecord[],
  field: string,
  p: number,
): bigint | undefined {
  const sorted = sortedIntegers(data, records, field)
  // `p` as the decimal number that it is written as: a fraction of a power of ten.
  const [digits = '', exponent = '0'] = p.toExponential().split('e')
  const [whole = '', decimals = ''] = digits.split('.')
  const unit = 10n ** BigInt(decimals.length - Number(exponent))
  const part = BigInt(whole + decimals) * BigInt(sorted.length)
  return sorted.find((_, index) => BigInt(index + 1) * unit >= part)
}

/** The square root of the double that is nearest to the exact variance. */
export function deviation(data: Dataset, records: readonly PlainRecord[], field: string): number | null {
  const values = sortedIntegers(data, records, field)
  const count = BigInt(values.length)
  if (count < 2n) return null
  const sum = values.reduce((all, value) => all + value, 0n)
  // Deviations from the mean, each multiplied by the count.
  const squares = values.reduce((all, value) => all + (value * count - sum) ** 2n, 0n)
  return Math.sqrt(nearestDouble(squares, count * count * (count - 1n)))
}

function sortedIntegers(data: Dataset, records: readonly PlainRecord[], field: string): bigint[] {
  return presentKeys(data, records, field)
    .sort(compareKeys)
    .map((key) => BigInt(Number(key)))
}

export function extreme(
  data: Dataset,
  records: readonly PlainRecord[],
  field: string,
  which: 'MIN' | 'MAX',
): Key {
  const sorted = presentKeys(data, records, field).sort(compareKeys)
  return which === 'MIN' ? sorted[0] : sorted.at(-1)
}

export function countDistinct(
  data: Dataset,
  collection: string,
  records: readonly PlainRecord[],
  name: string,
): number {
  const field = groupFields(data, collection).find((candidate) => candidate.name === name)
  if (field === undefined) throw new Error(`${collection} cannot be grouped by ${name}.`)
  const { through } = field
  const keysOf = (record: PlainRecord) =>
    through === null
      ? field.keysOf(record)
      : elementsIn(data, records, record, through.array).elements.map((element) => through.keyOf(element))
  return new Set(records.flatMap(keysOf).filter((key) => key !== undefined)).size
}

function presentKeys(data: Dataset, records: readonly PlainRecord[], field: string): Key[] {
  const [first] = records
  const place = first && placeNamed(data, first.collection, field)
  const array = place === undefined ? null : arrayAround(data, place)
  const keysOf = (record: PlainRecord): Key[] => {
    if (place === undefined || array === null) return [sortKey(data, record, field)]
    const { elements } = elementsIn(data, records, record, array)
    return elements.map((element) => elementKey(element, place.path, place.kind))
  }
  return records.flatMap(keysOf).filter((key) => key !== undefined)
}
