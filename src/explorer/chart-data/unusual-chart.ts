/** What is more frequent among the records of a view than among others: values of a field, or words of a text. */
import { collectionAddress } from '../addresses.ts'
import type { ChartKey } from '../charts/chart-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import { enumOf, type Panel } from '../../ask/operation.ts'
import type { Answer, Site } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import { changed, isRestricted, type View, withCondition } from '../view/view.ts'
import { type Where, whereOf } from '../../ask/where.ts'
import { canSearch, recordArguments } from '../view/where.ts'
import type { AskedChart, DrawnChart, Group } from './asked-chart.ts'
import type { ChartTable } from './chart-table.ts'
import { describe } from './describe.ts'
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
import { readChoice } from './own-parameters.ts'
import { boundsOf, dateText, firstDay } from './periods.ts'

export const backgrounds = ['rest', 'previous'] as const

/** The words of a text, or the values of a field. */
export interface UnusualThing {
  /** In the address. */
  readonly name: string
  readonly label: string
  readonly words: ShownField | null
  readonly grouping: Grouping | null
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

const mostGroups = 20
const day = 86_400_000
const selected = 'count significance { score share againstShare }'
/** Words to ask for. Words that tell nothing are left out afterwards. */
const askedWords = 60
const leastRecords = { words: 3, values: 5 }

/** `now` in milliseconds since 1970. */
export function unusualChart(
  site: Site,
  subject: Subject,
  view: View,
  language: Language,
  now: number,
): UnusualChart {
  const { collection, fields, roles } = subject
  const { text } = language
  const aggregate = `${collection.rootField}Aggregate`
  const time = fields.get(roles.time)
  const problems: Problem[] = []
  const things = thingsOf()
  const name = readChoice(
    view,
    'on',
    things.map((each) => each.name),
    problems,
  )
  const thing = things.find((each) => each.name === name) ?? things[0] ?? null
  const plain = changed(view, { others: [] })
  const previous = previousWhere()
  const possible = previous === null ? (['rest'] as const) : backgrounds
  const wanted = readChoice(view, 'against', backgrounds, problems)
  const against = wanted === 'previous' && previous !== null ? 'previous' : 'rest'
  const isWhole = !isRestricted(view)
  return {
    problems,
    things,
    thing,
    against,
    backgrounds: possible,
    panels: panels(),
    more: () => [],
    suggestions,
    chart,
    table,
  }

  function thingsOf(): readonly UnusualThing[] {
    const texts = collection.searchFields.flatMap(({ name: each }) =>
      each === roles.title || each === roles.summary ? (fields.get(each) ?? []) : [],
    )
    const groupable = enumOf(site.schema, aggregate, 'groupBy')
    const groupings = groupingsOf(subject, groupable).filter(
      ({ unit, field }) => unit === null && roles.facets.includes(field.name),
    )
    return [
      ...texts.map((field) => ({
        name: `words-${field.name}`,
        label: text.charts.wordsOf(fieldLabel(field, language)),
        words: field,
        grouping: null,
      })),
      ...groupings.map((grouping) => ({
        name: grouping.name,
        label: groupingLabel(grouping, language),
        words: null,
        grouping,
      })),
    ]
  }

  /** The same conditions in a period of the same length before; null without one. `against` takes no search. */
  function previousWhere(): Where | null {
    if (time === undefined || view.search !== '') return null
    const { from, to } = boundsOf(view, time)
    if (from === null) return null
    const length = Math.max(day, (to ?? now) - from)
    const at = (moment: number) => new Date(moment).toISOString()
    const earlier = withCondition(
      withCondition(view, { field: time, operator: 'from', values: [at(from - length)] }),
      { field: time, operator: 'to', values: [at(from - 1).replace('Z', '999Z')] },
    )
    return from - length < firstDay ? null : whereOf(earlier.conditions)
  }

  function panels(): readonly Panel[] {
    if (isWhole)
      return time === undefined
        ? []
        : [{ name: 'range', field: aggregate, arguments: {}, selection: `max { ${time.name} }` }]
    if (thing === null) return []
    const background = against === 'previous' && previous !== null ? previous : {}
    const { words, grouping } = thing
    const panel = { name: 'unusual', field: aggregate }
    if (words !== null)
      return [
        {
          ...panel,
          arguments: { ...recordArguments(view) },
          variables: { background: { type: `${collection.typeName}WhereInput!`, value: background } },
          selection: `unusualWords(field: ${words.name}, against: $background, minCount: ${leastRecords.words}, limit: ${askedWords}) { recordsRead againstRecordsRead words { word ${selected} } }`,
        },
      ]
    return grouping === null
      ? []
      : [
          {
            ...panel,
            arguments: {
              ...recordArguments(view),
              groupBy: [grouping.name],
              significant: { against: background },
              limit: mostGroups,
            },
            selection: `groups { ${groupingSelection(grouping)} ${selected} }`,
          },
        ]
  }

  function suggestions(answer: Answer): readonly { label: string; view: View }[] {
    const { max } = (answer['range'] ?? {}) as { max?: Readonly<Record<string, string | null>> }
    const newest = time === undefined ? null : (max?.[time.name] ?? null)
    if (!isWhole || newest === null || time === undefined) return []
    return [7, 30].map((days) => ({
      label: language.plural(text.charts.lastDays, days),
      view: withCondition(view, {
        field: time,
        operator: 'from',
        values: [dateText(Date.parse(newest) - (days - 1) * day)],
      }),
    }))
  }

  /** The most unusual first. A share and its score are those of docs/unusual.md. */
  function table(answer: Answer): ChartTable {
    const found = (answer['unusual'] ?? {}) as UnusualAnswer
    if (found.unusualWords !== undefined) return wordTable(found.unusualWords)
    const measures = { count: 'integer', share: 'float', againstShare: 'float', score: 'float' } as const
    const name = thing?.grouping?.name ?? 'value'
    const key = Object.hasOwn(measures, name) ? `record_${name}` : name
    const nameColumn = recordNameOf(thing?.grouping?.field)
    const rows = (found.groups ?? []).map((group) => {
      const { count, significance } = group
      const value = group[name] ?? null
      const names = nameColumn === null ? {} : { [nameColumn]: recordNameIn(group, thing?.grouping?.field) }
      return { [key]: value === null ? null : String(value), ...names, count, ...significance }
    })
    const names = nameColumn === null ? {} : ({ [nameColumn]: 'text' } as const)
    return { columns: { [key]: 'text', ...names, ...measures }, rows }
  }

  function chart(answer: Answer): DrawnChart {
    const found = (answer['unusual'] ?? {}) as UnusualAnswer
    const rows: readonly (ChartKey & Significance)[] = [
      ...tellingWords(found.unusualWords).map(({ word, significance }) => ({
        ...significance,
        label: word,
        href: addressOf(viewOfWord(word)),
      })),
      ...(found.groups ?? []).map((group) => ({
        ...group.significance,
        label:
          thing?.grouping === null || thing === null ? '' : groupLabel(thing.grouping, group, null, language),
        href:
          thing?.grouping === null || thing === null
            ? null
            : addressOf(viewOfGroup(plain, thing.grouping, group, null)),
      })),
    ]
    const spec = describe(
      {
        kind: 'bars',
        title: text.charts.unusualOf(thing?.label ?? ''),
        locale: language.tag,
        unit: 'share',
        keyLabel: thing?.label ?? '',
        valueLabel: text.charts.shareOfShown,
        isOrdered: false,
        isStacked: false,
        keys: rows.map(({ label, href }) => ({ label, href })),
        series: [
          { name: text.charts.here, values: rows.map(({ share }) => share), hrefs: [] },
          {
            name: text.charts.backgrounds[against],
            values: rows.map(({ againstShare }) => againstShare),
            hrefs: [],
          },
        ],
      },
      language,
    )
    if (isWhole) return { spec: { ...spec, description: text.charts.chooseFirst }, notes: [] }
    const least = thing?.words == null ? leastRecords.values : leastRecords.words
    if (rows.length === 0)
      return {
        spec: { ...spec, description: text.charts.nothingUnusual(language.number(least)) },
        notes: sampleNotes(answer),
      }
    return { spec, notes: [text.charts.mostUnusualFirst, ...sampleNotes(answer)] }
  }

  /** The answer has the numbers of records that were read, and not whether these were samples. */
  function sampleNotes(answer: Answer): readonly string[] {
    const { unusualWords } = (answer['unusual'] ?? {}) as UnusualAnswer
    if (unusualWords === undefined) return []
    const { recordsRead, againstRecordsRead } = unusualWords
    return [text.charts.sample(language.number(recordsRead), language.number(againstRecordsRead))]
  }

  /** Null where the search would have too many words or parentheses. */
  function viewOfWord(word: string): View | null {
    if (view.search === '') return changed(plain, { search: word })
    const search = `(${view.search}) ${word}`
    return canSearch(search, collection) ? changed(plain, { search }) : null
  }

  function addressOf(to: View | null): string | null {
    return to === null ? null : collectionAddress(collection.nsid, to)
  }
}

function wordTable(found: NonNullable<UnusualAnswer['unusualWords']>): ChartTable {
  const { recordsRead, againstRecordsRead } = found
  return {
    columns: {
      word: 'text',
      recordsReadWithWord: 'integer',
      recordsRead: 'integer',
      againstRecordsRead: 'integer',
      share: 'float',
      againstShare: 'float',
      score: 'float',
    },
    rows: tellingWords(found).map(({ word, count, significance }) => ({
      word,
      recordsReadWithWord: count,
      recordsRead,
      againstRecordsRead,
      ...significance,
    })),
  }
}

/**
 * Words that many other records have, such as articles and prepositions, tell nothing, nor do those that are hardly
 * more frequent here, or by chance. Rare words are more often unusual by chance, which their scores account for.
 */
function tellingWords(found: UnusualAnswer['unusualWords']) {
  return (found?.words ?? [])
    .filter(
      ({ significance: { score, share, againstShare } }) =>
        score >= 1.5 && againstShare < 0.1 && share >= 2 * againstShare,
    )
    .slice(0, mostGroups)
}
