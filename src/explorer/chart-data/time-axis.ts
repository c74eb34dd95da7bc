/**
 * The periods that a chart over time shows, and the counts in them. What is not known of the range is asked for first:
 * years, and the earliest and the latest time. Then the periods are, each with its count, so that nothing is added up
 * here.
 */
import { collectionAddress } from '../addresses.ts'
import type { ChartKey } from '../charts/chart-spec.ts'
import type { Subject } from '../fields/subject.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import { enumOf, type Panel } from '../../ask/operation.ts'
import type { Answer, Site } from '../page.ts'
import type { View } from '../view/view.ts'
import { andWhere, nest } from '../../ask/where.ts'
import type { RecordArguments } from '../view/where.ts'
import { type Groups, mostGroups } from './asked-chart.ts'
import { withOthers } from './own-parameters.ts'
import {
  type Bounds,
  boundsOfPeriods,
  firstDay,
  leastOf,
  momentOf,
  momentsOf,
  mostPeriods,
  nextOf,
  type Period,
  periodFor,
  periodLabel,
  periods,
  periodsBetween,
  startOf,
  viewOfPeriod,
} from './periods.ts'
import { usualRange } from './usual-range.ts'

export interface TimeAxis {
  readonly field: ShownField
  /** Asked first, of all records between the bounds; none where the bounds tell the range. */
  readonly rangePanels: readonly Panel[]
  readonly read: (answer: Answer) => ShownPeriods
  /** The most periods that may be shown, for a price. */
  readonly dearest: ShownPeriods
  /** Asked then: a group for each period. */
  readonly panel: (name: string, restriction: RecordArguments, shown: ShownPeriods) => Panel
  /** The counts of such a panel, by the first moments of their periods; without those that are not known. */
  readonly countsIn: (answer: Answer, name: string, shown: ShownPeriods) => ReadonlyMap<number, number>
  /** How many records have a time outside of the periods, or no time. */
  readonly outlierPanel: (name: string, restriction: RecordArguments, shown: ShownPeriods) => Panel
  readonly undatedPanel: (name: string, restriction: RecordArguments) => Panel
}

export interface ShownPeriods {
  readonly period: Period
  /** The first moment of each period, in milliseconds since 1970, without gaps. */
  readonly starts: readonly number[]
  /** The first moment of the range, which is before the first period where there are too many. */
  readonly from: number
  /** Whether records have a time so far from the others that their periods are left out. */
  readonly hasOutliers: boolean
}

/**
 * Null if the collection's time cannot be grouped by. `boundsIn`: what a reader has chosen of the time. `now` in
 * milliseconds since 1970.
 */
