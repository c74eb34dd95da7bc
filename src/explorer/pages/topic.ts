/** A topic at a glance, or several side by side: the share of a search, over time and by outlet, and what goes with it. */
import { feedAddress } from '../addresses.ts'
import { type Browse, viewAddress } from '../browse/context.ts'
import { searchForm, suggestions } from '../browse/search-form.ts'
import { filterMenu } from '../browse/filter-menu.ts'
import { conditionList, longestTitle, sentencesOf } from '../browse/sentences.ts'
import { type ChartContext, type DrawnChart, isAnswered } from '../chart-data/asked-chart.ts'
import { type TopicChart, topicChart, topicName } from '../chart-data/topic-chart.ts'
import { isDrawn } from '../charts/chart-spec.ts'
import { drawingLink, exportedChart } from '../export-menu/chart-menu.ts'
import { exportMenu, type MenuContext, programMenu } from '../export-menu/export-menu.ts'
import { exportedList, subscription } from '../export-menu/list-menu.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import { affordableOperations, areAffordable, type Panel } from '../../ask/operation.ts'
import { conditionNames, titlesOf, readNames } from '../lists/names.ts'
import { type Answer, type Draft, lastTime, type PageRequest, type Site } from '../page.ts'
import { topicTools } from '../parts/chart-tools.ts'
import { chartFigure } from '../parts/figure.ts'
import { lateId, later } from '../parts/later.ts'
import { type Names, shortText } from '../parts/values.ts'
import { type PanelName, panelNames, readTopics, topicPanels, type TopicPanels } from '../topic/panels.ts'
import { findings, panelTitle, topicPanel, withoutRows, withSearches } from '../topic/topic-parts.ts'
import type { TopicContext } from '../topic/things.ts'
import { topicParameters } from '../view/parameters.ts'
import type { Problem } from '../view/problem.ts'
import type { View } from '../view/view.ts'
import { canSearch, changed, isRestricted, readChoice, readView, withOthers } from '../view/view.ts'
import { problemPage, tooExpensivePage } from './failure.ts'

