/** Addresses of pages, from the first slash. That of a view is null where none can have it; a link to null is none (html.ts). */
import type { FileFormat } from '../files/file-spec.ts'
import type { Language } from './languages/language.ts'
import { isReadableView, recordsOnly, type View, writeView } from './view/view.ts'

/** Bytes. The service reads 16,384 of the head of a request. */
export const longestAddress = 12_000

/** The address of a page of a collection, with the view or without. */
interface PageAddress {
  (nsid: string): string
  (nsid: string, view: View): string | null
}

/** `shown`: what the page has of the view. */
function pageAddress(page: string, shown = (view: View): View => view): PageAddress {
  return ((nsid: string, view?: View) => withView(`/c/${nsid}${page}`, view && shown(view))) as PageAddress
}

export const collectionAddress = pageAddress('')
/** Topics at a glance. The searches are among the `others` of the view. */
export const topicAddress = pageAddress('/topic', recordsOnly)
/** The page of charts of a view, and below one of them by itself: its drawing, or its values. */
export const chartsAddress = pageAddress('/charts', recordsOnly)
/** The page that offers the conditions on a field, which is the parameter `field`. */
export const filterAddress = pageAddress('/filter', (view) => ({ ...view, page: null }))

/** The facets that the page of the view cannot afford; the same for all later pages, so that browsers keep them. */
export function facetsAddress(nsid: string, view: View): string | null {
  return withView(`/c/${nsid}/facets`, { ...view, page: view.page && { side: 'after', cursor: 'any' } })
}

export function chartFileAddress(nsid: string, view: View, format: 'svg' | FileFormat): string | null {
  return withView(`/c/${nsid}/chart.${format}`, recordsOnly(view))
}

/** The order of the view does not apply: new records might not be among the first. */
export function feedAddress(nsid: string, view: View): string | null {
  const { stories } = view
  return withView(`/c/${nsid}/feed.atom`, { ...recordsOnly(view), stories, others: [] })
}

/** The list of a view for other pages to include. */
export function embedAddress(nsid: string, view: View): string | null {
  return withView(`/embed/c/${nsid}`, { ...view, page: null, facets: null, others: [] })
}

/** A chart for other pages to include, with the parameters of its drawing. */
export function embeddedChartAddress(nsid: string, view: View): string | null {
  return withView(`/embed/c/${nsid}/chart`, recordsOnly(view))
}

function withView(path: string, view: View | undefined): string | null {
  if (view === undefined) return path
  if (!isReadableView(view)) return null
  const query = writeView(view)
  if (query === '') return path
  const address = `${path}?${query}`
  return address.length <= longestAddress ? address : null
}

/** `/at/did:plc:abc/org.example.book/1` of an AT-URI with a DID; null of anything else. */
export function recordAddress(uri: string): string | null {
  const parts = /^at:\/\/(did:[a-z]+:[A-Za-z0-9._:%-]+)\/([A-Za-z0-9.-]+)\/([A-Za-z0-9._:~-]+)$/.exec(uri)
  return parts === null ? null : `${accountAddress(parts[1] ?? '')}/${parts[2]}/${parts[3]}`
}

export function isDid(text: string): boolean {
  return text.length <= 2_048 && /^did:[a-z]+:[A-Za-z0-9._:%-]+$/.test(text)
}

/** The percent sign of `did:web:localhost%3A8080` is its own, not that of an address. */
export function accountAddress(did: string): string {
  return `/at/${did.replaceAll('%', '%25')}`
}

export function withParameter(address: string, name: string, value: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`
}

/** Keeps the language that the reader chose. */
export function withLanguage<To extends string | null>(address: To, language: Language): To | string {
  return address !== null && language.isChosen ? withParameter(address, 'lang', language.tag) : address
}
