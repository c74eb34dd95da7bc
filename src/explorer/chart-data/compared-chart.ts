/** Up to four queries over time on one axis, as counts or shares. */
import { isBlank } from '../../util/text/visible.ts'
import { sentencesOf } from '../browse/sentences.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import { writeConditions } from '../view/conditions.ts'
import type { Problem } from '../view/problem.ts'
import {
  emptyView,
  isRestricted,
  periodOnly,
  queryText,
  readView,
  recordArguments,
  type View,
} from '../view/view.ts'
import { nest } from '../../ask/where.ts'
import { type AskedChart, type ChartContext, describe } from './asked-chart.ts'
import { drawOverTime, measures, type OverTime, seriesPanels, tableOverTime } from './over-time.ts'
import { readChoice } from './own-parameters.ts'
import { type Bounds, boundsOf, momentsOf, type Period, periods } from './periods.ts'
import { shareBase } from './share-base.ts'
import { rangePanels, timeField } from './time-axis.ts'

export const mostQueries = 4

export interface ComparedQuery {
  /** In the address: words, or conditions such as `language=en&q=flood`. */
  readonly text: string
  readonly view: View
}

export interface ComparedChart extends AskedChart {
  readonly queries: readonly ComparedQuery[]
  readonly as: (typeof measures)[number]
  readonly per: Period | null
}

/** Nothing is asked if the collection's time cannot be grouped by. */
export function comparedChart(context: ChartContext): ComparedChart {
  const { subject, view, language } = context
  const problems: Problem[] = []
  const as = readChoice(view, 'as', measures, problems) ?? 'share'
  const per = readChoice(view, 'per', periods, problems)
  const queries = readQueries(view, subject, problems)
  const choices = { problems, queries, as, per }
  const field = timeField(subject)
  if (field === null || queries.length === 0)
    return { ...choices, ...nothing(field === null ? language.text.charts.noTime : '', language) }
  const views = queries.map((query) => inPeriod(query.view, view, subject))
  const bounds = widest(views.map((each) => boundsOf(each, field)))
  const axis = { ...context, field, bounds, per }
  const within = momentsOf(bounds)
  const series = queries.map(({ text, view: query }, at) => {
    const own = views[at] ?? query
    const name = queryName(query, language)
    return { panel: `query${at + 1}`, name, view: own, own: recordArguments(own), row: { query: text } }
  })
  const chart: OverTime = {
    axis,
    // Queries have the range of the collection, so that one sees where each begins.
    base:
      as === 'count'
        ? null
        : {
            ...shareBase(emptyView, subject, []),
            own: {
              where: Object.keys(within).length === 0 ? undefined : nest(field, within),
              search: undefined,
            },
          },
    seriesIn: () => series,
    outliers: series.map(({ name, own }, at) => ({
      panel: `outliers${at + 1}`,
      name: queries.length === 1 ? null : name,
      own,
    })),
    undated: null,
    view: null,
    split: null,
    isStacked: false,
    columns: { query: 'text' },
  }
  return {
    ...choices,
    panels: rangePanels(axis),
    more: (answer) => seriesPanels(chart, answer),
    chart: (answer) => drawOverTime(chart, answer, language),
    table: (answer) => tableOverTime(chart, answer),
  }
}

/** An empty chart, and why it is. */
function nothing(description: string, language: Language): Omit<AskedChart, 'problems'> {
  const labels = { title: '', description, keyLabel: '', valueLabel: '' }
  const plain = { kind: 'lines', unit: 'number', isOrdered: true, isStacked: false } as const
  const spec = describe({ ...labels, ...plain, keys: [], series: [] }, language)
  return { panels: [], more: () => [], chart: () => ({ spec, notes: [] }) }
}

/** Without any, what the view selects besides its period is the first one. */
function readQueries(view: View, subject: PageSubject, problems: Problem[]): readonly ComparedQuery[] {
  const texts = view.others
    .filter(([name, value]) => name === 'query' && !isBlank(value))
    .map(([, value]) => value.trim())
  const own = {
    ...view,
    conditions: view.conditions.filter(({ field }) => field.name !== subject.roles.time),
  }
  if (texts.length === 0 && isRestricted(own)) texts.push(textOf(own))
  if (texts.length > mostQueries) problems.push({ kind: 'tooManyQueries', most: mostQueries })
  return texts.slice(0, mostQueries).map((text) => {
    const read = readView(parametersOf(text), subject)
    problems.push(...read.problems)
    return { text, view: read.view }
  })
}

/** The period of the page holds for all queries that have none of their own. */
function inPeriod(query: View, page: View, subject: PageSubject): View {
  const isTimed = query.conditions.some(({ field }) => field.name === subject.roles.time)
  const shared = periodOnly(page, subject).conditions
  return isTimed ? query : { ...query, conditions: [...query.conditions, ...shared] }
}

/** From the first to the last moment that any query may have. */
function widest(each: readonly Bounds[]): Bounds {
  const [froms, tos] = [each.map(({ from }) => from), each.map(({ to }) => to)]
  return {
    from: froms.includes(null) ? null : Math.min(...froms.map(Number)),
    to: tos.includes(null) ? null : Math.max(...tos.map(Number)),
  }
}

/** A query in words. */
export function queryName({ search, conditions }: View, language: Language): string {
  const all = language.list([...(search === '' ? [] : [search]), ...sentencesOf(conditions, language)])
  return all === '' ? language.text.charts.everything : all
}

/** What a query of an address means: parameters of a view, or words. */
function parametersOf(text: string): readonly (readonly [string, string])[] {
  return /^[\w.]+=/.test(text) ? [...new URLSearchParams(text)] : [['q', text]]
}

/** The search and conditions of a view as a query: words where it has nothing else. */
function textOf({ search, conditions }: View): string {
  if (conditions.length === 0 && !/^[\w.]+=/.test(search)) return search
  const parameters = [
    ...(search === '' ? [] : [['q', search] as const]),
    ...writeConditions(conditions, () => true),
  ]
  return queryText(parameters)
}
