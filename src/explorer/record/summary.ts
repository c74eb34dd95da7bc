/** A summary of the records that refer to a record, such as an outlet: how many in each month, and average scores. */
import type { Field } from '../../schema/model/model.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { fieldLabel, subjectLabel } from '../fields/labels.ts'
import { memberLabel, type Subject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { timeOf } from '../parts/values.ts'
import { buildOperation, enumOf, type Panel } from '../../ask/operation.ts'
import type { Answer, IndexState, Site } from '../page.ts'
import { allColumns, groupFiles, recordFiles } from '../export-menu/files.ts'
import { type MenuContext, exportMenu } from '../export-menu/export-menu.ts'
import { whereOf } from '../../ask/where.ts'
import { filteredAddress } from './filtered.ts'
import { type MonthGroup, monthsFigure, mostMonths } from './months-figure.ts'
import { scaled, scaleOf } from './scales.ts'
import { fieldWords } from './values.ts'

/** Records that refer, directly or through another record. */
export interface Summarized {
  /** Of its panel. */
  readonly name: string
  readonly holder: Subject
  /** The field that has the URI of the record. */
  readonly field: ShownField
  /** Null if the collection has no time, or the reference is not a direct one. */
  readonly bucket: string | null
  readonly scores: readonly Field[]
}

/** Where there are fewer on average, they are shown themselves, without a summary. */
const leastRatio = 3
const mostSummaries = 2
const mostScores = 4

/** `index`: which collections have many more records than this one; without it there are no summaries. */
export function summarizedBy(
  { collection }: Subject,
  { subjects, schema }: Site,
  index: IndexState | null,
): readonly Summarized[] {
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
      const groups = enumOf(schema, `${holder.collection.rootField}Aggregate`, 'groupBy')
      return {
        name: `summary${at}`,
        holder,
        field,
        bucket: field.steps.length === 1 && groups.has(bucket) ? bucket : null,
        scores: scoresOf(holder),
      }
    })
}

function scoresOf(subject: Subject): readonly Field[] {
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
      field: `${holder.collection.rootField}Aggregate`,
      arguments: {
        where: whereOf([{ field, operator: 'is', values: [uri] }]),
        ...(bucket !== null && { groupBy: [bucket], orderBy: 'KEY_DESC', limit: mostMonths + 1 }),
      },
      selection: [
        'count',
        ...(bucket === null ? [] : [`min { ${time} }`, `max { ${time} }`, `groups { key: ${bucket} count }`]),
        ...(scores.length === 0 ? [] : [`avg { ${scores.map((score) => score.name).join(' ')} }`]),
      ].join('\n'),
    }
  })
}

interface SummaryAnswer {
  readonly count: number
  readonly min?: Readonly<Record<string, string | null>>
  readonly max?: Readonly<Record<string, string | null>>
  readonly avg?: Readonly<Record<string, number | null>>
  readonly groups?: readonly MonthGroup[]
}

export async function summaries(
  uri: string,
  summarized: readonly Summarized[],
  answer: Answer,
  context: MenuContext,
): Promise<Html> {
  return Promise.all(
    summarized.map((each) => {
      const read = answer[each.name] as SummaryAnswer
      const isOnly = summarized.filter(({ holder }) => holder === each.holder).length === 1
      return read.count === 0 ? null : summary(uri, each, read, isOnly, context)
    }),
  )
}

async function summary(
  uri: string,
  summarized: Summarized,
  { count, min, max, avg, groups }: SummaryAnswer,
  isOnly: boolean,
  context: MenuContext,
): Promise<Html> {
  const { holder, field, scores, bucket } = summarized
  const { language, site } = context
  const { text } = language
  const { time } = holder.roles
  const label = subjectLabel(holder, language)
  const all = filteredAddress(holder, field, uri, language)
  const total = language.plural(text.records, count)
  const [first, last] = [min?.[time] ?? null, max?.[time] ?? null]
  return html`<section class="summary-of">
    <h2>${text.record.summary(isOnly ? label : `${label} (${fieldLabel(field, language)})`)}</h2>
    <dl class="figures">
      <div><dt>${text.record.total}</dt><dd>${all === null ? total : html`<a href=${all} rel="nofollow">${total}</a>`}</dd></div>
      ${first !== null && html`<div><dt>${text.record.first}</dt><dd>${timeOf(first, language)}</dd></div>`}
      ${last !== null && html`<div><dt>${text.record.last}</dt><dd>${timeOf(last, language)}</dd></div>`}
      ${scores.map((score) => average(score, avg?.[score.name] ?? null, holder, language))}
    </dl>
    ${bucket !== null && groups !== undefined && (await monthsFigure(groups, uri, holder, field, site, language))}
    ${summaryMenu(uri, summarized, count, context)}
  </section>`
}

/** Months as files, and the summary as a query. */
function summaryMenu(uri: string, summarized: Summarized, count: number, context: MenuContext): Html {
  const { holder, field, bucket } = summarized
  const { nsid } = holder.collection
  const { schema } = context.site
  const where = whereOf([{ field, operator: 'is', values: [uri] }])
  return exportMenu(
    {
      kind: 'summary',
      title: context.language.text.record.summary(subjectLabel(holder, context.language)),
      operation: buildOperation(schema, 'Summary', summaryPanels(uri, [summarized])),
      files:
        bucket === null
          ? recordFiles(nsid, { where, fields: allColumns(holder, schema) })
          : groupFiles(nsid, { where, groupBy: bucket, orderBy: 'KEY_ASC' }),
      ...(bucket === null && { total: count }),
    },
    context,
  )
}

function average(score: Field, value: number | null, holder: Subject, language: Language): Html {
  const { name, constraints } = score
  const scale = scaleOf(holder, name, constraints)
  if (value === null || scale === null) return null
  const shown = language.number(value, { maximumFractionDigits: 1 })
  return html`<div>
    <dt title=${fieldWords(score, holder, language)}>${language.text.record.average(memberLabel(holder, [name], language))}</dt>
    <dd>${scaled(value, shown, scale, false, language)}</dd>
  </div>`
}
