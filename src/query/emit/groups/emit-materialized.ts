/** Groups by one key from materialized counts and sums, as table expressions. */
import { countKeys, dayLength } from '../../../database/layout/counts.ts'
import { haveColumn, sumColumn } from '../../../database/layout/sums.ts'
import { identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { columnOf, type Emitter, leftJoin } from '../emitter.ts'
import type { GroupAccess } from '../../plan/physical-plan.ts'
import type { GroupKey, Join, MeasurePlan } from '../../plan/plan.ts'

/** Names of a table of groups and of its columns with the key's values; the number of records is `n`. */
interface Names {
  readonly table: Sql
  readonly keys: readonly Sql[]
}

/** Groups from counts, which are of the key's own values, or of days. */
export function emitCountedGroups(
  emitter: Emitter,
  { counts }: Extract<GroupAccess, { kind: 'counts' }>,
  { bucket }: GroupKey,
  { table, keys }: Names,
): Sql {
  const { dialect } = emitter
  const from = identifier(counts.name)
  if (bucket === null) {
    const values = countKeys(counts).map(
      (column, index) => sql`${dialect.countedValue(raw(column))} as ${keys[index] as Sql}`,
    )
    return sql`${table} as not materialized (select ${join(values, ', ')}, n from ${from})`
  }
  const micros = sql`${dialect.countedValue(raw('value'))} * ${raw(String(dayLength))}`
  const key = keys[0] as Sql
  if (bucket === counts.kind)
    return sql`${table} as not materialized (select ${dialect.bucketKey(micros, bucket)} as ${key}, n from ${from})`
  const days = sql`(select ${micros} as micros, n from ${from}) ${emitter.alias()}`
  return sql`${table} as materialized (select ${dialect.bucketKey(raw('micros'), bucket)} as ${key}, ${dialect.sum(raw('n'))} as n
    from ${days} group by ${key})`
}

/**
 * Groups from counts or sums that are stored by a reference: by the reference itself, or by a value of the record that
 * it names. Measures are sums and averages of small integers.
 */
export function emitSummedGroups(
  emitter: Emitter,
  access: Extract<GroupAccess, { kind: 'joined-counts' | 'sums' }>,
  measures: readonly MeasurePlan[],
  key: GroupKey,
  { table, keys }: Names,
): Sql {
  const { dialect } = emitter
  const row = emitter.alias()
  const [stored, target]: readonly [string, Join | undefined] =
    access.kind === 'sums' ? [access.sums.name, key.joins[1]] : [access.counts.name, access.join]
  // Rows that are stored by the key itself need no further grouping.
  const amount = (column: string): Sql =>
    target === undefined ? sql`${row}.${raw(column)}` : dialect.sum(sql`${row}.${raw(column)}`)
  const measured = measures.map(({ measure }, index) => {
    const summed = access.kind === 'sums' ? (access.measured[index] ?? 0) : 0
    const [have, sum] = [amount(haveColumn(summed)), amount(sumColumn(summed))]
    // Null if no record has a value.
    const value =
      measure === 'sum'
        ? sql`case when ${have} > 0 then ${sum} end`
        : dialect.mean([sum], sql`nullif(${have}, 0)`)
    return sql`${value} as ${measureName(index)}`
  })
  const [values, joined, by] =
    target === undefined
      ? [['base', 'rkey'].map((column) => dialect.countedValue(sql`${row}.${raw(column)}`)), sql``, sql``]
      : joinTarget(emitter, target, key, row, keys)
  const selected = [
    ...values.map((value, index) => sql`${value} as ${keys[index] as Sql}`),
    sql`${amount('n')} as n`,
    ...measured,
  ]
  // Golden cases fix the text of both statements.
  const space = raw(access.kind === 'sums' ? ' ' : '\n    ')
  return sql`${table} as materialized (select ${join(selected, ', ')}${space}from ${identifier(stored)} ${row}${joined}${by})`
}

function joinTarget(emitter: Emitter, { table }: Join, key: GroupKey, row: Sql, keys: readonly Sql[]) {
  const alias = emitter.alias()
  const parts = { base: sql`${row}.base`, key: sql`${row}.rkey` }
  return [
    storedKey(emitter, key, alias),
    sql` ${leftJoin(emitter, table, alias, parts)}`,
    sql` group by ${join(keys as Sql[], ', ')}`,
  ] as const
}

/** The values by which a key in columns is grouped: one value, or the two parts of a reference. */
export function storedKey(emitter: Emitter, { leaf, bucket }: GroupKey, alias: Sql): readonly Sql[] {
  if (leaf.kind === 'reference')
    return [columnOf(emitter, alias, leaf.base), columnOf(emitter, alias, leaf.key)]
  if (leaf.kind !== 'column') throw new Error('Only single values of a record are stored in columns.')
  const value = columnOf(emitter, alias, leaf.column)
  return [bucket === null ? value : emitter.dialect.bucketKey(value, bucket)]
}

/** Exact sums may have several columns. */
export function measureName(index: number, part = 0): Sql {
  return raw(part === 0 ? `m${index}` : `m${index}_${part}`)
}
