/** Up to four queries over time on one axis, as counts or shares. */
import { collectionAddress } from '../addresses.ts'
import { sentenceOf } from '../browse/sentences.ts'
import type { ChartSeries } from '../charts/chart-spec.ts'
import type { Subject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../operation.ts'
import type { Answer, Site } from '../page.ts'
import { writeConditions } from '../view/conditions.ts'
import type { Problem } from '../view/problem.ts'
import { changed, isRestricted, periodOnly, queryText, readView, type View } from '../view/view.ts'
import type { AskedChart, DrawnChart, Groups } from './asked-chart.ts'
import type { ChartTable } from './chart-table.ts'
import { describe } from './describe.ts'
import { readChoice } from './own-parameters.ts'
import { type Period, periodLabel, periods, periodText } from './periods.ts'
import { periodView, type TimeAxis, timeAxis } from './time-axis.ts'
import { measures, valuesOf } from './time-chart.ts'
import { type RecordArguments, recordArguments } from '../view/where.ts'

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

/** Nothing is asked if the collection's time cannot be grouped by. `now` in milliseconds since 1970. */
export function comparedChart(
  site: Site,
  subject: Subject,
  view: View,
  language: Language,
  now: number,
): ComparedChart {
  const { collection, roles } = subject
  const problems: Problem[] = []
  const as = readChoice(view, 'as', measures, problems) ?? 'share'
  const per = readChoice(view, 'per', periods, problems)
  const shared = periodOnly(view, subject)
  const queries = readQueries()
  const axis = timeAxis(site, subject, view, per, false, now)
  // Queries have the range of the collection, so that one sees where each begins.
  const asksAll =
    as === 'share' || (axis?.isOpen === true && !queries.every(({ view: each }) => isTimed(each)))
  return {
    problems,
    queries,
    as,
    per,
    panels: axis === null || queries.length === 0 ? [] : panels(axis),
    chart: (answer) => chart(answer, axis),
    table: (answer) => table(answer, axis),
  }

  function panels({ panel }: TimeAxis): readonly Panel[] {
    return [
      ...queries.map(({ view: each }, at) => panel(`query${at + 1}`, within(each))),
      ...(asksAll ? [panel('ofAll', recordArguments(shared, subject))] : []),
    ]
  }

  /** Without any, what the view selects besides its period is the first one. */
  function readQueries(): readonly ComparedQuery[] {
    const texts = view.others
      .filter(([name, value]) => name === 'query' && value.trim() !== '')
      .map(([, value]) => value.trim())
    const own = { ...view, conditions: view.conditions.filter(({ field }) => field.name !== roles.time) }
    if (texts.length === 0 && isRestricted(own)) texts.push(textOf(own))
    if (texts.length > mostQueries) problems.push({ kind: 'tooManyQueries', most: mostQueries })
    return texts.slice(0, mostQueries).map((text) => {
      const read = readView(parametersOf(text), subject)
      problems.push(...read.problems)
      return { text, view: read.view }
    })
  }

  /** The period of the page holds for all queries that have none of their own. */
  function within(query: View): RecordArguments {
    return recordArguments(inPeriod(query), subject)
  }

  function isTimed({ conditions }: View): boolean {
    return conditions.some(({ field }) => field.name === roles.time)
  }

  function inPeriod(query: View): View {
    return isTimed(query) ? query : { ...query, conditions: [...query.conditions, ...shared.conditions] }
  }

  /** A row for each query in each period, and for its records without a time. Nothing is asked, and so no table made, without an axis. */
  function table(answer: Answer, known: TimeAxis | null): ChartTable {
    if (known === null) return { columns: {}, rows: [] }
    const answers = queries.map((_, at) => answer[`query${at + 1}`] as Groups)
    const all = asksAll ? (answer['ofAll'] as Groups) : null
    const shown = known.read(answers, all)
    const ofAll = as === 'share' && all !== null ? shown.counts(all.groups) : null
    const key = `${known.field.name}_${shown.period}`
    const row = (period: string | null, query: string, count: number, total: number) => ({
      [key]: period,
      query,
      count,
      ...(ofAll !== null && { total, share: total === 0 ? null : count / total }),
    })
    const rows = queries.flatMap(({ text }, at) => {
      const own = answers[at] ?? { groups: [] }
      const counts = shown.counts(own.groups)
      const undated = known.undated(own.groups)
      return [
        ...(undated === 0
          ? []
          : [row(null, text, undated, known.undated(((answer['ofAll'] ?? own) as Groups).groups))]),
        ...shown.starts.map((start) =>
          row(periodText(shown.period, start), text, counts.get(start) ?? 0, ofAll?.get(start) ?? 0),
        ),
      ]
    })
    const columns = { [key]: 'instant', query: 'text', count: 'integer' } as const
    return { columns: ofAll === null ? columns : { ...columns, total: 'integer', share: 'float' }, rows }
  }

  function chart(answer: Answer, known: TimeAxis | null): DrawnChart {
    const { text } = language
    if (known === null || queries.length === 0) return nothing(known === null ? text.charts.noTime : '')
    const answers = queries.map((_, at) => answer[`query${at + 1}`] as Groups)
    const all = asksAll ? (answer['ofAll'] as Groups) : null
    const shown = known.read(answers, all)
    const ofAll = as === 'share' && all !== null ? shown.counts(all.groups) : null
    const series = queries.map(
      ({ view: query }, at): ChartSeries => ({
        name: queryName(query, language),
        values: valuesOf(shown.counts(answers[at]?.groups ?? []), ofAll, shown),
        hrefs: shown.starts.map((start) =>
          collectionAddress(
            collection.nsid,
            changed(periodView(inPeriod(query), known, shown, start), { others: [] }),
          ),
        ),
      }),
    )
    const title = (as === 'share' ? text.charts.sharePer : text.charts.recordsPer)[shown.period]
    return {
      spec: describe(
        {
          kind: 'lines',
          title,
          locale: language.tag,
          unit: as === 'share' ? 'share' : 'number',
          keyLabel: text.charts.periods[shown.period],
          valueLabel: as === 'share' ? text.charts.shareOfAll : text.charts.records,
          isOrdered: true,
          isStacked: false,
          keys: shown.starts.map((start) => ({
            label: periodLabel(shown.period, start, language),
            href: null,
          })),
          series,
        },
        language,
      ),
      notes: [
        ...(shown.outliers > 0 ? [text.charts.outliers(language.number(shown.outliers))] : []),
        ...(shown.isCut ? [text.charts.newestOnly] : []),
      ],
    }
  }
}

/** An empty chart, and why it is. */
function nothing(description: string): DrawnChart {
  const labels = { title: '', keyLabel: '', valueLabel: '', locale: 'en', noValue: '' }
  return {
    spec: {
      ...labels,
      description,
      kind: 'lines',
      unit: 'number',
      isOrdered: true,
      isStacked: false,
      keys: [],
      series: [],
    },
    notes: [],
  }
}

/** A query in words. */
export function queryName({ search, conditions }: View, language: Language): string {
  const sentences = conditions.flatMap((condition) =>
    condition.values.map((value) => {
      const [before, shown, after] = sentenceOf(condition, value, language, new Map())
      return before + (shown ?? '') + after
    }),
  )
  const all = language.list([...(search === '' ? [] : [search]), ...sentences])
  return all === '' ? language.text.charts.everything : all
}

/** What a query of an address means: parameters of a view, or words. */
function parametersOf(text: string): readonly (readonly [string, string])[] {
  return /^[\w.]+=/.test(text) ? [...new URLSearchParams(text)] : [['q', text]]
}

/** The search and conditions of a view as a query: words where it has nothing else. */
export function textOf({ search, conditions }: View): string {
  if (conditions.length === 0 && !/^[\w.]+=/.test(search)) return search
  const parameters = [
    ...(search === '' ? [] : [['q', search] as const]),
    ...writeConditions(conditions, () => true),
  ]
  return queryText(parameters)
}