export function timeAxis(
  { schema }: Site,
  { collection, fields, roles }: Subject,
  boundsIn: (field: ShownField) => Bounds,
  per: Period | null,
  now: number,
): TimeAxis | null {
  const aggregate = `${collection.rootField}Aggregate`
  const groupable = enumOf(schema, aggregate, 'groupBy')
  const found = fields.get(roles.time)
  if (found?.isSort !== true || !periods.every((each) => groupable.has(`${found.name}_${each}`))) return null
  const field: ShownField = found
  const bounds = boundsIn(field)
  const year = `${field.name}_year`
  // Bounds that a reader has given are shown as they are.
  const isUsual = per === null && bounds.from === null
  const dearest: ShownPeriods = {
    period: 'day',
    starts: periodsBetween('day', firstDay, now, mostPeriods),
    from: firstDay,
    hasOutliers: true,
  }
  return {
    field,
    rangePanels: rangePanels(),
    read,
    dearest,
    panel,
    countsIn,
    outlierPanel,
    undatedPanel: (name, { where, search }) =>
      countPanel(name, { where: andWhere(where, nest(field, { isNull: true })), search }),
  }

  function rangePanels(): readonly Panel[] {
    const end = (name: string, direction: 'ASC' | 'DESC'): Panel => ({
      name,
      field: collection.rootField,
      arguments: {
        where: nest(field, { isNull: false, ...momentsOf(bounds) }),
        first: 1,
        sortBy: [{ field: field.name, direction }],
      },
      selection: `nodes { ${selectFields([field], collection.typeName, schema)} }`,
    })
    const years: Panel = {
      name: 'years',
      field: aggregate,
      arguments: {
        where: bounds.to === null ? undefined : nest(field, momentsOf(bounds)),
        groupBy: [year],
        limit: mostGroups,
      },
      selection: `groups { ${year} count }`,
    }
    return [
      ...(isUsual ? [years] : []),
      ...(bounds.from === null ? [end('earliest', 'ASC')] : []),
      // What lies in the future is shown if there are records.
      ...(bounds.to === null || bounds.to > now ? [end('latest', 'DESC')] : []),
    ]
  }

  function read(answer: Answer): ShownPeriods {
    const nothing = { period: per ?? 'day', starts: [], from: 0, hasOutliers: false }
    const end = (name: string): number | null => {
      const { nodes = [] } = (answer[name] ?? {}) as { readonly nodes?: readonly unknown[] }
      return momentOf(readField(nodes[0], field, collection.typeName, schema))
    }
    const [earliest, latest] = [bounds.from ?? end('earliest'), end('latest')]
    if (earliest === null || (latest === null && bounds.to === null)) return nothing
    // Of more years those with most records are known, and nothing is drawn of them.
    const { groups = [] } = (answer['years'] ?? {}) as Partial<Groups>
    const years = usualRange(
      groups.flatMap((group) => {
        const at = momentOf(group[year])
        return at === null ? [] : [{ at, count: group.count }]
      }),
    )
    const [firstYear, lastYear] = [years[0]?.at ?? earliest, years.at(-1)?.at ?? latest ?? earliest]
    const low = Math.max(earliest, firstYear)
    // Bounds that were given are shown although no record may be near them, but not the future.
    const given = bounds.to === null ? null : Math.min(bounds.to - 1, now)
    const yearEnd = nextOf('year', lastYear) - 1
    const high = latest === null || latest <= yearEnd ? latest : Math.max(Math.min(yearEnd, now), lastYear)
    const last = Math.max(high ?? low, given ?? low)
    const period = per ?? periodOf(low, last)
    const starts = periodsBetween(period, Math.max(low, firstDay), last, mostPeriods)
    return {
      period,
      starts,
      from: startOf(period, low),
      hasOutliers: earliest < low || (latest ?? last) > last,
    }
  }

  /** Hours only between bounds that a reader has given. */
  function periodOf(first: number, last: number): Period {
    if (bounds.from !== null) return periodFor((bounds.to ?? now) - bounds.from)
    const found = periodFor(last - first + 1)
    return found === 'hour' ? 'day' : found
  }

  function panel(name: string, { where, search }: RecordArguments, shown: ShownPeriods): Panel {
    const key = `${field.name}_${shown.period}`
    const isOfAll = where === undefined && search === undefined && shown.period !== 'hour'
    const within = boundsOfPeriods(shown.period, shown.starts[0] ?? 0, shown.starts.at(-1) ?? 0)
    return {
      name,
      field: aggregate,
      arguments: {
        groupBy: [key],
        // Without conditions the service has these counts, and reads no record.
        ...(isOfAll
          ? { orderBy: 'KEY_DESC', limit: mostGroups }
          : { where: andWhere(where, nest(field, within)), search, fill: true }),
      },
      selection: `groups { ${key} count }\ngroupsPageInfo { hasNextPage }`,
    }
  }

  function outlierPanel(name: string, { where, search }: RecordArguments, shown: ShownPeriods): Panel {
    const { gte, lt, lte } = boundsOfPeriods(shown.period, shown.from, shown.starts.at(-1) ?? 0)
    const outside = [{ lt: gte }, lt === undefined ? { gt: lte } : { gte: lt }].map((each) =>
      nest(field, each),
    )
    return countPanel(name, { where: andWhere(where, { OR: outside }), search })
  }

  function countPanel(name: string, restriction: RecordArguments): Panel {
    return { name, field: aggregate, arguments: { ...restriction }, selection: 'count' }
  }

  function countsIn(
    answer: Answer,
    name: string,
    { period, starts }: ShownPeriods,
  ): ReadonlyMap<number, number> {
    const { groups, groupsPageInfo } = (answer[name] ?? { groups: [] }) as Groups
    const key = `${field.name}_${period}`
    const dated = groups.filter((group) => group[key] !== null)
    const found = new Map(dated.map((group) => [startOf(period, momentOf(group[key]) ?? 0), group.count]))
    // The newest groups come first, so that those after the last of a list that is cut are all there.
    const known = groupsPageInfo?.hasNextPage === true ? leastOf([...found.keys()]) : Number.NEGATIVE_INFINITY
    return new Map(
      starts.flatMap((start) => (start < known ? [] : [[start, found.get(start) ?? 0] as const])),
    )
  }
}

/** Whether there are records before the first period. */
export function isCut({ starts, from }: ShownPeriods): boolean {
  return (starts[0] ?? from) > from
}

/** The view of a period; shorter ones are chosen in it. */
export function periodView(view: View, { field }: TimeAxis, { period }: ShownPeriods, start: number): View {
  return viewOfPeriod(withOthers(view, { per: null }), field, period, start)
}

/** Periods with links to their records; a single hour leads nowhere. */
export function periodKeys(
  view: View,
  axis: TimeAxis,
  shown: ShownPeriods,
  nsid: string,
  language: Language,
): readonly ChartKey[] {
  const isDivisible = shown.starts.length > 1 || shown.period !== 'hour'
  return shown.starts.map((start) => ({
    label: periodLabel(shown.period, start, language),
    href: isDivisible ? collectionAddress(nsid, periodView(view, axis, shown, start)) : null,
  }))
}
