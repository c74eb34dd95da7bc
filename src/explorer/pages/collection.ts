/** A collection: search, facets, and the records that match. */
import { feedAddress } from '../addresses.ts'
import { type Browse, valueAddress, viewAddress } from '../browse/context.ts'
import { facetList, hasNoValue, lateFacets, otherFacets } from '../browse/facets.ts'
import { filterMenu } from '../browse/filter-menu.ts'
import { columnHead, optionsBar } from '../browse/options.ts'
import { characterLinks, characterPanels, glance, searchForm, suggestions } from '../browse/search-form.ts'
import { conditionList, listCount, viewTitle } from '../browse/sentences.ts'
import { counted, nounOf, subjectDescription, subjectLabel } from '../fields/labels.ts'
import { membersOf } from '../fields/named-references.ts'
import type { PageSubject } from '../fields/subject.ts'
import { type ChartContext, type DrawnChart, isAnswered } from '../chart-data/asked-chart.ts'
import { timeChart, type TimeChart } from '../chart-data/time-chart.ts'
import { html, type Html } from '../html.ts'
import { affordableOperations, areAffordable, buildOperation } from '../../ask/operation.ts'
import { type Answer, type Draft, lastTime, type PageRequest, type Site } from '../page.ts'
import { columnsOf, type ListAnswer, type ListNode, listPanel, resultOf } from '../lists/list.ts'
import { askList, type ChosenFacets } from '../lists/list-operation.ts'
import { conditionNames, facetNames, readNames, titlesOf } from '../lists/names.ts'
import { listedStories, readStories, storyOf, storyPanels } from '../lists/stories.ts'
import { results } from '../parts/results.ts'
import { zoneNote } from '../parts/values.ts'
import { reportNote, storyHeading, storyNote } from '../parts/stories.ts'
import { drawingLink, exportedChart } from '../export-menu/chart-menu.ts'
import { exportMenu, type MenuContext, programMenu } from '../export-menu/export-menu.ts'
import { timeParameters } from '../view/parameters.ts'
import { canSearch, changed, emptyView, isRestricted, readView, valuesOf } from '../view/view.ts'
import { problemPage } from './failure.ts'
import { writeConditions } from '../view/conditions.ts'
import { timeTools } from '../parts/chart-tools.ts'
import { chartFigure } from '../parts/figure.ts'
import { exportedList, subscription } from '../export-menu/list-menu.ts'

