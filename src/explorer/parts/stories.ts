/** Stories as HTML: how many outlets and records tell them, and who was first. */
import { type Browse, viewAddress } from '../browse/context.ts'
import { counted, fieldLabel } from '../fields/labels.ts'
import { html, type Html, linked } from '../html.ts'
import { readSameStory, storyFields, type StoryRow, storyView } from '../lists/stories.ts'
import type { RecordNode } from '../record/record-operation.ts'
import { emptyView, isRestricted, type View } from '../view/view.ts'
import { kindTimeAndKey, namingText } from './record-name.ts'
import { readIn, type Result, timeFact } from './results.ts'
import { dateOnly, recordLink, recordText, shortText, toldApart, valueOf } from './values.ts'

type StoryContext = Pick<Browse, 'site' | 'subject' | 'language'>

/** The headline as a link to the records of the view that tell the story. `told`: the view by which these match. */
export function storyList(rows: readonly StoryRow[], view: View, context: StoryContext, told = view): Html {
  const firsts = toldApart(rows.map(({ first }) => first))
  return html`<ol class="newest">${rows.map(
    (row, at) => html`<li>${storyLink(row.uri, headline(row.first, context), view, context)}
      <span class="facts">${storyCounts(row, context, told)} ${firstReport({ ...row, first: firsts[at] ?? row.first }, context)}</span></li>`,
  )}</ol>`
}

/** What the page of a story begins with: of the whole story, also where filters leave a part of it. Null without one. */
export function storyHeading([row]: readonly StoryRow[], context: StoryContext): Html {
  if (row === undefined) return null
  return html`<h1>${recordLink(row.uri, headline(row.first, context), context.language)}</h1>
    <p class="facts">${storyCounts(row, context)} ${firstReport(row, context)}</p>
    <p class="none">${context.language.text.story.likeness}</p>`
}

/** Next to a record of a story: whether it is first, or how long after the first; null where nothing is known of it. */
export function reportNote(
  { uri, values }: Result,
  [row]: readonly StoryRow[],
  { subject, language }: StoryContext,
): Html | null {
  const { ranks, later } = language.text.story
  if (row === undefined) return null
  if (uri === row.uri) return row.rank && html`<strong>${ranks[row.rank]}</strong>`
  const times = [row.first.values, values].map((each) => String(each[subject.roles.time] ?? ''))
  const [first = Number.NaN, own = Number.NaN] = times.map((time) => Date.parse(time))
  const minutes = Math.floor((own - first) / 60_000)
  if (!(minutes > 0) || times.some((time) => dateOnly.test(time))) return null
  const [unit, length] = minutes < 120 ? ['minute', 1] : minutes < 2 * 1_440 ? ['hour', 60] : ['day', 1_440]
  const time = language.number(Math.round(minutes / length), { style: 'unit', unit, unitDisplay: 'short' })
  return html`<span class="fact">${later(time)}</span>`
}

/** Next to a record of a page that has one of each story: what tells it in the view, if several do. */
export function storyNote(story: unknown, rows: readonly StoryRow[], browse: Browse): Html {
  const row = rows.find(({ uri }) => uri === story)
  return (
    row !== undefined &&
    row.count > 1 &&
    storyLink(row.uri, storyCounts(row, browse, browse.view), browse.view, browse)
  )
}

/** The first other records of the story of a record. */
export function sameStory(node: RecordNode, context: StoryContext): Html {
  const { subject, language } = context
  const { story, total, others, rank } = readSameStory(node, subject)
  if (others.length === 0) return null
  const { text } = language
  return html`<section class="same-story" aria-labelledby="same-story">
    <h2 id="same-story">${text.story.same}</h2>
    <p>${storyLink(story, counted(subject, total, language), emptyView, context)}${node.uri === story && rank !== null && html`. ${text.story.ranks[rank]}.`}</p>
    <p class="none">${text.story.likeness}</p>
    <ol class="newest">${toldApart(others).map(
      (each) => html`<li>${recordLink(each.uri, headline(each, context), language)}
        <span class="facts">${whoAndWhen(each, context)} ${each.uri === story && rank !== null && html`<strong>${text.story.ranks[rank]}</strong>`}</span></li>`,
    )}</ol>
  </section>`
}

/** `31 outlets, 32 articles`; of a view that restricts records, those that match. */
export function storyCounts({ count, outlets }: StoryRow, context: StoryContext, view = emptyView): Html {
  const { site, subject, language } = context
  const outlet = storyFields(subject)?.outlet ?? null
  const noun = site.subjects.of(outlet?.target?.nsid ?? '')?.display.count[language.tag]
  const told =
    outlets !== null &&
    outlet !== null &&
    (noun === undefined
      ? html`<span class="label">${fieldLabel(outlet, language)}</span> ${language.number(outlets)}`
      : language.plural(noun, outlets))
  const records = counted(subject, count, language)
  return html`<span>${told !== false && html`${told}${language.text.comma}`}${records}${isRestricted(view) && ` ${language.text.story.matching}`}</span>`
}

/** The records of the view that tell the story. */
export function storyLink(uri: string, content: Html, view: View, context: StoryContext): Html {
  return linked(viewAddress(context, storyView(view, uri, context.subject)), content)
}

/** The headline, or the kind, time and key. */
export function headline(result: Result, { subject, language }: StoryContext): Html {
  const named = namingText(readIn(result), subject, language)
  return named === null
    ? kindTimeAndKey(readIn(result), subject, result.uri, language)
    : recordText(shortText(named.text, 160))
}

function firstReport({ first, rank }: StoryRow, context: StoryContext): Html {
  return html`<span>${rank !== null && html`<span class="label">${context.language.text.story.ranks[rank]}</span>`} ${whoAndWhen(first, context)}</span>`
}

function whoAndWhen(result: Result, { subject, language }: StoryContext): Html {
  const outlet = storyFields(subject)?.outlet ?? null
  const shown = outlet === null ? null : result.values[outlet.name]
  return html`${outlet !== null && shown != null && html`<span>${valueOf(outlet, shown, language)}</span>`} ${timeFact(result, subject, language)}`
}
