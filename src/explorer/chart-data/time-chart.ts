/** How many records of a collection there are over time: as counts or shares, and split by a field. */
import { collectionAddress } from '../addresses.ts'
import type { ChartSeries } from '../charts/chart-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Row } from '../../files/file-spec.ts'
import type { Language } from '../languages/language.ts'
import { enumOf, type Panel } from '../../ask/operation.ts'
import type { Answer, Site } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import { periodOnly, type View } from '../view/view.ts'
import { recordArguments } from '../view/where.ts'
import { type AskedChart, chartOnce, type DrawnChart, type Groups } from './asked-chart.ts'
import type { ChartTable } from './chart-table.ts'
import { describe } from './describe.ts'
import { readChoice } from './own-parameters.ts'
import { boundsOf, type Period, periods, periodText } from './periods.ts'
import { type Part, partsPanel, readParts } from './split.ts'
import { isCut, periodKeys, periodView, type ShownPeriods, type TimeAxis, timeAxis } from './time-axis.ts'

export const measures = ['count', 'share'] as const

export interface TimeChart extends AskedChart {
  readonly choices: TimeChoices
  /** How many records have no time. */
  readonly undated: (answer: Answer) => number
}

export interface TimeChoices {
  readonly as: (typeof measures)[number]
  readonly split: ShownField | null
  /** Null: chosen by the range. */
  readonly per: Period | null
  readonly splits: readonly ShownField[]
  readonly periods: readonly Period[]
  readonly field: ShownField
}

