/** The first page: a search of everything, examples, and each collection with its newest records. */
import { collectionAddress, withLanguage } from '../addresses.ts'
import { selectFields } from '../fields/record-selection.ts'
import { counted, subjectDescription, subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { ChartContext } from '../chart-data/asked-chart.ts'
import { thingOf, type UnusualThing } from '../chart-data/unusual.ts'
import { aboutPanels, aboutSentence, unusualWords } from '../home/about.ts'
import { chooseExample, exampleList, examplePanel, newestTime, nodesOf, weekTo } from '../home/examples.ts'
import { html, type Html } from '../html.ts'
import { briefColumns, newestArguments, ownTime, resultOfNode } from '../lists/list.ts'
import { largestStories, readStories } from '../lists/stories.ts'
import { storyList } from '../parts/stories.ts'
import { affordableOperations, buildOperation, type Panel } from '../../ask/operation.ts'
import { type Answer, type Draft, type IndexState, newestIndexed } from '../page.ts'
import type { PageRequest, Site } from '../page.ts'
import { results } from '../parts/results.ts'
import { zoneNote } from '../parts/values.ts'
import { searchAllForm } from '../parts/forms.ts'
import { emptyView } from '../view/view.ts'

/** Of the newest records, and what is unusual in it. */
interface Week {
  /** Its last day, as an instant. */
  readonly day: string
  readonly context: ChartContext
  readonly words: UnusualThing
}

const newestOfEach = 4
/** Collections with their newest records; an operation has at most 100 lists. */
const mostNewest = 50

export function homePage(site: Site, { language }: PageRequest): Draft {
  const { subjects, schema } = site
  const { text } = language
  const now = Date.now()
  const weekOf = (main: PageSubject, answer: Answer): Week | null => {
    const day = newestTime(main, answer)
    if (day === null) return null
    const context = { site, subject: main, view: weekTo(day, emptyView, main), language, now }
    const words = thingOf('words', context)
    return words && { day, context, words }
  }
  const panels = (last: number) => subjects.all.slice(0, mostNewest).flatMap((each) => newest(each, last))
  return {
    status: 200,
    title: site.title,
    operation: async () => {
      const last = Date.parse(newestIndexed(await site.readIndex().catch(() => null)) ?? '') || now
      return buildOperation(schema, 'Home', panels(Math.min(now, last)))
    },
    isIndexed: true,
    more(answer) {
      const example = chooseExample(site, answer)
      if (example === null) return []
      const own = [examplePanel(example), ...aboutPanels(example.subject, now)]
      const week = weekOf(example.subject, answer)
      const stories = week && largestStories('stories', week.context.view, example.subject)
      const ofWeek = week === null ? [] : [[week.words.panel('unusual', {})], stories ?? []]
      return [own, ...ofWeek].flatMap((each) => affordableOperations(site, each))
    },
    isMoreOptional: true,
    render(answer, index, leftOut) {
      const example = chooseExample(site, answer)
      const week = example && weekOf(example.subject, answer)
      return html`
        <header class="front">
          <h1>${site.title}</h1>
          ${index !== null && html`<p class="lead">${aboutSentence(example?.subject ?? null, answer, index, site, language, now)}.</p>`}
          ${searchAllForm(site, language)}
          ${exampleList(example, answer, language)}
          ${week !== null && unusualWords(answer, week.day, week.context, week.words)}
          ${week !== null && biggestStories(answer, week)} ${leftOut}
        </header>
        <h2>${text.collections}</h2>
        ${zoneNote(language)}
        <ul class="collections">
          ${subjects.all.map((subject) => html`<li>${section(subject, answer, index)}</li>`)}
        </ul>
      `
    },
  }

  function section(subject: PageSubject, answer: Answer, index: IndexState | null): Html {
    const { collection } = subject
    const columns = briefColumns(subject)
    const records = index?.collections.find(({ name }) => name === collection.nsid)?.records
    const address = withLanguage(collectionAddress(collection.nsid), language)
    const found = nodesOf(collection.rootField, answer).map((node) => resultOfNode(node, columns))
    const label = subjectLabel(subject, language)
    return html`<section>
      <h3><a href=${address}>${label}</a> ${records !== undefined && html`<span class="count">${counted(subject, records, language)}</span>`}</h3>
      <p class="lead"><bdi>${subjectDescription(subject, language)}</bdi></p>
      ${found.length > 0 && html`<h4>${ownTime(subject) === null ? text.newestIndexed : text.newest}</h4> ${results(found, 'list', [], { subject, language })}`}
      <p class="all"><a href=${address}>${text.front.browseAll(label)}</a></p>
    </section>`
  }
}

function biggestStories(answer: Answer, { day, context }: Week): Html {
  const { view, subject, language } = context
  const rows = readStories(answer, 'stories', subject)
  return (
    rows.length > 0 &&
    html`<section class="unusual" aria-labelledby="stories">
      <h2 id="stories">${language.text.front.stories(language.date(day))}</h2>
      ${storyList(rows, view, context)}
    </section>`
  )
}

/** And whether there is any: none may have a time. `now`: or the newest of the index, after which times are wrong. */
function newest(subject: PageSubject, now: number): readonly Panel[] {
  const field = subject.collection.rootField
  const given = { first: newestOfEach, ...newestArguments(subject, now) }
  return [
    { name: field, field, arguments: given, selection: { nodes: selectFields(briefColumns(subject)) } },
    { name: `any_${field}`, field, arguments: { first: 1 }, selection: { nodes: { uri: {} } } },
  ]
}
