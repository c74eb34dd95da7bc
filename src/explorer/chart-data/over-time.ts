/** Counts or shares of series of records in the periods of a time: what is asked, and the drawing and file of it. */
import type { ColumnType, Row } from '../../files/file-spec.ts'
import { viewAddress } from '../browse/context.ts'
import { capitalized, fieldLabel, nounOf, nounTitle } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import { type RecordArguments, type View, withCondition, withOthers } from '../view/view.ts'
import type { ChartNumbers, ChartRest } from '../charts/chart-spec.ts'
import { leaves } from '../../ask/graphql-text.ts'
import type { ChartTable, Counted, DrawnChart, GroupAnswer, GroupsAnswer } from './asked-chart.ts'
import { describe, mostGroups, partialNotes } from './asked-chart.ts'
import { isPartial, isUnbounded, periodLabel, periodText, viewOfPeriod } from './periods.ts'
import { readNames } from '../lists/names.ts'
import { countIn, countsIn, countsPanel, dearestPeriods, isNewestOnly, keyOf } from './time-axis.ts'
import { groupingBy, inGroups } from './grouping.ts'
import { mayLackTime, outliersPanel, readPeriods, type TimeAxis, undatedPanel } from './time-axis.ts'
import type { ShareBase } from './share-base.ts'

export const measures = ['count', 'share'] as const

/** Records that are counted in each period: a line, or a part of each bar. */
export interface Series {
  /** Of its panel. */
  readonly panel: string
  readonly name: string
  readonly isRest?: boolean
  /** Null where no conditions select its records, or the keys lead to them. */
  readonly view: View | null
  readonly own: RecordArguments
  /** What a file says of it. */
  readonly row: Row
}

export interface OverTime {
  readonly axis: TimeAxis
  /** What shares are of; null for counts. */
  readonly base: ShareBase | null
  /** Null for an answer that is not known: as many as there may be. */
  readonly seriesIn: (answer: Answer | null) => readonly Series[]
  /** Of these, records without a time or outside of the periods are counted. `at`: what ends the names of the panels. */
  readonly apart: readonly (Pick<Series, 'own'> & { readonly at: string; readonly name: string | null })[]
  /** All records of the chart. */
  readonly own: RecordArguments
  /** Whether the table has a row of the records without a time, if the chart has no bounds. */
  readonly hasUndated: boolean
  /** The view that the keys lead to a period of; null if they lead nowhere. */
  readonly view: View | null
  readonly split: ShownField | null
  /** Whether the series of a period add up: they are parts of bars, and otherwise lines. */
  readonly isStacked: boolean
  /** The columns of what a file says of the series. */
  readonly columns: Readonly<Record<string, ColumnType>>
}

/** What is asked when the range is known; with null, panels that cost at least as much. */
export function seriesPanels(chart: OverTime, answer: Answer | null): readonly Panel[] {
  const { axis, base, seriesIn, apart, split } = chart
  const mayMiss = isUnbounded(axis.bounds) && (answer === null || mayLackTime(axis, answer))
  const shown = answer === null ? dearestPeriods(axis) : readPeriods(axis, answer)
  const undated = [
    ...(mayMiss ? apart.map(({ at, own }) => undatedPanel(axis, `undated${at}`, own)) : []),
    ...(mayMiss && chart.hasUndated && split !== null ? undatedParts(chart, split, answer) : []),
    ...(mayMiss && chart.hasUndated && base !== null ? [undatedPanel(axis, 'undatedOfAll', base.own)] : []),
  ]
  if (shown.starts.length === 0) return undated
  return [
    ...seriesIn(answer).map(({ panel, own }) => countsPanel(axis, shown, panel, own)),
    ...(base === null ? [] : [countsPanel(axis, shown, 'ofAll', base.own)]),
    ...(shown.outliers.length > 0
      ? apart.map(({ at, own }) => outliersPanel(axis, shown, `outliers${at}`, own))
      : []),
    ...undated,
  ]
}

