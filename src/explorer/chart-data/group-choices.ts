/** What a reader chooses of a measure by fields. */
import { EnumValue, leaves, nested, printField, type Selection } from '../../ask/graphql-text.ts'
import { chartKinds } from '../charts/chart-spec.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { PageSubject } from '../fields/subject.ts'
import { type Problem, unknownChoice } from '../view/problem.ts'
import { readChoice, readOther, type View } from '../view/view.ts'
import type { GroupAnswer } from './asked-chart.ts'
import { type Grouping, groupingsOf, isNumber } from './grouping.ts'
import { shareBase } from './share-base.ts'

export const groupMeasures = ['count', 'share', 'average', 'median', 'distinct'] as const
export type GroupMeasure = (typeof groupMeasures)[number]
export const sizes = ['10', '20', '50'] as const

export type GroupChoices = Readonly<ReturnType<typeof readGroupChoices>>

/** Adds what is wrong to `problems`. */
export function readGroupChoices(view: View, subject: PageSubject, problems: Problem[]) {
  const groupings = groupingsOf(subject)
  const { fields } = subject
  const numbers = [...fields.values()].filter(({ isMeasure, type }) => isMeasure && type.kind === 'integer')
  const measure = readChoice(view, 'measure', groupMeasures, problems) ?? 'count'
  const by = readGroupings(view, groupings, problems)
  const size = readOther(view, 'step')
  const step = /^[1-9]\d{0,8}$/.test(size) ? Number(size) : null
  if (size !== '' && step === null)
    problems.push({ kind: 'notInteger', name: 'step', value: size.slice(0, 100) })
  return {
    measure,
    /** The field that is measured; null where the measure has none. */
    of: measuredField(measure, numbers, groupings, view, problems),
    /** One or two. */
    by: by.map((key): Grouping => (isNumber(key) ? { ...key, step } : key)),
    /** Null: chosen by what is shown. */
    kind: readChoice(view, 'kind', chartKinds, problems),
    top: readChoice(view, 'top', sizes, problems) ?? '20',
    step,
    base: shareBase(view, subject, problems),
    groupings,
    numbers,
  }
}

function readGroupings(view: View, groupings: readonly Grouping[], problems: Problem[]): readonly Grouping[] {
  const names = view.others.filter(([name, value]) => name === 'by' && value !== '').map(([, value]) => value)
  const found = names.map((name) => groupings.find((each) => each.name === name))
  const choices = groupings.map((each) => each.name)
  for (const [at, name] of names.entries())
    if (found[at] === undefined || at > 1) problems.push(unknownChoice('by', name, choices))
  const chosen = [...new Set(found.filter((each) => each !== undefined))].slice(0, 2)
  if (chosen.length > 0) return chosen
  return [groupings.find(({ unit }) => unit === null) ?? groupings[0]].filter((each) => each !== undefined)
}

function measuredField(
  measure: GroupMeasure,
  numbers: readonly ShownField[],
  groupings: readonly Grouping[],
  view: View,
  problems: Problem[],
): ShownField | null {
  if (measure === 'count' || measure === 'share') return null
  const values = groupings.filter(({ unit }) => unit === null).map(({ field }) => field)
  const possible = measure === 'distinct' ? values : numbers
  const name = readOther(view, 'of')
  const found = possible.find((field) => field.name === name)
  const choices = possible.map((field) => field.name)
  if (found === undefined && (name !== '' || possible.length === 0))
    problems.push(unknownChoice('of', name, choices))
  return found ?? possible[0] ?? null
}

/** How a measure is asked for, read and named. `of`: the name of the field that is measured. */
export interface MeasureForm {
  /** In `rankBy`; null for counts and shares of all records, which groups have and are ordered by without it. */
  readonly rank: string | null
  /** In the texts of charts. */
  readonly label: 'records' | 'shareOf' | 'shareOfGroup' | 'averageOf' | 'medianOf' | 'distinctOf'
  readonly select: (of: string) => Selection
  /** In files. */
  readonly column: (of: string) => string
  /** Null where the group has none. */
  readonly read: (group: GroupAnswer, of: string) => unknown
}

/** `shareOfAll`: of a view without conditions, whose groups have no other records. */
export const measureForms: Readonly<Record<GroupMeasure | 'shareOfAll', MeasureForm>> = {
  count: formOfMember('count', null, 'records', {}),
  shareOfAll: formOfMember('countShare', null, 'shareOf', { countShare: {} }),
  share: formOfMember('share', 'SHARE', 'shareOfGroup', leaves('share', 'total')),
  average: formOfNumber('avg', 'AVG', 'averageOf'),
  median: formOfNumber('median', 'MEDIAN', 'medianOf'),
  distinct: {
    ...formOfMember('countDistinct', 'COUNT_DISTINCT', 'distinctOf', {}),
    select: (of) => ({ [printField('countDistinct', { field: new EnumValue(of) })]: {} }),
  },
}

/** `name`: of the member of groups that is the measure. */
function formOfMember(
  name: string,
  rank: string | null,
  label: MeasureForm['label'],
  selection: Selection,
): MeasureForm {
  return { rank, label, select: () => selection, column: () => name, read: (group) => group[name] }
}

/** `name`: of the member of groups that has the measure of each field. */
function formOfNumber(name: string, rank: string, label: MeasureForm['label']): MeasureForm {
  return {
    rank,
    label,
    select: (of) => nested([name, of]),
    column: (of) => `${name}.${of}`,
    read: (group, of) => (group[name] as Readonly<Record<string, unknown>>)[of],
  }
}
