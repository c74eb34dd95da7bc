/** The panels of topics as HTML: side by side, on the same scale. */
import { viewAddress } from '../browse/context.ts'
import { phrasesOf, withInnerQuotes } from '../browse/sentences.ts'
import { type ChartContext, fewRecords, leastRecords } from '../chart-data/asked-chart.ts'
import { periodLabel } from '../chart-data/periods.ts'
import { recordsInWords } from '../chart-data/share-base.ts'
import { mostTopics, type Peak, topicName } from '../chart-data/topic-chart.ts'
import { thingOf } from '../chart-data/unusual.ts'
import { counted, fieldLabel, nounOf, nounTitle } from '../fields/labels.ts'
import { ownTime } from '../lists/list.ts'
import { html, type Html } from '../html.ts'
import { timeFact } from '../parts/results.ts'
import { headline, storyList } from '../parts/stories.ts'
import { recordLink, recordText, shortText, toldApart, valueOf, zoneNote } from '../parts/values.ts'
import type { View } from '../view/view.ts'
import { mainReference, mostThings, type OutletRow, type PanelName, type TopicAnswer } from './panels.ts'
import { comparedText, type TopicContext } from './things.ts'

/** A sentence for each topic: its share, and where it is highest. */
export function findings(
  topics: readonly TopicAnswer[],
  peaks: readonly (Peak | null)[],
  context: TopicContext,
): Html {
  const { language, chart, names } = context
  const { topic: text } = language.text
  if (topics.some(({ whole }) => whole?.total === 0))
    return html`<p class="none">${text.nothing(nounOf(context.subject, language))}</p>`
  return html`<ul class="findings">
    ${topics.map(({ view, whole }, at) => {
      if (whole === null) return null
      const { share, count, total } = whole
      const list = html`<a href=${viewAddress(context, view)}>${counted(context.subject, count, language)}</a>`
      if (chart.base.isWhole) return html`<li>${list}</li>`
      const base = recordsInWords(chart.base.conditions, context.subject, language, names)
      const peak = peaks[at] ?? null
      const period = peak && text.when[peak.period](periodLabel(peak.period, peak.start, language))
      const when = period !== null && peak?.isCut === true ? text.incomplete(period) : period
      const apart = phrasesOf(chart.base.apart, context.subject, language, names)
      const name = topicName(view, language, names)
      const named = view.search === '' ? `“${withInnerQuotes(name)}”` : `${name} ${apart}`.trimEnd()
      const found = text.finding(named, language.percent(share ?? 0), base)
      return html`<li>${swatch(topics, at)}${found} (${text.ofTotal(language.number(count), language.number(total))})${when !== null && text.peak(when, language.percent(peak?.value ?? 0))}. ${list}</li>`
    })}
  </ul>`
}

/** The colour of the topic in the timeline. */
function swatch({ length }: readonly TopicAnswer[], at: number): Html {
  return (
    length > 1 &&
    html`<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><rect width="12" height="12" class=${`fill-${at}`} fill="currentColor" /></svg> `
  )
}

/** A panel with a part for each topic; null where no topic has anything to show. */
export function topicPanel(name: PanelName, topics: readonly TopicAnswer[], context: TopicContext): Html {
  const { language } = context
  const parts = topics.map((topic) => partOf(name, topic, topics, context))
  if (parts.every((part) => part === null)) return null
  const rows = topics.flatMap(({ highest, most }) => [...highest, ...most])
  const isFew = rows.some(isOfFew)
  return html`<section class="topic-panel" aria-labelledby=${`topic-${name}`}>
    <h2 id=${`topic-${name}`}>${panelTitle(name, context)}</h2>
    ${name === 'newest' && zoneNote(language)}
    <div class="side-by-side">${parts.map(
      (part, at) => html`<div>
        ${topics.length > 1 && html`<h3>${swatch(topics, at)}${recordText(topicName(topics[at]?.view ?? context.view, language, context.names))}</h3>`}
        ${part ?? html`<p class="none">${language.text.charts.empty}</p>`}
      </div>`,
    )}</div>
    ${name === 'outlets' && hasOutletShares(context) && isFew && html`<p class="none">${language.text.topic.few(language.number(fewRecords), language.number(leastRecords), nounOf(context.subject, language))}</p>`}
  </section>`
}

/** A panel that says why it has nothing. */
export function withoutRows(name: PanelName, why: string, context: ChartContext): Html {
  return html`<section class="topic-panel"><h2>${panelTitle(name, context)}</h2><p class="none">${why}</p></section>`
}

export function panelTitle(name: PanelName, context: ChartContext): string {
  const { subject, language } = context
  const { topic } = language.text
  const outlet = mainReference(subject)
  if (name === 'outlets') return outlet === null ? '' : fieldLabel(outlet, language)
  if (name === 'newest') return language.text[ownTime(subject) === null ? 'newestIndexed' : 'newest']
  return name === 'stories' ? topic.stories : topic[name](thingOf(name, context)?.label ?? '')
}