interface CountedSeries extends Series {
  /** By period; null where it is not known. */
  readonly counted: readonly Counted[]
}

export function readSeries({ axis, base, seriesIn }: OverTime, answer: Answer) {
  const shown = readPeriods(axis, answer)
  const totals = base === null ? null : countsIn(axis, shown, 'ofAll', answer)
  const series = seriesIn(answer).map(
    (each): CountedSeries => ({
      ...each,
      counted: countsIn(axis, shown, each.panel, answer).map((count, at) =>
        totals === null ? { count } : shareOf(count, totals[at] ?? null),
      ),
    }),
  )
  return { shown, series }
}

/** As the service divides: once, to the nearest double. */
function shareOf(count: number | null, total: number | null): Counted {
  return { count, total, share: count === null || total === null || total === 0 ? null : count / total }
}

/** The records without a time of all parts in one panel, because one for each part would cost as much as the chart. */
function undatedParts(chart: OverTime, split: ShownField, answer: Answer | null): readonly Panel[] {
  const { axis, own, seriesIn } = chart
  const series = seriesIn(answer)
  const rest = series.find(({ isRest }) => isRest === true)
  const parts = series.filter((each) => each !== rest).map(({ row }) => ({ ...row, count: 0 }))
  const all = undatedPanel(axis, 'undatedParts', inGroups(own, groupingBy(split), parts))
  return [
    {
      ...all,
      arguments: { ...all.arguments, groupBy: [split.name], limit: mostGroups },
      selection: { groups: leaves(split.name, 'count'), groupsPageInfo: { hasNextPage: {} } },
    },
    ...(rest === undefined ? [] : [undatedPanel(axis, 'undatedRest', rest.own)]),
  ]
}

/** Of each series; none where all records have a time. */
function undatedIn(chart: OverTime, series: readonly CountedSeries[], answer: Answer): readonly Counted[] {
  const { base, split } = chart
  if (countIn(answer, 'undated') === 0) return []
  const { groups, groupsPageInfo } = (answer['undatedParts'] ?? { groups: [] }) as GroupsAnswer
  const textOf = (value: unknown) => (value == null ? null : String(value))
  return series.map(({ isRest, row }) => {
    const isOwn = (group: GroupAnswer) => textOf(group[split?.name ?? '']) === row[split?.name ?? '']
    const part = groups.find(isOwn)?.count ?? (groupsPageInfo?.hasNextPage === true ? null : 0)
    const count =
      split === null ? countIn(answer, 'undated') : isRest === true ? countIn(answer, 'undatedRest') : part
    return base === null ? { count } : shareOf(count, countIn(answer, 'undatedOfAll'))
  })
}

