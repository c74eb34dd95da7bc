/** The keys and series of groups: in the order of their values where they have one, otherwise the largest. */
import type { Language } from '../languages/language.ts'
import type { View } from '../view/view.ts'
import type { Group } from './asked-chart.ts'
import { type Grouping, groupLabel, isOrdered, viewOfGroup } from './grouping.ts'
import { isPeriod, periodLabel, periodsBetween, startOf, viewOfPeriod } from './periods.ts'

export interface GroupKey {
  readonly id: string
  readonly label: string
  readonly view: View | null
}

const mostPeriods = 400
/** Without gaps between them; where there are more, those without records are left out. */
const mostNumbers = 100

interface KeysGiven {
  readonly groups: readonly Group[]
  /** Size of ranges of numbers; null if each number is a group. */
  readonly step: number | null
  /** Null for all groups. */
  readonly most: number | null
  /** The view that the keys restrict. */
  readonly view: View
  readonly language: Language
}

export function keysOf(key: Grouping, given: KeysGiven): readonly GroupKey[] {
  const { groups, most, step, view, language } = given
  if (isPeriodic(key)) return periodKeys(key, given)
  const distinct = [...new Map(groups.map((group) => [idOf(key, group), group])).values()]
  const sorted = isOrdered(key)
    ? withoutGaps(key, inOrder(key, distinct), step)
    : most === null
      ? distinct
      : largest(key, groups, most)
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
  const [low, high] = [moments.reduce((a, b) => Math.min(a, b)), moments.reduce((a, b) => Math.max(a, b))]
  return periodsBetween(unit, low, high, mostPeriods).map((start) => ({
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

/** One group for each of the keys that most records have. */
export function largest(key: Grouping, groups: readonly Group[], most: number): readonly Group[] {
  return [...Map.groupBy(groups, (group) => idOf(key, group)).values()]
    .map((members) => ({
      member: members[0] as Group,
      sum: members.reduce((sum, group) => sum + group.count, 0),
    }))
    .toSorted((one, two) => two.sum - one.sum)
    .slice(0, most)
    .map(({ member }) => member)
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
