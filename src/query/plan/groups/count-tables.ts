/** The materialized counts that form groups, or answer a total. */
import type { CountTable } from '../../../database/layout/counts.ts'
import type { Column, Table } from '../../../database/layout/tables.ts'
import type { TimeBucket } from '../../../sql/time-buckets.ts'
import { isUtc } from '../../../util/time/zone-rules.ts'
import type { GroupKey } from './group-plan.ts'

/** Days are too coarse for groups by hour. */
const countsOfBucket: Readonly<Record<TimeBucket['unit'], CountTable['kind'] | null>> = {
  hour: null,
  day: 'day',
  week: 'day',
  month: 'month',
  quarter: 'month',
  year: 'month',
  hourOfDay: null,
  weekday: 'day',
}

/** The counts that form the groups of one key. */
export function countsOfKey(table: Table, { leaf, bucket }: GroupKey): CountTable | undefined {
  // Counts are by days of UTC.
  if (bucket !== null && bucket.zone !== null && !isUtc(bucket.zone)) return undefined
  const kind = bucket === null ? 'value' : countsOfBucket[bucket.unit]
  if (kind === null) return undefined
  if (leaf.kind === 'column') return countsOf(table, kind, [leaf.column])
  if (leaf.kind === 'reference') return countsOf(table, 'reference', [leaf.base, leaf.key])
  if (leaf.kind !== 'system' || leaf.name === 'collection') return undefined
  return countsOf(table, kind, [{ name: leaf.name === 'did' ? 'base' : 'indexed_at' }])
}

export function countsOf(
  table: Table,
  kind: CountTable['kind'],
  columns: readonly Pick<Column, 'name'>[],
): CountTable | undefined {
  return table.counts.find(
    (counts) =>
      counts.kind === kind &&
      counts.columns.length === columns.length &&
      counts.columns.every((name, index) => name === columns[index]?.name),
  )
}

/** The counts that are the groups of one key, or whose counts by reference lead to them. */
export function countsBelow(table: Table, key: GroupKey): CountTable | undefined {
  const [join, ...further] = key.joins
  if (join === undefined) return countsOfKey(table, key)
  if (further.length > 0 || (key.leaf.kind !== 'column' && key.leaf.kind !== 'reference')) return undefined
  return countsOf(table, 'reference', [join.base, join.key])
}
