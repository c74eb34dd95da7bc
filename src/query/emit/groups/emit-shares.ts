/**
 * Shares as SQL: the groups of a denominator, and of the records that are divided by them, are matched with the groups
 * by their keys. They are matched by grouping a union: in a join a missing key equals no other key.
 */
import { allOf, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitRecordCount } from './emit-counts.ts'
import { createGrouping } from './emit-grouping.ts'
import type { Grouping } from './emit-group-values.ts'
import type { StepEmitter } from '../steps.ts'
import { numberJson } from '../emit-output.ts'
import { groupBy, type Within } from './emit-source.ts'
import type { Emitter } from '../emitter.ts'
import type { PhysicalAggregate, PhysicalShares, SharePart } from '../../plan/physical-plan.ts'

type Aggregate = PhysicalAggregate['aggregate'] & { readonly within?: Within }

/** Groupings of the sets of records that are counted besides the groups; null if groups have no shares. */
export interface Groupings {
  readonly total: Grouping | null
  readonly matched: Grouping | null
}

export interface EmittedShares {
  /** The groups with the columns `total` and `matched`; null without groups. */
  readonly groups: Grouping | null
  /** The name of one row with `total` and `matched`; null if the whole has no share. */
  readonly whole: Sql | null
  readonly groupings: Groupings
}

/** `count`: the number of all records that meet `where`; null if it is not needed. */
export function emitShares(
  emitter: StepEmitter,
  aggregate: Aggregate,
  shares: PhysicalShares,
  groups: Grouping | null,
  count: Sql | null,
): EmittedShares {
  const groupingOf = (part: SharePart | string): Grouping | null =>
    typeof part === 'string' || part.groups === null
      ? null
      : createGrouping(emitter, { ...aggregate, measures: [] }, aggregate.keys, part.groups)
  const groupings = { total: groupingOf(shares.total), matched: groupingOf(shares.numerator) }
  const isShared = groups !== null && groupings.total !== null
  return {
    groups: isShared
      ? sharedGroups(emitter, shares, groups, groupings, aggregate.fill?.kind === 'denominator')
      : groups,
    whole: wholeOf(emitter, aggregate, shares, groupings, count),
    groupings,
  }
}

function sharedGroups(
  { step, dialect }: StepEmitter,
  { numerator }: PhysicalShares,
  groups: Grouping,
  { total, matched }: Groupings,
  isFilled: boolean,
): Grouping {
  const { keys } = groups.columns
  const measures = groups.columns.measures.flat()
  const own = [raw('n'), ...measures]
  const none = raw('cast(0 as bigint)')
  // Groups of other keys are left out before they are sorted.
  const isShown = isFilled
    ? raw('true')
    : allOf(keys.map((key) => sql`(${key} is null or ${key} in (select ${key} from ${groups.name}))`))
  const counted = (grouping: Grouping | null, amounts: readonly Sql[]): Sql[] => {
    if (grouping === null) return []
    const columns = [...keys, ...own.map(() => raw('null')), ...amounts]
    return [sql`select ${join(columns, ', ')} from ${grouping.name} where ${isShown}`]
  }
  const parts = [
    sql`select ${join([...keys, ...own, sql`${none} as total`, sql`${none} as matched`], ', ')} from ${groups.name}`,
    ...counted(total, [raw('n'), raw('0')]),
    ...counted(matched, [raw('0'), raw('n')]),
  ]
  const matchedOf = {
    count: isFilled ? raw('coalesce(max(n), 0)') : raw('max(n)'),
    total: dialect.sum(raw('total')),
    condition: dialect.sum(raw('matched')),
  }[typeof numerator === 'string' ? numerator : 'condition']
  const columns = [
    ...keys,
    isFilled ? raw('coalesce(max(n), 0) as n') : raw('max(n) as n'),
    ...measures.map((column) => sql`max(${column}) as ${column}`),
    sql`${dialect.sum(raw('total'))} as total`,
    sql`${matchedOf} as matched`,
  ]
  const name = step(sql`select ${join(columns, ', ')}
    from (${join(parts, ' union all ')}) parts ${groupBy(keys)}${raw(isFilled ? '' : ' having max(n) is not null')}`)
  return { ...groups, name }
}

function wholeOf(
  emitter: StepEmitter,
  { table }: Aggregate,
  { total, numerator }: PhysicalShares,
  groupings: Groupings,
  count: Sql | null,
): Sql | null {
  if (total.count === null) return null
  const countOf = ({ count: access }: SharePart, grouping: Grouping | null): Sql => {
    if (access === null) throw new Error('The whole has no count.')
    return emitRecordCount(emitter, access, table, grouping)
  }
  const matched = (): Sql => {
    if (numerator === 'total') return raw('total')
    if (numerator !== 'count') return countOf(numerator, groupings.matched)
    if (count === null) throw new Error('The plan does not count what is divided.')
    return count
  }
  return emitter.step(sql`select total, ${matched()} as matched
    from (select ${countOf(total, groupings.total)} as total) ${emitter.alias()}`)
}

/** The share of a row with `total` and `matched`, as JSON. Both are exact as doubles, so one division rounds once. */
export function shareJson(emitter: Emitter, row: Sql): Sql {
  return numberJson(emitter, shareValue(emitter, row))
}

/** The same as a number. */
export function shareValue({ dialect }: Emitter, row: Sql): Sql {
  return sql`(${dialect.asFloat(sql`${row}.matched`)} / nullif(${row}.total, 0))`
}
