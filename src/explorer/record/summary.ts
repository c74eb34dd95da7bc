/** A summary of the records that refer to a record, such as an outlet: how many in each month, and average scores. */
import type { Field } from '../../schema/model/model.ts'
import type { NamedReference } from '../fields/record-selection.ts'
import { counted, fieldLabel, subjectLabel, nounTitle } from '../fields/labels.ts'
import { memberLabel, type PageSubject } from '../fields/subject.ts'
import { valueAddress, viewAddress } from '../browse/context.ts'
import { aggregateOf, describe, partialNotes } from '../chart-data/asked-chart.ts'
import { isPartial, periodLabel, periodsBetween, viewOfPeriod } from '../chart-data/periods.ts'
import { usualRange } from '../chart-data/time-axis.ts'
import { html, type Html, linked } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { shortColumns } from '../lists/list.ts'
import { timeOf } from '../parts/values.ts'
import { leaves, nested } from '../../ask/graphql-text.ts'
import { buildOperation, type Panel } from '../../ask/operation.ts'
import { type Answer, type IndexState, lastTime, type Site } from '../page.ts'
import { fileName, panelFiles, recordFiles } from '../export-menu/files.ts'
import { type Exported, type MenuContext, exportMenu } from '../export-menu/export-menu.ts'
import { chartFigure } from '../parts/figure.ts'
import { emptyView, withOthers } from '../view/view.ts'
import { whereOf } from '../../ask/where.ts'
import { scaled, scaleOf } from './scales.ts'
import { fieldWords } from './values.ts'

/** Records that refer, directly or through another record. */
export type Summarized = ReturnType<typeof summarizedBy>[number]

/** Where there are fewer on average, they are shown themselves, without a summary. */
const leastRatio = 3
const mostSummaries = 2
const mostScores = 4
/** Of the newest. One more is asked for, that of records without a time. */
const mostMonths = 240

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
    .map(({ holder, field }, at) => {
      const bucket = `${holder.roles.time}_month`
      return {
        /** Of its panel. */
        name: `summary${at}`,
        holder,
        /** The field that has the URI of the record. */
        field,
        /** Null if the collection has no time, or the reference is not a direct one. */
        bucket: field.steps.length === 1 && holder.groupable.has(bucket) ? bucket : null,
        scores: scoresOf(holder),
      }
    })
}

function scoresOf(subject: PageSubject): readonly Field[] {
  const { collection, fields } = subject
  return collection.type.fields
    .filter(({ name, type, constraints }) => {
      const field = fields.get(name)
      const isMeasured = type.kind === 'integer' && field?.isMeasure === true && !field.isHidden
      return isMeasured && scaleOf(subject, name, constraints) !== null
    })
    .slice(0, mostScores)
}

export function summaryPanels(uri: string, summarized: readonly Summarized[]): readonly Panel[] {
  return summarized.map(({ name, holder, field, bucket, scores }) => {
    const { time } = holder.roles
    return {
      name,
      field: aggregateOf(holder),
      arguments: {
        where: whereOf([{ field, operator: 'is', values: [uri] }]),
        ...(bucket !== null && { groupBy: [bucket], orderBy: 'KEY_DESC', limit: mostMonths + 1 }),
      },
      selection: {
        count: {},
        ...(bucket !== null && {
          ...nested(['min', time]),
          ...nested(['max', time]),
          groups: leaves(`key: ${bucket}`, 'count'),
        }),
        ...(scores.length > 0 && { avg: leaves(...scores.map((score) => score.name)) }),
      },
    }
  })
}

interface SummaryAnswer {
  readonly count: number
  readonly min?: Readonly<Record<string, string | null>>
  readonly max?: Readonly<Record<string, string | null>>
  readonly avg?: Readonly<Record<string, number | null>>
  /** By month; the key is null for records without a time. */
  readonly groups?: readonly { readonly key: string | null; readonly count: number }[]
}

/** Without those of no records. */
export function readSummaries(
  of: NamedReference,
  summarized: readonly Summarized[],
  answer: Answer,
  context: MenuContext,
) {
  return summarized.flatMap((each) => {
    const read = answer[each.name] as SummaryAnswer
    if (read.count === 0) return []
    const isOnly = summarized.filter(({ holder }) => holder === each.holder).length === 1
    const exported = exportedSummary(of, each, read.count, context)
    return [{ uri: of.uri, summarized: each, read, isOnly, exported }]
  })
}

