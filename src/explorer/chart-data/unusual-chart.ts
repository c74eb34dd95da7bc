/** What is more frequent among the records of a view than among others: values of a field, or words of a text. */
import type { ColumnType, Row } from '../../files/file-spec.ts'
import { viewAddress } from '../browse/context.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import { EnumValue, leaves, nested, printField } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import { canSearch, changed, isRestricted, recordArguments, type View, withCondition } from '../view/view.ts'
import { type Where, whereOf } from '../../ask/where.ts'
import { aggregateOf, type AskedChart, type ChartContext, describe, type GroupAnswer } from './asked-chart.ts'
import {
  type Grouping,
  groupingLabel,
  groupingSelection,
  groupingsOf,
  groupLabel,
  recordNameIn,
  recordNameOf,
  viewOfGroup,
} from './grouping.ts'
import { readChoice, readNamed } from './own-parameters.ts'
import { boundsOf, dateText, firstDay } from './periods.ts'

export const backgrounds = ['rest', 'previous'] as const

/** The words of a text, or the values of a field. */
export interface UnusualThing {
  /** In the address. */
  readonly name: string
  readonly label: string
  /** How many records a word or value must have. */
  readonly least: number
  readonly ask: (background: Where) => Omit<Panel, 'name' | 'field'>
  readonly rows: (answer: UnusualAnswer) => readonly UnusualRow[]
  /** Of files, before the significance. */
  readonly columns: Readonly<Record<string, ColumnType>>
}

/** A word or value, the most unusual first. */
export interface UnusualRow {
  readonly label: string
  /** Null where no view has its records. */
  readonly view: View | null
  readonly row: Row
  readonly significance: Significance
}

interface Significance {
  /** In standard deviations. */
  readonly score: number
  readonly share: number
  readonly againstShare: number
}

export interface UnusualAnswer {
  readonly groups?: readonly (GroupAnswer & { readonly significance: Significance })[]
  readonly unusualWords?: {
    readonly recordsRead: number
    readonly againstRecordsRead: number
    readonly words: readonly {
      readonly word: string
      readonly count: number
      readonly significance: Significance
    }[]
  }
}

export interface UnusualChart extends AskedChart {
  readonly things: readonly UnusualThing[]
  readonly thing: UnusualThing | null
  readonly against: (typeof backgrounds)[number]
  /** Those that the view can be compared with. */
  readonly backgrounds: readonly (typeof backgrounds)[number][]
  /** Views to begin with, where the view has all records. */
  readonly suggestions: (answer: Answer) => readonly { readonly label: string; readonly view: View }[]
}

const mostGroups = 20
const day = 86_400_000
const selected = { count: {}, significance: leaves('score', 'share', 'againstShare') }
const measures = { share: 'float', againstShare: 'float', score: 'float' } as const
/** Words to ask for. Words that tell nothing are left out afterwards. */
const askedWords = 60
const leastOfWords = 3
const leastOfValues = 5

export function unusualChart(context: ChartContext): UnusualChart {
  const { subject, view, language } = context
  const { collection, fields, roles } = subject
  const problems: Problem[] = []
  const texts = collection.searchFields.flatMap(({ name }) =>
    name === roles.title || name === roles.summary ? (fields.get(name) ?? []) : [],
  )
  const keys = groupingsOf(subject).filter(
    ({ unit, field }) => unit === null && roles.facets.includes(field.name),
  )
  const things = [
    ...texts.map((field) => wordsOf(field, context)),
    ...keys.map((key) => valuesOf(key, context)),
  ]
  const thing = readNamed(view, 'on', things, problems) ?? things[0] ?? null
  const previous = previousWhere(context)
  const wanted = readChoice(view, 'against', backgrounds, problems)
  const against = wanted === 'previous' && previous !== null ? 'previous' : 'rest'
  const isWhole = !isRestricted(view)
  const time = fields.get(roles.time)
  const field = aggregateOf(subject)
  const range = { name: 'range', field, arguments: {}, selection: nested(['max', time?.name ?? '']) }
  const rowsIn = (answer: Answer) => thing?.rows(foundIn(answer)) ?? []
  const asked = thing?.ask((against === 'previous' ? previous : null) ?? {})
  return {
    problems,
    things,
    thing,
    against,
    backgrounds: previous === null ? ['rest'] : backgrounds,
    panels: isWhole
      ? time === undefined
        ? []
        : [range]
      : asked === undefined
        ? []
        : [{ name: 'unusual', field, ...asked }],
    more: () => [],
    suggestions: (answer) => (isWhole && time !== undefined ? lastDays(time, answer, context) : []),
    table: (answer) => ({
      columns: { ...thing?.columns, ...measures },
      rows: rowsIn(answer).map(({ row, significance }) => ({ ...row, ...significance })),
    }),
    chart(answer) {
      const { charts } = language.text
      const rows = rowsIn(answer)
      const nothing = charts.nothingUnusual(language.number(thing?.least ?? leastOfValues))
      const spec = describe(
        {
          kind: 'bars',
          title: charts.unusualOf(thing?.label ?? ''),
          ...(rows.length === 0 && { description: isWhole ? charts.chooseFirst : nothing }),
          unit: 'share',
          keyLabel: thing?.label ?? '',
          valueLabel: charts.shareOfShown,
          isOrdered: false,
          isStacked: false,
          keys: rows.map((each) => ({
            label: each.label,
            href: viewAddress(context, each.view),
          })),
          series: (['share', 'againstShare'] as const).map((share) => ({
            name: share === 'share' ? charts.here : charts.backgrounds[against],
            values: rows.map(({ significance }) => significance[share]),
            hrefs: [],
          })),
        },
        language,
      )
      const first = rows.length === 0 ? [] : [charts.mostUnusualFirst]
      return { spec, notes: [...first, ...sampleNotes(foundIn(answer), language)] }
    },
  }
}