function partOf(
  name: PanelName,
  topic: TopicAnswer,
  topics: readonly TopicAnswer[],
  context: TopicContext,
): Html {
  switch (name) {
    case 'outlets': {
      const { highest, most } = topic
      if (most.length === 0) return null
      const { text, number, list } = context.language
      const shares = Math.max(...topics.flatMap((each) => each.highest.map(({ share }) => share ?? 0)))
      const counts = Math.max(...topics.flatMap((each) => each.most.map(({ count }) => count)))
      const matches = text.topic.matches(number(leastRecords))
      const isOfMany = highest.some(({ total }) => total >= fewRecords)
      const ranked = list(
        isOfMany ? [matches, counted(context.subject, fewRecords, context.language)] : [matches],
      )
      const caption = html`${text.topic.highest} <span class="none">${text.topic.ranked(ranked)}</span>`
      return html`<div class="tables">${highest.length > 0 && outletTable(caption, highest, ({ share }) => (share ?? 0) / shares, context)}
        ${outletTable(text.topic.most(nounOf(context.subject, context.language)), most, ({ count }) => count / counts, context)}</div>`
    }
    case 'newest':
      return topic.newest.length === 0 ? null : newestList(topic, context)
    case 'stories':
      return topic.stories.length === 0 ? null : storyList(topic.stories, topic.view, context)
    case 'words':
    case 'values':
      if (topic[name].length > 0) return thingList(name, topic, context)
      return topic.isAlone
        ? html`<p class="none">${context.language.text.topic.alone(comparedText(name, topic.spoken, context))}</p>`
        : null
  }
}

/** Whether a share of an outlet is neither 0 nor 1 by definition. */
function hasOutletShares({ chart, subject }: TopicContext): boolean {
  const outlet = mainReference(subject)
  return outlet !== null && !chart.base.isWholeBy([outlet])
}

function isOfFew({ count, total }: OutletRow): boolean {
  return total < fewRecords || count < leastRecords
}

function outletTable(
  caption: Html,
  rows: readonly OutletRow[],
  lengthOf: (row: OutletRow) => number,
  context: TopicContext,
): Html {
  const { language, subject } = context
  const { charts } = language.text
  const isShare = hasOutletShares(context)
  return html`<table class="outlets">
    <caption>${caption}</caption>
    <thead><tr><th scope="col"><span class="hidden">${panelTitle('outlets', context)}</span></th>
      ${isShare && html`<th scope="col" class="number">${charts.measures.share}</th>`}
      <th scope="col" class="number">${nounTitle(subject, language)}</th>
      ${isShare && html`<th scope="col" class="number">${charts.base}</th>`}</tr></thead>
    <tbody>${rows.map((row) => {
      const { label, view, share, count, total } = row
      return html`<tr>
        <th scope="row"><a href=${viewAddress(context, view)} rel="nofollow">${recordText(shortText(label, 60))}</a>
          <progress max="1" value=${lengthOf(row)} aria-hidden="true"></progress></th>
        ${isShare && html`<td class="number">${share === null ? charts.noValue : language.percent(share)}${isOfFew(row) && '*'}</td>`}
        <td class="number">${language.number(count)}</td>
        ${isShare && html`<td class="number">${language.number(total)}</td>`}
      </tr>`
    })}</tbody>
  </table>`
}

function newestList({ newest, isTimeless, view, whole }: TopicAnswer, context: TopicContext): Html {
  const { subject, language } = context
  const outlet = mainReference(subject)
  return html`${isTimeless && html`<p class="none">${language.text.newestIndexed}</p>`}<ol class="newest">${toldApart(
    newest,
  ).map((result) => {
    const shown = outlet === null ? null : result.values[outlet.name]
    return html`<li>${recordLink(result.uri, headline(result, context), language)}
      <span class="facts">${outlet !== null && shown != null && valueOf(outlet, shown, language)} ${timeFact(result, subject, language)}</span></li>`
  })}</ol>
  ${whole !== null && html`<p class="all"><a href=${viewAddress(context, view)}>${language.text.topic.all(language.number(whole.count))}</a></p>`}`
}

/** What goes with the topic, with how frequent it is there and elsewhere, and a link that adds it as a topic. */
function thingList(name: 'words' | 'values', topic: TopicAnswer, context: TopicContext): Html {
  const { language, chart, subject } = context
  const { text } = language
  const { here = null, elsewhere = null } = name === 'words' ? topic.samples : {}
  const compared = text.topic.compared(comparedText(name, topic.spoken, context))
  const notes = [compared, here, elsewhere].filter((note) => note !== null)
  const searches = chart.topics.map(({ search }) => search).filter((search) => search !== '')
  const canAdd = searches.length < mostTopics && subject.collection.searchFields.length > 0
  return html`<table class="things">
    <thead><tr><th scope="col"><span class="hidden">${panelTitle(name, context)}</span></th>
      <th scope="col" class="number">${text.topic.here}</th><th scope="col" class="number">${text.topic.elsewhere}</th></tr></thead>
    <tbody>${topic[name]
      .slice(0, mostThings)
      .map(({ label, view, significance: { share, againstShare } }) => {
        const added = canAdd ? withSearches(context.view, [...searches, asSearch(label)]) : null
        const address = viewAddress({ ...context, place: 'topic' }, added)
        return html`<tr>
        <th scope="row"><a href=${viewAddress(context, view)} rel="nofollow">${recordText(label)}</a>
          ${address !== null && html` <a class="add-topic" href=${address} rel="nofollow" title=${text.topic.compare(label)} aria-label=${text.topic.compare(label)}>+</a>`}</th>
        <td class="number">${language.percent(share)}</td><td class="number">${againstShare === 0 && elsewhere !== null ? text.topic.notInSample : language.percent(againstShare)}</td>
      </tr>`
      })}</tbody>
  </table>
  <p class="none">${notes.join(' ')}</p>`
}

export function withSearches(view: View, searches: readonly string[]): View {
  const others = view.others.filter(([name]) => name !== 'q' && name !== 'panel')
  return { ...view, others: [...searches.map((search) => ['q', search] as const), ...others] }
}

/** Several words are a phrase. */
function asSearch(label: string): string {
  return /^[\p{L}\p{N}\p{M}]+$/u.test(label) ? label : `"${label.replaceAll('"', ' ')}"`
}
