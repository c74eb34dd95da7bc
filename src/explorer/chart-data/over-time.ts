/** SeriesCounts or shares of series of records in the periods of a time: what is asked, and the drawing and file of it. */
import type { ColumnType, Row } from '../../files/file-spec.ts'
import { viewAddress } from '../browse/context.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import type { RecordArguments, View } from '../view/view.ts'
import { type ChartTable, describe, type DrawnChart } from './asked-chart.ts'
import { withOthers } from './own-parameters.ts'
import { periodLabel, periodText, viewOfPeriod } from './periods.ts'
import type { ShownPeriods, TimeAxis } from './time-axis.ts'
import {
  countIn,
  countsIn,
  countsPanel,
  dearestPeriods,
  keyOf,
  outliersPanel,
  readPeriods,
} from './time-axis.ts'

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
  readonly as: (typeof measures)[number]
  /** Shares are those of the records of the period among these. */
  readonly base: RecordArguments
  /** Null for an answer that is not known: as many as there may be. */
  readonly seriesIn: (answer: Answer | null) => readonly Series[]
  /** Records of which those outside of the periods are counted; `name` is said with their number. */
  readonly outliers: readonly {
    readonly panel: string
    readonly name: string | null
    readonly own: RecordArguments
  }[]
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
  const { axis, as, base, seriesIn, outliers } = chart
  const shown = answer === null ? dearestPeriods(axis) : readPeriods(axis, answer)
  if (shown.starts.length === 0) return []
  return [
    ...seriesIn(answer).map(({ panel, own }) => countsPanel(axis, shown, panel, own)),
    ...(as === 'share' ? [countsPanel(axis, shown, 'ofAll', base)] : []),
    ...(shown.hasOutliers ? outliers.map(({ panel, own }) => outliersPanel(axis, shown, panel, own)) : []),
  ]
}

interface CountedSeries extends Series {
  /** By period; null where it is not known. */
  readonly counts: readonly (number | null)[]
  /** SeriesCounts, or shares of all records of the period; null where there are none to divide by. */
  readonly values: readonly (number | null)[]
}

interface SeriesCounts {
  readonly shown: ShownPeriods
  /** What shares divide by; null for counts. */
  readonly totals: readonly (number | null)[] | null
  readonly series: readonly CountedSeries[]
}

function readCounts({ axis, as, seriesIn }: OverTime, answer: Answer): SeriesCounts {
  const shown = readPeriods(axis, answer)
  const totals = as === 'share' ? countsIn(axis, shown, 'ofAll', answer) : null
  const series = seriesIn(answer).map((each) => {
    const counts = countsIn(axis, shown, each.panel, answer)
    const values = totals === null ? counts : counts.map((count, at) => shareOf(count, totals[at] ?? 0))
    return { ...each, counts, values }
  })
  return { shown, totals, series }
}

function shareOf(count: number | null, total: number): number | null {
  return total === 0 || count === null ? null : count / total
}

export function drawOverTime(chart: OverTime, answer: Answer, language: Language): DrawnChart {
  const { axis, as, outliers, split, isStacked } = chart
  const { charts } = language.text
  const { shown, series } = readCounts(chart, answer)
  const { period } = shown
  const isNothing = series.every(({ counts }) => counts.every((count) => (count ?? 0) === 0))
  const starts = isNothing ? [] : shown.starts
  // A single hour leads nowhere; in other periods shorter ones are chosen.
  const isDivisible = starts.length > 1 || period !== 'hour'
  const addressOf = (view: View, start: number): string | null =>
    viewAddress(
      { subject: axis.subject, language },
      viewOfPeriod(withOthers(view, { per: null }), axis.field, period, start),
    )
  const title = (as === 'share' ? charts.sharePer : charts.recordsPer)(charts.periods[period])
  return {
    spec: describe(
      {
        kind: isStacked ? 'bars' : 'lines',
        title: split === null ? title : charts.by(title, fieldLabel(split, language)),
        unit: as === 'share' ? 'share' : 'number',
        keyLabel: charts.periods[period],
        valueLabel: as === 'share' ? charts.shareOfAll : charts.records,
        isOrdered: true,
        isStacked,
        keys: starts.map((start) => ({
          label: periodLabel(period, start, language),
          href: chart.view !== null && isDivisible ? addressOf(chart.view, start) : null,
        })),
        series: series.map(({ name, isRest, view, values }) => ({
          name,
          ...(isRest === true && { isRest }),
          values: isNothing ? [] : values,
          hrefs: view === null ? [] : starts.map((start) => addressOf(view, start)),
        })),
      },
      language,
    ),
    notes: [
      ...outliers.flatMap(({ panel, name }) => {
        const count = countIn(answer, panel)
        const note = charts.outliers(language.number(count))
        return count === 0 ? [] : [name === null ? note : `${name}: ${note}`]
      }),
      ...((shown.starts[0] ?? shown.from) > shown.from ? [charts.newestOnly] : []),
    ],
  }
}

/** A row for each series in each period. */
export function tableOverTime(chart: OverTime, answer: Answer): ChartTable {
  const { shown, totals, series } = readCounts(chart, answer)
  const key = keyOf(chart.axis, shown.period)
  return {
    columns: {
      [key]: 'instant',
      ...chart.columns,
      count: 'integer',
      ...(totals !== null && { total: 'integer', share: 'float' }),
    },
    rows: series.flatMap(({ row, counts, values }) =>
      shown.starts.map((start, at) => ({
        [key]: periodText(shown.period, start),
        ...row,
        count: counts[at] ?? null,
        ...(totals !== null && { total: totals[at] ?? null, share: values[at] ?? null }),
      })),
    ),
  }
}
