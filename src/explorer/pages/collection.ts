/** A collection: search, facets, and the records that match. */
import {
  chartsAddress,
  collectionAddress,
  feedAddress,
  withLanguage,
  chartFileAddress,
  embedAddress,
} from '../addresses.ts'
import { characterLinks, characterPanels } from '../browse/characters.ts'
import { type Browse, viewAddress } from '../browse/context.ts'
import { facetList, otherFacets } from '../browse/facets.ts'
import { filterMenu } from '../browse/filter-menu.ts'
import { columnHead, optionsBar } from '../browse/options.ts'
import { searchForm, suggestions } from '../browse/search-form.ts'
import { conditionList } from '../browse/sentences.ts'
import { subjectDescription, subjectLabel, fieldLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { Subject } from '../fields/subject.ts'
import { timeChart, measures, type TimeChart } from '../chart-data/time-chart.ts'
import { html, type Html } from '../html.ts'
import { affordableOperations, areAffordable, buildOperation, type Operation } from '../../ask/operation.ts'
import type { Draft, PageRequest, Site, Answer } from '../page.ts'
import { columnsOf, type ListAnswer, listPanel, resultOf } from '../lists/list.ts'
import { conditionNames, readNames, referredPanel } from '../lists/names.ts'
import { results } from '../parts/results.ts'
import { chartMenu } from '../export-menu/chart-menu.ts'
import { type MenuContext, exportMenu } from '../export-menu/export-menu.ts'
import { chooseFacets } from '../view/facets.ts'
import { timeParameters } from '../view/parameters.ts'
import { readView, changed, type View } from '../view/view.ts'
import { problemPage } from './failure.ts'
import type { Language } from '../languages/language.ts'
import { withOthers } from '../chart-data/own-parameters.ts'
import { writeConditions } from '../view/conditions.ts'
import { choiceList } from '../parts/choices.ts'
import { chartFigure } from '../parts/figure.ts'
import type { Names } from '../parts/values.ts'
import { viewFiles } from '../export-menu/files.ts'
import { viewTitle } from '../export-menu/view-title.ts'

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
      ...facets.flatMap((field) => referredPanel(field)),
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

/** The time chart with the choices of what it shows. */
async function timeFigure(
  { choices, chart }: TimeChart,
  answer: Answer,
  view: View,
  { collection }: Subject,
  site: Site,
  language: Language,
): Promise<Html> {
  const { text } = language
  const { spec, notes } = chart(answer)
  if (spec.keys.length === 0) return notes.length > 0 && html`<p class="none">${notes.join(' ')}</p>`
  const choice = (name: 'as' | 'split' | 'per', value: string | null, label: string, isChosen: boolean) => ({
    label,
    address: collectionAddress(collection.nsid, withOthers(view, { [name]: value })),
    isChosen,
  })
  const { as, split, splits, per, periods, field } = choices
  const [from = '', to = ''] = writeConditions(
    (['from', 'to'] as const).map((operator) => ({ field, operator, values: [''] })),
    () => false,
  ).map(([name]) => name)
  return chartFigure(spec, site, language, {
    notes,
    brush: { from, to },
    tools: html`<div class="chart-options">
      ${choiceList(
        text.charts.values,
        measures.map((each) => choice('as', each === 'count' ? null : each, text.charts[each], each === as)),
        language,
      )}
      ${choiceList(
        text.charts.per,
        [
          choice('per', null, text.charts.automatic, per === null),
          ...periods.map((each) => choice('per', each, text.charts.periods[each], each === per)),
        ],
        language,
      )}
      ${choiceList(
        text.charts.split,
        [
          choice('split', null, text.charts.none, split === null),
          ...splits.map((each) => choice('split', each.name, fieldLabel(each, language), each === split)),
        ],
        language,
      )}
    </div>`,
    links: html`
      <a href=${withLanguage(chartsAddress(collection.nsid, view), language)} rel="nofollow">${text.charts.more}</a>
      <a href=${withLanguage(chartFileAddress(collection.nsid, view, 'svg'), language)} rel="nofollow" download data-image=${text.charts.image}>${text.charts.file}</a>
    `,
  })
}

/** `total`: the number of records that match. */
function viewMenu(view: View, total: number, subject: Subject, names: Names, context: MenuContext): Html {
  const { site, language } = context
  const { nsid } = subject.collection
  const columns = columnsOf(view, subject)
  const isTable = view.show === 'table' || view.columns !== null
  const whole: View = { ...view, page: null, facets: null, others: [] }
  return exportMenu(
    {
      kind: 'list',
      title: viewTitle(view, subject, language, names),
      operation: buildOperation(site.schema, 'List', [listPanel(whole, columns, [], subject, site)]),
      files: viewFiles(view, subject, isTable ? columns : null, site.schema),
      total,
      atom: feedAddress(nsid, view),
      embed: embedAddress(nsid, view),
    },
    context,
  )
}