export function collectionPage(site: Site, subject: PageSubject, request: PageRequest): Draft {
  const { parameters, language } = request
  const { collection } = subject
  const { text } = language
  const { view, problems: wrong } = readView(parameters, subject, timeParameters)
  const context: ChartContext = { site, subject, view, language, now: Date.now() }
  const ofTime = timeChart(context)
  const asked = view.page === null ? ofTime : null
  const problems = [...wrong, ...(ofTime?.problems ?? [])]
  const title = subjectLabel(subject, language)
  if (problems.length > 0) return problemPage(problems, title, request)
  const location = isUntidy(parameters) ? viewAddress({ subject, language }, view) : null
  const columns = columnsOf(view, subject)
  const { facets, left, operation } = askList(view, subject, site)
  const story = storyOf(view, subject)
  const told = story === null ? [] : storyPanels('story', emptyView, { uri: { eq: story } }, subject)
  const asks = [...(asked?.panels ?? []), ...(asked?.more(null) ?? [])]
  const time = asks.length > 0 && areAffordable(site, asks) ? asked : null
  return {
    location,
    ...titlesOf(view.conditions, (names) => viewTitle(view, subject, language, names)),
    description: subjectDescription(subject, language),
    operation: [operation, ...affordableOperations(site, [...told, ...(time?.panels ?? [])])],
    more: (answer) =>
      affordableOperations(site, [
        ...(time?.more(answer) ?? []),
        ...facetNames((answer['list'] as ListAnswer).facets ?? [], subject),
        ...listedStories(answer['list'] as ListAnswer, view, subject),
        ...((answer['list'] as ListAnswer).totalCount === 0 ? characterPanels(view, subject) : []),
      ]),
    isMoreOptional: true,
    isIndexed: parameters.length === 0,
    feed: feedAddress(collection.nsid, view),
    async render(answer, index, leftOut) {
      const menu: MenuContext = { ...request, site, index }
      const list = answer['list'] as ListAnswer
      const browse: Browse = { site, subject, view, language, names: readNames(answer) }
      const told = readStories(answer, 'story', subject)
      const stories = readStories(answer, 'stories', subject)
      const found = list.edges.map((edge) => resultOf(edge, columns))
      const exported = exportedList(list.totalCount, found, browse)
      const drawn =
        time !== null && isAnswered(time, answer) ? time.chart(answer, lastTime(index, context.now)) : null
      const chart = time && drawn && exportedChart(time, drawn.spec, answer, context)
      return html`
        <a class="skip" href="#results">${text.skipToResults}</a> ${time !== null && html`<a class="skip" href="#chart">${text.skipToChart}</a>`}
        ${heading(storyHeading(told, browse), browse, request)}
        ${searchForm(browse)} ${suggestions(list.didYouMean ?? [], view.search, language, (search) => viewAddress(browse, changed(view, { search })))} ${conditionList(browse)}
        ${isRestricted(view) && list.totalCount > 0 && glance(browse)}
        <div class="columns">
          ${sidebar(list, { facets, left }, browse)}
          <section class="results" aria-label=${text.results}>
            <span id="chart" tabindex="-1"></span>${leftOut} ${time && drawn ? [await timeFigure(time, drawn, answer, context), exportMenu(chart, menu)] : asked !== null && html`<p class="chart-options">${chartsLink(context, text.charts.more)}</p>`}
            <h2 class="hidden" id="results" tabindex="-1">${text.results}</h2>
            ${view.stories && html`<p class="none">${text.story.countsAll(nounOf(subject, language))}</p>`}
            ${optionsBar(list.totalCount, drawn && time && time.undated(answer), columns, browse)}
            ${
              found.length === 0
                ? nothingFound(answer, browse)
                : results(found, view.show, columns, {
                    subject,
                    language,
                    head: (field) => columnHead(field, browse),
                    imageHosts: site.operator.imageHosts,
                    note: (result, at) =>
                      reportNote(result, told, browse) ??
                      memberNote(list.edges[at]?.node, browse) ??
                      storyNote(list.edges[at]?.node[collection.stories?.field ?? ''], stories, browse),
                  })
            }
            ${pager(list, browse)}
            ${exportMenu(exported, menu)} ${programMenu([exported, chart], menu)}
          </section>
        </div>
      `
    },
  }
}

/** The list without the frame of a page, for pages of others to include. */
export function embeddedList(site: Site, subject: PageSubject, request: PageRequest): Draft {
  const { parameters, language } = request
  const { view, problems } = readView(parameters, subject)
  const title = viewTitle(view, subject, language)
  if (problems.length > 0) return { ...problemPage(problems, title, request), isEmbedded: true }
  const columns = columnsOf(view, subject)
  const asked = [listPanel(view, columns, [], subject), ...conditionNames(view.conditions)]
  return {
    title,
    operation: buildOperation(site.schema, 'Embedded', asked),
    isEmbedded: true,
    render(answer) {
      const { totalCount, edges } = answer['list'] as ListAnswer
      const found = edges.map((edge) => resultOf(edge, columns))
      return html`
        <h1><a href=${viewAddress({ subject, language }, view)}>${viewTitle(view, subject, language, readNames(answer))}</a></h1>
        <p class="count">${listCount(totalCount, view, subject, language)} · ${site.title}</p>
        ${zoneNote(language)} <h2 class="hidden">${language.text.results}</h2>
        ${results(found, view.show, columns, { subject, language, imageHosts: site.operator.imageHosts })}
      `
    },
  }
}

function heading(ofStory: Html, { subject, view, language, names }: Browse, request: PageRequest): Html {
  return html`<header class="heading">
    ${ofStory ?? html`<h1>${subjectLabel(subject, language)}</h1> <p class="lead"><bdi>${subjectDescription(subject, language)}</bdi></p>`}
    ${isRestricted(view) && html`<p class="printed">${viewTitle(view, subject, language, names)}</p>`}
    ${subscription([feedAddress(subject.collection.nsid, view)], request)}
  </header>`
}

/** Next to an outlet or the like: how many records belong to it, as a link to them. */
function memberNote(node: ListNode | undefined, { site, subject, language }: Browse): Html {
  const members = membersOf(subject, site.subjects)
  if (members === null || node === undefined) return null
  const { holder, field, name } = members
  const { totalCount } = node[name] as Pick<ListAnswer, 'totalCount'>
  return html`<a href=${valueAddress({ subject: holder, language }, field, node.uri)} rel="nofollow">${counted(holder, totalCount, language)}</a>`
}

