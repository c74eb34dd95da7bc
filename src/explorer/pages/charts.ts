/** Charts of a view: a measure by fields as a page, and all charts as files and embedded. */
import { type FileFormat, mediaTypes } from '../../files/file-spec.ts'
import { writeFile } from '../../files/write-file.ts'
import { isDrawn } from '../charts/chart-spec.ts'
import { chartsAddress, collectionAddress, topicAddress, withLanguage } from '../addresses.ts'
import { viewAddress } from '../browse/context.ts'
import { reversedNotes, searchesOf, withInnerQuotes, viewTitle } from '../browse/sentences.ts'
import { counted, subjectLabel } from '../fields/labels.ts'
import type { PageSubject } from '../fields/subject.ts'
import type { ChartContext } from '../chart-data/asked-chart.ts'
import { groupChart } from '../chart-data/group-chart.ts'
import { timeChart } from '../chart-data/time-chart.ts'
import { topicChart } from '../chart-data/topic-chart.ts'
import { countIn, countPanel } from '../chart-data/time-axis.ts'
import { html } from '../html.ts'
import type { PricedOperations } from '../../ask/operation.ts'
import { affordableOperations, mostAffordable, priceOperations } from '../../ask/operation.ts'
import { type Draft, type FileDraft, lastTime, type PageRequest, type Site } from '../page.ts'
import { groupForm } from '../parts/chart-tools.ts'
import { chartFigure } from '../parts/figure.ts'
import { chartFileName, drawingLink, exportedChart } from '../export-menu/chart-menu.ts'
import { exportMenu, type MenuContext, programMenu, sourceLine } from '../export-menu/export-menu.ts'
import { chartParameters, timeParameters, topicParameters } from '../view/parameters.ts'
import { conditionNames, titlesOf, readNames } from '../lists/names.ts'
import { shortText } from '../parts/values.ts'
import { changed, isRestricted, readChoice, readView, recordArguments, withOthers } from '../view/view.ts'
import { notFoundPage, problemPage, tooExpensivePage } from './failure.ts'

export function chartsPage(site: Site, subject: PageSubject, request: PageRequest): Draft {
  const { language, parameters: given } = request
  const { text } = language
  const { view, problems: wrong } = readView(given, subject, chartParameters)
  const context: ChartContext = { site, subject, view, language, now: Date.now() }
  const here = { ...context, place: 'charts' } as const
  const chart = groupChart(context)
  const problems = [...wrong, ...chart.problems]
  readChoice(view, 'part', ['groups'], problems)
  const title = text.charts.title(subjectLabel(subject, language))
  if (problems.length > 0) return problemPage(problems, title, request)
  const panels = [...chart.panels, ...conditionNames(view.conditions)]
  const { points, operations } = priceOperations(site, panels)
  if (costsTooMuch(points)) return tooExpensivePage(request)
  // Forms send blank inputs.
  const isUntidy = given.some(([, value]) => value.trim() === '')
  const tidy = { ...view, others: view.others.filter(([, value]) => value.trim() !== '') }
  return {
    ...titlesOf(view.conditions, (names) =>
      text.charts.title(`${viewTitle(view, subject, language, names)} – ${chart.title(names)}`),
    ),
    location: isUntidy ? viewAddress(here, tidy) : null,
    operation: operations,
    more: (answer) => affordableOperations(site, chart.more(answer)),
    async render(answer, index) {
      const { spec, notes } = chart.chart(answer, lastTime(index, Date.now()))
      const back = viewAddress(context, changed(view, { others: [] }))
      const own = { ...context, view: withOthers(tidy, { part: 'groups' }) }
      const menu: MenuContext = { ...request, site, index }
      const exported = exportedChart(chart, spec, answer, own)
      return html`
        <h1>${title}</h1>
        ${isRestricted(view) && html`<p class="lead"><bdi>${viewTitle(view, subject, language, readNames(answer))}</bdi></p>`}
        ${reversedNotes(tidy, language, (swapped) => viewAddress(here, swapped))}
        <p class="back"><a href=${back}>${text.charts.back}</a></p>
        ${groupForm(chart.choices, context)}
        ${await chartFigure(spec, site, language, {
          notes,
          links: isDrawn(spec) && drawingLink(spec, own),
        })}
        ${exportMenu(exported, menu)} ${programMenu([exported], menu)}
      `
    },
  }
}

/** Whether a panel costs more than an operation may. */
function costsTooMuch(points: PricedOperations['points']): boolean {
  return points.some((each) => each > mostAffordable && Number.isFinite(each))
}

