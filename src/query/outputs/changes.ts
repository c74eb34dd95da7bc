/** `change` of groups: the differences from period to period, over all groups before any are left out. */
import { isTimePart } from '../../schema/model/operators.ts'
import { join, raw, type Sql, sql } from '../../sql/sql.ts'
import { numberJson } from '../emit/emit-output.ts'
import type { Emitter } from '../emit/emitter.ts'
import { type Grouping, isMissing, keyOrder, valuesOf } from '../emit/groups/emit-group-values.ts'
import { keyName, keyNames } from '../emit/groups/emit-source.ts'
import { argumentsOf, badInput, type Collected } from '../parse/prepare.ts'
import type { GroupValue, MeasurePlan } from '../plan/groups/group-plan.ts'
import { isInstant } from '../plan/plan-facts.ts'
import type { GroupValueOutput } from '../plan/plan.ts'
import { type AggregateContext, buildGroupValue, type ValueArgument } from './measures.ts'

export function buildChange(context: AggregateContext, collected: Collected): GroupValueOutput {
  assertSeries(context)
  const { changes, selection } = context
  const of = valueOf(context, argumentsOf(selection, collected).of)
  const id = JSON.stringify(of)
  if (!changes.has(id)) changes.set(id, of)
  return { kind: 'change', change: [...changes.keys()].indexOf(id) }
}

function valueOf(context: AggregateContext, given: unknown): GroupValue {
  if (given === undefined || given === null) return { kind: 'count' }
  const argument = given as ValueArgument
  const value = buildGroupValue(context, 'of', argument)
  if (value.kind !== 'measure') return value
  const { measure, of } = [...context.measures.values()][value.measure] as MeasurePlan
  if (isInstant(of.leaf) && (measure === 'min' || measure === 'max'))
    throw badInput(
      `\`change\` is of numbers, and ${measure.toUpperCase()} of ${argument.field?.name} is a moment. Name an integer field in \`of\`.`,
    )
  return value
}

function assertSeries({ groupBy, isSignificant }: AggregateContext): void {
  if (groupBy.filter(({ bucket }) => bucket !== null && !isTimePart(bucket)).length !== 1)
    throw badInput(
      '`change` needs one time bucket in `groupBy`: write `groupBy: [indexedAt_day]`, for example, or leave it out.',
    )
  if (isSignificant)
    throw badInput(
      '`significant` and `change` exclude each other: groups that are left out would be missing in the series. Leave one out.',
    )
}

/**
 * The groups with a column for each change: from the group of the period before that has the same other keys. Where there
 * is none, no record has these keys then, so that its count is 0.
 */
export function groupsWithChanges(
  emitter: Emitter,
  changes: readonly GroupValue[],
  groups: Grouping,
): Grouping {
  if (changes.length === 0) return groups
  const { keys } = groups
  const time = keys.findIndex(({ bucket }) => bucket !== null && !isTimePart(bucket.unit))
  const [inner, row] = [emitter.alias(), emitter.alias()]
  // Records without a time are in a partition of their own, and have no change.
  const isTimed = (of: Sql): Sql => isMissing(time, of, false)
  const periods = emitter.step(sql`select ${inner}.*, dense_rank() over (partition by ${isTimed(inner)}
    order by ${keyOrder(groups, time, inner)}) as period from ${groups.name} ${inner}`)
  const columns = changes.map((of, index) => {
    const value = numberOf(emitter, of, groups, row)
    const before = sql`case when lag(${row}.period) over w = ${row}.period - 1 then lag(${value}) over w end`
    const known = isCount(of, groups) ? sql`coalesce(${before}, 0)` : before
    return sql`case when ${isTimed(row)} and ${row}.period > 1 then ${value} - ${known} end as ${changeName(index)}`
  })
  const others = keyNames(keys).filter((name) => name.sql !== keyName(time, 0).sql)
  const partition = join([isTimed(row), ...others.map((name) => sql`${row}.${name}`)], ', ')
  const name = emitter.step(sql`select ${join([sql`${row}.*`, ...columns], ', ')}
    from ${periods} ${row} window w as (partition by ${partition} order by ${row}.period)`)
  return { ...groups, name }
}

function isCount(of: GroupValue, { measures }: Grouping): boolean {
  return of.kind === 'count' || (of.kind === 'measure' && measures[of.measure]?.measure === 'countDistinct')
}

/** The change of the group whose alias is `row`, as JSON. */
export function changeJson(emitter: Emitter, change: number, row: Sql): Sql {
  return numberJson(emitter, sql`${row}.${changeName(change)}`)
}

/** The value of a group as a number: a count, or a double. */
function numberOf(emitter: Emitter, of: GroupValue, groups: Grouping, row: Sql): Sql {
  const { dialect } = emitter
  const values = valuesOf(emitter, groups, of, row)
  if (of.kind !== 'measure') return values[0] as Sql
  const isSum = groups.measures[of.measure]?.measure === 'sum'
  return dialect.asFloat(isSum ? dialect.checkedSum(values) : (values[0] as Sql))
}

function changeName(change: number): Sql {
  return raw(`change${change}`)
}
