/** The fields of a record below the headings of `display.json`; the rest follows without one. */
import { labelIn } from '../fields/labels.ts'
import { html, type Html } from '../html.ts'
import { fieldList, isPresent, type Shown } from './values.ts'

/** `elsewhere`: properties that the page shows elsewhere. */
export function groupedFields(
  value: Readonly<Record<string, unknown>>,
  shown: Shown,
  elsewhere: ReadonlySet<string>,
): Html {
  const { collection, display } = shown.subject
  const { type } = collection
  if (display.groups.length === 0) return fieldList(type, value, shown, elsewhere)
  const grouped = new Set<string>()
  const groups = display.groups.map(({ label, fields: names }) => {
    const fields = names.flatMap((name) => type.fields.find((field) => field.name === name) ?? [])
    for (const { property } of fields) grouped.add(property)
    const own = Object.fromEntries(fields.map(({ property }) => [property, value[property]]))
    if (!fields.some(({ property }) => !elsewhere.has(property) && isPresent(own[property]))) return null
    return html`<section>
      <h2>${labelIn(label, shown.language)}</h2>
      ${fieldList({ ...type, fields }, own, shown, elsewhere)}
    </section>`
  })
  const rest = Object.fromEntries(Object.entries(value).filter(([property]) => !grouped.has(property)))
  return html`${groups}${fieldList(type, rest, shown, elsewhere)}`
}
