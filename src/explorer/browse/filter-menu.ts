/** Chooses the field of a further filter: of the record, of what it refers to, or of records that refer to it. */
import { filterAddress } from '../addresses.ts'
import { fieldDescription, fieldLabel, labelOf, subjectLabel } from '../fields/labels.ts'
import { isCollectionName, type ShownField } from '../fields/shown-field.ts'
import { html, type Html } from '../html.ts'
import { foldText } from '../../util/text/fold.ts'
import { type PageSubject, referringLabel } from '../fields/subject.ts'
import { fieldsNamed } from '../lists/list.ts'
import { type Browse, fieldAddress, filterInputs } from './context.ts'

/** `empty`: fields that no record of the list has, which are not offered. Null where no address has the view. */
export function filterMenu(browse: Browse, empty: ReadonlySet<string>): Html {
  const { subject, language } = browse
  const { text } = language
  const offered = usualFields(subject).filter(({ name }) => !empty.has(name))
  if (offered.some((field) => fieldAddress(browse, field) === null)) return null
  return html`<form class="add" action=${filterAddress(subject.collection.nsid)}>
    ${filterInputs(browse)}
    <label><span class="hidden">${text.filtering.field}</span>
      <select name="field">
        <option value="">${text.filtering.add}…</option>
        ${offered.map((field) => html`<option value=${field.name}>${fieldLabel(field, language)}</option>`)}
        <option value="">${text.filtering.otherFields}…</option>
      </select></label>
    <button>${text.filtering.next}</button>
  </form>`
}

const mostUsual = 10

/** The fields that represent a record, and those that it is counted and shown by. */
export function usualFields(subject: PageSubject): readonly ShownField[] {
  const { facets, columns, time, title, summary } = subject.roles
  return fieldsNamed(subject, [...facets, ...columns, time, title, summary])
    .filter((field) => !isCollectionName(field))
    .slice(0, mostUsual)
}

/** Links to the filters by all fields, or by those whose label contains `find`. */
export function fieldList(find: string, browse: Browse): Html {
  const { language } = browse
  const { text } = language
  const wanted = foldText(find)
  const found = [...browse.subject.fields.values()].filter(
    (field) => !isCollectionName(field) && foldText(fieldLabel(field, language)).includes(wanted),
  )
  const groups = Map.groupBy(found, (field) => groupLabel(field, browse))
  return html`<section aria-label=${text.filtering.field}>
    ${findForm('fields', text.filtering.findField, find, browse)}
    <div id="values" class="fields-offered">
      ${[...groups].map(
        ([label, fields]) =>
          html`<h2>${label}</h2><ul>${fields.map((field) => html`<li><a class="name" href=${fieldAddress(browse, field)} rel="nofollow" title=${fieldDescription(field, language)}>${fieldLabel(field, language)}</a></li>`)}</ul>`,
      )}
    </div>
  </section>`
}

/** Looks for fields, or for values of the field. */
export function findForm(
  finds: 'fields' | 'values',
  label: string,
  find: string,
  browse: Browse,
  field?: ShownField,
): Html {
  return html`<form class="find" action=${filterAddress(browse.subject.collection.nsid)} role="search">
    ${filterInputs(browse)}
    ${field && html`<input type="hidden" name="field" value=${field.name} />`}
    <label><span class="hidden">${label}</span>
      <input type="search" name="find" value=${find} placeholder=${label} maxlength="200" data-finds=${finds} data-key="/" /></label>
    <button>${browse.language.text.search}</button>
  </form>`
}

function groupLabel({ isOwn, steps }: ShownField, { site, subject, language }: Browse): string {
  const { filtering } = language.text
  if (isOwn) return subjectLabel(subject, language)
  const records = steps.flatMap(({ kind, name, record }) => (record === null ? [] : [{ kind, name, record }]))
  const [first] = records
  if (first?.kind === 'reverse') {
    const holder = site.subjects.of(first.record.nsid)
    const { name } = first
    return filtering.referring(holder === null ? name : referringLabel(holder, name, subject, language))
  }
  const names = records.map(({ name }) => name)
  const reference = subject.fields.get(names.join('_'))
  return reference === undefined ? labelOf(names) : fieldLabel(reference, language)
}
