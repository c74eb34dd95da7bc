/** The addresses of pages. Relative to nothing: each begins with a slash. */
import type { FileFormat } from '../files/file-spec.ts'
import type { Language } from './languages/language.ts'
import { recordsOnly, type View, writeView } from './view/view.ts'

export function collectionAddress(nsid: string, view?: View): string {
  return withView(`/c/${nsid}`, view)
}

/** The page of charts of a view, and one of them by itself: its drawing, or its values. */
export function chartsAddress(nsid: string, view?: View): string {
  return withView(`/c/${nsid}/charts`, view && recordsOnly(view))
}

export function chartFileAddress(nsid: string, view: View, format: 'svg' | FileFormat): string {
  return withView(`/c/${nsid}/chart.${format}`, recordsOnly(view))
}

/** The newest records of a view, or the first ones in its order. */
export function feedAddress(nsid: string, view: View, format: 'atom' | 'json'): string {
  return withView(`/c/${nsid}/feed.${format}`, { ...recordsOnly(view), sort: view.sort, others: [] })
}

/** The list of a view for other pages to include. */
export function embedAddress(nsid: string, view: View): string {
  return withView(`/embed/c/${nsid}`, { ...view, page: null, facets: null, others: [] })
}

/** The page that offers the conditions on a field. */
export function filterAddress(nsid: string, view?: View, field?: string): string {
  const address = withView(`/c/${nsid}/filter`, view && { ...view, page: null })
  return field === undefined ? address : withParameter(address, 'field', field)
}

function withView(path: string, view: View | undefined): string {
  const query = view === undefined ? '' : writeView(view)
  return query === '' ? path : `${path}?${query}`
}

/** `/at/did:plc:abc/org.example.book/1` of an AT-URI with a DID; null of anything else. */
export function recordAddress(uri: string): string | null {
  const parts = /^at:\/\/(did:[a-z]+:[A-Za-z0-9._:%-]+)\/([A-Za-z0-9.-]+)\/([A-Za-z0-9._:~-]+)$/.exec(uri)
  return parts === null ? null : `/at/${parts[1]}/${parts[2]}/${parts[3]}`
}

export function isDid(text: string): boolean {
  return text.length <= 2_048 && /^did:[a-z]+:[A-Za-z0-9._:%-]+$/.test(text)
}

export function accountAddress(did: string): string {
  return `/at/${did}`
}

export function withParameter(address: string, name: string, value: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`
}

/** Keeps the language that the reader chose. */
export function withLanguage(address: string, language: Language): string {
  return language.isChosen ? withParameter(address, 'lang', language.tag) : address
}
