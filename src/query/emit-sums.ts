/**
 * What sums that are kept answer instead of the rows: groups by what lies two references away, with counts, sums and
 * averages of small integers. They are of every row of a table, so that they are of use only while all may be seen.
 */
import { haveColumn, ownSums, sumColumn, type SumTable } from '../database/sums.ts'
import { identifier, join, raw, type Sql, sql } from '../sql/sql.ts'
import { rowsOfCounts } from './emit-counts.ts'
import { columnOf, leftJoin } from './emit-operand.ts'
import type { Emitter } from './emitter.ts'
import type { AggregatePlan, GroupKey, Join, MeasurePlan } from './plan.ts'
import { conjuncts } from './index-matching.ts'

/** Names of a grouping's columns. */
interface Names {
  readonly table: Sql
  readonly keys: readonly Sql[]
  measure(index: number): Sql
}

/** Groups by the only key, as a table expression; null where they are not kept. */
export function emitSums(
  emitter: Emitter,
  { table, where, measures }: AggregatePlan,
  keys: readonly GroupKey[],
  names: Names,
): Sql | null {
  const [key, ...others] = keys
  if (emitter.state.hiding || key === undefined || others.length > 0 || conjuncts(where).length > 0)
    return null
  const sums = ownSums(table).find((its) => leadsAlong(its, key))
  const places = sums === undefined ? [] : measures.map((measure) => placeOf(sums, measure))
  if (sums === undefined || places.includes(-1)) return null
  emitter.addEstimatedRows(rowsOfCounts(emitter, sums))
  const s = emitter.alias()
  const { dialect } = emitter
  // The second reference itself is what sums are kept by.
  const isKept = key.joins.length === 1
  const amount = (column: string): Sql =>
    isKept ? sql`${s}.${raw(column)}` : dialect.sum(sql`${s}.${raw(column)}`)
  const measured = measures.map(({ measure }, index) => {
    const [have, sum] = [amount(haveColumn(places[index] ?? 0)), amount(sumColumn(places[index] ?? 0))]
    // Nothing, where no record has a value.
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

/** Whether the key is the second reference itself, or a single value of the record that it names. */
function leadsAlong({ first, second, between }: SumTable, { joins, leaf }: GroupKey): boolean {
  const [one, two, ...further] = joins
  if (one?.table.name !== between || one.base.name !== first.base || further.length > 0) return false
  if (two === undefined) return leaf.kind === 'reference' && leaf.base.name === second.base
  return two.base.name === second.base && (leaf.kind === 'column' || leaf.kind === 'reference')
}

/** Which measured column it is a sum or mean of; -1: of none. */
function placeOf({ measured }: SumTable, { measure, of: { joins, leaf } }: MeasurePlan): number {
  if ((measure !== 'sum' && measure !== 'avg') || joins.length > 0 || leaf.kind !== 'column') return -1
  return measured.indexOf(leaf.column.name)
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
