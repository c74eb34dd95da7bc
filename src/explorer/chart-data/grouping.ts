/** What a collection can be grouped by: fields, periods of its times, and parts of them; and the groups of each. */
import type { ColumnType, Row } from '../../files/file-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import { isDiverse, isGroupOffered, type ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import { distinctValues, nameAndKey } from '../parts/values.ts'
import { emptyView, type RecordArguments, valuesOf, type View } from '../view/view.ts'
import { viewOfValue, withCondition } from '../view/view.ts'
import { nested, onType, type Selection } from '../../ask/graphql-text.ts'
import { andWhere, nest, whereOf } from '../../ask/where.ts'
import type { GroupAnswer, GroupsAnswer } from './asked-chart.ts'
import { usualRange } from './time-axis.ts'
import type { Period } from './periods.ts'
import { boundsOf, boundsOfPeriods, isUnbounded, mostPeriods, periodLabel, periods } from './periods.ts'
import { periodsBetween, periodText, viewOfPeriod } from './periods.ts'
import { startOf } from '../../util/time/calendar.ts'

export interface Grouping {
  /** In `groupBy`. */
  readonly name: string
  readonly field: ShownField
  /** Of a time: the length of the period, or the part of the time; null for the values themselves. */
  readonly unit: Period | 'hourOfDay' | 'weekday' | null
  /** Of numbers: the size of ranges; null where each number is a group. */
  readonly step: number | null
}

const units = [...periods, 'hourOfDay', 'weekday'] as const

/** Groupings by the fields of the collection's roles come first. Each collection has some, such as its accounts. */
export function groupingsOf({ fields, roles, groupable }: PageSubject): readonly Grouping[] {
  const all = [...fields.values()].flatMap((field): readonly Grouping[] => {
    if (field.type.kind === 'datetime')
      return units.map((unit) => ({ name: `${field.name}_${unit}`, field, unit, step: null }))
    return isGroupOffered(field) && !isDiverse(field, roles) ? [groupingBy(field)] : []
  })
  const rank = ({ field }: Grouping) =>
    field.name === roles.time
      ? 0
      : roles.facets.includes(field.name)
        ? 1
        : field.type.kind === 'datetime'
          ? 3
          : 2
  return all.filter(({ name }) => groupable.has(name)).toSorted((one, other) => rank(one) - rank(other))
}

/** By the values of the field. */
export function groupingBy(field: ShownField): Grouping {
  return { name: field.name, field, unit: null, step: null }
}

export function groupingLabel({ field, unit }: Grouping, language: Language): string {
  const label = fieldLabel(field, language)
  return unit === null ? label : `${label}: ${language.text.charts.units[unit]}`
}

/** Null where groups are not periods. */
export function periodOf({ unit }: Grouping): Period | null {
  return periods.find((each) => each === unit) ?? null
}

export function isNumber({ unit, field }: Grouping): boolean {
  return unit === null && field.type.kind === 'integer'
}

/** Whether its values have an order of their own: times and numbers. */
export function isOrdered({ field, unit }: Grouping): boolean {
  return unit !== null || field.type.kind === 'integer'
}

/** Whether a record is in one group, so that groups add up. */
export function isDisjoint({ field }: Grouping): boolean {
  return !field.isArray && !field.many
}

/** The columns of files that say which group a row is of: by a reference, also the name of the record. */
export function groupColumns(key: Grouping): Readonly<Record<string, ColumnType>> {
  const { name, field, unit } = key
  const { kind } = field.type
  const type =
    periodOf(key) !== null
      ? 'instant'
      : kind === 'boolean'
        ? kind
        : unit !== null || kind === 'integer'
          ? 'integer'
          : 'text'
  return { [name]: type, ...(field.targetTitle !== null && { [nameColumn(field)]: 'text' as const }) }
}

export function groupCells({ name, field }: Grouping, group: GroupAnswer): Row {
  return {
    [name]: group[name],
    ...(field.targetTitle !== null && { [nameColumn(field)]: recordNameIn(group, field) }),
  }
}

function nameColumn({ name, targetTitle }: ShownField): string {
  return `${name}Resolved.${targetTitle}`
}

/** What is selected of a group: the key, and the title of a record that it names. */
export function groupingSelection({ name, field, unit }: Grouping): Selection {
  const { target, targetTitle } = field
  if (unit !== null || target === null || targetTitle === null) return { [name]: {} }
  return { [name]: {}, ...nested([`${name}Resolved`, onType(target.typeName), targetTitle]) }
}

