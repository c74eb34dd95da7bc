/** A list of records as Atom or JSON Feed. */
import { type XmlElement, toXml } from './xml.ts'

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
  /** Handle or DID. */
  readonly author: string
  readonly authorPage: string
  /** BCP 47; null if the record states none. */
  readonly language: string | null
}

/** A member of a feed or an entry, as each format has it; null where a format has none. */
interface Member {
  readonly atom: XmlElement | null
  readonly json: Readonly<Record<string, unknown>> | null
}

export function atomFeed(feed: Feed): string {
  return toXml({
    name: 'feed',
    attributes: { xmlns: 'http://www.w3.org/2005/Atom' },
    children: [...atomOf(feedMembers(feed, 'application/atom+xml')), ...feed.entries.map(atomEntry)],
  })
}

function atomEntry(entry: FeedEntry): XmlElement {
  const attributes = { 'xml:lang': entry.language ?? undefined }
  return { name: 'entry', attributes, children: atomOf(entryMembers(entry)) }
}

function atomOf(members: readonly Member[]): readonly XmlElement[] {
  return members.flatMap(({ atom }) => atom ?? [])
}

export function jsonFeed(feed: Feed): string {
  const items = feed.entries.map((entry) => jsonOf(entryMembers(entry)))
  const whole = { ...jsonOf(feedMembers(feed, 'application/feed+json')), items }
  return `${JSON.stringify(whole, null, 2)}\n`
}

function jsonOf(members: readonly Member[]): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...members.map(({ json }) => json))
}

/** `media`: of the format. */
function feedMembers({ title, page, self, author, updated }: Feed, media: string): readonly Member[] {
  return [
    { atom: text('id', self), json: { version: 'https://jsonfeed.org/version/1.1' } },
    { atom: text('title', title), json: { title } },
    { atom: text('updated', updated), json: null },
    { atom: link('self', self, media), json: { feed_url: self } },
    { atom: link('alternate', page, 'text/html'), json: { home_page_url: page } },
    { atom: { name: 'author', children: [text('name', author)] }, json: { authors: [{ name: author }] } },
  ]
}

function entryMembers(entry: FeedEntry): readonly Member[] {
  const { uri, title, page, link: other, summary, published, updated, author, authorPage, language } = entry
  return [
    { atom: text('id', iriOf(uri)), json: { id: uri } },
    { atom: text('title', title), json: { title } },
    ...(published === null
      ? []
      : [{ atom: text('published', published), json: { date_published: published } }]),
    { atom: text('updated', updated), json: { date_modified: updated } },
    { atom: link('alternate', page, 'text/html'), json: { url: page } },
    ...(other === null ? [] : [{ atom: link('related', other), json: { external_url: other } }]),
    {
      atom: { name: 'author', children: [text('name', author), text('uri', authorPage)] },
      json: { authors: [{ name: author, url: authorPage }] },
    },
    // An item of a JSON Feed must have a text.
    {
      atom: summary === null ? null : text('summary', summary),
      json: { content_text: summary ?? title },
    },
    // In Atom, an attribute of the entry.
    { atom: null, json: language === null ? null : { language } },
  ]
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
