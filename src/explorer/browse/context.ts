/** What the parts of a collection's pages have in common. */
import { collectionAddress, withLanguage } from '../addresses.ts'
import { subjectLabel } from '../fields/labels.ts'
import type { Subject } from '../fields/subject.ts'
import { html, type Html } from '../html.ts'
import type { Language } from '../languages/language.ts'
import type { Site } from '../page.ts'
import type { Names } from '../parts/values.ts'
import { queryText, type View, viewParametersOf } from '../view/view.ts'

export interface Browse {
  readonly site: Site
  readonly subject: Subject
  readonly view: View
  readonly language: Language
  /** Of records that facets and conditions refer to. */
  readonly names: Names
}

/** The address of the collection with another view. */
export function to({ subject, language }: Browse, view: View): string {
  return withLanguage(collectionAddress(subject.collection.nsid, view), language)
}

/** The page that offers the conditions on a field. */
export function filterAddress({ subject, language }: Browse, view: View, field: string): string {
  const query = queryText([...viewParametersOf({ ...view, page: null }), ['field', field]])
  return withLanguage(`/c/${subject.collection.nsid}/filter?${query}`, language)
}

export function titleOf({ subject, language }: Browse): string {
  return subjectLabel(subject, language)
}

/** The view as inputs of a form that changes the parameters `except`; the form leads to the first page. */
export function stateInputs({ view, language }: Browse, except: (name: string) => boolean): Html {
  const parameters = [
    ...viewParametersOf({ ...view, page: null }),
    ...(language.isChosen ? [['lang', language.tag] as const] : []),
  ]
  return parameters
    .filter(([name]) => !except(name))
    .map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)
}
