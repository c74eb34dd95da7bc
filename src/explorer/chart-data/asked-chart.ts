/** A chart before its data: what it asks, and how the answers become a chart. */
import type { ColumnType, Row } from '../../files/file-spec.ts'
import { type ChartKey, type ChartSpec, valueAt } from '../charts/chart-spec.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { Language } from '../languages/language.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer, Site } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import type { View } from '../view/view.ts'

/** What a chart is made for. */
export interface ChartContext {
  readonly site: Site
  readonly subject: PageSubject
  readonly view: View
  readonly language: Language
  /** In milliseconds since 1970. */
  readonly now: number
}

export interface AskedChart {
  readonly problems: readonly Problem[]
  /** What is asked first, such as the range and the largest values. */
  readonly panels: readonly Panel[]
  /** The second request; none where the answer to the first has everything. With null: panels that cost at least as much. */
  readonly more: (answer: Answer | null) => readonly Panel[]
  /** The answer has the panels of both. `until`: the last right time, in a period that is not complete. */
  readonly chart: (answer: Answer, until: number) => DrawnChart
  /** The values for files. */
  readonly table: (answer: Answer) => ChartTable
}

export interface DrawnChart {
  readonly spec: ChartSpec
  /** What a reader has to know about the values. */
  readonly notes: readonly string[]
}

/** The values of a chart as a file. */
export interface ChartTable {
  /** By the name of the column, which rows have as a member. */
  readonly columns: Readonly<Record<string, ColumnType>>
  readonly rows: readonly Row[]
}

/** A group of an aggregate: its count, its keys, and measures. */
export interface GroupAnswer {
  readonly count: number
  readonly [key: string]: unknown
}

export interface GroupsAnswer {
  readonly count?: number
  readonly groupCount?: number
  readonly groups: readonly GroupAnswer[]
  readonly groupsPageInfo?: { readonly hasNextPage: boolean }
}

/** Averages and shares of fewer records are mostly chance. */
export const leastRecords = 5
/** Shares of fewer records are marked, and are called neither highest nor lowest. */
export const fewRecords = 50

/** `having` of groups whose share can be ranked. */
export function atLeast(matches: number, records: number) {
  return [
    { measure: 'COUNT', operator: 'GTE', value: matches },
    { measure: 'TOTAL', operator: 'GTE', value: records },
  ]
}

/** The numbers behind a value. */
export interface Counted {
  readonly count: number | null
  /** Of shares: how many records they are of, and the quotient; null where there is none to divide by. */
  readonly total?: number | null
  readonly share?: number | null
}

/** Those whose shares are of enough records; all if none is. */
function ofEnough<Item extends Counted>(all: readonly Item[]): readonly Item[] {
  const some = all.filter(({ total }) => (total ?? 0) >= fewRecords)
  return some.length === 0 ? all : some
}

/** The highest share of enough records and with enough matches; null without one. */
export function highestShare<Item extends Counted & { readonly value: number }>(all: readonly Item[]) {
  const telling = ofEnough(all).filter(({ count }) => (count ?? 0) >= leastRecords)
  return telling.length === 0 ? null : highestOf(telling)
}

function highestOf<Item extends { readonly value: number }>(all: readonly Item[]): Item {
  return all.reduce((one, other) => (other.value > one.value ? other : one))
}

/** Whether what is asked next was answered too. */
export function isAnswered({ more }: Pick<AskedChart, 'more'>, answer: Answer): boolean {
  return more(answer).every(({ name }) => Object.hasOwn(answer, name))
}

/** Names the periods that are not over, or that bounds cut. */
export function partialNotes(keys: readonly ChartKey[], { text, list }: Language): readonly string[] {
  const partial = keys.filter(({ isPartial }) => isPartial === true).map(({ label }) => label)
  return partial.length === 0 ? [] : [text.charts.partial(list(partial))]
}

/** The most that an answer may have. */
export const mostGroups = 1_000

export function aggregateOf({ collection }: PageSubject): string {
  return `${collection.rootField}Aggregate`
}

type Given = Omit<ChartSpec, 'description' | 'noValue' | 'locale'> & {
  /** Whether earlier periods are left out. */
  readonly isCut?: boolean
  /** What the records are called, in a sentence about shares. */
  readonly noun?: string
}

/**
 * A chart with what readers hear who do not see it: the highest and the lowest value, where they are, and how many are
 * missing. `countedIn` gives the numbers behind shares: those of fewer than `fewRecords` records, and higher ones of fewer
 * than `leastRecords` matches, are marked, also in words, and neither highest nor lowest unless no share has more.
 */
export function describe(
  given: Given,
  { tag, text, list, number }: Language,
  countedIn: ((series: number, key: number) => Counted) | null = null,
): ChartSpec {
  const { isCut = false, noun = '', ...drawn } = given
  const spec = { ...drawn, noValue: text.charts.noValue, locale: tag }
  const all = spec.series.flatMap(({ name, values }, at) =>
    values.flatMap((value, key) => {
      const of = spec.keys[key]?.label ?? ''
      const place = spec.series.length > 1 ? list([of, name]) : of
      return value === null ? [] : [{ ...(countedIn?.(at, key) ?? { count: null }), value, place, at, key }]
    }),
  )
  if (all.length === 0) return { ...spec, description: text.charts.empty }
  const ofMany = ofEnough(all)
  const telling = countedIn === null ? highestOf(all) : highestShare(all)
  const highest = telling ?? highestOf(ofMany)
  const lowest = ofMany.reduce((one, other) => (other.value < one.value ? other : one))
  const few = spec.series.map((_, at) => {
    const own = countedIn === null ? [] : all.filter((each) => each.at === at)
    const most = (highestShare(own) ?? telling)?.value ?? 0
    return own.filter(({ total, value }) => (total ?? 0) < fewRecords || value > most).map(({ key }) => key)
  })
  const series = spec.series.map((each, at) => ({ ...each, few: few[at] ?? [] }))
  const shown = ({ value, place, at, key }: typeof highest) => {
    const others = ofMany.filter((each) => each.value === value).length - 1
    return [
      valueAt(spec, series[at] ?? { values: [] }, key),
      others > 0 ? text.charts.tied(place, number(others)) : place,
    ] as const
  }
  const extremes =
    all.length === 1
      ? text.charts.single(...shown(highest))
      : text.charts.extremes(...shown(highest), ...shown(lowest))
  const missing = spec.series.map(({ values }) => values.flatMap((each, key) => (each === null ? [key] : [])))
  // Where all series lack the same keys, these are counted, otherwise pairs of a key and a series.
  const isShared = missing.every((keys) => keys.join() === missing[0]?.join())
  const gaps = (isShared ? (missing[0] ?? []) : missing.flat()).length
  const said = [
    // Other groups may be left out.
    (isCut || spec.series.length > 1 || (all.length > 1 && !spec.isOrdered)) && text.charts.ofShown,
    extremes,
    few.flat().length > 0 && text.charts.few(number(fewRecords), number(leastRecords), noun),
    gaps > 0 && text.charts[isShared ? 'withoutValue' : 'pairsWithoutValue'](number(gaps)),
  ]
  return { ...spec, series, description: said.filter((each) => each !== false).join(' ') }
}
