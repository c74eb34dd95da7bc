/** Up to four searches over time on one axis, as shares. */
import { searchesOf, sentencesOf, withInnerQuotes } from '../browse/sentences.ts'
import type { Language } from '../languages/language.ts'
import type { Answer } from '../page.ts'
import type { Names } from '../parts/values.ts'
import type { Problem } from '../view/problem.ts'
import { longestSearch, readChoice, recordArguments, type View } from '../view/view.ts'
import { type AskedChart, type ChartContext, type Counted, describe, highestShare } from './asked-chart.ts'
import { drawOverTime, type OverTime, readSeries, seriesPanels, tableOverTime } from './over-time.ts'
import { boundsOf, isPartial, type Period, periods } from './periods.ts'
import { type ShareBase, shareBase } from './share-base.ts'
import { isNewestOnly, rangePanels, timeField } from './time-axis.ts'

export const mostTopics = 4

/** The period in which a topic has the highest share, which is the value. */
export interface Peak extends Counted {
  readonly value: number
  readonly period: Period
  /** In milliseconds since 1970. */
  readonly start: number
  /** Whether the period is not complete. */
  readonly isCut: boolean
}

export interface TopicChart extends AskedChart {
  /** The views of the topics, one without a search where the address has none. */
  readonly topics: readonly View[]
  readonly base: ShareBase
  readonly per: Period | null
  /** Of each topic; null without a period of enough records. */
  readonly peaks: (answer: Answer, until: number) => readonly (Peak | null)[]
}

/** The searches are the parameters `q` in `others` of the view. */
export function topicChart(context: ChartContext): TopicChart {
  const { subject, view, language } = context
  const problems: Problem[] = []
  const per = readChoice(view, 'per', periods, problems)
  const topics = readTopics(context, problems)
  const base = shareBase(topics[0] ?? view, subject, problems)
  const choices = { problems, topics, base, per }
  const field = timeField(subject)
  if (field === null) return { ...choices, ...untimed(language) }
  const axis = { ...context, field, bounds: boundsOf(view, field), per }
  const series = topics.map((own, at) => ({
    panel: `topic${at}`,
    name: topicName(own, language),
    view: topics.length === 1 ? null : own,
    own: recordArguments(own),
    row: { topic: own.search },
  }))
  const chart: OverTime = {
    axis,
    base: base.isWhole ? null : base,
    seriesIn: () => series,
    apart: series.map(({ own, name }, at) => ({ at: `${at}`, name: series.length === 1 ? null : name, own })),
    own: recordArguments(view),
    hasUndated: false,
    view: topics.length === 1 ? (topics[0] ?? null) : null,
    split: null,
    isStacked: topics.length === 1,
    columns: { topic: 'text' },
  }
  return {
    ...choices,
    panels: rangePanels(axis),
    more: (answer) => seriesPanels(chart, answer),
    chart: (answer, until) => drawOverTime(chart, answer, until, language),
    table: (answer) => tableOverTime(chart, answer),
    peaks: (answer, until) => peaksOf(chart, answer, until),
  }
}

/** The highest share of each topic; null if no period with enough records has five matches, or earlier ones are left out. */
function peaksOf(chart: OverTime, answer: Answer, until: number): readonly (Peak | null)[] {
  const { shown, series } = readSeries(chart, answer)
  if (isNewestOnly(shown)) return []
  const { period, cuts } = shown
  return series.map(({ counted }) =>
    highestShare(
      counted.flatMap((each, at): readonly Peak[] => {
        const start = shown.starts[at] ?? 0
        const isCut = isPartial(period, start, cuts, until)
        return typeof each.share !== 'number' ? [] : [{ ...each, value: each.share, period, start, isCut }]
      }),
    ),
  )
}

function readTopics({ view, subject }: ChartContext, problems: Problem[]): readonly View[] {
  const searches = searchesOf(view)
  if (searches.length > 0 && subject.collection.searchFields.length === 0)
    problems.push({ kind: 'noSearch', name: 'q' })
  if (searches.some((search) => search.length > longestSearch))
    problems.push({ kind: 'longValue', name: 'q', most: longestSearch })
  if (searches.length > mostTopics) problems.push({ kind: 'tooManyQueries', most: mostTopics })
  const own: View = { ...view, others: view.others.filter(([name]) => name === 'base') }
  return (searches.length === 0 ? [''] : searches).map((search) => ({ ...own, search }))
}

/** Without a time to group by there is no chart, and nothing is asked. */
function untimed(language: Language): Pick<TopicChart, 'panels' | 'more' | 'chart' | 'table' | 'peaks'> {
  const labels = { title: '', keyLabel: '', valueLabel: '' }
  const plain = { kind: 'lines', unit: 'number', isOrdered: true, isStacked: false } as const
  const spec = describe({ ...labels, ...plain, keys: [], series: [] }, language)
  return {
    panels: [],
    more: () => [],
    chart: () => ({ spec, notes: [] }),
    table: () => ({ columns: {}, rows: [] }),
    peaks: () => [],
  }
}

/** `“flood”`; without a search, the filters in words. */
export function topicName({ search, conditions }: View, language: Language, names?: Names): string {
  if (search !== '') return `“${withInnerQuotes(search)}”`
  const all = sentencesOf(conditions, language, names)
  return all.length === 0 ? language.text.charts.everything : language.list(all)
}
