/** Builds the plan of an aggregate field: its conditions, keys, order and outputs. */
import type { Table } from '../../../database/layout/tables.ts'
import { constantOutput, fieldsBelow, namedBelow } from '../build-fields.ts'
import { buildElements, buildTimeFrame, groupFieldsOf, groupKey, intervalOf } from './build-group-key.ts'
import { buildRecords } from '../build-output.ts'
import { buildSearch } from '../build-search.ts'
import { buildPossibleWhere, buildWhere } from '../build-where.ts'
import type { Input } from '../build-operators.ts'
import { argumentsOf, badInput, type Collected, integerArgument } from '../../parse/prepare.ts'
import { type Condition, isNothing } from '../conditions.ts'
import { isOfShare } from '../plan-facts.ts'
import { type Constant, type Direction, type MissingPlace, unusualPlace } from '../fields.ts'
import type { FillPlan, GroupKey, GroupOrder } from './group-plan.ts'
import type { AggregateOutput, AggregatePlan, GroupOutput, PlanContext, TopPlan } from '../plan.ts'
import { assertWithin, limits } from '../../parse/limits.ts'
import { buildChange } from '../../outputs/changes.ts'
import { buildFill } from '../../outputs/fill.ts'
import { buildGroupPage } from '../../outputs/group-pages.ts'
import { buildHaving } from '../../outputs/having.ts'
import type { AggregateContext, ValueArgument } from '../../outputs/measures.ts'
import { buildGroupValue, measureOutput } from '../../outputs/measures.ts'
import { buildPairs } from '../../outputs/pairs.ts'
import { buildSamples } from '../../outputs/samples.ts'
import { buildShare } from '../../outputs/shares.ts'
import { buildSignificance } from '../../outputs/significance.ts'
import { buildUnusualWords } from '../../outputs/unusual-words.ts'

const defaultLimit = 50
const defaultTopLimit = 3

interface Building extends AggregateContext {
  /** Maximum number of groups. */
  readonly limit: number
  readonly interval: number | null
  /** The arguments `where` and `numerator`. */
  readonly conditions: unknown
  readonly numerator: unknown
  readonly keys: readonly GroupKey[]
}

export function buildAggregate(context: PlanContext, collected: Collected, table: Table): AggregatePlan {
  const given = argumentsOf(context.selection, collected)
  const groupBy = groupFieldsOf('groupBy', given.groupBy, 'groupFields')
  const interval = intervalOf(given.interval, groupBy)
  const isSignificant = given.significant !== undefined && given.significant !== null
  const where = buildWhere(context, table, given.where, buildSearch(table, given.search))
  const share = buildShare(context, table, where, given)
  const time = buildTimeFrame(given)
  const keys = groupBy.map((field) => groupKey({ ...context, time }, table, field, interval))
  const names = groupBy.map(({ name }) => name)
  const possible = (condition: Condition | undefined, input: unknown) =>
    given.fill === true && condition !== undefined && isNothing(condition)
      ? buildPossibleWhere(context, table, input)
      : condition
  const bounds = {
    where: possible(where, given.where) ?? where,
    denominator:
      share === null || share.denominator === 'count'
        ? undefined
        : possible(share.denominator, given.denominator),
  }
  const fill = buildFill(given, { keys, names, share, ...bounds })
  const usual = context.file === null ? defaultLimitOf(fill) : limits.groups
  const limit = integerArgument('limit', given.limit, limits.groups, usual)
  const building: Building = {
    ...context,
    outer: null,
    limit,
    interval,
    table,
    time,
    where,
    conditions: given.where,
    numerator: given.numerator ?? null,
    groupBy,
    keys,
    isSignificant,
    share,
    measures: new Map(),
    changes: new Map(),
  }
  const fields = fieldsBelow(context, collected, (below) => aggregateOutput(building, below))
  const order = isSignificant ? ({ by: 'score' } as const) : groupOrder(building, given, fill)
  const groups = buildGroups(building, given, order)
  return {
    ...groups,
    significance: isSignificant ? buildSignificance(context, table, where, given) : null,
    changes: [...building.changes.values()],
    fill,
    page: buildGroupPage(collected.field?.name ?? '', given, groups),
    fields,
  }
}

/** What groups have on both levels, after their fields have collected the measures. */
function buildGroups(building: Building, given: Input, order: GroupOrder) {
  const { table, where, limit, keys, conditions, numerator } = building
  const having = buildHaving(building, given)
  const measures = [...building.measures.values()]
  const elements = buildElements(building, table, conditions, [...keys, ...measures.map(({ of }) => of)])
  const share = building.share && {
    ...building.share,
    elements:
      numerator === null
        ? null
        : buildElements(building, table, { AND: [conditions ?? {}, numerator] }, keys),
  }
  return { table, where, share, limit, keys, order, having, measures, elements }
}

/** All groups of a series: no added one is left out for a group outside the bounds. */
function defaultLimitOf(fill: FillPlan | null): number {
  if (fill?.kind !== 'buckets') return defaultLimit
  return fill.mayExceed ? limits.groups : Math.max(defaultLimit, fill.seconds.length)
}