/** The chart of an address as SVG: that of the charts page, or the time chart of the collection. */
export function chartDrawing(site: Site, subject: PageSubject, request: PageRequest): FileDraft | Draft {
  const asked = readFile(site, subject, request)
  if ('render' in asked) return asked
  const { chart, view, operations, page } = asked
  const { language, origin } = request
  const topics = 'topics' in chart ? chart.topics : [view]
  const counts = topics.map((each, at) => countPanel(subject, `records${at}`, recordArguments(each)))
  const names = conditionNames(view.conditions)
  return {
    media: 'image/svg+xml; charset=utf-8',
    operation: [...operations, ...affordableOperations(site, [...names, ...counts])],
    more: (answer) => affordableOperations(site, chart.more(answer)),
    write: async (answer, _ask, index) => {
      const { spec, notes } = chart.chart(answer, lastTime(index, Date.now()))
      const named = viewTitle(view, subject, language, readNames(answer))
      const searches = searchesOf(view).map((search) => `“${shortText(withInnerQuotes(search), 30)}”`)
      const records = counts.map(({ name }, at) => {
        const number = counted(subject, countIn(answer, name), language)
        return counts.length === 1 ? number : `${searches[at]} ${number}`
      })
      const of = `${named}: ${records.join(language.text.semicolon)}`
      const caption = [of, spec.description, ...notes, sourceLine(origin + page, { site, index, language })]
      // A share of all records does not say the filters; one of filtered records has them in its base.
      const isOfAll =
        spec.unit === 'share' &&
        (searches.length === 0
          ? view.conditions.length > 0
          : view.others.some(([name, value]) => name === 'base' && value === 'all'))
      const searched = searches.length === 0 ? spec.title : `${language.list(searches)}: ${spec.title}`
      const title = isOfAll ? `${spec.title}: ${named}` : searched
      return site.charts.draw({ ...spec, title, caption }, 'file')
    },
  }
}

/** The chart of such an address without the frame of a page, for pages of others to include. */
export function embeddedChart(site: Site, subject: PageSubject, request: PageRequest): Draft {
  const asked = readFile(site, subject, request)
  if ('render' in asked) return { ...asked, isEmbedded: true }
  const { chart, view, operations, page } = asked
  const { language, origin } = request
  return {
    title: viewTitle(view, subject, language),
    isEmbedded: true,
    operation: [...operations, ...affordableOperations(site, conditionNames(view.conditions))],
    more: (answer) => affordableOperations(site, chart.more(answer)),
    async render(answer, index) {
      const { spec, notes } = chart.chart(answer, lastTime(index, Date.now()))
      const named = viewTitle(view, subject, language, readNames(answer))
      return html`
        <h1><a href=${withLanguage(page, language)}>${named}</a></h1>
        ${await chartFigure(spec, site, language, { notes })}
        <p class="none">${sourceLine(origin + page, { site, index, language })}</p>
      `
    },
  }
}

/** The values of such a chart. */
export function chartValues(format: FileFormat) {
  return (site: Site, subject: PageSubject, given: PageRequest): FileDraft | Draft => {
    const parameters = given.parameters.filter(([name]) => name !== 'bom')
    const hasMark = parameters.length < given.parameters.length
    const request = { ...given, parameters }
    const asked = readFile(site, subject, request)
    if ('render' in asked) return asked
    const { chart, view, operations } = asked
    return {
      media: mediaTypes[format],
      name: `${chartFileName(view, subject)}.${format}`,
      operation: operations,
      more: (answer) => affordableOperations(site, chart.more(answer)),
      async write(answer) {
        const { columns, rows } = chart.table(answer)
        const spec = {
          format,
          columns: Object.entries(columns).map(([name, type]) => ({ name, type, path: [name] })),
          bom: hasMark && format === 'csv',
          gzip: false,
          // For the metadata of a Parquet file.
          query: request.origin + request.address,
        }
        const lines = rows.map((row) => JSON.stringify(row))
        return Buffer.concat(await Array.fromAsync(writeFile(spec, [lines], () => undefined)))
      },
    }
  }
}

/** The charts of files and embedded pages, by `part`, their parameters, and their pages: without one, that of the list. */
const fileCharts = {
  time: { make: timeChart, parameters: timeParameters, addressOf: collectionAddress },
  groups: { make: groupChart, parameters: chartParameters, addressOf: chartsAddress },
  topic: { make: topicChart, parameters: ['part', ...topicParameters], addressOf: topicAddress },
} as const

/** A chart, its view, what it asks first, and the address of its page; or the page that says why there is none. */
function readFile(site: Site, subject: PageSubject, request: PageRequest) {
  const { parameters: given, language } = request
  const part = given.find(([name]) => name === 'part')?.[1]
  const kind = part === undefined ? 'time' : part === 'topic' ? part : 'groups'
  const { make, parameters, addressOf } = fileCharts[kind]
  const { view, problems: wrong } = readView(given, subject, parameters)
  const chart = make({ site, subject, view, language, now: Date.now() })
  const problems = [...wrong, ...(chart?.problems ?? [])]
  readChoice(view, 'part', ['groups', 'topic'], problems)
  const title = language.text.charts.title(subjectLabel(subject, language))
  if (problems.length > 0) return problemPage(problems, title, request)
  if (chart === null || (chart.panels.length === 0 && chart.more(null).length === 0))
    return notFoundPage(request)
  const { points, operations } = priceOperations(site, chart.panels)
  if (costsTooMuch(points)) return tooExpensivePage(request)
  const shown = kind === 'topic' ? withOthers(view, { part: null }) : view
  return { chart, view, operations, page: addressOf(subject.collection.nsid, shown) ?? request.address }
}