function sidebar(list: ListAnswer, { facets, left }: ChosenFacets, browse: Browse): Html {
  const { text } = browse.language
  const known = list.totalCount === 0 ? [] : (list.facets ?? [])
  const empty = new Set(known.filter(hasNoValue).map(({ field }) => field))
  return html`<aside aria-label=${text.filters}><h2 class="hidden">${text.filters}</h2>
            <details class="sidebar">
              <summary>${text.filters}</summary>
              ${filterMenu(browse, empty)} ${facetList(list.facets ?? [], browse, list.totalCount)}
              ${lateFacets(left, browse)} ${otherFacets(facets, browse)}
            </details>
          </aside>`
}

/** Forms send blank inputs, and each choice of a list by itself. */
function isUntidy(parameters: PageRequest['parameters']): boolean {
  const lists = parameters.filter(([name]) => name === 'columns' || name === 'facets')
  return (
    parameters.some(([, value]) => value.trim() === '') ||
    new Set(lists.map(([name]) => name)).size < lists.length
  )
}

function nothingFound(answer: Answer, browse: Browse): Html {
  const { view, subject, language } = browse
  const [part = ''] = valuesOf(view, subject.roles.title ?? '', 'contains')
  const words = { ...emptyView, search: part }
  const isSearch = part !== '' && canSearch(part, subject.collection)
  const { noResults, noResultsHint } = language.text
  const isReducible = view.conditions.length > 0 || /\s/.test(view.search.trim())
  return html`<p class="empty">${noResults} ${isReducible && noResultsHint}</p>
    ${isSearch && html`<p class="suggestions"><a href=${viewAddress(browse, words)} rel="nofollow">${viewTitle(words, subject, language)}</a></p>`}
    ${characterLinks(answer, browse)}`
}

function pager({ pageInfo }: Pick<ListAnswer, 'pageInfo'>, browse: Browse): Html {
  const { hasNextPage, hasPreviousPage, startCursor, endCursor } = pageInfo
  const { view, language } = browse
  const { text } = language
  if (!hasNextPage && !hasPreviousPage && view.page === null) return null
  const page = (side: 'before' | 'after', cursor: string | null) =>
    viewAddress(browse, { ...view, page: { side, cursor: cursor ?? '' } })
  return html`<nav class="pages" aria-label=${text.browse.pages}>
    ${view.page !== null && html`<a href=${viewAddress(browse, changed(view, {}))} rel="nofollow">${text.firstPage}</a>`}
    ${hasPreviousPage && html`<a href=${page('before', startCursor)} rel="prev nofollow">${text.previous}</a>`}
    ${hasNextPage && html`<a class="next" href=${page('after', endCursor)} rel="next nofollow">${text.next}</a>`}
  </nav>`
}

function chartsLink({ subject, view, language }: ChartContext, label: string): Html {
  return html`<a href=${viewAddress({ subject, language, place: 'charts' }, view)} rel="nofollow">${label}</a>`
}

const indexedDay = 'indexedAt_day'

/** The time chart with the choices of what it shows. */
async function timeFigure(
  { choices, undated }: TimeChart,
  { spec, notes }: DrawnChart,
  answer: Answer,
  context: ChartContext,
): Promise<Html> {
  const { site, subject, view, language } = context
  const { charts } = language.text
  // Records without a time of their own have that of indexing.
  const byDay = { ...context, view: { ...view, others: [['by', indexedDay] as const] } }
  const byIndexing =
    undated(answer) > 0 && subject.groupable.has(indexedDay) && chartsLink(byDay, charts.byIndexing)
  if (spec.keys.length === 0)
    return notes.length > 0 && html`<p class="none">${notes.join(' ')} ${byIndexing}</p>`
  const [from = '', to = ''] = writeConditions(
    (['from', 'to'] as const).map((operator) => ({ field: choices.field, operator, values: [''] })),
    () => false,
  ).map(([name]) => name)
  return chartFigure(spec, site, language, {
    notes,
    brush: { from, to },
    tools: timeTools(choices, { ...context, names: readNames(answer) }),
    links: html`${byIndexing}
      ${chartsLink(context, charts.more)} ${drawingLink(spec, context)}`,
  })
}
