/** What the first page says of the data: how much there is, of which languages and time, and what its last week had. */
import { viewAddress } from '../browse/context.ts'
import { aggregateOf, type ChartContext, type GroupsAnswer } from '../chart-data/asked-chart.ts'
import { rangePanels, readPeriods, timeField, type TimeAxis } from '../chart-data/time-axis.ts'
import { periodLabel } from '../chart-data/periods.ts'
import { languageField, type UnusualAnswer, type UnusualThing } from '../chart-data/unusual.ts'
import { counted, hasNoun, subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html, linked } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { nest } from '../../ask/where.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer, IndexState, Site } from '../page.ts'
import { lateId } from '../parts/later.ts'
import { recordText } from '../parts/values.ts'

const mostWords = 12

/** The languages of the records, and the first and last of the usual years. */
export function aboutPanels(subject: PageSubject, now: number): readonly Panel[] {
  const axis = axisOf(subject, now)
  const language = languageField(subject)
  const range = axis === null ? [] : rangePanels(axis)
  if (language === null) return range
  const given = { where: nest(language, { isNull: false }), groupBy: [language.name], limit: 1 }
  const selection = { groupCount: {}, groups: { count: {} } }
  return [...range, { name: 'languages', field: aggregateOf(subject), arguments: given, selection }]
}

/**
 * `209,969 articles, 5,299 outlets, in 3 languages, from 2008 to 2020`; of one year, its months. Of several collections,
 * those that have a noun; empty without any.
 */
export function aboutSentence(
  subject: PageSubject | null,
  answer: Answer,
  { collections }: IndexState,
  { subjects }: Site,
  language: Language,
  now: number,
): string {
  const { front } = language.text
  const counts = collections.flatMap(({ name, records }) => {
    const each = subjects.of(name)
    return each && (hasNoun(each, language) || collections.length === 1)
      ? counted(each, records, language)
      : []
  })
  if (counts.length === 0) return ''
  const { groupCount } = (answer['languages'] ?? {}) as Partial<GroupsAnswer>
  const axis = subject === null ? null : axisOf(subject, now)
  const endsBy = (per: 'year' | 'month') => {
    const shown = axis && readPeriods({ ...axis, per }, answer)
    const last = shown?.starts.findLast((start) => start <= now)
    if (!shown || last === undefined) return null
    // `from` is the first period even where a chart would show only later ones.
    const [from, to] = [shown.from, last].map((start) => periodLabel(per, start, language))
    return { from, to, isAll: shown.outliers.length === 0 && last === shown.starts.at(-1) }
  }
  const ofYears = endsBy('year')
  const ends = (ofYears?.from === ofYears?.to ? endsBy('month') : null) ?? ofYears
  const [period, moment] = ends?.isAll === true ? [front.from, front.in] : [front.mostlyFrom, front.mostlyIn]
  return language.list([
    ...counts,
    ...(groupCount === undefined || groupCount === 0 ? [] : [language.plural(front.languages, groupCount)]),
    ...(ends?.from && ends.to
      ? [ends.from === ends.to ? moment(ends.from) : period(ends.from, ends.to)]
      : []),
  ])
}

/** The words that are more frequent in the week than in all other records. */
export function unusualWords(
  answer: Answer,
  day: string,
  { subject, language, view: week }: ChartContext,
  words: UnusualThing,
): Html {
  const rows = words.rows((answer['unusual'] ?? {}) as UnusualAnswer)
  if (rows.length === 0) return null
  const title = language.text.front.unusual(subjectLabel(subject, language), language.date(day))
  const topic = viewAddress({ subject, language, place: 'topic' }, week)
  return html`<section class="unusual" aria-labelledby="unusual">
    <h2 id="unusual">${linked(topic && `${topic}#${lateId('words')}`, title)}</h2>
    <ul class="values">${rows.slice(0, mostWords).map(({ label, view }) => html`<li>${linked(viewAddress({ subject, language }, view), recordText(label))}</li>`)}</ul>
  </section>`
}

function axisOf(subject: PageSubject, now: number): TimeAxis | null {
  const field = timeField(subject)
  // The time of indexing says nothing of the records.
  return field === null || field.properties.length === 0
    ? null
    : { subject, now, field, bounds: { from: null, to: null }, per: null }
}
