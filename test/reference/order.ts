/** `sortBy` and pages, over whole arrays. */
import { keyNamed } from './places.ts'
import { compareOrdered, type Key } from './values.ts'
import { type PlainRecord, referredBy, reverse, type Dataset } from './dataset.ts'

export interface SortField {
  readonly field: string
  readonly direction?: 'ASC' | 'DESC'
  readonly nulls?: 'FIRST' | 'LAST'
}

export interface PageArguments {
  readonly first?: number
  /** The URI of the record whose cursor is meant. */
  readonly after?: string
  readonly last?: number
  readonly before?: string
}

export interface Page {
  readonly records: readonly PlainRecord[]
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
}

/** Ties are broken by `rkey`, then `did`, in the direction of the last field. */
export function compareRecords(
  data: Dataset,
  a: PlainRecord,
  b: PlainRecord,
  sortBy: readonly SortField[],
): number {
  const fields = sortBy.length === 0 ? [{ field: 'indexedAt', direction: 'DESC' } as const] : sortBy
  const last = fields.at(-1)?.direction
  const withTies = [...fields, { field: 'rkey', direction: last }, { field: 'did', direction: last }]
  for (const { field, ...by } of withTies) {
    const order = compareOrdered(sortKey(data, a, field), sortKey(data, b, field), by)
    if (order !== 0) return order
  }
  return 0
}

/** Of the records that have the same values in these fields, the first; a missing value is a value. */
export function firstOfEach(
  data: Dataset,
  ordered: readonly PlainRecord[],
  fields: readonly string[],
): PlainRecord[] {
  if (fields.length === 0) return [...ordered]
  const seen = new Set<string>()
  return ordered.filter((record) => {
    const values = fields.map((field) => {
      const key = sortKey(data, record, field)
      return key === undefined ? null : [typeof key, String(key)]
    })
    const combination = JSON.stringify(values)
    return !seen.has(combination) && seen.add(combination)
  })
}

/** A value of the record, or how many records refer to it. */
export function sortKey(data: Dataset, record: PlainRecord, field: string): Key {
  const held = referredBy(data, record.collection).find((each) => `${each.viaField}_count` === field)
  return held === undefined ? keyNamed(data, record, field) : reverse(data, record, held).length
}

export function pageOf(ordered: readonly PlainRecord[], page: PageArguments): Page {
  const indexOf = (uri: string) => ordered.findIndex((record) => record.uri === uri)
  let start = page.after === undefined ? 0 : indexOf(page.after) + 1
  let end = page.before === undefined ? ordered.length : indexOf(page.before)
  if (page.last === undefined) end = Math.min(end, start + (page.first ?? 20))
  else start = Math.max(start, end - page.last)
  return { records: ordered.slice(start, end), hasNextPage: end < ordered.length, hasPreviousPage: start > 0 }
}
