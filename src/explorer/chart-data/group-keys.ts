/**
 * The keys and series of groups: in the order of their values where they have one, otherwise the largest. Those of a
 * chart by two fields are asked for by themselves, so that a list of pairs has all pairs of them.
 */
import type { Language } from '../languages/language.ts'
import { emptyView, type View } from '../view/view.ts'
import type { Panel } from '../../ask/operation.ts'
import { andWhere, nest, type Where, whereOf } from '../../ask/where.ts'
import type { RecordArguments } from '../view/where.ts'
import type { Group } from './asked-chart.ts'
import { type Grouping, groupingSelection, groupLabel, isOrdered, viewOfGroup } from './grouping.ts'
import {
  boundsOfPeriods,
  isPeriod,
  leastOf,
  mostOf,
  mostPeriods,
  periodLabel,
  periodsBetween,
  startOf,
  viewOfPeriod,
} from './periods.ts'

export interface GroupKey {
  readonly id: string
  readonly label: string
  readonly view: View | null
}

/** Without gaps between them; where there are more, those without records are left out. */
const mostNumbers = 100

interface KeysGiven {
  readonly groups: readonly Group[]
  /** Size of ranges of numbers; null if each number is a group. */
  readonly step: number | null
  /** Whether there are further groups. */
  readonly isCut: boolean
  /** The view that the keys restrict. */
  readonly view: View
  readonly language: Language
}

export function keysOf(key: Grouping, given: KeysGiven): readonly GroupKey[] {
  const { groups, isCut, step, view, language } = given
  if (isPeriodic(key)) return periodKeys(key, given)
  const sorted = !isOrdered(key)
    ? groups
    : isCut
      ? inOrder(key, groups)
      : withoutGaps(key, inOrder(key, groups), step)
  return sorted.map((group) => ({
    id: idOf(key, group),
    label: groupLabel(key, group, step, language),
    view: viewOfGroup(view, key, group, step),
  }))
}

/** Without gaps; records without a time are left out. */
function periodKeys(
  { name, field, unit }: Grouping,
  { groups, view, language }: KeysGiven,
): readonly GroupKey[] {
  if (unit === null || !isPeriod(unit)) return []
  const moments = groups.flatMap((group) => (group[name] === null ? [] : [Date.parse(String(group[name]))]))
  if (moments.length === 0) return []
  return periodsBetween(unit, leastOf(moments), mostOf(moments), mostPeriods).map((start) => ({
    id: String(start),
    label: periodLabel(unit, start, language),
    view: viewOfPeriod(view, field, unit, start),
  }))
}

/** Numbers between others that no record has are groups without records. */
function withoutGaps(
  { name, unit }: Grouping,
  sorted: readonly Group[],
  step: number | null,
): readonly Group[] {
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return sorted
  const [low, high, by] = [Number(first[name]), Number(last[name]), unit === null ? (step ?? 1) : 1]
  const known = new Map(sorted.map((group) => [Number(group[name]), group]))
  const count = (high - low) / by + 1
  if (!Number.isInteger(count) || count > mostNumbers) return sorted
  return Array.from(
    { length: count },
    (_, at) => known.get(low + at * by) ?? { [name]: low + at * by, count: 0 },
  )
}

export function idOf(key: Grouping, group: Group): string {
  const value = group[key.name] ?? null
  if (value !== null && key.unit !== null && isPeriod(key.unit))
    return String(startOf(key.unit, Date.parse(String(value))))
  return JSON.stringify(value)
}

/** Asks for the groups of one field that have most records, or are the newest. */
export function groupsPanel(
  name: string,
  key: Grouping,
  aggregate: string,
  own: RecordArguments,
  most: number,
  step: number | null,
): Panel {
  return {
    name,
    field: aggregate,
    arguments: {
      ...own,
      groupBy: [key.name],
      interval: isNumber(key) ? (step ?? undefined) : undefined,
      orderBy: isPeriodic(key) ? 'KEY_DESC' : undefined,
      limit: most,
    },
    selection: `count groupCount\ngroups { ${groupingSelection(key)} count }`,
  }
}

/**
 * Only records of these groups; all records where no conditions select some of them, such as those of an hour. Periods,
 * and numbers with `areNeighbours`, are those from the lowest to the highest.
 */
export function inGroups(
  own: RecordArguments,
  key: Grouping,
  groups: readonly Group[],
  step: number | null,
  areNeighbours = false,
): RecordArguments {
  if (areNeighbours && isNumber(key)) {
    const numbers = groups.flatMap((group) => (group[key.name] === null ? [] : [Number(group[key.name])]))
    const bounds =
      numbers.length === 0
        ? { isNull: true }
        : { gte: leastOf(numbers), lte: mostOf(numbers) + (step ?? 1) - 1 }
    return { ...own, where: andWhere(own.where, nest(key.field, bounds)) }
  }
  if (isPeriodic(key)) return { ...own, where: andWhere(own.where, nest(key.field, spanOf(key, groups))) }
  const values = groups.flatMap((group) =>
    !isRange(key, step) && group[key.name] != null ? [String(group[key.name])] : [],
  )
  const others = groups.filter((group) => isRange(key, step) || group[key.name] == null)
  const views = others.map((group) => viewOfGroup(emptyView, key, group, step))
  if (views.some((view) => view === null)) return own
  const wheres: readonly Where[] = [
    ...(values.length === 0 ? [] : [whereOf([{ field: key.field, operator: 'is', values }])]),
    ...views.map((view) => whereOf(view?.conditions ?? [])),
  ]
  return { ...own, where: andWhere(own.where, { OR: wheres }) }
}

/** The bounds of the newest periods. */
function spanOf({ name, unit }: Grouping, groups: readonly Group[]): Where {
  const starts = groups.flatMap((group) => (group[name] === null ? [] : [Date.parse(String(group[name]))]))
  if (starts.length === 0 || unit === null || !isPeriod(unit)) return { isNull: true }
  return boundsOfPeriods(unit, leastOf(starts), mostOf(starts))
}

/** Whether each of its groups has more than one value. */
function isRange(key: Grouping, step: number | null): boolean {
  return key.unit !== null || (isNumber(key) && step !== null && step > 1)
}

export function isNumber({ unit, field }: Grouping): boolean {
  return unit === null && field.type.kind === 'integer'
}

/** Without the group of records that have no value. */
export function inOrder({ name }: Grouping, groups: readonly Group[]): readonly Group[] {
  return groups
    .filter((group) => group[name] !== null)
    .toSorted((one, two) => Number(one[name]) - Number(two[name]))
}

export function isPeriodic({ unit }: Grouping): boolean {
  return unit !== null && isPeriod(unit)
}
