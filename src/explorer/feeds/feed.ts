/** A list of records as Atom (RFC 4287). */
import { escapeXml } from '../escape-xml.ts'

export interface Feed {
  readonly title: string
  /** Whole addresses: of the page, and of the feed itself. */
  readonly page: string
  readonly self: string
  /** The name of the service. */
  readonly author: string
  /** RFC 3339: when the newest entry was changed, or of the index without entries. */
  readonly updated: string
  readonly entries: readonly FeedEntry[]
}

export interface FeedEntry {
  /** AT-URI of the record. */
  readonly uri: string
  readonly title: string
  /** The address of the page of the record. */
  readonly page: string
  /** An address that the record names; http(s) only. */
  readonly link: string | null
  readonly summary: string | null
  /** RFC 3339; null if the record states none. */
  readonly published: string | null
  readonly updated: string
  /** What the record belongs to, such as an outlet; otherwise the handle or DID of the account. */
  readonly author: string
  readonly authorPage: string
  /** BCP 47; null if the record states none. */
  readonly language: string | null
}

export function atomFeed({ title, page, self, author, updated, entries }: Feed): string {
  const root = element({
    name: 'feed',
    attributes: { xmlns: 'http://www.w3.org/2005/Atom' },
    children: [
      text('id', self),
      text('title', title),
      text('updated', updated),
      link('self', self, 'application/atom+xml'),
      link('alternate', page, 'text/html'),
      { name: 'author', children: [text('name', author)] },
      ...entries.map(entryElement),
    ],
  })
  return `<?xml version="1.0" encoding="utf-8"?>\n${root}\n`
}

function entryElement(entry: FeedEntry): XmlElement {
  const { uri, title, page, link: other, summary, published, updated, author, authorPage, language } = entry
  return {
    name: 'entry',
    attributes: { 'xml:lang': language ?? undefined },
    children: [
      text('id', iriOf(uri)),
      text('title', title),
      ...(published === null ? [] : [text('published', published)]),
      text('updated', updated),
      link('alternate', page, 'text/html'),
      ...(other === null ? [] : [link('related', other)]),
      { name: 'author', children: [text('name', author), text('uri', authorPage)] },
      ...(summary === null ? [] : [text('summary', summary)]),
    ],
  }
}

/** A DID has colons, which may not be in the authority of an IRI. */
function iriOf(uri: string): string {
  const [, did = '', rest = ''] = /^at:\/\/([^/]*)(.*)$/.exec(uri) ?? []
  return `at://${did.replaceAll('%', '%25').replaceAll(':', '%3A')}${rest}`
}

function text(name: string, content: string): XmlElement {
  return { name, text: content }
}

function link(rel: string, href: string, type?: string): XmlElement {
  return { name: 'link', attributes: { rel, type, href } }
}

interface XmlElement {
  readonly name: string
  readonly attributes?: Readonly<Record<string, string | undefined>>
  readonly children?: readonly XmlElement[]
  /** Instead of children. */
  readonly text?: string
}

/** Contents and attributes are escaped. */
function element({ name, attributes = {}, children = [], text: content }: XmlElement): string {
  const own = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(value ?? '')}"`)
    .join('')
  const inner =
    content === undefined ? children.map((child) => `\n${element(child)}`).join('') : escapeXml(content)
  return `<${name}${own}>${inner}${children.length > 0 && content === undefined ? '\n' : ''}</${name}>`
}