/** What each of the groups is called; those that look the same have different names. */
export function labelsOf(
  key: Grouping,
  groups: readonly GroupAnswer[],
  language: Language,
): (group: GroupAnswer) => string {
  const { name, field, unit, step } = key
  const period = periodOf(key)
  const values = unit === null ? groups.flatMap((each) => each[name] ?? []).map(String) : []
  const named = distinctValues(field, values, language)
  return (group) => {
    const value = group[name] ?? null
    if (value === null) return language.text.missing
    if (period !== null) return periodLabel(period, startOf(period, Date.parse(String(value))), language)
    if (unit === 'weekday') return weekday(Number(value), language)
    if (unit === 'hourOfDay') return `${String(value).padStart(2, '0')}:00`
    if (step !== null && step > 1)
      return `${language.number(Number(value))} – ${language.number(Number(value) + step - 1)}`
    return recordNameIn(group, field, groups) ?? named.get(String(value)) ?? String(value)
  }
}

/** The name of the record that the group is of, with its key if others of `among` have the same; null if not known. */
function recordNameIn(
  group: GroupAnswer,
  { name, targetTitle }: ShownField,
  among: readonly GroupAnswer[] = [],
): string | null {
  const nameOf = (each: GroupAnswer) => (each[`${name}Resolved`] as GroupAnswer | null)?.[targetTitle ?? '']
  const found = nameOf(group)
  if (typeof found !== 'string') return null
  const isShared = among.some((each) => each[name] !== group[name] && nameOf(each) === found)
  return isShared ? nameAndKey(found, String(group[name])) : found
}

/** 1 is Monday; so was the first of January 2024. */
function weekday(day: number, { tag }: Language): string {
  return new Intl.DateTimeFormat(tag, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day))
}

/** The view of the records of a group; null where no conditions select them. */
export function viewOfGroup(view: View, key: Grouping, group: GroupAnswer): View | null {
  const { name, field, unit, step } = key
  const value = group[name] ?? null
  const given = (operator: 'from' | 'to') => valuesOf(view, field.name, operator).map(Number)
  const chosen = (from: View, operator: 'missing' | 'from' | 'to', operand: number) =>
    withCondition(from, { field, operator, values: [String(operand)] })
  if (value === null) return chosen(view, 'missing', 1)
  const period = periodOf(key)
  if (period !== null) return viewOfPeriod(view, field, period, startOf(period, Date.parse(String(value))))
  if (unit !== null) return null
  if (step !== null && step > 1) {
    const from = chosen(view, 'from', Math.max(Number(value), ...given('from')))
    return chosen(from, 'to', Math.min(Number(value) + step - 1, ...given('to')))
  }
  return viewOfValue(view, field, String(value))
}

/** How many of its groups a chart shows, null if all. `hidesMissing`: there is a group without a value, and it is not shown. */
export function cutNote(
  key: Grouping,
  shown: number,
  { groupCount = 0 }: GroupsAnswer,
  hidesMissing: boolean,
  language: Language,
): string | null {
  const all = hidesMissing ? groupCount - 1 : groupCount
  if (all <= shown) return null
  const { text, number } = language
  const said = text.charts[periodOf(key) === null ? 'largestOf' : 'newestOf']
  return said(groupingLabel(key, language), number(shown), number(all))
}

export interface GroupKey {
  readonly id: string
  readonly group: GroupAnswer
  readonly label: string
  readonly view: View | null
}

/** Of periods, without those of no time, and without the few that are far from all others unless the view has bounds. */
export function usualGroups(key: Grouping, groups: readonly GroupAnswer[], view: View) {
  if (periodOf(key) === null) return groups
  const dated = withValue(key, groups).map((group) => ({ ...group, at: Date.parse(String(group[key.name])) }))
  return isUnbounded(boundsOf(view, key.field)) ? usualRange(dated) : dated
}

/** Without gaps between them; where there are more, those without records are left out. */
const mostNumbers = 100

/**
 * In the order of their values where they have one, otherwise the largest first; periods without gaps, and without the
 * group of no time. `isCut`: whether there are further groups. `view`: what the keys restrict.
 */
