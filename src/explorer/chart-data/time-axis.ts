/**
 * The periods that a chart over time shows, and the counts in them. What is not known of the range is asked for first:
 * days or months, and the latest time. Then the periods are, each with its count, so that nothing is added up here.
 */
import type { AxisEnd } from '../charts/chart-spec.ts'
import { readField, selectFields } from '../fields/record-selection.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { leaves } from '../../ask/graphql-text.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import { andWhere, nest, type Where, whereOf } from '../../ask/where.ts'
import { type RecordArguments } from '../view/view.ts'
import { aggregateOf, type ChartContext, fewRecords, type GroupsAnswer, mostGroups } from './asked-chart.ts'
import { type Bounds, boundsOfPeriods, firstDay, isUnbounded, momentOf, momentsOf } from './periods.ts'
import { mostPeriods, type Period, periodFor, periods, periodsBetween } from './periods.ts'
import { moved, startOf } from '../../util/time/calendar.ts'

const day = 86_400_000

export interface TimeAxis extends Pick<ChartContext, 'subject' | 'now'> {
  readonly field: ShownField
  /** What a reader has chosen of the time. */
  readonly bounds: Bounds
  /** What a reader has chosen; null: chosen by the range. */
  readonly per: Period | null
}

export interface ShownPeriods {
  readonly period: Period
  /** The first moment of each period, in milliseconds since 1970, without gaps. */
  readonly starts: readonly number[]
  /** The first moment of the range, which is before the first period where there are too many. */
  readonly from: number
  /** Where records have a time so far from the others that their periods are left out. */
  readonly outliers: readonly AxisEnd[]
  /** What cuts the periods at both ends: what a reader has chosen, or where records of most days begin and end. */
  readonly cuts: Bounds
}

/** Whether earlier periods are left out, because there are too many. */
export function isNewestOnly({ starts, from }: ShownPeriods): boolean {
  return (starts[0] ?? from) > from
}

/** The time of the collection; null if it cannot be grouped by. */
export function timeField({ fields, roles, groupable }: PageSubject): ShownField | null {
  const field = fields.get(roles.time)
  if (field?.isSort !== true) return null
  return periods.every((each) => groupable.has(`${field.name}_${each}`)) ? field : null
}

/** Asked first, of all records between the bounds, which are what the order is by: an index has them at its ends. */
export function rangePanels(axis: TimeAxis): readonly Panel[] {
  const { subject, field, bounds, now } = axis
  const { rootField } = subject.collection
  const where = bounds.to === null ? undefined : nest(field, momentsOf(bounds))
  const counted = (unit: 'day' | 'month'): Panel => ({
    name: `${unit}s`,
    field: aggregateOf(subject),
    arguments: { where, groupBy: [keyOf(axis, unit)], limit: mostGroups },
    selection: { groups: leaves(keyOf(axis, unit), 'count'), groupsPageInfo: { hasNextPage: {} } },
  })
  const latest: Panel = {
    name: 'latest',
    field: rootField,
    arguments: {
      where: nest(field, momentsOf({ from: bounds.from ?? firstDay, to: bounds.to })),
      first: 1,
      sortBy: [{ field: field.name, direction: 'DESC' }],
    },
    selection: { nodes: selectFields([field]) },
  }
  return [
    // Bounds that a reader has given are shown as they are.
    ...(bounds.from === null ? [counted('day'), counted('month')] : []),
    // What lies in the future is shown if there are records.
    ...(bounds.to === null || bounds.to > now ? [latest] : []),
  ]
}

