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
  const root = element('feed', { xmlns: 'http://www.w3.org/2005/Atom' }, [
    text('id', self),
    text('title', title),
    text('updated', updated),
    link('self', self, 'application/atom+xml'),
    link('alternate', page, 'text/html'),
    element('author', {}, [text('name', author)]),
    ...entries.map(entryElement),
  ])
  return `<?xml version="1.0" encoding="utf-8"?>\n${root}\n`
}

function entryElement(entry: FeedEntry): string {
  const { uri, title, page, link: other, summary, published, updated, author, authorPage, language } = entry
  return element('entry', { 'xml:lang': language }, [
    text('id', iriOf(uri)),
    text('title', title),
    text('published', published),
    text('updated', updated),
    link('alternate', page, 'text/html'),
    other === null ? null : link('related', other, null),
    element('author', {}, [text('name', author), text('uri', authorPage)]),
    text('summary', summary),
  ])
}

/** A DID has colons, which may not be in the authority of an IRI. */
function iriOf(uri: string): string {
  const [, did = '', rest = ''] = /^at:\/\/([^/]*)(.*)$/.exec(uri) ?? []
  return `at://${did.replaceAll('%', '%25').replaceAll(':', '%3A')}${rest}`
}

/** Null without a content, which is escaped. */
function text(name: string, content: string | null): string | null {
  return content === null ? null : `<${name}>${escapeXml(content)}</${name}>`
}

function link(rel: string, href: string, type: string | null): string {
  return `<link${attributesText({ rel, type, href })}></link>`
}

/** `children`: elements as XML; null for one that is left out. */
function element(name: string, attributes: Attributes, children: readonly (string | null)[]): string {
  const inner = children.filter((each) => each !== null).join('\n')
  return `<${name}${attributesText(attributes)}>\n${inner}\n</${name}>`
}

/** Those that are null are left out. */
type Attributes = Readonly<Record<string, string | null>>

function attributesText(attributes: Attributes): string {
  const given = Object.entries(attributes)
  return given.map(([name, value]) => (value === null ? '' : ` ${name}="${escapeXml(value)}"`)).join('')
}
