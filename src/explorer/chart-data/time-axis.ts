/** Groups of records by periods of the time that represents them, and the periods that a chart of them shows. */
import type { ChartKey } from '../charts/chart-spec.ts'
import { collectionAddress } from '../addresses.ts'
import type { Subject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Language } from '../languages/language.ts'
import { enumOf, type Panel } from '../operation.ts'
import type { Site } from '../page.ts'
import type { View } from '../view/view.ts'
import { type Group, type Groups, mostGroups } from './asked-chart.ts'
import { withOthers } from './own-parameters.ts'
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
import { type RecordArguments } from '../view/where.ts'

export interface TimeAxis {
  readonly field: ShownField
  /** In `groupBy`. */
  readonly key: string
  /** Counts of the records that match, by period. */
  readonly panel: (name: string, restriction: RecordArguments) => Panel
  /** How many records have no time; 0 if there is no such group. */
  readonly undated: (groups: readonly Group[]) => number
  /** Whether the view leaves a bound of the time open, so that the range is that of the records. */
  readonly isOpen: boolean
  /** `all`: the records that those of the answers are a part of, whose range is shown. */
  readonly read: (answers: readonly Groups[], all: Groups | null) => ShownPeriods
}

export interface ShownPeriods {
  readonly period: Period
  /** The first moment of each period, in milliseconds since 1970, without gaps. */
  readonly starts: readonly number[]
  /** Whether there are records before the first period. */
  readonly isCut: boolean
  /** How many records have a time so far from the others that their periods are left out. */
  readonly outliers: number
  readonly counts: (groups: readonly Group[]) => ReadonlyMap<number, number>
}

const mostPeriods = 400

/**
 * Null if the collection's time cannot be grouped by. `isCoarse`: groups are by a further field, so that there may be
 * too many of short periods. `now` in milliseconds since 1970.
 */
export function timeAxis(
  { schema }: Site,
  { collection, fields, roles }: Subject,
  view: View,
  per: Period | null,
  isCoarse: boolean,
  now: number,
): TimeAxis | null {
  const aggregate = `${collection.rootField}Aggregate`
  const groupable = enumOf(schema, aggregate, 'groupBy')
  const field = fields.get(roles.time)
  if (field === undefined || !periods.every((each) => groupable.has(`${field.name}_${each}`))) return null
  const bounds = boundsOf(view, field)
  const span = bounds.from === null ? null : (bounds.to ?? now) - bounds.from
  // Days become weeks, months or years when it is known how many there are.
  const asked = per ?? (span === null ? (isCoarse ? 'week' : 'day') : periodFor(span))
  const key = `${field.name}_${asked}`
  const isOpen = bounds.from === null || bounds.to === null
  return { field, key, isOpen, panel, undated, read }

  function panel(name: string, restriction: RecordArguments): Panel {
    return {
      name,
      field: aggregate,
      arguments: { ...restriction, groupBy: [key], orderBy: 'KEY_DESC', limit: mostGroups },
      selection: `groups { ${key} count }\ngroupsPageInfo { hasNextPage }`,
    }
  }

  function undated(groups: readonly Group[]): number {
    return groups.find((group) => group[key] === null)?.count ?? 0
  }

  function datedOf({ groups }: Groups): readonly Dated[] {
    return groups
      .filter((group) => group[key] !== null)
      .map((group) => ({ at: momentOf(group), count: group.count }))
  }

  function read(answers: readonly Groups[], all: Groups | null): ShownPeriods {
    const dated = answers.flatMap(datedOf)
    if (dated.length === 0)
      return { period: asked, starts: [], isCut: false, outliers: 0, counts: () => new Map() }
    // Bounds that a reader has given are shown as they are.
    const usualOf = per === null && bounds.from === null ? usualRange : (each: readonly Dated[]) => each
    const usual = [...usualOf(dated), ...usualOf(all === null ? [] : datedOf(all))]
    const low = usual.reduce((one, { at }) => Math.min(one, at), Number.POSITIVE_INFINITY)
    const high = usual.reduce((one, { at }) => Math.max(one, at), Number.NEGATIVE_INFINITY)
    const outliers = sumOf(dated.filter(({ at }) => at < low || at > high))
    // Bounds that were given are shown although no record may be near them, but not the future.
    const first = Math.min(low, bounds.from ?? low)
    const last = bounds.to === null ? high : Math.max(high, Math.min(bounds.to - 1, now))
    const automatic = span === null && asked === 'day' ? periodFor(last - first + 1) : asked
    const period = per ?? (automatic === 'hour' && asked === 'day' ? 'day' : automatic)
    const starts = periodsBetween(period, first, last, mostPeriods)
    return {
      period,
      starts,
      isCut:
        answers.some(({ groupsPageInfo }) => groupsPageInfo?.hasNextPage === true) ||
        (starts[0] ?? 0) > startOf(period, low),
      outliers,
      counts(groups) {
        const counts = new Map<number, number>()
        for (const group of groups) {
          if (group[key] === null) continue
          const start = startOf(period, momentOf(group))
          counts.set(start, (counts.get(start) ?? 0) + group.count)
        }
        return counts
      },
    }
  }

  function momentOf(group: Group): number {
    return Date.parse(String(group[key]))
  }
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

interface Dated {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly count: number
}

/**
 * Without the records at both ends whose times are wrong, such as the year 9999, as all others would be in one period:
 * up to one in 200 at each end, and one of few. Nothing is left out unless the range becomes a quarter.
 */
export function usualRange(dated: readonly Dated[]): readonly Dated[] {
  const spare = Math.max(1, Math.floor(sumOf(dated) / 200))
  const sorted = dated.toSorted((one, other) => one.at - other.at)
  const usual = withoutFirst(withoutFirst(sorted, spare).toReversed(), spare).toReversed()
  return usual.length > 0 && Math.max(spanOf(usual), shortest) * 4 < spanOf(sorted) ? usual : dated
}

/** Milliseconds, a month: shorter ranges are drawn well with all records. */
const shortest = 30 * 86_400_000

/** Without as many from the beginning as have `spare` records together. */
function withoutFirst(sorted: readonly Dated[], spare: number): readonly Dated[] {
  let left = spare
  const from = sorted.findIndex(({ count }) => (left -= count) < 0)
  return from < 0 ? [] : sorted.slice(from)
}

function spanOf(sorted: readonly Dated[]): number {
  return (sorted.at(-1)?.at ?? 0) - (sorted[0]?.at ?? 0)
}

function sumOf(dated: readonly Dated[]): number {
  return dated.reduce((sum, { count }) => sum + count, 0)
}
