/** A summary of the records that refer to a record, such as an outlet: how many there are over time, and average scores. */
import type { Field } from '../../schema/model/model.ts'
import type { NamedReference } from '../fields/record-selection.ts'
import { counted, fieldLabel, subjectLabel } from '../fields/labels.ts'
import { memberLabel, type PageSubject } from '../fields/subject.ts'
import { valueAddress, viewAddress } from '../browse/context.ts'
import { aggregateOf, isAnswered } from '../chart-data/asked-chart.ts'
import { timeField } from '../chart-data/time-axis.ts'
import { timeChart } from '../chart-data/time-chart.ts'
import { html, type Html, linked } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { shortColumns } from '../lists/list.ts'
import { timeOf } from '../parts/values.ts'
import { leaves, nested } from '../../ask/graphql-text.ts'
import { areAffordable, buildOperation, type Panel } from '../../ask/operation.ts'
import { type Answer, type IndexState, lastTime, type Site } from '../page.ts'
import { drawingLink, exportedChart } from '../export-menu/chart-menu.ts'
import { fileName, recordFiles } from '../export-menu/files.ts'
import { type Exported, exportMenu, type MenuContext } from '../export-menu/export-menu.ts'
import { chartFigure } from '../parts/figure.ts'
import { emptyView } from '../view/view.ts'
import { whereOf } from '../../ask/where.ts'
import { scaled, scaleOf } from './scales.ts'
import { fieldWords } from './values.ts'

/** Records that refer, directly or through another record. */
export type Summarized = ReturnType<typeof summarizedBy>[number]

/** Where there are fewer on average, they are shown themselves, without a summary. */
const leastRatio = 3
const mostSummaries = 2
const mostScores = 4

/** `index`: which collections have many more records than this one; without it there are no summaries. */
export function summarizedBy({ collection }: PageSubject, { subjects }: Site, index: IndexState | null) {
  const counts = new Map(index?.collections.map(({ name, records }) => [name, records]))
  const own = counts.get(collection.nsid) ?? 0
  return subjects.all
    .filter((holder) => own > 0 && (counts.get(holder.collection.nsid) ?? 0) >= own * leastRatio)
    .flatMap((holder) =>
      [...holder.fields.values()]
        .filter(
          ({ target, many, isArray, isGroup }) =>
            target?.nsid === collection.nsid && !many && !isArray && isGroup,
        )
        .map((field) => ({ holder, field })),
    )
    .toSorted((one, other) => one.field.steps.length - other.field.steps.length)
    .slice(0, mostSummaries)
    .map(({ holder, field }, at) => ({
      /** Of its panel. */
      name: `summary${at}`,
      holder,
      /** The field that has the URI of the record. */
      field,
      /** Null if the collection has no time, or the reference is not a direct one. */
      time: field.steps.length === 1 ? timeField(holder) : null,
      scores: scoresOf(holder),
    }))
}

/** Of the first summary with a time; null if it is too dear. */
export function summaryChart(uri: string, summarized: readonly Summarized[], site: Site, language: Language) {
  const of = summarized.find(({ time }) => time !== null)
  if (of === undefined) return null
  const view = { ...emptyView, conditions: [{ field: of.field, operator: 'is', values: [uri] } as const] }
  const context = { site, subject: of.holder, view, language, now: Date.now() }
  const chart = timeChart(context)
  const isShown = chart !== null && areAffordable(site, [...chart.panels, ...chart.more(null)])
  return isShown ? { ...chart, of, context } : null
}

function scoresOf(subject: PageSubject): readonly Field[] {
  const { collection, ownFields } = subject
  return collection.type.fields
    .filter(({ name, property, type, constraints }) => {
      const field = ownFields.get(property)
      const isMeasured = type.kind === 'integer' && field?.isMeasure === true && !field.isHidden
      return isMeasured && scaleOf(subject, name, constraints) !== null
    })
    .slice(0, mostScores)
}

export function summaryPanels(uri: string, summarized: readonly Summarized[]): readonly Panel[] {
  return summarized.map(({ name, holder, field, time, scores }) => ({
    name,
    field: aggregateOf(holder),
    arguments: { where: whereOf([{ field, operator: 'is', values: [uri] }]) },
    selection: {
      count: {},
      ...(time !== null && { ...nested(['min', time.name]), ...nested(['max', time.name]) }),
      ...(scores.length > 0 && { avg: leaves(...scores.map((score) => score.name)) }),
    },
  }))
}

