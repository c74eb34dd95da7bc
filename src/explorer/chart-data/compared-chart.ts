/** Up to four queries over time on one axis, as counts or shares. */
import { isBlank } from '../../util/text/visible.ts'
import { collectionAddress } from '../addresses.ts'
import { sentenceOf } from '../browse/sentences.ts'
import type { ChartSeries } from '../charts/chart-spec.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer, Site } from '../page.ts'
import { writeConditions } from '../view/conditions.ts'
import type { Problem } from '../view/problem.ts'
import { changed, isRestricted, periodOnly, queryText, readView, type View } from '../view/view.ts'
import type { AskedChart, DrawnChart } from './asked-chart.ts'
import type { ChartTable } from './chart-table.ts'
import { describe } from './describe.ts'
import { readChoice } from './own-parameters.ts'
import { type Bounds, boundsOf, momentsOf, type Period, periodLabel, periods, periodText } from './periods.ts'
import { isCut, periodView, type ShownPeriods, type TimeAxis, timeAxis } from './time-axis.ts'
import { countIn, isNothing, measures, valuesOf } from './time-chart.ts'
import { nest } from '../../ask/where.ts'
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
  const axis = timeAxis(site, subject, widest, per, now)
  // Queries have the range of the collection, so that one sees where each begins.
  const all = (field: ShownField): RecordArguments => {
    const within = momentsOf(widest(field))
    return { where: Object.keys(within).length === 0 ? undefined : nest(field, within), search: undefined }
  }
  return {
    problems,
    queries,
    as,
    per,
    panels: axis === null || queries.length === 0 ? [] : axis.rangePanels,
    more: (answer) => (axis === null || queries.length === 0 ? [] : more(answer, axis)),
    chart: (answer) => chart(answer, axis),
    table: (answer) => table(answer, axis),
  }

  /** From the first to the last moment that any query may have. */
  function widest(field: ShownField): Bounds {
    const views = queries.length === 0 ? [view] : queries.map((query) => inPeriod(query.view))
    const each = views.map((one) => boundsOf(one, field))
    const [froms, tos] = [each.map(({ from }) => from), each.map(({ to }) => to)]
    return {
      from: froms.includes(null) ? null : Math.min(...froms.map(Number)),
      to: tos.includes(null) ? null : Math.max(...tos.map(Number)),
    }
  }

  function more(answer: Answer | null, known: TimeAxis): readonly Panel[] {
    const shown = answer === null ? known.dearest : known.read(answer)
    if (shown.starts.length === 0) return []
    return [
      ...queries.map(({ view: each }, at) => known.panel(`query${at + 1}`, within(each), shown)),
      ...(as === 'share' ? [known.panel('ofAll', all(known.field), shown)] : []),
      ...(shown.hasOutliers
        ? queries.map(({ view: each }, at) => known.outlierPanel(`outliers${at + 1}`, within(each), shown))
        : []),
    ]
  }

  function totalsIn(
    answer: Answer,
    shown: ShownPeriods,
    known: TimeAxis,
  ): ReadonlyMap<number, number> | null {
    return as === 'share' ? known.countsIn(answer, 'ofAll', shown) : null
  }

  /** Without any, what the view selects besides its period is the first one. */
  function readQueries(): readonly ComparedQuery[] {
    const texts = view.others
      .filter(([name, value]) => name === 'query' && !isBlank(value))
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
    return recordArguments(inPeriod(query))
  }

  function inPeriod(query: View): View {
    const isTimed = query.conditions.some(({ field }) => field.name === roles.time)
    return isTimed ? query : { ...query, conditions: [...query.conditions, ...shared.conditions] }
  }

  /** A row for each query in each period. Nothing is asked, and so no table made, without an axis. */
  function table(answer: Answer, known: TimeAxis | null): ChartTable {
    if (known === null || queries.length === 0) return { columns: {}, rows: [] }
    const shown = known.read(answer)
    const totals = totalsIn(answer, shown, known)
    const key = `${known.field.name}_${shown.period}`
    const columns = { [key]: 'instant', query: 'text', count: 'integer' } as const
    return {
      columns: totals === null ? columns : { ...columns, total: 'integer', share: 'float' },
      rows: queries.flatMap(({ text }, at) => {
        const counts = known.countsIn(answer, `query${at + 1}`, shown)
        const shares = valuesOf(counts, totals, shown)
        return shown.starts.map((start, place) => ({
          [key]: periodText(shown.period, start),
          query: text,
          count: counts.get(start) ?? null,
          ...(totals !== null && { total: totals.get(start) ?? null, share: shares[place] ?? null }),
        }))
      }),
    }
  }

  function chart(answer: Answer, known: TimeAxis | null): DrawnChart {
    const { text } = language
    if (known === null || queries.length === 0) return nothing(known === null ? text.charts.noTime : '')
    const read = known.read(answer)
    const counts = queries.map((_, at) => known.countsIn(answer, `query${at + 1}`, read))
    const shown = counts.every(isNothing) ? { ...read, starts: [] } : read
    const totals = totalsIn(answer, shown, known)
    const series = queries.map(
      ({ view: query }, at): ChartSeries => ({
        name: queryName(query, language),
        values: valuesOf(counts[at] ?? new Map(), totals, shown),
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
        ...queries.flatMap(({ view: query }, at) => {
          const count = countIn(answer, `outliers${at + 1}`)
          if (count === 0) return []
          const note = text.charts.outliers(language.number(count))
          return [queries.length === 1 ? note : `${queryName(query, language)}: ${note}`]
        }),
        ...(isCut(shown) ? [text.charts.newestOnly] : []),
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
