/** How many records of a collection there are over time: as counts or shares, and split by a field. */
import { collectionAddress } from '../addresses.ts'
import type { ChartSeries } from '../charts/chart-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Row } from '../../files/file-spec.ts'
import type { Language } from '../languages/language.ts'
import { enumOf, type Panel } from '../operation.ts'
import type { Answer, Site } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import { isRestricted, periodOnly, type View, withCondition } from '../view/view.ts'
import { type AskedChart, type DrawnChart, type Group, type Groups, mostGroups } from './asked-chart.ts'
import type { ChartTable } from './chart-table.ts'
import { describe } from './describe.ts'
import { type Grouping, groupingSelection, groupLabel } from './grouping.ts'
import { readChoice } from './own-parameters.ts'
import { type Period, periods, periodText } from './periods.ts'
import { periodKeys, periodView, type ShownPeriods, type TimeAxis, timeAxis } from './time-axis.ts'
import { recordArguments } from '../view/where.ts'

export const measures = ['count', 'share'] as const

export interface TimeChart extends AskedChart {
  readonly choices: TimeChoices
  /** How many records match, with a time or without. */
  readonly total: (answer: Answer) => number
  /** How many of them have no time; null if that is not known. */
  readonly undated: (answer: Answer) => number | null
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

const mostSeries = 5

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
  const { as, split, per, splits } = read()
  const found = timeAxis(site, subject, view, per, split !== null, now)
  if (found === null) return null
  const axis: TimeAxis = found
  const choices = { as, split, per, splits, periods, field: axis.field }
  // A chart of a part has the range of the whole, so that one sees where the part begins.
  const isPart = isRestricted({
    ...view,
    conditions: view.conditions.filter(({ field }) => field !== axis.field),
  })
  const asksAll = as === 'share' || (isPart && axis.isOpen)
  const total = (answer: Answer) => (answer['time'] as Groups).count ?? 0
  const undated = (answer: Answer): number | null => {
    const { groups, groupsPageInfo } = answer['time'] as Groups
    const found = axis.undated(groups)
    return found === 0 && groupsPageInfo?.hasNextPage === true ? null : found
  }
  return { problems, panels: panels(), choices, chart, total, undated, ...(as === 'share' && { table }) }

  function read(): Pick<TimeChoices, 'as' | 'split' | 'per' | 'splits'> {
    const groupable = enumOf(site.schema, `${collection.rootField}Aggregate`, 'groupBy')
    const names = [...new Set([...subject.roles.facets, ...(view.facets ?? [])])]
    const possible = names.flatMap((name) => (groupable.has(name) ? (subject.fields.get(name) ?? []) : []))
    const name = readChoice(
      view,
      'split',
      possible.map((each) => each.name),
      problems,
    )
    return {
      splits: possible,
      split: possible.find((each) => each.name === name) ?? null,
      as: readChoice(view, 'as', measures, problems) ?? 'count',
      per: readChoice(view, 'per', periods, problems),
    }
  }

  function panels(): readonly Panel[] {
    const own = recordArguments(view, subject)
    const all = axis.panel('timeOfAll', recordArguments(periodOnly(view, subject), subject))
    const time = axis.panel('time', own)
    const counts: Panel = { ...time, selection: `count\n${time.selection}` }
    const divided = (by: ShownField): Panel => ({
      ...counts,
      name: 'timeSplit',
      arguments: { ...own, groupBy: [axis.key, by.name], limit: mostGroups },
      selection: `groupCount\ngroups { ${axis.key} ${groupingSelection(asGrouping(by))} count }`,
    })
    return [counts, ...(asksAll ? [all] : []), ...(split === null ? [] : [divided(split)])]
  }

