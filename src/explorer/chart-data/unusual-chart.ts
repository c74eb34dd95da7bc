/** What is more frequent among the records of a view than among others: values of a field, or words of a text. */
import type { ColumnType, Row } from '../../files/file-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../operation.ts'
import type { Answer } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import { changed, isRestricted, type View, withCondition } from '../view/view.ts'
import { canSearch, recordArguments, type Where, whereOf } from '../view/where.ts'
import {
  aggregateOf,
  type AskedChart,
  type ChartContext,
  describe,
  type Group,
  groupableIn,
  recordsAddress,
} from './asked-chart.ts'
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
  readonly of:
    | { readonly kind: 'words'; readonly field: ShownField }
    | { readonly kind: 'values'; readonly key: Grouping }
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

interface Significance {
  /** In standard deviations. */
  readonly score: number
  readonly share: number
  readonly againstShare: number
}

interface UnusualAnswer {
  readonly groups?: readonly (Group & { readonly significance: Significance })[]
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

/** A word or value, the most unusual first. */
interface UnusualRow {
  readonly label: string
  /** Null where no view has its records. */
  readonly view: View | null
  /** In files, where the significance follows. */
  readonly row: Row
  readonly significance: Significance
}

const mostGroups = 20
const day = 86_400_000
const selected = 'count significance { score share againstShare }'
const measures = { share: 'float', againstShare: 'float', score: 'float' } as const
/** Words to ask for. Words that tell nothing are left out afterwards. */
const askedWords = 60
const leastRecords = { words: 3, values: 5 }

export function unusualChart(context: ChartContext): UnusualChart {
  const { subject, view, language } = context
  const problems: Problem[] = []
  const { charts } = language.text
  const things = thingsOf(context)
  const thing = readNamed(view, 'on', things, problems) ?? things[0] ?? null
  const previous = previousWhere(context)
  const wanted = readChoice(view, 'against', backgrounds, problems)
  const against = wanted === 'previous' && previous !== null ? 'previous' : 'rest'
  const background = against === 'previous' && previous !== null ? previous : {}
  const isWhole = !isRestricted(view)
  const time = subject.fields.get(subject.roles.time)
  const rowsIn = (answer: Answer): readonly UnusualRow[] =>
    thing === null ? [] : readRows(thing, foundIn(answer), context)
  return {
    problems,
    things,
    thing,
    against,
    backgrounds: previous === null ? ['rest'] : backgrounds,
    panels: isWhole
      ? rangePanels(time, context)
      : thing === null
        ? []
        : [panelOf(thing, background, context)],
    more: () => [],
    suggestions: (answer) => (isWhole && time !== undefined ? lastDays(time, answer, context) : []),
    table: (answer) => ({
      columns: { ...(thing === null ? {} : columnsOf(thing)), ...measures },
      rows: rowsIn(answer).map(({ row, significance }) => ({ ...row, ...significance })),
    }),
    chart(answer) {
      const rows = rowsIn(answer)
      const least = language.number(leastRecords[thing?.of.kind ?? 'values'])
      const description = isWhole ? charts.chooseFirst : charts.nothingUnusual(least)
      const spec = describe(
        {
          kind: 'bars',
          title: charts.unusualOf(thing?.label ?? ''),
          ...(rows.length === 0 && { description }),
          unit: 'share',
          keyLabel: thing?.label ?? '',
          valueLabel: charts.shareOfShown,
          isOrdered: false,
          isStacked: false,
          keys: rows.map((each) => ({
            label: each.label,
            href: recordsAddress(subject, each.view, language),
          })),
          series: [
            { name: charts.here, values: rows.map(({ significance }) => significance.share), hrefs: [] },
            {
              name: charts.backgrounds[against],
              values: rows.map(({ significance }) => significance.againstShare),
              hrefs: [],
            },
          ],
        },
        language,
      )
      const first = rows.length === 0 ? [] : [charts.mostUnusualFirst]
      return { spec, notes: [...first, ...sampleNotes(foundIn(answer), language)] }
    },
  }
}

function thingsOf(context: ChartContext): readonly UnusualThing[] {
  const { subject, language } = context
  const { collection, fields, roles } = subject
  const texts = collection.searchFields.flatMap(({ name }) =>
    name === roles.title || name === roles.summary ? (fields.get(name) ?? []) : [],
  )
  const keys = groupingsOf(subject, groupableIn(context)).filter(
    ({ unit, field }) => unit === null && roles.facets.includes(field.name),
  )
  return [
    ...texts.map((field) => ({
      name: `words-${field.name}`,
      label: language.text.charts.wordsOf(fieldLabel(field, language)),
      of: { kind: 'words', field } as const,
    })),
    ...keys.map((key) => ({
      name: key.name,
      label: groupingLabel(key, language),
      of: { kind: 'values', key } as const,
    })),
  ]
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

function rangePanels(time: ShownField | undefined, { subject }: ChartContext): readonly Panel[] {
  if (time === undefined) return []
  return [{ name: 'range', field: aggregateOf(subject), arguments: {}, selection: `max { ${time.name} }` }]
}

function panelOf({ of }: UnusualThing, background: Where, { view, subject }: ChartContext): Panel {
  const panel = { name: 'unusual', field: aggregateOf(subject) }
  if (of.kind === 'words')
    return {
      ...panel,
      arguments: { ...recordArguments(view) },
      variables: { background: { type: `${subject.collection.typeName}WhereInput!`, value: background } },
      selection: `unusualWords(field: ${of.field.name}, against: $background, minCount: ${leastRecords.words}, limit: ${askedWords}) { recordsRead againstRecordsRead words { word ${selected} } }`,
    }
  return {
    ...panel,
    arguments: {
      ...recordArguments(view),
      groupBy: [of.key.name],
      significant: { against: background },
      limit: mostGroups,
    },
    selection: `groups { ${groupingSelection(of.key)} ${selected} }`,
  }
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

function readRows(
  { of }: UnusualThing,
  { groups = [], unusualWords }: UnusualAnswer,
  { view, subject, language }: ChartContext,
): readonly UnusualRow[] {
  const plain = changed(view, { others: [] })
  if (of.kind === 'words') {
    const { words = [], recordsRead, againstRecordsRead } = unusualWords ?? {}
    return words
      .filter(isTelling)
      .slice(0, mostGroups)
      .map(({ word, count, significance }) => {
        const search = view.search === '' ? word : `(${view.search}) ${word}`
        return {
          label: word,
          // The search may have too many words or parentheses.
          view: view.search === '' || canSearch(search, subject.collection) ? { ...plain, search } : null,
          row: { word, recordsReadWithWord: count, recordsRead, againstRecordsRead },
          significance,
        }
      })
  }
  const [key = '', name] = Object.keys(columnsOf({ of }))
  return groups.map((group) => {
    const value = group[of.key.name] ?? null
    const named =
      recordNameOf(of.key.field) === null ? {} : { [name ?? '']: recordNameIn(group, of.key.field) }
    return {
      label: groupLabel(of.key, group, language),
      view: viewOfGroup(plain, of.key, group),
      row: { [key]: value === null ? null : String(value), ...named, count: group.count },
      significance: group.significance,
    }
  })
}

/** Of files, before the measures. A share and its score are those of docs/unusual.md. */
function columnsOf({ of }: Pick<UnusualThing, 'of'>): Readonly<Record<string, ColumnType>> {
  if (of.kind === 'words')
    return {
      word: 'text',
      recordsReadWithWord: 'integer',
      recordsRead: 'integer',
      againstRecordsRead: 'integer',
    }
  const { name, field } = of.key
  const key = name === 'count' || Object.hasOwn(measures, name) ? `record_${name}` : name
  const named = recordNameOf(field)
  return { [key]: 'text', ...(named !== null && { [named]: 'text' }), count: 'integer' }
}

/** The answer has the numbers of records that were read, and not whether these were samples. */
function sampleNotes({ unusualWords }: UnusualAnswer, { number, text }: Language): readonly string[] {
  if (unusualWords === undefined) return []
  const { recordsRead, againstRecordsRead } = unusualWords
  return [text.charts.sample(number(recordsRead), number(againstRecordsRead))]
}

/**
 * Words that many other records have, such as articles and prepositions, tell nothing, nor do those that are hardly
 * more frequent here, or by chance. Rare words are more often unusual by chance, which their scores account for.
 */
function isTelling({
  significance: { score, share, againstShare },
}: {
  significance: Significance
}): boolean {
  return score >= 1.5 && againstShare < 0.1 && share >= 2 * againstShare
}
