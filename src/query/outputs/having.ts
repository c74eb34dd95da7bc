/** `having` of an aggregate. Values are compared exactly: integers with integers, averages as they are shown. */
import type { ColumnValue } from '../../database/database.ts'
import { leafType } from '../../schema/model/leaves.ts'
import { measures } from '../../schema/model/measures.ts'
import { join, raw, type Sql, sql } from '../../sql/sql.ts'
import { parseInstant } from '../../util/instant.ts'
import type { Json } from '../../util/is-object.ts'
import { signs } from '../emit/emit-filter.ts'
import type { Emitter } from '../emit/emitter.ts'
import { type Grouping, valuesOf } from '../emit/groups/emit-group-values.ts'
import { assertWithin } from '../parse/limits.ts'
import { badInput } from '../parse/prepare.ts'
import type { Comparison } from '../plan/conditions.ts'
import type { GroupTest, HavingPlan, MeasurePlan } from '../plan/groups/group-plan.ts'
import { type AggregateContext, buildGroupValue, type ValueArgument } from './measures.ts'

interface HavingArgument extends ValueArgument {
  readonly operator: Comparison
  readonly value: number | bigint | string
}

export function buildHaving(context: AggregateContext, given: Json): readonly HavingPlan[] {
  const conditions = (given.having ?? []) as readonly HavingArgument[]
  if (conditions.length === 0) return []
  assertWithin('groupConditions', conditions.length, '`having` has too many conditions')
  if (!Array.isArray(given.groupBy) || given.groupBy.length === 0)
    throw badInput(
      '`having` leaves out groups, and there are none: name fields in `groupBy`, or leave it out.',
    )
  for (const _ of conditions) context.counts.countCondition()
  return conditions.map((condition) => ({
    of: buildGroupValue(context, 'having', condition),
    test: testOf(condition),
  }))
}

function testOf({ measure, field, operator, value }: HavingArgument): GroupTest {
  const { result } = measures[measure]
  if (result === 'value' && field != null && leafType(field.leaf).kind === 'datetime')
    return { kind: 'compare', operator, to: momentOf(field.name, value) }
  if (typeof value === 'string')
    throw badInput(`\`value: ${JSON.stringify(value.slice(0, 80))}\` in \`having\` is text: write a number.`)
  return result === 'double' ? { kind: 'compare', operator, to: Number(value) } : integerTest(operator, value)
}

function momentOf(name: string, value: HavingArgument['value']): bigint {
  const moment = typeof value === 'string' ? parseInstant(value) : null
  if (moment !== null) return moment
  throw badInput(
    `\`value: ${typeof value === 'string' ? JSON.stringify(value) : value}\` in \`having\` is no moment, as ${name} is. Write RFC 3339 such as "2026-11-16T13:00:00Z", or a date such as "2026-11-16".`,
  )
}

/** The same condition on an integer, with an integer. */
function integerTest(operator: Comparison, value: number | bigint): GroupTest {
  const compare = (to: number | bigint): GroupTest => ({ kind: 'compare', operator, to: BigInt(to) })
  if (typeof value === 'bigint') return compare(value)
  switch (operator) {
    case 'gt':
    case 'lte':
      return compare(Math.floor(value))
    case 'gte':
    case 'lt':
      return compare(Math.ceil(value))
    case 'eq':
    case 'ne':
      return Number.isInteger(value) ? compare(value) : { kind: 'constant', passes: operator === 'ne' }
  }
}

/** The conditions of `having` on the group whose alias is `row`. */
export function havingConditions(
  emitter: Emitter,
  having: readonly HavingPlan[],
  groups: Grouping,
  row: Sql,
): readonly Sql[] {
  return having.map(({ of, test }) => {
    const measure = of.kind === 'measure' ? (groups.measures[of.measure] ?? null) : null
    const values = valuesOf(emitter, groups, of, row)
    if (test.kind === 'constant') return test.passes ? sql`${values[0] as Sql} is not null` : raw('false')
    const operator = signs[test.operator]
    if (typeof test.to === 'number')
      return sql`${values[0] as Sql} ${operator} ${emitter.dialect.asFloat(sql`${test.to}`)}`
    const parts = integerParts(emitter, measure, test.to).map((part) => sql`${part}`)
    if (parts.length === 1) return sql`${values[0] as Sql} ${operator} ${parts[0] as Sql}`
    return sql`(${join(values as Sql[], ', ')}) ${operator} (${join(parts, ', ')})`
  })
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
