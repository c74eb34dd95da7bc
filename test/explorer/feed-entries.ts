/** The entries of a feed, read as XML. */
import { parseHTML } from 'linkedom'

export interface ReadEntry {
  readonly id: string
  readonly title: string
  /** Null where the entry has none. */
  readonly summary: string | null
  readonly published: string | null
  readonly updated: string | null
  readonly language: string | null
  readonly author: string | null
  /** Addresses of the page of the record, and of the page that the record names. */
  readonly alternate: string | null
  readonly related: string | null
}

export function entriesOf(atom: string): readonly ReadEntry[] {
  const { DOMParser } = parseHTML('')
  const document = new DOMParser().parseFromString(atom, 'text/xml')
  return Array.from(document.querySelectorAll('entry'), (entry) => {
    const text = (name: string): string | null => entry.querySelector(name)?.textContent ?? null
    const link = (rel: string): string | null =>
      entry.querySelector(`link[rel="${rel}"]`)?.getAttribute('href') ?? null
    return {
      id: text('id') ?? '',
      title: text('title') ?? '',
      summary: text('summary'),
      published: text('published'),
      updated: text('updated'),
      language: entry.getAttribute('xml:lang'),
      author: text('author > name'),
      alternate: link('alternate'),
      related: link('related'),
    }
  })
}
