/** What the first page says of the data: how much there is, of which languages and time, and what its last week had. */
import { viewAddress } from '../browse/context.ts'
import { aggregateOf, type ChartContext, type GroupsAnswer } from '../chart-data/asked-chart.ts'
import { rangePanels, readPeriods, timeField, type TimeAxis } from '../chart-data/time-axis.ts'
import { type UnusualChart, unusualChart } from '../chart-data/unusual-chart.ts'
import { counted, subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { chartsAddress, withLanguage } from '../addresses.ts'
import { nest } from '../../ask/where.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer, IndexState, Site } from '../page.ts'
import { recordText } from '../parts/values.ts'

const mostWords = 12

/** The languages of the records, and the first and last of the usual years. */
export function aboutPanels(subject: PageSubject, now: number): readonly Panel[] {
  const axis = axisOf(subject, now)
  const language = languageField(subject)
  return [
    ...(axis === null ? [] : rangePanels(axis)),
    ...(language === null
      ? []
      : [
          {
            name: 'languages',
            field: aggregateOf(subject),
            arguments: { where: nest(language, { isNull: false }), groupBy: [language.name], limit: 1 },
            selection: { groupCount: {}, groups: { count: {} } },
          },
        ]),
  ]
}

/** `209,969 articles, 5,299 outlets, in 3 languages, from 2008 to 2020` */
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
    return each === null ? [] : counted(each, records, language)
  })
  const { groupCount } = (answer['languages'] ?? {}) as Partial<GroupsAnswer>
  const axis = subject === null ? null : axisOf(subject, now)
  const shown = axis && readPeriods({ ...axis, per: 'year' }, answer)
  const [first, last] = [shown?.starts[0], shown?.starts.at(-1)].map(
    (start) => start !== undefined && String(new Date(start).getUTCFullYear()),
  )
  const years = shown?.hasOutliers === true ? front.mostlyFrom : front.from
  return language.list([
    ...counts,
    ...(groupCount === undefined || groupCount === 0 ? [] : [language.plural(front.languages, groupCount)]),
    ...(first && last ? [first === last ? front.in(first) : years(first, last)] : []),
  ])
}

/** The chart of what is unusual in the view; null where the collection has nothing for it. */
export function unusualWeek(context: ChartContext): UnusualChart | null {
  const chart = unusualChart(context)
  return chart.thing === null ? null : chart
}

export function unusualWords(
  chart: UnusualChart,
  answer: Answer,
  day: string,
  { subject, language, view: week }: ChartContext,
): Html {
  if (!Object.hasOwn(answer, 'unusual')) return null
  const { keys } = chart.chart(answer).spec
  if (keys.length === 0) return null
  const title = language.text.front.unusual(subjectLabel(subject, language), language.date(day))
  const all = withLanguage(
    chartsAddress(subject.collection.nsid, { ...week, others: [['part', 'unusual']] }),
    language,
  )
  return html`<section class="unusual" aria-labelledby="unusual">
    <h2 id="unusual"><a href=${all ?? viewAddress({ subject, language }, week)} rel="nofollow">${title}</a></h2>
    <ul class="values">${keys.slice(0, mostWords).map(({ label, href }) => html`<li>${href === null ? recordText(label) : html`<a href=${href} rel="nofollow">${recordText(label)}</a>`}</li>`)}</ul>
  </section>`
}

function axisOf(subject: PageSubject, now: number): TimeAxis | null {
  const field = timeField(subject)
  return field && { subject, now, field, bounds: { from: null, to: null }, per: null }
}

function languageField({ fields, roles }: PageSubject): ShownField | null {
  const all = roles.facets.flatMap((name) => fields.get(name) ?? [])
  return (
    all.find(
      ({ isOwn, isArray, isGroup, type }) =>
        isOwn && !isArray && isGroup && type.kind === 'string' && type.use.page === 'language',
    ) ?? null
  )
}
