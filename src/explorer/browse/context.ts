/** What the parts of a collection's pages have in common. */
import { chartsAddress, collectionAddress, filterAddress, topicAddress } from '../addresses.ts'
import { withLanguage, withParameter } from '../addresses.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { ChartContext } from '../chart-data/asked-chart.ts'
import { html, type Html } from '../html.ts'
import { hiddenInputs } from '../parts/forms.ts'
import type { Names } from '../parts/values.ts'
import { emptyView, type View, viewParametersOf } from '../view/view.ts'

export interface Browse extends Omit<ChartContext, 'now'> {
  /** Of records that facets and conditions refer to. */
  readonly names: Names
  /** The page that changes of the view lead to; absent for the list. */
  readonly place?: keyof typeof places
}

type Linked = Pick<Browse, 'subject' | 'language' | 'place'>

const places = { list: collectionAddress, topic: topicAddress, charts: chartsAddress }

/** The address of the place with another view; null where no view or no address has its records. */
export function viewAddress({ subject, language, place = 'list' }: Linked, view: View | null): string | null {
  return view && withLanguage(places[place](subject.collection.nsid, view), language)
}

/** The collection with a value of the field; null where an address cannot have it. */
export function valueAddress(to: Linked, field: ShownField, value: string): string | null {
  const isReference = field.type.kind === 'strongRef' || field.type.kind === 'atUri'
  const conditions = [{ field, operator: 'is', values: [value] } as const]
  return field.isArray && isReference ? null : viewAddress(to, { ...emptyView, conditions })
}

/** The address of forms whose inputs are the view. */
export function placeAddress({ subject, place = 'list' }: Linked): string {
  return places[place](subject.collection.nsid)
}

/** The page that offers the conditions on a field. */
export function fieldAddress(browse: Browse, { name }: ShownField): string | null {
  const { subject, view, language, place } = browse
  const to = place === 'topic' ? { ...view, others: [...view.others, ['for', place] as const] } : view
  const address = filterAddress(subject.collection.nsid, to)
  return withLanguage(address && withParameter(address, 'field', name), language)
}

/** The inputs of a form that leads to the page of filters, and back from there to topics. */
export function filterInputs(browse: Browse): Html {
  return html`${stateInputs(browse, () => false)}${browse.place === 'topic' && html`<input type="hidden" name="for" value="topic" />`}`
}

/** The view as inputs of a form that changes the parameters `except`; the form leads to the first page. */
export function stateInputs({ view, language }: Browse, except: (name: string) => boolean): Html {
  const parameters = viewParametersOf({ ...view, page: null }).filter(([name]) => !except(name))
  return hiddenInputs(parameters, language)
}

export function checkbox(name: string, value: string, isChecked: boolean, label: string): Html {
  return html`<label><input type="checkbox" name=${name} value=${value} checked=${isChecked} /> ${label}</label>`
}
