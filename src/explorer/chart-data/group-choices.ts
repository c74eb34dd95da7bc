/** What a reader chooses of a measure by fields. */
import { chartKinds, type ChartKind } from '../charts/chart-spec.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import type { Problem } from '../view/problem.ts'
import type { View } from '../view/view.ts'
import type { Grouping } from './grouping.ts'
import { readChoice, readOther } from './own-parameters.ts'

export const groupMeasures = ['count', 'share', 'average', 'median', 'distinct'] as const
export type GroupMeasure = (typeof groupMeasures)[number]
export const sizes = ['10', '20', '50'] as const

export interface GroupChoices {
  readonly measure: GroupMeasure
  /** The field that is measured; null where the measure has none. */
  readonly of: ShownField | null
  readonly by: readonly Grouping[]
  /** Null: chosen by what is shown. */
  readonly kind: ChartKind | null
  readonly top: (typeof sizes)[number]
  readonly step: number | null
  readonly groupings: readonly Grouping[]
  readonly numbers: readonly ShownField[]
}

/** Adds what is wrong to `problems`. */
export function readGroupChoices(
  view: View,
  { fields }: Subject,
  groupings: readonly Grouping[],
  problems: Problem[],
): GroupChoices {
  const numbers = [...fields.values()].filter(({ isMeasure, type }) => isMeasure && type.kind === 'integer')
  const measured = readChoice(view, 'measure', groupMeasures, problems) ?? 'count'
  const names = view.others.filter(([name, value]) => name === 'by' && value !== '').map(([, value]) => value)
  const found = names.map((name) => groupings.find((each) => each.name === name))
  for (const [at, name] of names.entries())
    if (found[at] === undefined || at > 1)
      problems.push({
        kind: 'unknownChoice',
        name: 'by',
        value: name.slice(0, 100),
        choices: groupings.map((each) => each.name),
      })
  const chosen = [...new Set(found.filter((each) => each !== undefined))].slice(0, 2)
  const [preset] = groupings
  const size = readOther(view, 'step')
  const isSize = /^[1-9]\d{0,8}$/.test(size)
  if (size !== '' && !isSize) problems.push({ kind: 'notInteger', name: 'step', value: size.slice(0, 100) })
  return {
    measure: measured,
    of: measuredField(measured, numbers, groupings, view, problems),
    by:
      chosen.length > 0 || preset === undefined
        ? chosen
        : [groupings.find(({ unit }) => unit === null) ?? preset],
    kind: readChoice(view, 'kind', chartKinds, problems),
    top: readChoice(view, 'top', sizes, problems) ?? '20',
    step: isSize ? Number(size) : null,
    groupings,
    numbers,
  }
}

function measuredField(
  measured: GroupMeasure,
  numbers: readonly ShownField[],
  groupings: readonly Grouping[],
  view: View,
  problems: Problem[],
): ShownField | null {
  if (measured === 'count' || measured === 'share') return null
  const possible =
    measured === 'distinct'
      ? groupings.filter(({ unit }) => unit === null).map(({ field }) => field)
      : numbers
  const name = readOther(view, 'of')
  const found = possible.find((field) => field.name === name)
  if (found === undefined && (name !== '' || possible.length === 0))
    problems.push({
      kind: 'unknownChoice',
      name: 'of',
      value: name.slice(0, 100),
      choices: possible.map((field) => field.name),
    })
  return found ?? possible[0] ?? null
}
