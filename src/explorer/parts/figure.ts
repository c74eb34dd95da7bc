/** A chart on a page: its title, the drawing for screens and for phones, and the table of its values. */
import { type ChartRest, type ChartSpec, isDrawn, legendOf, valueAt } from '../charts/chart-spec.ts'
import { html, type Html, linked, trusted } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Site } from '../page.ts'
import { recordText } from './values.ts'

export interface FigureParts {
  /** Links or forms between the title and the drawing. */
  readonly tools?: Html
  /** What a reader has to know about the values. */
  readonly notes?: readonly string[]
  /** Links below the drawing, such as that of the SVG. Without a paragraph around them. */
  readonly links?: Html
  /** Parameters of an address that a period is chosen with, by dragging over the chart. */
  readonly brush?: { readonly from: string; readonly to: string }
}

/** The table is open if the drawing fails, and always there if the chart has none. */
export async function chartFigure(
  spec: ChartSpec,
  site: Pick<Site, 'charts'>,
  language: Language,
  { tools = null, notes = [], links = null, brush }: FigureParts = {},
): Promise<Html> {
  const { text } = language
  // One period says in a sentence what a bar as wide as the page says.
  const isSingle = spec.isOrdered && spec.keys.length === 1 && spec.series.length === 1
  const isTable = spec.kind === 'table'
  const values = spec.keys.length > 0 ? table(spec, language) : null
  const [wide, narrow] = await Promise.all([site.charts.draw(spec, 'wide'), site.charts.draw(spec, 'narrow')])
  const isShown = wide !== null && narrow !== null && !isSingle
  const failure = isShown || isSingle || !isDrawn(spec) ? [] : [text.charts.failed]
  const said = [...failure, spec.description, ...notes].filter((each) => each !== '').join(' ')
  return html`<figure class="figure">
    ${spec.title !== '' && html`<figcaption>${spec.title}</figcaption>`}
    ${tools}
    ${isShown && legend(spec)}
    ${isShown && trusted('div', { class: 'drawing', 'data-from': brush?.from, 'data-to': brush?.to }, wide + narrow)}
    ${isShown && brush !== undefined && html`<p class="drag" role="status">${text.charts.drag}</p>`}
    ${said !== '' && html`<p class="description">${said}</p>`}
    ${isTable && values}
    <div class="chart-options">
      ${links}
      ${!isTable && values !== null && html`<details open=${!isShown && !isSingle}><summary>${text.charts.table}</summary>${values}</details>`}
    </div>
  </figure>`
}

function legend(spec: ChartSpec): Html {
  const entries = legendOf(spec)
  if (entries.length === 0) return null
  return html`<ul class="legend" aria-hidden="true">
    ${entries.map(({ name, colour }) => html`<li><svg class="swatch" viewBox="0 0 12 12"><rect width="12" height="12" class=${`fill-${colour}`} fill="currentColor" /></svg> ${recordText(name)}</li>`)}
  </ul>`
}

function table(spec: ChartSpec, { text }: Language): Html {
  const several = spec.series.length > 1
  const { numbers = [] } = spec
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${text.charts.table}>
    <table>
      <thead><tr>
        <th scope="col">${spec.keyLabel}</th>
        ${spec.series.map(({ name }) => html`<th scope="col" class="number">${several ? recordText(name) : spec.valueLabel}</th>`)}
        ${numbers.map(({ label }) => html`<th scope="col" class="number">${recordText(label)}</th>`)}
      </tr></thead>
      <tbody>${spec.keys.map(
        ({ label, href }, key) => html`<tr>
          <th scope="row">${linked(href, recordText(label))}</th>
          ${spec.series.map((one) => html`<td class="number">${linked(one.hrefs[key] ?? null, valueAt(spec, one, key))}</td>`)}
          ${numbers.map(({ values }) => html`<td class="number">${valueAt({ ...spec, unit: 'number' }, { values }, key)}</td>`)}
        </tr>`,
      )}</tbody>${spec.rest != null && html`<tfoot>${restRow(spec.rest, spec)}</tfoot>`}
    </table>
  </div>`
}

function restRow({ label, href, values, hrefs, numbers }: ChartRest, spec: ChartSpec): Html {
  return html`<tr><th scope="row">${linked(href, label)}</th>
    ${values.map((_, at) => html`<td class="number">${linked(hrefs[at] ?? null, valueAt(spec, { values }, at))}</td>`)}
    ${numbers.map((_, at) => html`<td class="number">${valueAt({ ...spec, unit: 'number' }, { values: numbers }, at)}</td>`)}</tr>`
}
