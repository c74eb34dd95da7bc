/** The parts that a field splits a chart into: its largest values, and all other records. */
import type { Collection } from '../../schema/model/model.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../../ask/operation.ts'
import { longestValue } from '../view/conditions.ts'
import { type View, withCondition } from '../view/view.ts'
import { andWhere, whereOf } from '../../ask/where.ts'
import type { RecordArguments } from '../view/where.ts'
import type { Group, Groups } from './asked-chart.ts'
import { type Grouping, groupingSelection, groupLabel } from './grouping.ts'

export interface Part {
  /** Null for records without one, undefined for all or all others. */
  readonly value: string | null | undefined
  readonly name: string
  readonly isRest: boolean
  /** Null where no conditions select its records. */
  readonly view: View | null
  readonly own: RecordArguments
}

const mostSplitValues = 8

/** Asks for the largest values, and how many values there are. */
export function partsPanel(
  name: string,
  field: ShownField,
  own: RecordArguments,
  { rootField }: Pick<Collection, 'rootField'>,
): Panel {
  return {
    name,
    field: `${rootField}Aggregate`,
    arguments: { ...own, groupBy: [field.name], limit: mostSplitValues + 1 },
    selection: `groupCount\ngroups { ${groupingSelection(asGrouping(field))} count }`,
  }
}

/**
 * Null for an answer that is not known: as many parts as there may be. Records may have several elements of an array, so
 * that there are no others. Values that are too long to ask for are among the others.
 */
export function readParts(
  found: Groups | null,
  field: ShownField,
  view: View,
  own: RecordArguments,
  language: Language,
): readonly Part[] {
  // Nothing selects records with an empty list, which are in the group without a value too.
  const groups = (found?.groups ?? anyGroups(field))
    .filter((group: Group) => !(found !== null && field.isArray && group[field.name] === null))
    .filter((group: Group) => String(group[field.name] ?? '').length <= longestValue)
    .slice(0, mostSplitValues)
  const parts = groups.map((group: Group): Part => {
    const value = group[field.name] == null ? null : String(group[field.name])
    const chosen = { field, operator: value === null ? 'missing' : 'is', values: [value ?? '1'] } as const
    return {
      value,
      name: groupLabel(asGrouping(field), group, null, language),
      isRest: false,
      view: withCondition(view, chosen),
      own: { ...own, where: andWhere(own.where, whereOf([chosen])) },
    }
  })
  if (field.isArray || (found !== null && (found.groupCount ?? 0) <= parts.length)) return parts
  const values = parts.flatMap(({ value }) => value ?? [])
  const excluded = [
    ...(values.length === 0 ? [] : [whereOf([{ field, operator: 'not', values }])]),
    ...(parts.some(({ value }) => value === null)
      ? [{ NOT: whereOf([{ field, operator: 'missing', values: ['1'] }]) }]
      : []),
  ]
  const others: Part = {
    value: undefined,
    name: language.text.charts.others,
    isRest: true,
    view: null,
    own: { ...own, where: andWhere(own.where, ...excluded) },
  }
  return [...parts, others]
}

/** As many groups as there may be, of values that the field may have. */
function anyGroups({ name, type: { kind } }: ShownField): readonly Group[] {
  const isReference = kind === 'strongRef' || kind === 'atUri'
  return Array.from({ length: mostSplitValues + 1 }, (_, at) => ({
    count: 1,
    [name]: isReference ? `at://did:web:example.org/org.example.any/${at}` : String(at),
  }))
}

export function asGrouping(field: ShownField): Grouping {
  return { name: field.name, field, unit: null }
}
