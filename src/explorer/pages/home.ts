/** The first page: a search of everything, examples, and each collection with its newest records. */
import { collectionAddress, withLanguage } from '../addresses.ts'
import { selectFields } from '../fields/record-selection.ts'
import { counted, subjectDescription, subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { ChartContext } from '../chart-data/asked-chart.ts'
import { thingOf } from '../chart-data/unusual.ts'
import { aboutPanels, aboutSentence, unusualWords } from '../home/about.ts'
import { chooseExample, exampleList, examplePanel, newestTime, nodesOf, weekTo } from '../home/examples.ts'
import { html, type Html } from '../html.ts'
import { briefColumns, newestArguments, ownTime, resultOfNode } from '../lists/list.ts'
import { largestStories, readStories } from '../lists/stories.ts'
import { storyList } from '../parts/stories.ts'
import { affordableOperations, buildOperation, type Panel } from '../../ask/operation.ts'
import { type Answer, type Draft, type IndexState, lastTime, type PageRequest, type Site } from '../page.ts'
import { results } from '../parts/results.ts'
import { zoneNote } from '../parts/values.ts'
import { searchAllForm } from '../parts/forms.ts'
import { emptyView } from '../view/view.ts'

const newestOfEach = 4
/** Collections with their newest records: of the 100 variables of an operation, each has two of its own. */
const mostWithNewest = 49

export function homePage(site: Site, { language }: PageRequest): Draft {
  const { subjects, schema } = site
  const { text } = language
  const now = Date.now()
  /** The week of the newest records, and what is unusual in it. `day`: its last one, as an instant. */
  const weekOf = (main: PageSubject, answer: Answer) => {
    const day = newestTime(main, answer)
    if (day === null) return null
    const context = { site, subject: main, view: weekTo(day, emptyView, main), language, now }
    const words = thingOf('words', context)
    return words && { day, context, words }
  }
  const listed = subjects.all.slice(0, mostWithNewest)
  let known: IndexState | null = null
  const newestOf = ({ collection }: PageSubject, answer: Answer) => nodesOf(collection.rootField, answer)
  const filled = (answer: Answer) =>
    listed.filter((each) => (recordsIn(known, each) ?? newestOf(each, answer).length) > 0)
  return {
    title: site.title,
    operation: async () => {
      known = await site.readIndex()
      const last = lastTime(known, now)
      const panels = listed.map((each) => newestPanel(each, newestArguments(each, last)))
      return buildOperation(schema, 'Home', panels)
    },
    isIndexed: true,
    more(answer) {
      const found = filled(answer)
      const example = chooseExample(found)
      if (example === null) return []
      const timeless = found.filter((each) => newestOf(each, answer).length === 0)
      const indexed = timeless.map((each) => newestPanel(each, {}, 'indexed_'))
      const own = [examplePanel(example), ...aboutPanels(example.subject, now), ...indexed]
      const week = weekOf(example.subject, answer)
      const stories = week && largestStories('stories', week.context.view, example.subject)
      const ofWeek = week === null ? [] : [[week.words.panel('unusual', {})], stories ?? []]
      return [own, ...ofWeek].flatMap((each) => affordableOperations(site, each))
    },
    isMoreOptional: true,
    render(answer, index, leftOut) {
      const example = chooseExample(filled(answer))
      const week = example && weekOf(example.subject, answer)
      const about =
        index && aboutSentence(example?.subject ?? null, answer, index, site, language, lastTime(index, now))
      return html`
        <header class="front">
          <h1>${site.title}</h1>
          ${about && html`<p class="lead">${about}.</p>`}
          ${searchAllForm(site, language)}
          ${exampleList(example, answer, language)}
          ${week !== null && unusualWords(answer, week.day, week.context, week.words)}
          ${week !== null && biggestStories(answer, week.day, week.context)} ${leftOut}
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
    const records = recordsIn(index, subject)
    const address = withLanguage(collectionAddress(collection.nsid), language)
    const newest = newestOf(subject, answer)
    const isTimed = newest.length > 0 && ownTime(subject) !== null
    const nodes = [...newest, ...nodesOf(`indexed_${collection.rootField}`, answer)]
    const found = nodes.map((node) => resultOfNode(node, columns))
    const label = subjectLabel(subject, language)
    return html`<section>
      <h3><a href=${address}>${label}</a> ${records !== undefined && html`<span class="count">${counted(subject, records, language)}</span>`}</h3>
      <p class="lead"><bdi>${subjectDescription(subject, language)}</bdi></p>
      ${found.length > 0 && html`<h4>${isTimed ? text.newest : text.newestIndexed}</h4> ${results(found, 'list', [], { subject, language })}`}
      <p class="all"><a href=${address}>${text.front.browseAll(label)}</a></p>
    </section>`
  }
}

function biggestStories(answer: Answer, day: string, context: ChartContext): Html {
  const { view, subject, language } = context
  const rows = readStories(answer, 'stories', subject)
  return (
    rows.length > 0 &&
    html`<section class="unusual" aria-labelledby="stories">
      <h2 id="stories">${language.text.front.stories(language.date(day))}</h2>
      ${storyList(rows, view, context, emptyView)}
    </section>`
  )
}

/** Undefined where the state of the index is not known. */
function recordsIn(index: IndexState | null, { collection }: PageSubject): number | undefined {
  return index?.collections.find(({ name }) => name === collection.nsid)?.records
}

function newestPanel(subject: PageSubject, given: Panel['arguments'], alias = ''): Panel {
  const field = subject.collection.rootField
  const selection = { nodes: selectFields(briefColumns(subject)) }
  return { name: alias + field, field, arguments: { first: newestOfEach, ...given }, selection }
}