export function topicPage(site: Site, subject: PageSubject, request: PageRequest): Draft {
  const { parameters, language } = request
  const { view, problems: wrong } = readView(parameters, subject, topicParameters)
  const context: ChartContext = { site, subject, view, language, now: Date.now() }
  const chart = topicChart(context)
  const problems: Problem[] = [...wrong, ...chart.problems]
  const only = readChoice(view, 'panel', panelNames, problems)
  const titleWith = (names?: Names): string => titleOf(chart, context, names)
  const titles = titlesOf(view.conditions, titleWith)
  if (problems.length > 0) return problemPage(problems, titles.title, request)
  const panels = topicPanels(chart, context)
  const namePanels = conditionNames(view.conditions)
  const location = betterAddress(chart.topics, context, parameters)
  const feeds = chart.topics.map((topic) => feedAddress(subject.collection.nsid, topic))
  const draft = {
    ...titles,
    feed: feeds.length > 1 ? null : (feeds[0] ?? null),
    location,
    isMoreOptional: true,
  }
  const contextOf = (answer: Answer): TopicContext => ({ ...context, chart, names: readNames(answer) })
  if (only !== null) {
    const { first, next, isAfter, isDear } = partPanels(only, panels, site)
    return {
      ...draft,
      operation: affordableOperations(site, namePanels.concat(first)),
      more: (answer) => affordableOperations(site, next(answer)),
      isMoreOptional: !isAfter,
      render: (answer, _index, leftOut) => html`<h1>${titleWith(readNames(answer))}</h1>
        <p><a href=${viewAddress({ ...context, place: 'topic' }, withOthers(view, { panel: null }))}>${language.text.topic.whole}</a></p>
        <div id=${lateId(only)}>${leftOut} ${topicPanel(only, readTopics(chart, answer, context), contextOf(answer)) ?? (leftOut === null && withoutRows(only, isDear ? language.text.tooExpensive : language.text.charts.empty, context))}</div>`,
    }
  }
  const isRefused = chart.topics.some(({ search }) => !canSearch(search, subject.collection))
  if (isRefused) return { ...draft, operation: affordableOperations(site, panels.wholes), render: () => null }
  const least = leastPanels(context)
  if (!areAffordable(site, least)) return tooExpensivePage(request, affordableLinks(chart, context))
  const shown = affordedPanels(panels, least, site)
  const first = [...namePanels, ...(shown.includes('outlets') ? [] : panels.wholes), ...chart.panels]
  const late = panelNames.filter(
    (name) => !shown.some((each) => each === name) && panelsOf(name, panels).length > 0,
  )
  return {
    ...draft,
    operation: async () => affordableOperations(site, first.concat(await boundPanels(shown, chart, context))),
    more: (answer) => affordableOperations(site, [...chart.more(answer), ...panels.instead(answer)]),
    async render(answer, index, leftOut) {
      const topics = readTopics(chart, answer, context)
      const of = contextOf(answer)
      const browse: Browse = { ...of, place: 'topic' }
      const searches = chart.topics.map(({ search }) => search)
      const isTimed = isAnswered(chart, answer)
      const menu: MenuContext = { ...request, site, index }
      const until = lastTime(index, context.now)
      const drawn = isTimed ? chart.chart(answer, until) : null
      const exported = drawn && exportedChart(chart, drawn.spec, answer, ofFiles(context))
      const found = topics.filter(({ whole }) => (whole?.count ?? 0) > 0)
      const [topic] = topics.length === 1 ? found : []
      const list = topic?.whole
        ? exportedList(topic.whole.count, topic.newest, { ...of, view: topic.view })
        : null
      return html`
        ${isTimed && html`<a class="skip" href="#chart">${language.text.skipToChart}</a>`}
        <header class="heading"><h1>${titleWith(of.names)}</h1>
          <div class="menus">${subscription(feeds, request)} ${exportMenu(list, menu)} ${programMenu([list, exported], menu)}</div>
        </header>
        ${searchForm(browse, searches)}
        ${conditionList(browse)} ${filterMenu(browse, new Set())}
        ${findings(topics, isTimed ? chart.peaks(answer, until) : [], of)}
        ${topics.map(({ view: each, missing }) => suggestions(missing, each.search, language, (search) => viewAddress(browse, changed(each, { search }))))}
        <span id="chart" tabindex="-1"></span> ${leftOut}
        ${drawn && (await timeline(chart, drawn, of))} ${exportMenu(exported, menu)}
        ${shown.map((name) => topicPanel(name, topics, of))}
        ${found.length > 0 && html`<div class=${topics.length === 1 ? 'late tables' : 'late'}>${late.map((name) => (areAffordable(site, panelsOf(name, panels)) ? latePanel(name, of) : withoutRows(name, language.text.tooExpensive, of)))}</div>`}
      `
    },
  }
}

/** Panels that cost at least as much as a part. */
function panelsOf(name: PanelName, panels: TopicPanels): readonly Panel[] {
  return name === 'words' ? panels.words(null) : panels[name]
}

/** What the page of one part asks; nothing where that costs too much. */
function partPanels(name: PanelName, panels: TopicPanels, site: Site) {
  // The words of one language are asked for when it is known.
  const isAfter = name === 'words' && panels.languages.length > 0
  const isDear = !areAffordable(site, panelsOf(name, panels))
  const first = isDear ? [] : isAfter ? panels.languages : panelsOf(name, panels)
  const next = isDear ? () => [] : isAfter ? panels.words : panels.instead
  return { first, next, isAfter, isDear }
}

