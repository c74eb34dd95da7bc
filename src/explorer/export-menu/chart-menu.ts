/** What readers take along from a chart: its groups as files, the drawing, and its query. */
import { fileFormats } from '../../files/file-spec.ts'
import { chartFileAddress, embeddedChartAddress, withLanguage } from '../addresses.ts'
import { type ChartSpec, isDrawn } from '../charts/chart-spec.ts'
import type { AskedChart, ChartContext } from '../chart-data/asked-chart.ts'
import { shareBase } from '../chart-data/share-base.ts'
import { affordableOperations } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import type { PageSubject } from '../fields/subject.ts'
import { viewTitle } from '../browse/sentences.ts'
import { html, type Html } from '../html.ts'
import { readNames } from '../lists/names.ts'
import { type View, withOthers } from '../view/view.ts'
import { fileName } from './files.ts'
import type { Exported } from './export-menu.ts'

/** Null for a chart without values. */
export function exportedChart(
  asked: AskedChart,
  spec: ChartSpec,
  answer: Answer,
  { site, subject, view, language }: ChartContext,
): Exported | null {
  const file = asDrawn(view, spec)
  const drawn = asked.more(answer)
  // Of what costs too much for one operation the first part is shown.
  const [operation] = affordableOperations(site, drawn.length === 0 ? asked.panels : drawn)
  if (spec.keys.length === 0 || operation === undefined) return null
  return {
    kind: 'chart',
    title: `${viewTitle(view, subject, language, readNames(answer))} – ${spec.title}`,
    operation,
    files: fileFormats.flatMap((format) => {
      const path = chartFileAddress(subject.collection.nsid, file, format)
      return path === null ? [] : { format, path }
    }),
    embed: embeddedChartAddress(subject.collection.nsid, view),
    svg: isDrawn(spec) ? chartFileAddress(subject.collection.nsid, file, 'svg') : null,
  }
}

/** Files keep the period that is drawn, also when another one fits later records better. */
function asDrawn(view: View, { period }: ChartSpec): View {
  return withOthers(view, { per: period ?? null })
}

/** The drawing as SVG; a script adds a button for PNG. */
export function drawingLink(spec: ChartSpec, { subject, view: shown, language }: ChartContext): Html {
  const { file, image } = language.text.charts
  const view = asDrawn(shown, spec)
  const address = withLanguage(chartFileAddress(subject.collection.nsid, view, 'svg'), language)
  return html`<a href=${address} rel="nofollow" download=${`${chartFileName(view, subject)}.svg`} data-image=${image}>${file}</a>`
}

/** `articles-climate-share-of-all-by-week-language`: by what chooses the chart. */
export function chartFileName(view: View, subject: PageSubject): string {
  const other = (name: string) => view.others.filter(([each]) => each === name).map(([, value]) => value)
  const by = [...other('by'), ...other('per'), ...other('split')]
  const isWhole = shareBase({ ...view, search: other('q').join() }, subject, []).isWhole
  const ofTopics = other('part').includes('topic') && !isWhole ? ['share'] : []
  const measured = [...other('as'), ...other('measure'), ...ofTopics]
  const base = measured.includes('share') && other('base').includes('all') ? ['of-all'] : []
  const more = [...other('q'), ...measured, ...other('of'), ...base]
  return fileName(view, subject, [...more, ...(by.length === 0 ? ['chart'] : ['by', ...by])])
}
