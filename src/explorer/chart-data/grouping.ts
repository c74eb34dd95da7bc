/** What a collection can be grouped by: fields, periods of its times, and parts of them. */
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import { isDiverse, isGroupOffered, type ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import { plainValue } from '../parts/values.ts'
import { type View, withCondition } from '../view/view.ts'
import type { Group } from './asked-chart.ts'
import { isPeriod, type Period, periodLabel, periods, startOf, viewOfPeriod } from './periods.ts'

export interface Grouping {
  /** In `groupBy`. */
  readonly name: string
  readonly field: ShownField
  /** Of a time: the length of the period, or the part of the time; null for the values themselves. */
  readonly unit: Period | 'hourOfDay' | 'weekday' | null
}

const units = [...periods, 'hourOfDay', 'weekday'] as const

/** Groupings by the fields of the collection's roles come first. */
export function groupingsOf({ fields, roles }: Subject, groupable: ReadonlySet<string>): readonly Grouping[] {
  const all = [...fields.values()].flatMap((field): readonly Grouping[] => {
    if (field.type.kind === 'datetime')
      return units.map((unit) => ({ name: `${field.name}_${unit}`, field, unit }))
    return isGroupOffered(field) && !isDiverse(field, roles) ? [{ name: field.name, field, unit: null }] : []
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

export function groupingLabel({ field, unit }: Grouping, language: Language): string {
  const label = fieldLabel(field, language)
  return unit === null ? label : `${label}: ${language.text.charts.units[unit]}`
}

/** Whether its values have an order of their own: times and numbers. */
export function isOrdered({ field, unit }: Grouping): boolean {
  return unit !== null || field.type.kind === 'integer'
}

/** Whether a record is in one group, so that groups add up. */
export function isDisjoint({ field }: Grouping): boolean {
  return !field.isArray && !field.many
}

/** In a file of groups: `source.displayName` of groups by `source`; null for groups that name no records. */
export function recordNameOf(field: ShownField | undefined): string | null {
  if (field === undefined || field.target === null || field.targetTitle === null) return null
  return `${field.name}.${field.targetTitle}`
}

/** What is selected of a group: the key, and the title of a record that it names. */
export function groupingSelection({ name, field, unit }: Grouping): string {
  const { target, targetTitle } = field
  const isNamed = unit === null && target !== null && targetTitle !== null
  return isNamed ? `${name} ${name}Resolved { ... on ${target.typeName} { ${targetTitle} } }` : name
}

export function groupLabel(
  { name, field, unit }: Grouping,
  group: Group,
  step: number | null,
  language: Language,
): string {
  const value = group[name]
  if (value === null || value === undefined) return language.text.missing
  if (unit !== null && isPeriod(unit))
    return periodLabel(unit, startOf(unit, Date.parse(String(value))), language)
  if (unit === 'weekday') return weekday(Number(value), language)
  if (unit === 'hourOfDay') return `${String(value).padStart(2, '0')}:00`
  if (typeof value === 'number' && step !== null && step > 1)
    return `${language.number(value)} – ${language.number(value + step - 1)}`
  return recordNameIn(group, field) ?? plainValue(field, String(value), language)
}

/** The name of the record that the group is of; null where it is not known. */
export function recordNameIn(group: Group, field: ShownField | undefined): string | null {
  const resolved = group[`${field?.name}Resolved`] as Readonly<Record<string, unknown>> | null | undefined
  const found = resolved?.[field?.targetTitle ?? '']
  return typeof found === 'string' ? found : null
}

/** 1 is Monday; so was the first of January 2024. */
function weekday(day: number, { tag }: Language): string {
  return new Intl.DateTimeFormat(tag, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day))
}

/** The view of the records of a group; null where no conditions select them. */
export function viewOfGroup(
  view: View,
  { name, field, unit }: Grouping,
  group: Group,
  step: number | null,
): View | null {
  const value = group[name] ?? null
  // The group also has records with an empty list.
  if (value === null)
    return field.isArray ? null : withCondition(view, { field, operator: 'missing', values: ['1'] })
  if (unit !== null)
    return isPeriod(unit) ? viewOfPeriod(view, field, unit, startOf(unit, Date.parse(String(value)))) : null
  if (typeof value === 'number' && step !== null && step > 1)
    return withCondition(withCondition(view, { field, operator: 'from', values: [String(value)] }), {
      field,
      operator: 'to',
      values: [String(value + step - 1)],
    })
  return withCondition(view, { field, operator: 'is', values: [String(value)] })
}