interface SummaryAnswer {
  readonly count: number
  readonly min?: Readonly<Record<string, string | null>>
  readonly max?: Readonly<Record<string, string | null>>
  readonly avg?: Readonly<Record<string, number | null>>
}

/** Without those of no records. */
export function readSummaries(
  of: NamedReference,
  summarized: readonly Summarized[],
  chart: ReturnType<typeof summaryChart>,
  answer: Answer,
  context: MenuContext,
) {
  return summarized.flatMap((each) => {
    const read = answer[each.name] as SummaryAnswer
    if (read.count === 0) return []
    const isOnly = summarized.filter(({ holder }) => holder === each.holder).length === 1
    const drawn =
      chart?.of === each && isAnswered(chart, answer)
        ? { ...chart.chart(answer, lastTime(context.index, chart.context.now)), context: chart.context }
        : null
    const files = drawn && chart && exportedChart(chart, drawn.spec, answer, chart.context)?.files
    const exported = exportedSummary(of, each, read.count, files, context)
    return [{ summarized: each, read, isOnly, drawn, exported }]
  })
}

export async function summary(
  { summarized, read, isOnly, drawn, exported }: ReturnType<typeof readSummaries>[number],
  uri: string,
  context: MenuContext,
): Promise<Html> {
  const { holder, field, time, scores } = summarized
  const { count, min, max, avg } = read
  const { language } = context
  const { text } = language
  const label = subjectLabel(holder, language)
  const all = valueAddress({ subject: holder, language }, field, uri)
  const [first, last] = [min, max].map((end) => end?.[time?.name ?? ''] ?? null)
  return html`<section class="summary-of">
    <h2>${text.record.summary(isOnly ? label : `${label} (${fieldLabel(field, language)})`)}</h2>
    <dl class="figures">
      <div><dt>${text.record.total}</dt><dd>${linked(all, counted(holder, count, language))}</dd></div>
      ${first != null && html`<div><dt>${text.record.first}</dt><dd>${timeOf(first, language)}</dd></div>`}
      ${last != null && html`<div><dt>${text.record.last}</dt><dd>${timeOf(last, language)}</dd></div>`}
      ${scores.map((score) => average(score, avg?.[score.name] ?? null, holder, language))}
    </dl>
    ${drawn !== null && drawn.spec.keys.length > 0 && (await overTime(drawn))}
    ${exportMenu(exported, context)}
  </section>`
}

function overTime({ spec, notes, context }: NonNullable<ReturnType<typeof readSummaries>[number]['drawn']>) {
  const { site, view, language } = context
  const address = viewAddress({ ...context, place: 'charts' }, view)
  return chartFigure(spec, site, language, {
    notes,
    links: html`<a href=${address} rel="nofollow">${language.text.charts.more}</a> ${drawingLink(spec, context)}`,
  })
}

/** The chart as files, or else the records; and the summary as a query. */
function exportedSummary(
  { uri, name: named }: NamedReference,
  summarized: Summarized,
  count: number,
  files: Exported['files'] | null | undefined,
  { site: { schema }, language }: Pick<MenuContext, 'site' | 'language'>,
): Exported {
  const { holder, field } = summarized
  const conditions = [{ field, operator: 'is', values: [uri] } as const]
  const name = fileName({ ...emptyView, conditions }, holder)
  return {
    kind: 'summary',
    title: `${named}: ${language.text.record.summary(subjectLabel(holder, language))}`,
    operation: buildOperation(schema, 'Summary', summaryPanels(uri, [summarized])),
    files:
      files ?? recordFiles(schema, holder, { where: whereOf(conditions) }, name, shortColumns([], holder)),
    ...(files == null && { total: { count, text: counted(holder, count, language) } }),
  }
}

function average(score: Field, value: number | null, holder: PageSubject, language: Language): Html {
  const { name, constraints } = score
  const scale = scaleOf(holder, name, constraints)
  if (value === null || scale === null) return null
  const shown = language.number(value, { maximumFractionDigits: 1 })
  return html`<div>
    <dt title=${fieldWords(score, holder, language)}>${language.text.charts.averageOf(memberLabel(holder, [name], language))}</dt>
    <dd>${scaled(value, shown, scale, false, language)}</dd>
  </div>`
}