/** With the filters: topics without a search are named by these. */
function titleOf({ topics }: TopicChart, { subject, view, language }: ChartContext, names?: Names): string {
  const named = language.list(topics.map((topic) => topicName(topic, language, names)))
  const title = language.text.topic.title(named, subjectLabel(subject, language))
  const filters = topics[0]?.search === '' ? [] : sentencesOf(view.conditions, language, names)
  return shortText([title, ...filters].join(language.text.semicolon), longestTitle)
}

/** The newest records are bounded by what is indexed. */
async function boundPanels(
  shown: readonly ('outlets' | 'newest')[],
  chart: TopicChart,
  context: ChartContext,
): Promise<readonly Panel[]> {
  const now = lastTime(await context.site.readIndex(), context.now)
  const panels = topicPanels(chart, { ...context, now })
  return shown.flatMap((name) => panels[name])
}

function latePanel(name: PanelName, context: TopicContext): Html {
  const address = viewAddress({ ...context, place: 'topic' }, withOthers(context.view, { panel: name }))
  return later(lateId(name), address, panelTitle(name, context))
}

/** The view of the files and of the embedded chart. */
function ofFiles(context: ChartContext): ChartContext {
  return { ...context, view: withOthers(context.view, { part: 'topic' }) }
}

/** What the page asks in any case. */
function leastPanels(context: ChartContext): readonly Panel[] {
  const chart = topicChart(context)
  const { wholes } = topicPanels(chart, context)
  return [...conditionNames(context.view.conditions), ...wholes, ...chart.panels, ...chart.more(null)]
}

/** To as many of the topics as the page can afford with the filters, and to all without filters; null for neither. */
function affordableLinks({ topics }: TopicChart, context: ChartContext): Html {
  const { site, view } = context
  const searches = topics.map(({ search }) => search)
  const fewer = searches.map((_, left) => withSearches(view, searches.slice(0, -1 - left))).slice(0, -1)
  const unfiltered = searches[0] === '' ? [] : [changed(view, { conditions: [] })]
  const links = [fewer, unfiltered].flatMap((views) => {
    const contexts = views.map((each) => ({ ...context, view: each }))
    const own = contexts.find((each) => areAffordable(site, leastPanels(each)))
    if (own === undefined) return []
    const address = viewAddress({ ...own, place: 'topic' }, own.view)
    return html`<p><a href=${address} rel="nofollow">${titleOf(topicChart(own), own)}</a></p>`
  })
  return links.length === 0 ? null : links
}

/** As many as the page can pay. Words are counted in thousands of records, which takes longer than all else. */
function affordedPanels(panels: TopicPanels, own: readonly Panel[], site: Site) {
  const first = (['outlets', 'newest'] as const).filter((name) => panels[name].length > 0)
  const fits = (most: number) =>
    areAffordable(site, [...own, ...first.slice(0, most).flatMap((name) => panels[name])])
  return first.filter((_, at) => fits(at + 1))
}

/** Forms send blank inputs. Without words they lead to the list. */
function betterAddress(
  topics: readonly View[],
  context: ChartContext,
  parameters: PageRequest['parameters'],
): string | null {
  const { view } = context
  const blank = parameters.filter(([, value]) => value.trim() === '')
  const isSearched = topics.some(({ search }) => search !== '')
  if (!isSearched && (blank.some(([name]) => name === 'q') || !isRestricted(view)))
    return viewAddress(context, { ...view, others: [] })
  const others = view.others.filter(([, value]) => value.trim() !== '')
  return blank.length > 0 ? viewAddress({ ...context, place: 'topic' }, { ...view, others }) : null
}

async function timeline(
  chart: TopicChart,
  { spec, notes }: DrawnChart,
  context: TopicContext,
): Promise<Html> {
  const { site, language } = context
  if (spec.keys.length === 0) return notes.length > 0 && html`<p class="none">${notes.join(' ')}</p>`
  return chartFigure(spec, site, language, {
    notes,
    tools: topicTools(chart, { ...context, place: 'topic' }),
    links: isDrawn(spec) && drawingLink(spec, ofFiles(context)),
  })
}
