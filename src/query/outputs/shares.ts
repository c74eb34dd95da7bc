/**
 * `total`, `matching` and `share`: groups of a denominator, and of what is divided by it, are matched with
 * the groups by keys, in a union: in a join a missing key equals no other.
 */
import type { Table } from '../../database/layout/tables.ts'
import { allOf, join, raw, type Sql, sql } from '../../sql/sql.ts'
import { numberJson } from '../emit/emit-output.ts'
import type { Emitter } from '../emit/emitter.ts'
import { emitRecordCount } from '../emit/groups/emit-counts.ts'
import { type Grouping, shareValue } from '../emit/groups/emit-group-values.ts'
import { createGrouping } from '../emit/groups/emit-grouping.ts'
import { groupBy, type Within } from '../emit/groups/emit-source.ts'
import { describeAccess, describeWhere } from '../optimize/describe-access.ts'
import { groupsOfAll, planGroups, planTotal } from '../optimize/groups/optimize-count.ts'
import { joinWords } from '../optimize/match-words.ts'
import { planFilter } from '../optimize/optimize-filter.ts'
import type { Optimizer } from '../optimize/optimizer.ts'
import { badInput } from '../parse/prepare.ts'
import { bothOf, buildWhere } from '../plan/build-where.ts'
import type { Condition } from '../plan/conditions.ts'
import type { SharePlan } from '../plan/groups/group-plan.ts'
import type { PhysicalAggregate, PhysicalShares, SharePart, TotalAccess } from '../plan/physical-plan.ts'
import { conjuncts, implies, readingsOf } from '../plan/plan-facts.ts'
import type { AggregatePlan, PlanContext, ShareOutput, TopPlan } from '../plan/plan.ts'
import { filtersSize, readingSize } from '../price/cost-groups.ts'
import { sum, weights } from '../price/cost-weights.ts'
import { whereSize } from '../price/cost-where.ts'

/** `where` selects the records that are counted; null without `denominator` and `numerator`. */
export function buildShare(
  context: PlanContext,
  table: Table,
  where: Condition,
  given: Readonly<Record<string, unknown>>,
): SharePlan | null {
  const [name, other] = ['denominator', 'numerator', 'significant'].filter((each) => given[each] != null)
  if (name === undefined || name === 'significant') return null
  if (other === 'significant')
    throw badInput(
      `\`significant\` and \`${name}\` exclude each other: both compare groups with other records. Leave one out.`,
    )
  if (other !== undefined)
    throw badInput(
      '`denominator` and `numerator` exclude each other: with `numerator`, groups are divided by their `count`. Leave one out.',
    )
  const condition = buildWhere(context, table, given[name])
  return name === 'denominator'
    ? { denominator: condition, numerator: numeratorOf(where, condition), elements: null }
    : { denominator: 'count', numerator: bothOf(where, condition), elements: null }
}

/** Whether the number of all records that meet `where` is part of the share of the whole. */
export function usesCount(share: SharePlan | null): boolean {
  return share?.numerator === 'count' || share?.denominator === 'count'
}

function numeratorOf(where: Condition, denominator: Condition): SharePlan['numerator'] {
  if (implies(where, denominator)) return 'count'
  return implies(denominator, where) ? 'total' : bothOf(where, denominator)
}

/**
 * The inner groups whose records of the denominator add up to those of the outer groups; null if there are none, or if
 * the page, changes or the whole depend on shares. Elements do not add up.
 */
export function summedTop(plan: AggregatePlan): TopPlan | null {
  const { sharesGroups, sharesWhole, needsAllShares } = readingsOf(plan)
  if (!sharesGroups || sharesWhole || needsAllShares) return null
  const groups = plan.fields.flatMap(({ output }) => (output.kind === 'groups' ? [output.fields] : []))
  // Each list of groups has inner groups of its own.
  if (groups.length !== 1) return null
  const tops = groups.flat().flatMap(({ output }) => (output.kind === 'top' ? [output] : []))
  return tops.find(addsUp) ?? null
}

function addsUp({ outer, aggregate }: TopPlan): boolean {
  const further = aggregate.keys.slice(outer)
  return (
    readingsOf(aggregate).sharesGroups &&
    further.every(({ leaf }) => leaf.kind !== 'array' && leaf.kind !== 'element')
  )
}

/**
 * The records of the denominator, and, unless their number is known from the other sets, those that are divided by
 * them: each set is grouped for the groups, and counted for the whole.
 */
export function sharesSize(plan: AggregatePlan, where: number): number {
  const { share, keys } = plan
  const { sharesWhole, addsUp, counts, dividesCounts, ...readings } = readingsOf(plan)
  if (share === null) return 0
  const sharesGroups = readings.sharesGroups && summedTop(plan) === null
  const elements = share.elements ?? []
  const sizes = [share.denominator, share.numerator]
    .filter((part) => typeof part !== 'string')
    .map((part) => whereSize({ ...plan, where: part, link: null }, 'all') + filtersSize({ elements }))
  const areCounted = sharesWhole && !(sharesGroups && addsUp)
  // The whole is divided by its own count, which is counted even if it is not selected.
  const ownCount =
    sharesWhole && usesCount(share) && counts === 0 && !dividesCounts && !addsUp ? weights.total + where : 0
  const sizeOf = (size: number): number =>
    (sharesGroups ? readingSize({ ...plan, measures: [] }, keys, size) : 0) +
    (areCounted ? weights.total + size : 0)
  return ownCount + sum(sizes, sizeOf)
}