export function keysOf(
  key: Grouping,
  groups: readonly GroupAnswer[],
  isCut: boolean,
  view: View,
  language: Language,
): readonly GroupKey[] {
  const period = periodOf(key)
  if (period !== null) {
    const moments = numbersIn(key, groups)
    if (moments.length === 0) return []
    const [first, last] = [Math.min(...moments), Math.max(...moments)]
    return periodsBetween(period, first, last, mostPeriods).map((start) => ({
      id: String(start),
      group: { count: 0, [key.name]: periodText(period, start) },
      label: periodLabel(period, start, language),
      view: viewOfPeriod(view, key.field, period, start),
    }))
  }
  const sorted = isOrdered(key) ? inOrder(key, groups) : groups
  const shown = isOrdered(key) && !isCut ? withoutGaps(key, sorted) : sorted
  return keysIn(key, shown, view, language)
}

/** The groups as they are, in their order. */
export function keysIn(
  key: Grouping,
  groups: readonly GroupAnswer[],
  view: View,
  language: Language,
): readonly GroupKey[] {
  const labelOf = labelsOf(key, groups, language)
  return groups.map((group) => ({
    id: idOf(key, group),
    group,
    label: labelOf(group),
    view: viewOfGroup(view, key, group),
  }))
}

/** Numbers between others that no record has are groups without records. */
function withoutGaps(key: Grouping, sorted: readonly GroupAnswer[]): readonly GroupAnswer[] {
  const { name, step } = key
  const by = step ?? 1
  const numbers = numbersIn(key, sorted)
  const [low = 0, high = 0] = [numbers[0], numbers.at(-1)]
  const count = (high - low) / by + 1
  if (numbers.length === 0 || !Number.isInteger(count) || count > mostNumbers) return sorted
  const known = new Map(sorted.map((group, at) => [numbers[at], group]))
  const all = Array.from({ length: count }, (_, at) => low + at * by)
  return all.map((number) => known.get(number) ?? { [name]: number, count: 0 })
}

export function idOf(key: Grouping, group: GroupAnswer): string {
  const value = group[key.name] ?? null
  const period = periodOf(key)
  return value !== null && period !== null
    ? String(startOf(period, Date.parse(String(value))))
    : JSON.stringify(value)
}

/**
 * Only records of these groups; all records where no conditions select some of them, such as those of an hour. Periods,
 * and numbers with `areNeighbours`, are those from the lowest to the highest.
 */
export function inGroups(
  own: RecordArguments,
  key: Grouping,
  groups: readonly GroupAnswer[],
  areNeighbours = false,
): RecordArguments {
  const { name, field, unit, step } = key
  const period = periodOf(key)
  if (period !== null || (areNeighbours && isNumber(key))) {
    const numbers = numbersIn(key, groups)
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
    const bounds =
      numbers.length === 0
        ? { isNull: true }
        : period === null
          ? { gte: low, lte: high + (step ?? 1) - 1 }
          : boundsOfPeriods(period, low, high)
    return { ...own, where: andWhere(own.where, nest(field, bounds)) }
  }
  const isRange = unit !== null || (step ?? 1) > 1
  const isValue = (group: GroupAnswer) => !isRange && group[name] != null
  const values = groups.filter(isValue).map((group) => String(group[name]))
  const views = groups
    .filter((group) => !isValue(group))
    .map((group) => viewOfGroup(emptyView, key, group)?.conditions ?? null)
  if (views.includes(null)) return own
  const wheres = [
    ...(values.length === 0 ? [] : [whereOf([{ field, operator: 'is', values }])]),
    ...views.map((conditions) => whereOf(conditions ?? [])),
  ]
  return { ...own, where: andWhere(own.where, { OR: wheres }) }
}

/** The groups in the order of their values, without that of records that have none. */
export function inOrder(key: Grouping, groups: readonly GroupAnswer[]): readonly GroupAnswer[] {
  return withValue(key, groups).toSorted((one, two) => Number(one[key.name]) - Number(two[key.name]))
}

/** Of periods their first moments, in milliseconds since 1970. */
function numbersIn(key: Grouping, groups: readonly GroupAnswer[]): readonly number[] {
  const read = periodOf(key) === null ? Number : (value: unknown) => Date.parse(String(value))
  return withValue(key, groups).map((group) => read(group[key.name]))
}

/** Without the group of records that have no value. */
export function withValue({ name }: Grouping, groups: readonly GroupAnswer[]): readonly GroupAnswer[] {
  return groups.filter((group) => group[name] !== null)
}