/** Groups within each group, by further fields. */
function buildTop(outer: Building, collected: Collected): TopPlan {
  const given = argumentsOf(outer.selection, collected)
  const inner = groupFieldsOf('groupBy', given.groupBy, 'groupFields')
  if (inner.length === 0)
    throw badInput('`top` has no fields in `groupBy`. Name those by which to divide each group.')
  const groupBy = groupFieldsOf('groupBy', [...outer.groupBy, ...inner], 'groupFields')
  const limit = integerArgument('limit', given.limit, limits.topGroups, defaultTopLimit, 1)
  assertWithin(
    'allTopGroups',
    outer.limit * limit,
    'The limits of groups and of `top` multiply to too many groups',
  )
  const building: Building = {
    ...outer,
    groupBy,
    keys: groupBy.map((field) => groupKey(outer, outer.table, field, outer.interval)),
    outer: outer.groupBy.length,
    limit,
    isSignificant: false,
    measures: new Map(),
  }
  const fields = fieldsBelow(building, collected, (field) => groupOutput(building, field))
  const aggregate: AggregatePlan = {
    ...buildGroups(building, given, groupOrder(building, given, null)),
    significance: null,
    changes: [],
    fill: null,
    page: { binding: '', after: null },
    fields: [{ key: 'groups', output: { kind: 'groups', fields } }],
  }
  return { kind: 'top', outer: outer.groupBy.length, aggregate }
}

/** A series in time is in order of time. */
function groupOrder(building: Building, { orderBy, rankBy }: Input, fill: FillPlan | null): GroupOrder {
  const usual =
    fill?.kind === 'buckets'
      ? ({ by: 'key', direction: 'asc' } as const)
      : ({ by: 'count', direction: 'desc' } as const)
  if (rankBy === undefined || rankBy === null)
    return (orderBy ?? usual) as Extract<GroupOrder, { by: 'count' | 'key' }>
  if (orderBy !== undefined && orderBy !== null)
    throw badInput('`orderBy` and `rankBy` exclude each other. Leave one out.')
  const { direction, nulls, ...ranked } = rankBy as ValueArgument & {
    readonly direction: Direction
    readonly nulls?: MissingPlace | null
  }
  if (direction === null)
    throw badInput('The `direction` in `rankBy` is null. Write ASC or DESC, or leave it out.')
  const value = buildGroupValue(building, 'rankBy', ranked)
  if (value.kind === 'count') return { by: 'count', direction }
  const ranking = { direction, missing: unusualPlace(nulls, direction) }
  return value.kind === 'measure'
    ? { by: 'measure', measure: value.measure, ...ranking }
    : { by: value.kind, ...ranking }
}

function aggregateOutput(building: Building, below: Collected): AggregateOutput | Constant {
  switch (below.name) {
    case 'total':
    case 'matching':
    case 'share':
      return building.share === null ? constantOutput(null) : { kind: below.name }
    case 'count':
    case 'groupCount':
      return { kind: below.name }
    case 'groups':
      return { kind: 'groups', fields: fieldsBelow(building, below, (field) => groupOutput(building, field)) }
    case 'groupsPageInfo':
      return { kind: 'groupsPageInfo', fields: namedBelow(building, below) }
    case 'pairs':
      return buildPairs(building, below)
    case 'unusualWords':
      return buildUnusualWords(building, below)
    default:
      return measureOutput(building, below)
  }
}

/** What only outer groups have, with the message for others. */
const ofOuterGroups: Readonly<Record<string, string>> = {
  top: '`top` within `top` is one level too many. Add its fields to the `groupBy` of the outer `top`.',
  nodes: '`nodes` within `top` is not possible. Select `nodes` of the outer groups, or group by both fields.',
  change:
    '`change` within `top` is not possible. Select it in groups of an aggregate with one time bucket in `groupBy`, such as `groupBy: [indexedAt_day]`.',
  cursor: '`cursor` within `top` leads nowhere: `top` has no pages. Select the `cursor` of outer groups.',
}

function groupOutput(building: Building, below: Collected): GroupOutput | Constant {
  const role = below.field?.extensions.role
  if (below.name === 'significance')
    return building.isSignificant
      ? { kind: 'significance', fields: namedBelow(building, below) }
      : constantOutput(null)
  if (role?.kind !== 'group' && role?.kind !== 'groupResolved') {
    const problem = building.outer === null ? undefined : ofOuterGroups[below.name]
    if (problem !== undefined) throw badInput(problem)
    if (below.name === 'top') return buildTop(building, below)
    if (below.name === 'nodes') return buildSamples(building, below)
    if (below.name === 'change') return buildChange(building, below)
    if (below.name === 'cursor') return { kind: 'cursor' }
    if (below.name === 'countShare')
      return { kind: 'countShare', of: building.outer === null ? 'whole' : 'outer' }
    if (isOfShare(below.name)) return building.share === null ? constantOutput(null) : { kind: below.name }
    return below.name === 'count' ? { kind: 'count' } : measureOutput(building, below)
  }
  const key = building.groupBy.findIndex(({ name }) => name === role.field.name)
  if (key < 0)
    throw badInput(
      `\`${below.name}\` is no field of these groups: add ${role.field.name} to \`groupBy\`, or leave it out.`,
    )
  if (role.kind === 'group') return { kind: 'key', key }
  return { kind: 'keyResolved', key, records: buildRecords(building, below.selections) }
}