export function wordsOf(field: ShownField, { subject, view, language }: ChartContext): UnusualThing {
  const { collection } = subject
  const viewOf = (word: string): View | null => {
    const search = view.search === '' ? word : `(${view.search}) ${word}`
    // The search may have too many words or parentheses.
    const isPossible = view.search === '' || canSearch(search, collection)
    return isPossible ? changed(view, { others: [], search }) : null
  }
  return {
    name: `words-${field.name}`,
    label: language.text.charts.wordsOf(fieldLabel(field, language)),
    least: leastOfWords,
    columns: {
      word: 'text',
      recordsReadWithWord: 'integer',
      recordsRead: 'integer',
      againstRecordsRead: 'integer',
    },
    ask: (background) => ({
      arguments: { ...recordArguments(view) },
      variables: { background: { type: `${collection.typeName}WhereInput!`, value: background } },
      selection: {
        [printField('unusualWords', {
          field: new EnumValue(field.name),
          against: new EnumValue('$background'),
          minCount: leastOfWords,
          limit: askedWords,
        })]: { ...leaves('recordsRead', 'againstRecordsRead'), words: { word: {}, ...selected } },
      },
    }),
    rows({ unusualWords }) {
      const { words = [], recordsRead, againstRecordsRead } = unusualWords ?? {}
      const telling = words.filter(({ significance }) => isTelling(significance)).slice(0, mostGroups)
      return telling.map(({ word, count, significance }) => ({
        label: word,
        view: viewOf(word),
        row: { word, recordsReadWithWord: count, recordsRead, againstRecordsRead },
        significance,
      }))
    },
  }
}

/**
 * Words that many other records have, such as articles and prepositions, tell nothing, nor do those that are hardly
 * more frequent here, or by chance. Rare words are more often unusual by chance, which their scores account for.
 */
function isTelling({ score, share, againstShare }: Significance): boolean {
  return score >= 1.5 && againstShare < 0.1 && share >= 2 * againstShare
}

export function valuesOf(key: Grouping, { view, language }: ChartContext): UnusualThing {
  const { name, field } = key
  const column = name === 'count' || Object.hasOwn(measures, name) ? `record_${name}` : name
  const named = recordNameOf(field)
  return {
    name,
    label: groupingLabel(key, language),
    least: leastOfValues,
    columns: { [column]: 'text', ...(named !== null && { [named]: 'text' }), count: 'integer' },
    ask: (background) => ({
      arguments: {
        ...recordArguments(view),
        groupBy: [name],
        significant: { against: background },
        limit: mostGroups,
      },
      selection: { groups: { ...groupingSelection(key), ...selected } },
    }),
    rows: ({ groups = [] }) =>
      groups.map((group) => ({
        label: groupLabel(key, group, language),
        view: viewOfGroup(changed(view, { others: [] }), key, group),
        row: {
          [column]: group[name] === null ? null : String(group[name]),
          ...(named !== null && { [named]: recordNameIn(group, field) }),
          count: group.count,
        },
        significance: group.significance,
      })),
  }
}

/** The same conditions in a period of the same length before; null without one. `against` takes no search. */
function previousWhere({ view, subject, now }: ChartContext): Where | null {
  const time = subject.fields.get(subject.roles.time)
  if (time === undefined || view.search !== '') return null
  const { from, to } = boundsOf(view, time)
  if (from === null) return null
  const length = Math.max(day, (to ?? now) - from)
  if (from - length < firstDay) return null
  const at = (moment: number) => new Date(moment).toISOString()
  const earlier = withCondition(
    withCondition(view, { field: time, operator: 'from', values: [at(from - length)] }),
    { field: time, operator: 'to', values: [at(from - 1).replace('Z', '999Z')] },
  )
  return whereOf(earlier.conditions)
}

function lastDays(time: ShownField, answer: Answer, { view, language }: ChartContext) {
  const { max } = (answer['range'] ?? {}) as { max?: Readonly<Record<string, string | null>> }
  const newest = max?.[time.name] ?? null
  if (newest === null) return []
  return [7, 30].map((days) => ({
    label: language.plural(language.text.charts.lastDays, days),
    view: withCondition(view, {
      field: time,
      operator: 'from',
      values: [dateText(Date.parse(newest) - (days - 1) * day)],
    }),
  }))
}

function foundIn(answer: Answer): UnusualAnswer {
  return (answer['unusual'] ?? {}) as UnusualAnswer
}

/** The answer has the numbers of records that were read, and not whether these were samples. */
export function sampleNotes({ unusualWords }: UnusualAnswer, { number, text }: Language): readonly string[] {
  if (unusualWords === undefined) return []
  const { recordsRead, againstRecordsRead } = unusualWords
  return [text.charts.sample(number(recordsRead), number(againstRecordsRead))]
}
