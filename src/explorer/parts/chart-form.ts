/** The form that says what a chart shows. */
import { chartsAddress } from '../addresses.ts'
import { chartKinds } from '../charts/chart-spec.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import { groupMeasures, type GroupChoices, sizes } from '../chart-data/group-choices.ts'
import { type Grouping, groupingLabel } from '../chart-data/grouping.ts'
import { type ComparedChart, mostQueries } from '../chart-data/compared-chart.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import { periodOnly, recordsOnly, type View, viewParametersOf } from '../view/view.ts'
import { hiddenInputs } from './hidden-inputs.ts'

export function groupForm(
  { measure, of, by, kind, top, step, groupings, numbers }: GroupChoices,
  view: View,
  { collection }: Subject,
  language: Language,
): Html {
  const { text } = language
  const { charts } = text
  return html`<form class="chart-form" action=${chartsAddress(collection.nsid)}>
    ${hiddenInputs(keptOf(view), language)}
    <label>${charts.measure}<select name="measure">${groupMeasures.map((each) => option(each, charts.measures[each], each === measure))}</select></label>
    <label>${charts.of}<select name="of">
      ${option('', '–', of === null)}
      ${numbers.map((field) => option(field.name, fieldLabel(field, language), field === of))}
      <optgroup label=${charts.onlyDistinct}>
        ${groupings.flatMap(({ field, unit }) => (unit !== null || numbers.includes(field) ? [] : [option(field.name, fieldLabel(field, language), field === of)]))}
      </optgroup>
    </select></label>
    <label>${charts.groupBy}${select(by[0] ?? null, groupings, language)}</label>
    <label>${charts.andBy}${select(by[1] ?? null, groupings, language)}</label>
    <label>${charts.kind}<select name="kind">
      ${option('', charts.automatic, kind === null)}
      ${chartKinds.map((each) => option(each, charts.kinds[each], each === kind))}
    </select></label>
    <label>${charts.top}<select name="top">${sizes.map((each) => option(each, language.number(Number(each)), each === top))}</select></label>
    <label>${charts.step}<input name="step" type="number" min="1" value=${step ?? undefined} /></label>
    <button>${charts.draw}</button>
  </form>`
}

function select(chosen: Grouping | null, groupings: readonly Grouping[], language: Language): Html {
  return html`<select name="by">
    ${option('', '–', chosen === null)}
    ${groupings.map((each) => option(each.name, groupingLabel(each, language), each === chosen))}
  </select>`
}

/** The search and the conditions of the view. */
function keptOf(view: View): readonly (readonly [string, string])[] {
  return viewParametersOf({ ...recordsOnly(view), others: [] })
}

function option(value: string, label: string, isChosen: boolean): Html {
  return html`<option value=${value} selected=${isChosen}>${label}</option>`
}

/** A query in each row, and an empty row for another one. */
export function comparedForm(
  { queries, as, per }: ComparedChart,
  view: View,
  subject: Subject,
  language: Language,
): Html {
  const { charts } = language.text
  const texts = [...queries.map(({ text }) => text), ''].slice(0, mostQueries)
  const kept: (readonly [string, string])[] = [
    ['part', 'compare'],
    ['as', as],
    ...(per === null ? [] : [['per', per] as const]),
  ]
  return html`<form class="chart-form compared" action=${chartsAddress(subject.collection.nsid)}>
    ${hiddenInputs([...keptOf(periodOnly(view, subject)), ...kept], language)}
    ${texts.map((text, at) => html`<label>${charts.query(language.number(at + 1))}<input name="query" value=${text} maxlength="1000" dir="auto" /></label>`)}
    <button>${charts.compare}</button>
    <p class="description">${charts.queryHint}</p>
  </form>`
}