export function drawOverTime(chart: OverTime, answer: Answer, until: number, language: Language): DrawnChart {
  const { axis, base, apart, split, isStacked } = chart
  const { charts } = language.text
  const by = base === null ? charts.by : charts.partsBy
  const { shown, series } = readSeries(chart, answer)
  const { period } = shown
  const isNothing = series.every(({ counted }) => counted.every(({ count }) => (count ?? 0) === 0))
  const starts = isNothing ? [] : shown.starts
  // A single hour leads nowhere; in other periods shorter ones are chosen.
  const isDivisible = starts.length > 1 || period !== 'hour'
  const to = { subject: axis.subject, language }
  const addressOf = (view: View, start: number): string | null =>
    viewAddress(to, viewOfPeriod(withOthers(view, { per: null }), axis.field, period, start))
  // Without the period of the view, which the chart shows by itself.
  const of = base === null ? '' : base.text(base.name, language, readNames(answer))
  const noun = nounTitle(axis.subject, language)
  const title =
    base === null
      ? charts.recordsPer(noun, charts.periods[period])
      : charts.sharePer(of, charts.periods[period])
  const notesOn = (panel: 'undated' | 'outliers') =>
    apart.flatMap(({ at, name }) => {
      const count = countIn(answer, panel + at)
      const note = charts[panel](noun, language.number(count))
      return count === 0 ? [] : [name === null ? note : `${name}: ${note}`]
    })
  const outliers = notesOn('outliers')
  const valueOf = ({ count, share = null }: Counted) => (base === null ? count : share)
  const keys = starts.map((start) => ({
    label: periodLabel(period, start, language),
    isPartial: isPartial(period, start, shown.cuts, until),
    href: chart.view !== null && isDivisible ? addressOf(chart.view, start) : null,
  }))
  return {
    spec: describe(
      {
        kind: isStacked ? 'bars' : 'lines',
        title: split === null ? title : by(title, fieldLabel(split, language)),
        unit: base === null ? 'number' : 'share',
        keyLabel: charts.periods[period],
        valueLabel: base === null ? noun : charts.shareOf(of),
        isOrdered: true,
        isStacked,
        isCut: isNewestOnly(shown),
        noun: nounOf(axis.subject, language),
        period,
        breaks: outliers.length > 0 ? shown.outliers : [],
        keys,
        series: series.map(({ name, isRest, view, counted }) => ({
          name,
          ...(isRest === true && { isRest }),
          values: isNothing ? [] : counted.map(valueOf),
          hrefs: view === null && split === null ? [] : starts.map((start) => view && addressOf(view, start)),
        })),
        numbers: base === null || isNothing ? [] : numbersOf(series, noun, of, language),
        rest: isNothing ? null : undatedRow(chart, series, answer, valueOf, language),
      },
      language,
      base === null ? null : (at, key) => series[at]?.counted[key] ?? { count: null },
    ),
    notes: [
      ...notesOn('undated'),
      ...outliers,
      ...(isNewestOnly(shown) ? [charts.newestOnly] : []),
      ...partialNotes(keys, language),
    ],
  }
}

/** What shares are made of: the records of each series, and those of the base, which are the same for all. */
function numbersOf(
  series: readonly CountedSeries[],
  noun: string,
  base: string,
  language: Language,
): readonly ChartNumbers[] {
  const counts = series.map(({ name, counted }) => ({
    label: series.length === 1 ? noun : `${name}: ${noun}`,
    values: counted.map(({ count }) => count),
  }))
  const totals = series[0]?.counted.map(({ total }) => total ?? null) ?? []
  return [...counts, { label: capitalized(base, language), values: totals }]
}

function undatedRow(
  chart: OverTime,
  series: readonly CountedSeries[],
  answer: Answer,
  valueOf: (counted: Counted) => number | null,
  language: Language,
): ChartRest | null {
  const { axis, base } = chart
  const counted = undatedIn(chart, series, answer)
  const [first] = counted
  if (first === undefined) return null
  const to = { subject: axis.subject, language }
  const missing = { field: axis.field, operator: 'missing', values: ['1'] } as const
  const addressOf = (view: View | null) => viewAddress(to, view && withCondition(view, missing))
  return {
    label: language.text.missing,
    href: addressOf(chart.view),
    values: counted.map(valueOf),
    hrefs: series.map(({ view }) => addressOf(view)),
    numbers: base === null ? [] : [...counted.map(({ count }) => count), first.total ?? null],
  }
}

/** A row for each series in each period; last, one for its records without a time. */
export function tableOverTime(chart: OverTime, answer: Answer): ChartTable {
  const { axis, base } = chart
  const { shown, series } = readSeries(chart, answer)
  const key = keyOf(axis, shown.period)
  const without = undatedIn(chart, series, answer)
  return {
    columns: {
      [key]: 'instant',
      ...chart.columns,
      count: 'integer',
      ...(base !== null && { total: 'integer', share: 'float' }),
    },
    rows: [
      ...series.flatMap(({ row, counted }) =>
        shown.starts.map((start, at) => ({
          [key]: periodText(shown.period, start),
          ...row,
          ...counted[at],
        })),
      ),
      ...without.map((counted, at) => ({ [key]: null, ...series[at]?.row, ...counted })),
    ],
  }
}
