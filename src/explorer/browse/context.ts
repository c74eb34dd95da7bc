/** What the parts of a collection's pages have in common. */
import { collectionAddress, filterAddress, topicAddress, withLanguage, withParameter } from '../addresses.ts'
import type { ShownField } from '../fields/shown-field.ts'
import type { ChartContext } from '../chart-data/asked-chart.ts'
import type { Html } from '../html.ts'
import { hiddenInputs } from '../parts/forms.ts'
import type { Names } from '../parts/values.ts'
import { emptyView, type View, viewParametersOf } from '../view/view.ts'

export interface Browse extends Omit<ChartContext, 'now'> {
  /** Of records that facets and conditions refer to. */
  readonly names: Names
  /** The page that changes of the view lead to; absent for the list. */
  readonly place?: 'topic'
}

type Linked = Pick<Browse, 'subject' | 'language' | 'place'>

/** The address of the collection with another view; null where no view or no address has its records. */
export function viewAddress({ subject, language, place }: Linked, view: View | null): string | null {
  if (view === null) return null
  const address = place === 'topic' ? topicAddress : collectionAddress
  return withLanguage(address(subject.collection.nsid, view), language)
}

/** The collection with a value of the field; null where an address cannot have it. */
export function valueAddress(to: Linked, field: ShownField, value: string): string | null {
  const isReference = field.type.kind === 'strongRef' || field.type.kind === 'atUri'
  const conditions = [{ field, operator: 'is', values: [value] } as const]
  return field.isArray && isReference ? null : viewAddress(to, { ...emptyView, conditions })
}

/** The page that offers the conditions on a field. */
export function fieldAddress({ subject, view, language }: Browse, { name }: ShownField): string | null {
  const address = filterAddress(subject.collection.nsid, view)
  return withLanguage(address && withParameter(address, 'field', name), language)
}

/** The view as inputs of a form that changes the parameters `except`; the form leads to the first page. */
export function stateInputs({ view, language }: Browse, except: (name: string) => boolean): Html {
  const parameters = viewParametersOf({ ...view, page: null })
  return hiddenInputs(
    parameters.filter(([name]) => !except(name)),
    language,
  )
}