export function readPeriods(axis: TimeAxis, answer: Answer): ShownPeriods {
  const { field, bounds, per, now } = axis
  const { nodes = [] } = (answer['latest'] ?? {}) as { readonly nodes?: readonly unknown[] }
  const latest = momentOf(readField(nodes[0], field))
  // Of more days those with most records are known, and nothing is drawn of them.
  const isCut = (name: string) =>
    (answer[name] as GroupsAnswer | undefined)?.groupsPageInfo?.hasNextPage === true
  const unit = isCut('days') ? 'month' : 'day'
  const { groups = [] } = (answer[`${unit}s`] ?? {}) as Partial<GroupsAnswer>
  const dated = groups.flatMap((group) => {
    const at = momentOf(group[keyOf(axis, unit)])
    return at === null ? [] : [{ at, count: group.count }]
  })
  const usual = usualRange(dated)
  const low = bounds.from ?? usual[0]?.at ?? null
  if (low === null || (latest === null && bounds.to === null))
    return { period: per ?? 'day', starts: [], from: 0, outliers: [], cuts: bounds }
  const lastUnit = usual.at(-1)?.at ?? latest ?? low
  // Bounds that were given are shown although no record may be near them, but not the future.
  const given = bounds.to === null ? null : Math.min(bounds.to - 1, now)
  const unitEnd = moved(unit, lastUnit, 1) - 1
  const high = latest === null || latest <= unitEnd ? latest : Math.max(Math.min(unitEnd, now), lastUnit)
  const last = Math.max(high ?? low, given ?? low)
  const period = per ?? usualPeriod(axis, low, last)
  const [from, end] = [startOf(period, low), moved(period, startOf(period, last), 1)]
  const cuts = dataCuts(unit === 'day' ? usual : [], period, latest)
  const isBefore = isCut('months') || dated.some(({ at }) => at < from)
  return {
    period,
    starts: periodsBetween(period, Math.max(low, firstDay), last, mostPeriods),
    from,
    outliers: [...(isBefore ? ['start' as const] : []), ...((latest ?? last) >= end ? ['end' as const] : [])],
    cuts: { from: bounds.from ?? cuts.from, to: bounds.to ?? cuts.to },
  }
}

/**
 * Where the records begin and end, if most days between have some: after the latest record of a day with many, otherwise
 * with the day, as after midnight, which is a date. A tenth of a period is not missed.
 */
function dataCuts(days: readonly Dated[], period: Period, latest: number | null): Bounds {
  const [first, last] = [days[0]?.at ?? 0, days.at(-1)?.at ?? 0]
  const isKnown = latest !== null && latest > last && (days.at(-1)?.count ?? 0) >= fewRecords
  const end = Math.min(last + day, isKnown ? latest : Number.POSITIVE_INFINITY)
  const spare = (at: number) => (moved(period, startOf(period, at), 1) - startOf(period, at)) / 10
  const isDense = days.length * 2 > (last - first) / day
  return isDense ? { from: first - spare(first), to: end + spare(last) } : { from: null, to: null }
}

/** Hours only between bounds that a reader has given. */
function usualPeriod({ bounds, now }: TimeAxis, first: number, last: number): Period {
  if (bounds.from !== null) return periodFor((bounds.to ?? now) - bounds.from)
  const found = periodFor(last - first + 1)
  return found === 'hour' ? 'day' : found
}

/** The most periods that may be shown, for a price. */
export function dearestPeriods({ now }: TimeAxis): ShownPeriods {
  const starts = periodsBetween('day', firstDay, now, mostPeriods)
  return { period: 'day', starts, from: firstDay, outliers: ['start', 'end'], cuts: { from: null, to: null } }
}

/** A group for each period. */
export function countsPanel(axis: TimeAxis, shown: ShownPeriods, name: string, of: RecordArguments): Panel {
  const { where, search } = of
  const key = keyOf(axis, shown.period)
  const isOfAll = where === undefined && search === undefined && shown.period !== 'hour'
  const isWhole = isUnbounded(axis.bounds) && !isNewestOnly(shown)
  const within = boundsOfPeriods(shown.period, shown.starts[0] ?? 0, shown.starts.at(-1) ?? 0)
  return {
    name,
    field: aggregateOf(axis.subject),
    arguments: {
      groupBy: [key],
      // Without conditions on the time the service has these counts, or reads an index for them.
      ...(isOfAll || isWhole
        ? { where, search, orderBy: 'KEY_DESC', limit: mostGroups }
        : { where: andWhere(where, nest(axis.field, within)), search, fill: true }),
    },
    selection: { groups: leaves(key, 'count'), groupsPageInfo: { hasNextPage: {} } },
  }
}

/** How many records have a time outside of the periods. */
export function outliersPanel(axis: TimeAxis, shown: ShownPeriods, name: string, of: RecordArguments): Panel {
  const { gte, lt, lte } = boundsOfPeriods(shown.period, shown.from, shown.starts.at(-1) ?? 0)
  const outside = [{ lt: gte }, lt === undefined ? { gt: lte } : { gte: lt }]
  return countPanel(axis.subject, name, of, { OR: outside.map((each) => nest(axis.field, each)) })
}