  function chart(answer: Answer): DrawnChart {
    const { text } = language
    const time = answer['time'] as Groups
    const all = asksAll ? (answer['timeOfAll'] as Groups) : null
    const shown = axis.read([time], all)
    const ofAll = as === 'share' && all !== null ? shown.counts(all.groups) : null
    const counts = shown.counts(time.groups)
    const parts = split === null ? null : (answer['timeSplit'] as Groups)
    const isSingle = split === null || !split.isArray
    const whole = { name: text.charts.records, values: valuesOf(counts, ofAll, shown), hrefs: [] }
    const timeless = undated(answer) ?? 0
    const title = (as === 'share' ? text.charts.sharePer : text.charts.recordsPer)[shown.period]
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
          keys: periodKeys(view, axis, shown, collection.nsid, language),
          series:
            split === null || parts === null
              ? [whole]
              : splitSeries(split, parts.groups, counts, ofAll, shown),
        },
        language,
      ),
      notes: [
        ...(timeless > 0 ? [text.charts.undated(language.number(timeless))] : []),
        ...(shown.outliers > 0 ? [text.charts.outliers(language.number(shown.outliers))] : []),
        ...(shown.isCut ? [text.charts.newestOnly] : []),
        ...((parts?.groupCount ?? 0) > mostGroups ? [text.charts.smallLeftOut] : []),
      ],
    }
  }

  /** Shares of all records, which no aggregate divides by: a row for each period, or for each value in each period. */
  function table(answer: Answer): ChartTable {
    const [time, all] = [answer['time'] as Groups, answer['timeOfAll'] as Groups]
    const shown = axis.read([time], all)
    const ofAll = shown.counts(all.groups)
    const key = `${axis.field.name}_${shown.period}`
    const rowsOf = (groups: readonly Group[], value: object): readonly Row[] => {
      const counts = shown.counts(groups)
      const row = (period: string | null, count: number, divisor: number): Row => ({
        [key]: period,
        ...value,
        count,
        total: divisor,
        share: divisor === 0 ? null : count / divisor,
      })
      const timeless = axis.undated(groups)
      return [
        ...(timeless === 0 ? [] : [row(null, timeless, axis.undated(all.groups))]),
        ...shown.starts.map((start) =>
          row(periodText(shown.period, start), counts.get(start) ?? 0, ofAll.get(start) ?? 0),
        ),
      ]
    }
    const divided = { count: 'integer', total: 'integer', share: 'float' } as const
    if (split === null) return { columns: { [key]: 'instant', ...divided }, rows: rowsOf(time.groups, {}) }
    const values = Map.groupBy((answer['timeSplit'] as Groups).groups, (group) => group[split.name] ?? null)
    return {
      columns: { [key]: 'instant', [split.name]: 'text', ...divided },
      rows: [...values].flatMap(([value, groups]) =>
        rowsOf(groups, { [split.name]: value === null ? null : String(value) }),
      ),
    }
  }

  /** The most frequent values, and all others together where a record has one value at most. */
  function splitSeries(
    by: ShownField,
    groups: readonly Group[],
    counts: ReadonlyMap<number, number>,
    ofAll: ReadonlyMap<number, number> | null,
    shown: ShownPeriods,
  ): readonly ChartSeries[] {
    const dated = groups.filter((group) => group[axis.key] !== null)
    const values = Map.groupBy(dated, (group) => JSON.stringify(group[by.name]))
    const largest = [...values.values()]
      .map((members) => ({ members, sum: members.reduce((sum, { count }) => sum + count, 0) }))
      .toSorted((one, other) => other.sum - one.sum)
      .slice(0, mostSeries)
      .map(({ members }) => ({ member: members[0] as Group, counts: shown.counts(members) }))
    const series = largest.map((each): ChartSeries => {
      const value = each.member[by.name] ?? null
      return {
        name: groupLabel(asGrouping(by), each.member, null, language),
        values: valuesOf(each.counts, ofAll, shown),
        hrefs: shown.starts.map((start) =>
          collectionAddress(
            collection.nsid,
            withValue(periodView(view, axis, shown, start), by, value === null ? null : String(value)),
          ),
        ),
      }
    })
    if (by.isArray || values.size <= mostSeries) return series
    const rest = new Map(
      [...counts].map(([start, count]) => [
        start,
        Math.max(
          0,
          largest.reduce((left, each) => left - (each.counts.get(start) ?? 0), count),
        ),
      ]),
    )
    return [
      ...series,
      { name: language.text.charts.others, isRest: true, values: valuesOf(rest, ofAll, shown), hrefs: [] },
    ]
  }
}

/** Counts, or shares of all records of the period; null where there are none to divide by. */
export function valuesOf(
  counts: ReadonlyMap<number, number>,
  ofAll: ReadonlyMap<number, number> | null,
  { starts }: ShownPeriods,
): readonly (number | null)[] {
  return starts.map((start) => {
    const count = counts.get(start) ?? 0
    if (ofAll === null) return count
    const total = ofAll.get(start) ?? 0
    return total === 0 ? null : count / total
  })
}

function asGrouping(field: ShownField): Grouping {
  return { name: field.name, field, unit: null }
}

/** The view with only this value of the field; null: without one. */
function withValue(view: View, field: ShownField, value: string | null): View {
  return value === null
    ? withCondition(view, { field, operator: 'missing', values: ['1'] })
    : withCondition(view, { field, operator: 'is', values: [value] })
}
