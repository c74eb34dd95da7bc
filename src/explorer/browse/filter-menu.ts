/** Chooses the field of a further filter: of the record, of what it refers to, or of records that refer to it. */
import { filterAddress } from '../addresses.ts'
import { fieldLabel, labelOf, subjectLabel } from '../fields/labels.ts'
import { isCollectionName, type ShownField } from '../fields/shown-field.ts'
import { html, type Html } from '../html.ts'
import { type Browse, stateInputs, titleOf } from './context.ts'

interface FieldsOfMenu {
  readonly label: string
  readonly fields: readonly ShownField[]
}

export function filterMenu(browse: Browse): Html {
  const { subject, language } = browse
  const { text } = language
  return html`<form class="add" action=${filterAddress(subject.collection.nsid)}>
    ${stateInputs(browse, () => false)}
    <label><span class="hidden">${text.filtering.field}</span>
      <select name="field" required>
        <option value="">${text.filtering.add}…</option>
        ${fieldGroups(browse).map(
          ({ label, fields }) => html`<optgroup label=${label}>
            ${fields.map((field) => html`<option value=${field.name}>${fieldLabel(field, language)}</option>`)}
          </optgroup>`,
        )}
      </select></label>
    <button>${text.filtering.next}</button>
  </form>`
}

/** In the order of the collection's fields. */
export function fieldGroups(browse: Browse): readonly FieldsOfMenu[] {
  const { site, subject, language } = browse
  const { filtering } = language.text
  const groups = new Map<string, ShownField[]>()
  for (const field of subject.fields.values()) {
    if (isCollectionName(field)) continue
    const label = groupLabel(field)
    groups.set(label, [...(groups.get(label) ?? []), field])
  }
  return [...groups].map(([label, fields]) => ({ label, fields }))

  function groupLabel({ isOwn, steps }: ShownField): string {
    if (isOwn) return titleOf(browse)
    const records = steps.flatMap(({ name, some, record }) =>
      record === null ? [] : [{ name, some, record }],
    )
    const [first] = records
    if (first?.some === true) {
      const holder = site.subjects.all.find(({ collection }) => collection === first.record)
      return filtering.referring(holder === undefined ? first.name : subjectLabel(holder, language))
    }
    return filtering.refersTo(labelOf(records.map(({ name }) => name)).toLowerCase())
  }
}