/** Whether records of the collection may lack a time, by the answer for the range between no bounds. */
export function mayLackTime(axis: TimeAxis, answer: Answer): boolean {
  const [isMissing = true] = (['day', 'month'] as const).flatMap((unit) => {
    const { groups, groupsPageInfo } = answer[`${unit}s`] as GroupsAnswer
    return groupsPageInfo?.hasNextPage === true
      ? []
      : [groups.some((group) => group[keyOf(axis, unit)] === null)]
  })
  return isMissing
}

/** How many records have no time. */
export function undatedPanel(axis: TimeAxis, name: string, records: RecordArguments): Panel {
  const missing = whereOf([{ field: axis.field, operator: 'missing', values: ['1'] }])
  return countPanel(axis.subject, name, records, missing)
}

/** How many records there are; with `of`, how many of them meet it. */
export function countPanel(subject: PageSubject, name: string, records: RecordArguments, of?: Where): Panel {
  const { where, search } = records
  const restricted = { where: of === undefined ? where : andWhere(where, of), search }
  return { name, field: aggregateOf(subject), arguments: restricted, selection: { count: {} } }
}

/** The answer to such a panel; 0 if it was not asked. */
export function countIn(answer: Answer, name: string): number {
  return (answer[name] as { readonly count: number } | undefined)?.count ?? 0
}

/** The count of each period in the answer to the panel; null where it is not known. */
export function countsIn(
  axis: TimeAxis,
  { period, starts }: ShownPeriods,
  name: string,
  answer: Answer,
): readonly (number | null)[] {
  const { groups, groupsPageInfo } = (answer[name] ?? { groups: [] }) as GroupsAnswer
  const key = keyOf(axis, period)
  const dated = groups.filter((group) => group[key] !== null)
  const found = new Map(dated.map((group) => [startOf(period, momentOf(group[key]) ?? 0), group.count]))
  // The newest groups come first, so that those after the last of a list that is cut are all there.
  const known = groupsPageInfo?.hasNextPage === true ? Math.min(...found.keys()) : Number.NEGATIVE_INFINITY
  return starts.map((start) => (start < known ? null : (found.get(start) ?? 0)))
}

/** In `groupBy`, and in files. */
export function keyOf({ field }: TimeAxis, period: Period): string {
  return `${field.name}_${period}`
}

export interface Dated {
  /** The first moment of a year or another period, in milliseconds since 1970. */
  readonly at: number
  readonly count: number
}

/**
 * From the earliest to the latest, without the records at both ends whose times are wrong, such as the year 9999, because
 * all others would be in few periods: at each end up to one in 40 records, rounded up, but of more than 200 up to five, and
 * of more than 1,000 up to one in 200. Those within a tenth of the range stay, and nothing is left out unless the range
 * becomes a quarter.
 */
export function usualRange<Each extends Dated>(dated: readonly Each[]): readonly Each[] {
  const all = dated.reduce((sum, { count }) => sum + count, 0)
  const spare = Math.max(Math.min(5, Math.ceil(all / 40)), Math.floor(all / 200))
  const sorted = dated.toSorted((one, other) => one.at - other.at)
  const usual = withoutFirst(withoutFirst(sorted, spare).toReversed(), spare).toReversed()
  const [first, last] = [usual[0]?.at ?? 0, usual.at(-1)?.at ?? 0]
  const span = Math.max(last - first, all < 200 ? year : month)
  if (usual.length === 0 || span * 4 >= (sorted.at(-1)?.at ?? 0) - (sorted[0]?.at ?? 0)) return sorted
  return sorted.filter(({ at }) => at >= first - span / 10 && at <= last + span / 10)
}

/** Milliseconds. Shorter ranges are drawn well with all records; of few records, each one matters. */
const [month, year] = [31 * day, 365 * day]

/** Without as many from the beginning as have `spare` records together. */
function withoutFirst<Each extends Dated>(sorted: readonly Each[], spare: number): readonly Each[] {
  let left = spare
  const from = sorted.findIndex(({ count }) => (left -= count) < 0)
  return from < 0 ? [] : sorted.slice(from)
}