/** Null if the collection's time cannot be grouped by. `now` in milliseconds since 1970. */
export function timeChart(
  site: Site,
  subject: Subject,
  view: View,
  language: Language,
  now: number,
): TimeChart | null {
  const { collection } = subject
  const problems: Problem[] = []
  const groupable = enumOf(site.schema, `${collection.rootField}Aggregate`, 'groupBy')
  const names = [...new Set([...subject.roles.facets, ...(view.facets ?? [])])]
  const splits = names.flatMap((name) => (groupable.has(name) ? (subject.fields.get(name) ?? []) : []))
  const splitNames = splits.map((each) => each.name)
  const splitName = readChoice(view, 'split', splitNames, problems)
  const split = splits.find((each) => each.name === splitName) ?? null
  const as = readChoice(view, 'as', measures, problems) ?? 'count'
  const per = readChoice(view, 'per', periods, problems)
  const found = timeAxis(site, subject, (of) => boundsOf(view, of), per, now)
  if (found === null) return null
  const axis: TimeAxis = found
  const { field } = axis
  const choices = { as, split, per, splits, periods, field }
  const own = recordArguments(view)
  // A chart of a part has the range of the whole, so that one sees where the part begins.
  const all = recordArguments(periodOnly(view, subject))
  const bounds = boundsOf(view, field)
  const hasUndated = bounds.from === null && bounds.to === null
  const panels: readonly Panel[] = [
    ...axis.rangePanels,
    ...(hasUndated ? [axis.undatedPanel('undated', own)] : []),
    ...(hasUndated && as === 'share' && split === null ? [axis.undatedPanel('undatedOfAll', all)] : []),
    ...(split === null ? [] : [partsPanel('parts', split, own, collection)]),
  ]
  return {
    problems,
    panels,
    more,
    choices,
    chart: chartOnce(chart),
    table,
    undated: (answer) => countIn(answer, 'undated'),
  }

  /** One for all records, or one for each part of them. */
  function partsOf(answer: Answer | null): readonly Part[] {
    const whole: Part = { value: undefined, name: language.text.charts.records, isRest: false, view, own }
    return split === null
      ? [whole]
      : readParts((answer?.['parts'] ?? null) as Groups | null, split, view, own, language)
  }

  function more(answer: Answer | null): readonly Panel[] {
    const shown = answer === null ? axis.dearest : axis.read(answer)
    if (shown.starts.length === 0) return []
    return [
      ...partsOf(answer).map((part, at) => axis.panel(`part${at}`, part.own, shown)),
      ...(as === 'share' ? [axis.panel('ofAll', all, shown)] : []),
      ...(shown.hasOutliers ? [axis.outlierPanel('outliers', own, shown)] : []),
    ]
  }

  function chart(answer: Answer): DrawnChart {
    const { text } = language
    const shown = axis.read(answer)
    const title = (as === 'share' ? text.charts.sharePer : text.charts.recordsPer)[shown.period]
    const isSingle = split === null || !split.isArray
    const [undated, outliers] = [countIn(answer, 'undated'), countIn(answer, 'outliers')]
    const totals = totalsIn(answer, shown)
    const counts = partsOf(answer).map((_, at) => axis.countsIn(answer, `part${at}`, shown))
    const starts = counts.every(isNothing) ? [] : shown.starts
    const drawn = { ...shown, starts }
    const series = partsOf(answer).map(
      ({ name, isRest, view: part }, at): ChartSeries => ({
        name,
        ...(isRest && { isRest }),
        values: valuesOf(counts[at] ?? new Map(), totals, drawn),
        hrefs:
          split === null || part === null
            ? []
            : starts.map((start) => collectionAddress(collection.nsid, periodView(part, axis, shown, start))),
      }),
    )
    return {
      spec: describe(
        {
          kind: isSingle ? 'bars' : 'lines',
          title: split === null ? title : text.charts.by(title, fieldLabel(split, language)),
          locale: language.tag,
          unit: as === 'share' ? 'share' : 'number',
          keyLabel: text.charts.periods[shown.period],
          valueLabel: as === 'share' ? text.charts.shareOfAll : text.charts.records,
          isOrdered: true,
          isStacked: isSingle,
          keys: periodKeys(view, axis, drawn, collection.nsid, language),
          series,
        },
        language,
      ),
      notes: [
        ...(undated > 0 ? [text.charts.undated(language.number(undated))] : []),
        ...(outliers > 0 ? [text.charts.outliers(language.number(outliers))] : []),
        ...(isCut(shown) ? [text.charts.newestOnly] : []),
        ...valuesLeftOut(answer),
      ],
    }
  }

  /** Of an array there are no others, so that the chart says how many values it leaves out. */
  function valuesLeftOut(answer: Answer): readonly string[] {
    if (split === null || !split.isArray) return []
    const { groups, groupCount = 0 } = answer['parts'] as Groups
    const all = groups.some((group) => group[split.name] === null) ? groupCount - 1 : groupCount
    const shown = partsOf(answer).length
    if (all <= shown) return []
    return [
      language.text.charts.largestOf(
        fieldLabel(split, language),
        language.number(shown),
        language.number(all),
      ),
    ]
  }

  /** How many records there are in each period, for shares of them; null for counts. */
  function totalsIn(answer: Answer, shown: ShownPeriods): ReadonlyMap<number, number> | null {
    return as === 'share' ? axis.countsIn(answer, 'ofAll', shown) : null
  }

  /** A row for each period, or for each part in each period; without parts also for records without a time. */
  function table(answer: Answer): ChartTable {
    const shown = axis.read(answer)
    const key = `${field.name}_${shown.period}`
    const totals = totalsIn(answer, shown)
    return {
      columns: {
        [key]: 'instant',
        ...(split !== null && { [split.name]: 'text', others: 'boolean' }),
        count: 'integer',
        ...(totals !== null && { total: 'integer', share: 'float' }),
      },
      rows: [
        ...(split === null ? undatedRow(answer, key) : []),
        ...partsOf(answer).flatMap(({ value, isRest }, at) => {
          const counts = axis.countsIn(answer, `part${at}`, shown)
          const shares = valuesOf(counts, totals, shown)
          return shown.starts.map((start, period) => ({
            [key]: periodText(shown.period, start),
            ...(split !== null && { [split.name]: value ?? null, others: isRest }),
            count: counts.get(start) ?? null,
            ...(totals !== null && { total: totals.get(start) ?? null, share: shares[period] ?? null }),
          }))
        }),
      ],
    }
  }

  function undatedRow(answer: Answer, key: string): readonly Row[] {
    const [count, total] = [countIn(answer, 'undated'), countIn(answer, 'undatedOfAll')]
    if (count === 0) return []
    return [{ [key]: null, count, ...(as === 'share' && { total, share: count / total }) }]
  }
}

export function countIn(answer: Answer, name: string): number {
  return (answer[name] as { readonly count: number } | undefined)?.count ?? 0
}

/** Whether no period has any record, so that there is nothing to draw. */
export function isNothing(counts: ReadonlyMap<number, number>): boolean {
  return counts.values().every((count) => count === 0)
}

/** Counts, or shares of all records of the period; null where there are none to divide by. */
export function valuesOf(
  counts: ReadonlyMap<number, number>,
  totals: ReadonlyMap<number, number> | null,
  { starts }: ShownPeriods,
): readonly (number | null)[] {
  return starts.map((start) => {
    const count = counts.get(start) ?? null
    if (totals === null || count === null) return count
    const total = totals.get(start) ?? 0
    return total === 0 ? null : count / total
  })
}