export async function summary(
  { uri, summarized, read, isOnly, exported }: ReturnType<typeof readSummaries>[number],
  context: MenuContext,
): Promise<Html> {
  const { holder, field, scores, bucket } = summarized
  const { count, min, max, avg, groups = [] } = read
  const { language } = context
  const { text } = language
  const { time } = holder.roles
  const label = subjectLabel(holder, language)
  const all = valueAddress({ subject: holder, language }, field, uri)
  const [first, last] = [min?.[time] ?? null, max?.[time] ?? null]
  return html`<section class="summary-of">
    <h2>${text.record.summary(isOnly ? label : `${label} (${fieldLabel(field, language)})`)}</h2>
    <dl class="figures">
      <div><dt>${text.record.total}</dt><dd>${linked(all, counted(holder, count, language))}</dd></div>
      ${first !== null && html`<div><dt>${text.record.first}</dt><dd>${timeOf(first, language)}</dd></div>`}
      ${last !== null && html`<div><dt>${text.record.last}</dt><dd>${timeOf(last, language)}</dd></div>`}
      ${scores.map((score) => average(score, avg?.[score.name] ?? null, holder, language))}
    </dl>
    ${bucket !== null && (await monthsFigure(groups, uri, summarized, context))}
    ${exportMenu(exported, context)}
  </section>`
}

/** How many records there are in each month; the bars lead to them. Null without any time. */
async function monthsFigure(
  groups: NonNullable<SummaryAnswer['groups']>,
  uri: string,
  { holder, field }: Summarized,
  { site, language, index }: MenuContext,
): Promise<Html> {
  const { charts } = language.text
  const dated = groups.flatMap(({ key, count }) => (key === null ? [] : [{ at: Date.parse(key), count }]))
  const counts = new Map(dated.map(({ at, count }) => [at, count]))
  const usual = usualRange(dated)
  const [first, last] = [usual[0]?.at, usual.at(-1)?.at]
  if (first === undefined || last === undefined) return null
  const apart = dated.filter((each) => !usual.includes(each))
  const ends = [
    ...(apart.some(({ at }) => at < first) ? ['start' as const] : []),
    ...(apart.some(({ at }) => at > last) ? ['end' as const] : []),
  ]
  const leftOut = apart.map(
    ({ at, count }) => `${periodLabel('month', at, language)}: ${language.number(count)}`,
  )
  const time = holder.fields.get(holder.roles.time)
  const to = { subject: holder, language }
  const view = { ...emptyView, conditions: [{ field, operator: 'is', values: [uri] } as const] }
  const starts = periodsBetween('month', first, last, mostMonths)
  const undated = groups.find(({ key }) => key === null)?.count ?? 0
  const noun = nounTitle(holder, language)
  const spec = describe(
    {
      kind: 'bars',
      title: charts.recordsPer(noun, charts.periods.month),
      unit: 'number',
      keyLabel: charts.periods.month,
      valueLabel: noun,
      isOrdered: true,
      isStacked: true,
      breaks: ends,
      keys: starts.map((start) => ({
        label: periodLabel('month', start, language),
        isPartial: isPartial('month', start, { from: null, to: null }, lastTime(index, Date.now())),
        href: viewAddress(to, time === undefined ? null : viewOfPeriod(view, time, 'month', start)),
      })),
      series: [{ name: noun, values: starts.map((start) => counts.get(start) ?? 0), hrefs: [] }],
    },
    language,
  )
  const address = viewAddress({ ...to, place: 'charts' }, withOthers(view, { per: 'month' }))
  return chartFigure(spec, site, language, {
    links: html`<a href=${address} rel="nofollow">${charts.more}</a>`,
    notes: [
      ...(undated > 0 ? [charts.undated(noun, language.number(undated))] : []),
      ...(leftOut.length > 0 ? [charts.monthsLeftOut(noun, language.list(leftOut))] : []),
      ...((starts[0] ?? 0) > first ? [charts.newestOnly] : []),
      ...partialNotes(spec.keys, language),
    ],
  })
}

/** Months as files, and the summary as a query. */
function exportedSummary(
  { uri, name: named }: NamedReference,
  summarized: Summarized,
  count: number,
  context: Pick<MenuContext, 'site' | 'language'>,
): Exported {
  const { holder, field, bucket } = summarized
  const { schema } = context.site
  const conditions = [{ field, operator: 'is', values: [uri] } as const]
  const where = whereOf(conditions)
  const more = bucket === null ? [] : ['by', 'month']
  const name = fileName({ ...emptyView, conditions }, holder, more)
  return {
    kind: 'summary',
    title: `${named}: ${context.language.text.record.summary(subjectLabel(holder, context.language))}`,
    operation: buildOperation(schema, 'Summary', summaryPanels(uri, [summarized])),
    files:
      bucket === null
        ? recordFiles(schema, holder, { where }, name, shortColumns([], holder))
        : panelFiles(
            schema,
            {
              field: aggregateOf(holder),
              arguments: { where, groupBy: [bucket], orderBy: 'KEY_ASC' },
              selection: { groups: leaves(bucket, 'count') },
            },
            name,
          ),
    ...(bucket === null && { total: { count, text: counted(holder, count, context.language) } }),
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
