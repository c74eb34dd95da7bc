/** A form for each kind of condition on a field; the values that are known are offered. */
import { filterAddress } from '../addresses.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { html, type Html } from '../html.ts'
import type { FacetAnswer } from '../lists/list.ts'
import { plainValue } from '../parts/values.ts'
import { isCountField, type Operator, operatorsOf } from '../../ask/fields.ts'
import { isDate } from '../../ask/where.ts'
import { isReadable } from '../view/conditions.ts'
import { valuesOf, withCondition } from '../view/view.ts'
import { type Browse, checkbox, filterInputs, placeAddress, stateInputs, viewAddress } from './context.ts'

/** `facet`: the most frequent values, if they are known. */
export function conditionForms(field: ShownField, facet: FacetAnswer | null, browse: Browse): Html {
  // Readers choose a record by its name from the facet; they do not know its URI.
  const isNamed = field.targetTitle !== null && facet !== null
  return html`<div class="conditions">
    ${operatorsOf(field).includes('from') && field.type.kind !== 'string' && rangeForm(field, browse)}
    ${choiceForm(field, browse)}
    ${field.type.kind !== 'boolean' && !isNamed && textForm(field, facet, browse)}
    ${presence(field, browse)}
  </div>`
}

/** Of values that the lexicon lists, or both of a boolean. */
function choiceForm(field: ShownField, browse: Browse): Html {
  const { language, view } = browse
  const { text } = language
  const chosen = valuesOf(view, field.name, 'is')
  const name = `${field.name}.is`
  const known = field.type.kind === 'boolean' ? ['true', 'false'] : field.values
  if (known.length === 0) return null
  const values = known.filter((value) => isReadable(field, 'is', value))
  return html`<form class="choices" action=${placeAddress(browse)}>
    <fieldset>
      <legend>${text.filtering.anyOf}</legend>
      ${stateInputs(browse, (each) => each === name || each === field.name)}
      ${values.map((value) => checkbox(name, value, chosen.includes(value), plainValue(field, value, language)))}
    </fieldset>
    <button>${text.apply}</button>
  </form>`
}

function rangeForm(field: ShownField, browse: Browse): Html {
  const { language } = browse
  const { text } = language
  const isTime = field.type.kind === 'datetime'
  const names = (['from', 'to'] as const).map((operator) => `${field.name}.${operator}`)
  return html`<form class="range" action=${placeAddress(browse)}>
    <fieldset>
      <legend>${isTime ? text.browse.dates(fieldLabel(field, language)) : text.filtering.between}</legend>
      ${stateInputs(browse, (name) => names.includes(name) || (isTime && name === field.name))}
      ${boundInputs(field, browse)}
    </fieldset>
    <button>${text.apply}</button>
  </form>`
}

/** A time with a time of day stays as it is, in an input of text. */
export function boundInputs({ name, type: { kind } }: ShownField, { view, language }: Browse): Html {
  return (['from', 'to'] as const).map((operator) => {
    const [value = ''] = valuesOf(view, name, operator)
    const type = kind !== 'datetime' ? 'number' : value === '' || isDate(value) ? 'date' : 'text'
    return html`<label><span>${language.text[operator]}</span><input type=${type} step=${type === 'number' ? '1' : undefined} name=${`${name}.${operator}`} value=${value} /></label>`
  })
}

function textForm(field: ShownField, facet: FacetAnswer | null, browse: Browse): Html {
  const operators = operatorsOf(field)
  const { language, subject } = browse
  const { filtering, apply } = language.text
  const offered = (['contains', 'matches', 'starts', 'is', 'not', 'all', 'from', 'to'] as const).filter(
    (operator) =>
      operators.includes(operator) &&
      (field.type.kind === 'string' || (operator !== 'from' && operator !== 'to')),
  )
  if (offered.length === 0) return null
  const isNumber = field.type.kind === 'integer'
  return html`<form class="text" action=${filterAddress(subject.collection.nsid)}>
    <fieldset>
      <legend>${filtering.condition}</legend>
      ${filterInputs(browse)}
      <input type="hidden" name="field" value=${field.name} />
      <label><span class="hidden">${filtering.condition}</span>
        <select name="op">${offered.map((operator) => html`<option value=${operator}>${filtering.operators[operator]}</option>`)}</select></label>
      <label><span class="hidden">${filtering.value}</span>
        <input type=${isNumber ? 'number' : 'text'} name="value" maxlength="1000" required list="known" autocomplete="off" /></label>
      <datalist id="known">
        ${[...new Set([...field.values, ...(facet?.values.map(({ value }) => value) ?? [])])]
          .filter((value) => isReadable(field, 'is', value))
          .map(
            (value) =>
              html`<option value=${value}>${plainValue(field, value, language, browse.names)}</option>`,
          )}
      </datalist>
    </fieldset>
    <button>${apply}</button>
  </form>`
}

function presence(field: ShownField, browse: Browse): Html {
  const { language, view } = browse
  const { filtering } = language.text
  const link = (operator: Operator, value: string, label: string) =>
    html`<li><a href=${viewAddress(browse, withCondition(view, { field, operator, values: [value] }))} rel="nofollow">${label}</a></li>`
  const links = isCountField(field)
    ? [link('from', '1', filtering.some), link('is', '0', filtering.none)]
    : [link('missing', '0', filtering.present), link('missing', '1', filtering.absent)]
  return html`<section class="presence" aria-label=${filtering.presence}>
    <ul>${links}</ul>
  </section>`
}
