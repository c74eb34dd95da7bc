/** Conditions on groups as SQL. */
import type { ColumnValue } from '../../../database/database.ts'
import { join, raw, type Sql, sql } from '../../../sql/sql.ts'
import type { HavingPlan, MeasurePlan } from '../../plan/groups/group-plan.ts'
import type { PhysicalAggregate } from '../../plan/physical-plan.ts'
import { signs } from '../emit-filter.ts'
import type { Emitter } from '../emitter.ts'
import { type Grouping, measureValues } from './emit-group-values.ts'
import { shareValue } from './emit-shares.ts'

type Conditions = Pick<PhysicalAggregate['aggregate'], 'having' | 'measures'>

/** The conditions of `having` on the group whose alias is `row`. */
export function havingConditions(
  emitter: Emitter,
  { having, measures }: Conditions,
  groups: Grouping,
  row: Sql,
): readonly Sql[] {
  return having.map((condition) => emitCondition(emitter, condition, measures, groups, row))
}

function emitCondition(
  emitter: Emitter,
  { of, test }: HavingPlan,
  measures: readonly MeasurePlan[],
  groups: Grouping,
  row: Sql,
): Sql {
  const measure = of.kind === 'measure' ? (measures[of.measure] as MeasurePlan) : null
  const values = valuesOf(emitter, of, groups, row)
  if (test.kind === 'constant') return test.passes ? sql`${values[0] as Sql} is not null` : raw('false')
  const operator = signs[test.operator]
  if (typeof test.to === 'number')
    return sql`${values[0] as Sql} ${operator} ${emitter.dialect.asFloat(sql`${test.to}`)}`
  const parts = integerParts(emitter, measure, test.to).map((part) => sql`${part}`)
  if (parts.length === 1) return sql`${values[0] as Sql} ${operator} ${parts[0] as Sql}`
  return sql`(${join(values as Sql[], ', ')}) ${operator} (${join(parts, ', ')})`
}

function valuesOf(emitter: Emitter, of: HavingPlan['of'], groups: Grouping, row: Sql): readonly Sql[] {
  switch (of.kind) {
    case 'count':
      return [sql`${row}.n`]
    case 'share':
      return [shareValue(emitter, row)]
    case 'measure':
      return measureValues(emitter, groups, of.measure, row)
  }
}

/** Bits of the integers that a sum may have, and of other integers of a group. Larger ones are compared like these. */
const wideBits = 88n
const narrowBits = 62n

function integerParts(
  { dialect }: Emitter,
  measure: MeasurePlan | null,
  value: bigint,
): readonly ColumnValue[] {
  const isWide = measure?.measure === 'sum' && measure.isWide
  const most = 2n ** (isWide ? wideBits : narrowBits)
  const within = value > most ? most : value < -most ? -most : value
  return isWide ? dialect.sumParts(within, true) : [within]
}
