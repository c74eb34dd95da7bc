/** Builds the conditions of `having`. Values are compared exactly: integers with integers, averages as they are shown. */
import { leafType } from '../../../schema/model/leaves.ts'
import { measures } from '../../../schema/model/measures.ts'
import { parseInstant } from '../../../util/instant.ts'
import { assertWithin } from '../../parse/limits.ts'
import { badInput } from '../../parse/prepare.ts'
import { type GroupValueContext, buildGroupValue, type ValueArgument } from './build-group-values.ts'
import type { Comparison } from '../conditions.ts'
import type { GroupTest, HavingPlan } from './group-plan.ts'

interface HavingArgument extends ValueArgument {
  readonly operator: Comparison
  readonly value: number | bigint | string
}

export function buildHaving(
  context: GroupValueContext,
  given: Readonly<Record<string, unknown>>,
): readonly HavingPlan[] {
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
