/** Groups from materialized sums: by values two references away, with counts, sums and averages of small integers. */
import { haveColumn, sumColumn, type SumTable } from '../../../database/layout/sums.ts'
import { identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { columnOf, leftJoin } from '../emit-operand.ts'
import type { Emitter } from '../emitter.ts'
import type { GroupAccess } from '../../plan/physical-plan.ts'
import type { GroupKey, Join, MeasurePlan } from '../../plan/plan.ts'

/** Names of the columns of a grouping. */
interface Names {
  readonly table: Sql
  readonly keys: readonly Sql[]
  measure(index: number): Sql
}

/** Groups by the only key, as a table expression. */
export function emitSums(
  emitter: Emitter,
  { sums, measured: places }: Extract<GroupAccess, { kind: 'sums' }>,
  measures: readonly MeasurePlan[],
  key: GroupKey,
  names: Names,
): Sql {
  const s = emitter.alias()
  const { dialect } = emitter
  // Sums are stored by the second reference, so a key that is this reference needs no further grouping.
  const isKept = key.joins.length === 1
  const amount = (column: string): Sql =>
    isKept ? sql`${s}.${raw(column)}` : dialect.sum(sql`${s}.${raw(column)}`)
  const measured = measures.map(({ measure }, index) => {
    const [have, sum] = [amount(haveColumn(places[index] ?? 0)), amount(sumColumn(places[index] ?? 0))]
    // Null if no record has a value.
    const value =
      measure === 'sum'
        ? sql`case when ${have} > 0 then ${sum} end`
        : dialect.mean([sum], sql`nullif(${have}, 0)`)
    return sql`${value} as ${names.measure(index)}`
  })
  const { values, from } = emitKey(emitter, key, sums, s)
  const selected = [
    ...values.map((value, index) => sql`${value} as ${names.keys[index] as Sql}`),
    sql`${amount('n')} as n`,
    ...measured,
  ]
  const by = isKept ? raw('') : sql` group by ${join(names.keys as Sql[], ', ')}`
  return sql`${names.table} as materialized (select ${join(selected, ', ')} from ${from}${by})`
}

function emitKey(emitter: Emitter, { joins, leaf, bucket }: GroupKey, sums: SumTable, s: Sql) {
  const { dialect } = emitter
  const rows = sql`${identifier(sums.name)} ${s}`
  const target = joins[1]
  if (target === undefined)
    return {
      values: ['base', 'rkey'].map((column) => dialect.countedValue(sql`${s}.${raw(column)}`)),
      from: rows,
    }
  const { alias, from } = joinTarget(emitter, target, rows, s)
  if (leaf.kind === 'reference')
    return { values: [columnOf(emitter, alias, leaf.base), columnOf(emitter, alias, leaf.key)], from }
  if (leaf.kind !== 'column') throw new Error('Sums are kept by single values.')
  const value = columnOf(emitter, alias, leaf.column)
  return { values: [bucket === null ? value : dialect.bucketKey(value, bucket)], from }
}

function joinTarget(emitter: Emitter, { table }: Join, rows: Sql, s: Sql) {
  const alias = emitter.alias()
  const parts = { base: sql`${s}.base`, key: sql`${s}.rkey` }
  return { alias, from: sql`${rows} ${leftJoin(emitter, table, alias, parts)}` }
}
