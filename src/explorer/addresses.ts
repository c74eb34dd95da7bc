/** The addresses of pages. Relative to nothing: each begins with a slash. */
import type { Language } from './languages/language.ts'
import { type View, writeView } from './view/view.ts'

export function collectionAddress(nsid: string, view?: View): string {
  const query = view === undefined ? '' : writeView(view)
  return `/c/${nsid}${query === '' ? '' : `?${query}`}`
}

/** The page of charts of a view, and the drawing of one of them by itself. */
export function chartsAddress(nsid: string, view: View): string {
  return below(nsid, 'charts', view)
}

export function chartFileAddress(nsid: string, view: View): string {
  return below(nsid, 'chart.svg', view)
}

function below(nsid: string, page: string, view: View): string {
  const query = writeView({ ...view, sort: null, show: 'list', columns: null, facets: null, page: null })
  return `/c/${nsid}/${page}${query === '' ? '' : `?${query}`}`
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
