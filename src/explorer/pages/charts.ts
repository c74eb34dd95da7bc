/** Charts of a view: measures by fields, queries compared over time, and what is unusual. And a chart as a file. */
import { chartFileAddress, chartsAddress, collectionAddress } from '../addresses.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import type { AskedChart } from '../figures/asked-chart.ts'
import { groupChart } from '../figures/group-chart.ts'
import { groupParameters } from '../figures/group-choices.ts'
import { readChoice, withOthers } from '../figures/own-parameters.ts'
import { timeChart, timeParameters } from '../figures/time-chart.ts'
import { html, type Html } from '../html.ts'
import { buildOperation } from '../operation.ts'
import type { Draft, FileDraft, PageRequest, Site } from '../page.ts'
import { groupForm } from '../parts/chart-form.ts'
import { choiceList } from '../parts/choices.ts'
import { chartFigure } from '../parts/figure.ts'
import { withLanguage } from '../parts/frame.ts'
import { problemList } from '../parts/problems.ts'
import type { Problem } from '../view/problem.ts'
import { readView, type View } from '../view/view.ts'

const parts = ['groups'] as const
type Part = (typeof parts)[number]
const parameters = [...new Set(['part', ...groupParameters, ...timeParameters])]

interface Wanted {
  readonly view: View
  readonly part: Part
  readonly chart: AskedChart
  readonly form: () => Html
  readonly problems: readonly Problem[]
}

export function chartsPage(site: Site, subject: Subject, request: PageRequest): Draft {
  const { language } = request
  const { text } = language
  const { collection } = subject
  const { view, part, chart, form, problems } = read(site, subject, request)
  const title = text.charts.title(subjectLabel(subject, language))
  const common = { title, isIndexed: false } as const
  if (problems.length > 0)
    return { ...common, status: 400, operation: null, render: () => problemList(problems, language) }
  return {
    ...common,
    status: 200,
    operation: buildOperation(site.schema, 'Charts', chart.panels),
    async render(answer) {
      const { spec, notes } = chart.chart(answer)
      const back = withLanguage(collectionAddress(collection.nsid, withOthers(view, none)), language)
      return html`
        <h1>${title}</h1>
        <p><a href=${back}>${text.charts.back}</a></p>
        <div class="options">${choiceList(
          text.charts.parts,
          parts.map((each) => ({
            label: text.charts.part[each],
            address: chartsAddress(collection.nsid, withOthers(view, { ...none, part: each })),
            isChosen: each === part,
          })),
          language,
        )}</div>
        ${form()}
        ${await chartFigure(spec, site, language, {
          notes,
          links: html`<a href=${withLanguage(chartFileAddress(collection.nsid, withOthers(view, { part })), language)} rel="nofollow" download>${text.charts.file}</a>`,
        })}
      `
    },
  }
}

const none = Object.fromEntries(parameters.map((name) => [name, null]))

function read(site: Site, subject: Subject, { parameters: given, language }: PageRequest): Wanted {
  const { view, problems: wrong } = readView(given, subject, parameters)
  const problems = [...wrong]
  const part = readChoice(view, 'part', parts, problems) ?? 'groups'
  const chart = groupChart(site, subject, view, language)
  return {
    view,
    part,
    chart,
    form: () => groupForm(chart.choices, view, subject, language),
    problems: [...problems, ...chart.problems],
  }
}

/** The chart of an address as SVG: that of the charts page, or the time chart of the collection. */
export function chartFile(site: Site, subject: Subject, request: PageRequest): FileDraft | Draft {
  const { language } = request
  const isPart = request.parameters.some(([name]) => name === 'part')
  const wanted = isPart ? read(site, subject, request) : readTime(site, subject, request)
  const { chart, problems } = wanted
  if (chart === null || problems.length > 0)
    return {
      status: problems.length > 0 ? 400 : 404,
      title: language.text.charts.file,
      isIndexed: false,
      operation: null,
      render: () => problemList(problems, language),
    }
  return {
    status: 200,
    media: 'image/svg+xml; charset=utf-8',
    operation: buildOperation(site.schema, 'Chart', chart.panels),
    write: (answer) => site.charts.draw(chart.chart(answer).spec, 'file'),
  }
}

function readTime(
  site: Site,
  subject: Subject,
  { parameters: given, language }: PageRequest,
): { readonly chart: AskedChart | null; readonly problems: readonly Problem[] } {
  const { view, problems } = readView(given, subject, timeParameters)
  const chart = timeChart(site, subject, view, language, Date.now())
  return { chart, problems: [...problems, ...(chart?.problems ?? [])] }
}