/** How a denominator is counted and grouped, each set of records by its best path; null without shares. */
export function planShares(optimizer: Optimizer, plan: AggregatePlan): PhysicalShares | null {
  const { share, table, keys } = plan
  const { sharesWhole, addsUp, ...readings } = readingsOf(plan)
  const sharesGroups = readings.sharesGroups && summedTop(plan) === null
  if (share === null || !(sharesGroups || sharesWhole)) return null
  const partOf = (condition: Condition): SharePart => {
    const where = joinWords(condition)
    const ofAll = sharesGroups && conjuncts(where).length === 0 ? groupsOfAll(optimizer, table, keys) : null
    const part = { ...plan, where, measures: [], elements: share.elements ?? plan.elements }
    return {
      where,
      groups: sharesGroups ? (ofAll ?? planGroups(optimizer, part, keys)) : null,
      count: sharesWhole ? planTotal(optimizer, { table, where }, addsUp && sharesGroups) : null,
      elements:
        share.elements?.map((each) => ({ ...each, where: planFilter(optimizer, each.where) })) ?? null,
    }
  }
  const { denominator, numerator } = share
  return {
    total: denominator === 'count' ? denominator : partOf(denominator),
    numerator: typeof numerator === 'string' ? numerator : partOf(numerator),
  }
}

type Aggregate = PhysicalAggregate['aggregate'] & { readonly within?: Within }

/** Groupings of the sets of records that are counted besides the groups; null if groups have no shares. */
export interface Groupings {
  readonly total: Grouping | null
  readonly matched: Grouping | null
}

/**
 * The groups with the columns `total` and `matched`, and the name of one row with both for the whole; null without
 * groups, or if the whole has no share. `count`: how all records that meet `where` are counted; null if they are not.
 */
export function emitShares(
  emitter: Emitter,
  aggregate: Aggregate,
  shares: PhysicalShares,
  groups: Grouping | null,
  count: TotalAccess | null,
) {
  const groupingOf = (part: SharePart | string): Grouping | null =>
    typeof part === 'string' || part.groups === null
      ? null
      : createGrouping(
          emitter,
          { ...aggregate, measures: [], elements: part.elements ?? aggregate.elements },
          aggregate.keys,
          part.groups,
        )
  const groupings: Groupings = { total: groupingOf(shares.total), matched: groupingOf(shares.numerator) }
  const isShared = groups !== null && (groupings.total ?? groupings.matched) !== null
  return {
    groups: isShared
      ? sharedGroups(emitter, shares, groups, groupings, aggregate.fill?.kind === 'denominator')
      : groups,
    whole: wholeOf(emitter, aggregate, shares, groupings, { groups, count }),
    groupings,
  }
}

function sharedGroups(
  { step, dialect }: Emitter,
  { total: divisor, numerator }: PhysicalShares,
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
    sql`${divisor === 'count' ? raw('max(n)') : dialect.sum(raw('total'))} as total`,
    sql`${matchedOf} as matched`,
  ]
  const name = step(sql`select ${join(columns, ', ')}
    from (${join(parts, ' union all ')}) parts ${groupBy(keys)}${raw(isFilled ? '' : ' having max(n) is not null')}`)
  return { ...groups, name }
}

/** `own`: the records that meet `where`, as they are grouped and counted. */
function wholeOf(
  emitter: Emitter,
  { table }: Aggregate,
  { total, numerator }: PhysicalShares,
  groupings: Groupings,
  own: { readonly groups: Grouping | null; readonly count: TotalAccess | null },
): Sql | null {
  const countOf = (part: SharePart | string, groups: Grouping | null): Sql =>
    typeof part === 'string'
      ? emitRecordCount(emitter, own.count, table, own.groups)
      : emitRecordCount(emitter, part.count, table, groups)
  if ([total, numerator].every((part) => typeof part === 'string' || part.count === null)) return null
  const divisor = countOf(total, groupings.total)
  const matched = numerator === 'total' ? raw('total') : countOf(numerator, groupings.matched)
  return emitter.step(sql`select total, ${matched} as matched
    from (select ${divisor} as total) ${emitter.alias()}`)
}

/** The count of the group whose alias is `row`, divided by another: a column for `countShare`. */
export function countShare({ dialect }: Emitter, row: Sql, divisor: Sql): Sql {
  return sql`${dialect.asFloat(sql`${row}.n`)} / nullif(${divisor}, 0) as count_share`
}

/** An output of a row with `total` and `matched`. */
export function shareOutput(emitter: Emitter, row: Sql, kind: ShareOutput): Sql {
  if (kind === 'share') return numberJson(emitter, shareValue(emitter, row))
  return kind === 'total' ? sql`${row}.total` : sql`${row}.matched`
}

export function describeShares({ total, numerator }: PhysicalShares): readonly string[] {
  const describePart = ({ where, groups, count }: SharePart): string => {
    const read = [
      ...(groups === null ? [] : [`their groups from ${describeAccess(groups)}`]),
      ...(count === null ? [] : [`their count from ${describeAccess(count)}`]),
    ]
    return `records ${describeWhere(where)}, ${read.join(', ')}`
  }
  return [
    ...(typeof numerator === 'string' ? [] : [`shares of ${describePart(numerator)}`]),
    ...(typeof total === 'string' ? [] : [`divided by ${describePart(total)}`]),
  ]
}
