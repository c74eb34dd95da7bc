/** How many records of a collection there are over time: as counts or shares, and split by a field. */
import type { ChartSeries } from '../charts/chart-spec.ts'
import { collectionAddress } from '../addresses.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import { enumOf, type Panel } from '../operation.ts'
import type { Answer, Site } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import { timeCost } from '../view/price.ts'
import { type View, withCondition } from '../view/view.ts'
import { type AskedChart, type DrawnChart, type Group, type Groups, mostGroups } from './asked-chart.ts'
import { describe } from './describe.ts'
import { type Grouping, groupingSelection, groupLabel } from './grouping.ts'
import { readChoice, withOthers } from './own-parameters.ts'
import {
  boundsOf,
  type Period,
  periodFor,
  periodLabel,
  periods,
  periodsBetween,
  startOf,
  viewOfPeriod,
} from './periods.ts'
import { periodOnly, restrictionOf } from './restriction.ts'

/** Parameters of a page with this chart. */
export const timeParameters = ['split', 'as', 'per'] as const
export const measures = ['count', 'share'] as const

export interface TimeChart extends AskedChart {
  /** An estimate of the price. */
  readonly points: number
  readonly choices: TimeChoices
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

const mostPeriods = 400
const mostSeries = 5

/** Null if the collection's time cannot be grouped by. `now` in milliseconds since 1970. */
export function timeChart(
  site: Site,
  subject: Subject,
  view: View,
  language: Language,
  now: number,
): TimeChart | null {
  const { collection, fields, roles } = subject
  const aggregate = `${collection.rootField}Aggregate`
  const groupable = enumOf(site.schema, aggregate, 'groupBy')
  const field = fields.get(roles.time)
  if (field === undefined || !periods.every((each) => groupable.has(`${field.name}_${each}`))) return null
  const problems: Problem[] = []
  const splits = [...new Set([...roles.facets, ...(view.facets ?? [])])].flatMap((name) =>
    groupable.has(name) ? (fields.get(name) ?? []) : [],
  )
  const splitName = readChoice(
    view,
    'split',
    splits.map(({ name }) => name),
    problems,
  )
  const split = splits.find(({ name }) => name === splitName) ?? null
  const as = readChoice(view, 'as', measures, problems) ?? 'count'
  const per = readChoice(view, 'per', periods, problems)
  const bounds = boundsOf(view, field)
  const span = bounds.from === null ? null : (bounds.to ?? now) - bounds.from
  // Days become weeks, months or years when it is known how many there are. Groups by a further field are too many.
  const asked = per ?? (span === null ? (split === null ? 'day' : 'week') : periodFor(span))
  const key = `${field.name}_${asked}`
  return {
    problems,
    points: points(),
    panels: panels(),
    choices: { as, split, per, splits, periods, field },
    chart,
  }

  function points(): number {
    const own = { conditions: view.conditions, isSearch: view.search !== '' }
    const ofAll = { conditions: periodOnly(view, subject).conditions, isSearch: false }
    return (
      timeCost(null, own) +
      (as === 'share' ? timeCost(null, ofAll) : 0) +
      (split === null ? 0 : timeCost(split, own))
    )
  }

  function panels(): readonly Panel[] {
    const restriction = restrictionOf(view, subject)
    const base = { field: aggregate }
    const found: Panel[] = [
      {
        ...base,
        name: 'time',
        arguments: { ...restriction, groupBy: [key], orderBy: 'KEY_DESC', limit: mostGroups },
        selection: `groups { ${key} count }\ngroupsPageInfo { hasNextPage }`,
      },
    ]
    if (as === 'share')
      found.push({
        ...base,
        name: 'timeOfAll',
        arguments: {
          ...restrictionOf(periodOnly(view, subject), subject),
          groupBy: [key],
          orderBy: 'KEY_DESC',
          limit: mostGroups,
        },
        selection: `groups { ${key} count }\ngroupsPageInfo { hasNextPage }`,
      })
    if (split !== null)
      found.push({
        ...base,
        name: 'timeSplit',
        arguments: { ...restriction, groupBy: [key, split.name], limit: mostGroups },
        selection: `groupCount\ngroups { ${key} ${groupingSelection(asGrouping(split))} count }`,
      })
    return found
  }

  function chart(answer: Answer): DrawnChart {
    const { text } = language
    const time = answer['time'] as Groups
    const dated = time.groups.filter((group) => group[key] !== null)
    const moments = dated.map(momentOf)
    const [first, last] = rangeOf(moments)
    const period = per ?? (span === null && split === null ? periodFor(last - first + 1) : asked)
    const shown = period === 'hour' && asked === 'day' ? 'day' : period
    const starts = dated.length === 0 ? [] : periodsBetween(shown, first, last, mostPeriods)
    const counts = totals(dated, shown)
    const all = as === 'share' ? totals((answer['timeOfAll'] as Groups).groups, shown) : null
    const value = (count: number, start: number) => {
      const total = all?.get(start) ?? 0
      return all === null ? count : total === 0 ? null : count / total
    }
    const periodView = (start: number) =>
      viewOfPeriod(withOthers(view, { per: null }), field as ShownField, shown, start)
    const isDivisible = starts.length > 1 || shown !== 'hour'
    const keys = starts.map((start) => ({
      label: periodLabel(shown, start, language),
      href: isDivisible ? collectionAddress(collection.nsid, periodView(start)) : null,
    }))
    const whole: ChartSeries = {
      name: text.charts.records,
      values: starts.map((start) => value(counts.get(start) ?? 0, start)),
      hrefs: [],
    }
    const splitGroups = split === null ? null : (answer['timeSplit'] as Groups)
    const series = split === null || splitGroups === null ? [whole] : splitSeries(split, splitGroups.groups)
    const undated = time.groups.find((group) => group[key] === null)?.count ?? 0
    const isCut = time.groupsPageInfo?.hasNextPage === true || (starts[0] ?? 0) > startOf(shown, first)
    const titles = as === 'share' ? text.charts.sharePer : text.charts.recordsPer
    const single = split === null || !split.isArray
    return {
      spec: describe(
        {
          kind: single ? 'bars' : 'lines',
          title: split === null ? titles[shown] : text.charts.by(titles[shown], fieldLabel(split, language)),
          locale: language.tag,
          unit: as === 'share' ? 'share' : 'number',
          keyLabel: text.charts.periods[shown],
          valueLabel: as === 'share' ? text.charts.shareOfAll : text.charts.records,
          isOrdered: true,
          isStacked: single,
          keys,
          series,
        },
        language,
      ),
      notes: [
        ...(undated > 0 ? [text.charts.undated(language.number(undated))] : []),
        ...(isCut ? [text.charts.newestOnly] : []),
        ...((splitGroups?.groupCount ?? 0) > mostGroups ? [text.charts.smallLeftOut] : []),
      ],
    }

    function splitSeries(by: ShownField, groups: readonly Group[]): readonly ChartSeries[] {
      const values = Map.groupBy(
        groups.filter((group) => group[key] !== null),
        (group) => valueKey(group[by.name]),
      )
      const largest = [...values]
        .map(([name, members]) => ({
          name,
          members,
          sum: members.reduce((sum, { count }) => sum + count, 0),
        }))
        .toSorted((one, other) => other.sum - one.sum)
        .slice(0, mostSeries)
      const shownCounts = largest.map(({ members }) => totals(members, shown))
      const found = largest.map(({ name, members }, at): ChartSeries => {
        const member = members[0] as Group
        return {
          name: groupLabel(asGrouping(by), member, null, language),
          values: starts.map((start) => value(shownCounts[at]?.get(start) ?? 0, start)),
          hrefs: starts.map((start) =>
            collectionAddress(
              collection.nsid,
              withValue(periodView(start), by, member[by.name] === null ? null : name),
            ),
          ),
        }
      })
      if (by.isArray || values.size <= mostSeries) return found
      const others = starts.map((start) =>
        value(
          Math.max(
            0,
            (counts.get(start) ?? 0) - shownCounts.reduce((sum, each) => sum + (each.get(start) ?? 0), 0),
          ),
          start,
        ),
      )
      return [...found, { name: text.charts.others, isRest: true, values: others, hrefs: [] }]
    }
  }

  function totals(groups: readonly Group[], period: Period): ReadonlyMap<number, number> {
    const found = new Map<number, number>()
    for (const group of groups) {
      if (group[key] === null) continue
      const start = startOf(period, momentOf(group))
      found.set(start, (found.get(start) ?? 0) + group.count)
    }
    return found
  }

  function momentOf(group: Group): number {
    return Date.parse(String(group[key]))
  }

  /** From the first moment to the last; bounds that were given are shown although no record may be near them. */
  function rangeOf(moments: readonly number[]): readonly [number, number] {
    const [from, to] = [moments.at(-1) ?? 0, moments[0] ?? 0]
    return [
      Math.min(from, bounds.from ?? from),
      bounds.to === null ? to : Math.max(to, Math.min(bounds.to - 1, Math.max(now, to))),
    ]
  }
}

function asGrouping(field: ShownField): Grouping {
  return { name: field.name, field, unit: null }
}

function valueKey(value: unknown): string {
  return value === null ? '' : String(value)
}

/** The view with only this value of the field; null: without one. */
export function withValue(view: View, field: ShownField, value: string | null): View {
  return value === null
    ? withCondition(view, { field, operator: 'missing', values: ['1'] })
    : withCondition(view, { field, operator: 'is', values: [value] })
}
