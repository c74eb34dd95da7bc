/** A collection: search, facets, and the records that match. */
import { chartsAddress, collectionAddress, feedAddress, withLanguage } from '../addresses.ts'
import { characterLinks, characterPanels } from '../browse/characters.ts'
import type { Browse } from '../browse/context.ts'
import { facetList, otherFacets } from '../browse/facets.ts'
import { filterMenu } from '../browse/filter-menu.ts'
import { columnHead, optionsBar } from '../browse/options.ts'
import { pager } from '../browse/pager.ts'
import { searchForm, suggestions } from '../browse/search-form.ts'
import { conditionList } from '../browse/sentences.ts'
import { subjectDescription, subjectLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { timeChart } from '../chart-data/time-chart.ts'
import { html } from '../html.ts'
import { affordableOperations, areAffordable, buildOperation, type Operation } from '../operation.ts'
import type { Draft, PageRequest, Site } from '../page.ts'
import { columnsOf, type ListAnswer, listPanel, resultOf } from '../lists/list.ts'
import { conditionNames, readNames, referredPanel } from '../lists/names.ts'
import { results } from '../parts/results.ts'
import { timeFigure } from '../parts/time-figure.ts'
import { chartMenu } from '../export-menu/chart-menu.ts'
import type { MenuContext } from '../export-menu/export-menu.ts'
import { viewMenu } from '../export-menu/view-menu.ts'
import { chooseFacets } from '../view/facets.ts'
import { timeParameters } from '../view/parameters.ts'
import { readView } from '../view/view.ts'
import { problemPage } from './failure.ts'

export function collectionPage(site: Site, subject: Subject, request: PageRequest): Draft {
  const { parameters, language } = request
  const { collection } = subject
  const { text } = language
  const { view, problems: wrong } = readView(parameters, subject, timeParameters)
  const chart = timeChart(site, subject, view, language, Date.now())
  const asked = view.page === null ? chart : null
  const problems = [...wrong, ...(chart?.problems ?? [])]
  const title = subjectLabel(subject, language)
  if (problems.length > 0) return problemPage(problems, title, request)
  const location = isUntidy(parameters)
    ? withLanguage(collectionAddress(collection.nsid, view), language)
    : null
  const columns = columnsOf(view, subject)
  const build = (facets: readonly ShownField[]): Operation =>
    buildOperation(site.schema, 'Collection', [
      listPanel(view, columns, facets, subject, site),
      ...facets.flatMap((field) => referredPanel(field, site)),
      ...conditionNames(view.conditions),
    ])
  const { facets, left } =
    view.page === null ? chooseFacets(view, subject, build, site) : { facets: [], left: [] }
  const asks = [...(asked?.panels ?? []), ...(asked?.more(null) ?? [])]
  const time = asks.length > 0 && areAffordable(site, asks) ? asked : null
  return {
    status: 200,
    location,
    title,
    description: subjectDescription(subject, language),
    operation: [build(facets), ...affordableOperations(site, time?.panels ?? [])],
    more: (answer) =>
      affordableOperations(site, [
        ...(time?.more(answer) ?? []),
        ...((answer['list'] as ListAnswer).totalCount === 0 ? characterPanels(view, subject) : []),
      ]),
    isMoreOptional: true,
    isIndexed: parameters.length === 0,
    feed: feedAddress(collection.nsid, view),
    async render(answer, index) {
      const isLive = view.sort === null && view.page === null && view.search === ''
      const context: MenuContext = { ...request, site, index }
      const list = answer['list'] as ListAnswer
      const isAnswered = time?.more(answer).every(({ name }) => Object.hasOwn(answer, name)) === true
      const isReducible = view.conditions.length > 0 || /\s/.test(view.search.trim())
      const browse: Browse = { site, subject, view, language, names: readNames(answer, facets) }
      const charts = html`<a href=${withLanguage(chartsAddress(collection.nsid, view), language)} rel="nofollow">${text.charts.more}</a>`
      const head = (field: (typeof columns)[number]) => columnHead(field, browse)
      const found = list.edges.map((edge) => resultOf(edge, columns, subject, site))
      return html`
        <a class="skip" href="#results">${text.skipToResults}</a>
        <header class="heading">
          <h1>${title}</h1>
          <p class="lead"><bdi>${subjectDescription(subject, language)}</bdi></p>
        </header>
        ${searchForm(browse)} ${suggestions(list.didYouMean ?? [], browse)} ${conditionList(browse)}
        <div class="columns">
          <aside aria-label=${text.filters}>
            <details class="sidebar">
              <summary>${text.filters}</summary>
              ${filterMenu(browse)} ${facetList(list.facets ?? [], left, browse)}
              ${view.page !== null && html`<p class="none">${text.browse.skipFilters}</p>`}
              ${otherFacets(facets, browse)}
            </details>
          </aside>
          <section class="results" aria-label=${text.results} data-new=${isLive ? JSON.stringify(text.browse.newRecords) : undefined}>
            ${asked !== null && !isAnswered && html`<p class="none">${text.browse.noChart} ${charts}</p>`}
            ${
              time !== null &&
              isAnswered &&
              html`${await timeFigure(time, answer, view, subject, site, language)}
              ${chartMenu(time, answer, view, subject, context)}`
            }
            <span id="results" tabindex="-1"></span>
            ${optionsBar(list.totalCount, time?.undated(answer) ?? null, columns, browse)}
            ${
              found.length === 0
                ? html`<p class="empty">${text.noResults} ${isReducible && text.noResultsHint}</p>
                    ${characterLinks(answer, browse)}`
                : results(found, view.show, columns, subject, language, {
                    head,
                    imageHosts: site.operator.imageHosts,
                  })
            }
            ${pager(list, browse)}
            ${viewMenu(view, list.totalCount, subject, browse.names, context)}
          </section>
        </div>
      `
    },
  }
}

/** Forms send blank inputs, and each choice of a list by itself. */
function isUntidy(parameters: PageRequest['parameters']): boolean {
  const lists = parameters.filter(([name]) => name === 'columns' || name === 'facets')
  return (
    parameters.some(([, value]) => value.trim() === '') ||
    new Set(lists.map(([name]) => name)).size < lists.length
  )
}
