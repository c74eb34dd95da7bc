/** A list of records as Atom (RFC 4287). */
import { escapeXml } from '../escape-xml.ts'

/** `page`, `self`: whole addresses of the page, and of the feed itself. `updated`: RFC 3339. */
type FeedHead = Readonly<Record<'title' | 'page' | 'self' | 'author' | 'updated', string>>

export function atomFeed(head: FeedHead, entries: readonly string[]): string {
  const root = element('feed', { xmlns: 'http://www.w3.org/2005/Atom' }, [
    text('id', head.self),
    text('title', head.title),
    text('updated', head.updated),
    link('self', head.self, 'application/atom+xml'),
    link('alternate', head.page, 'text/html'),
    element('author', {}, [text('name', head.author)]),
    ...entries,
  ])
  return `<?xml version="1.0" encoding="utf-8"?>\n${root}\n`
}

/** A DID has colons, which may not be in the authority of an IRI. */
export function iriOf(uri: string): string {
  const [, did = '', rest = ''] = /^at:\/\/([^/]*)(.*)$/.exec(uri) ?? []
  return `at://${did.replaceAll('%', '%25').replaceAll(':', '%3A')}${rest}`
}

/** Null without a content, which is escaped. */
export function text(name: string, content: string | null): string | null {
  return content === null ? null : `<${name}>${escapeXml(content)}</${name}>`
}

export function link(rel: string, href: string, type: string | null): string {
  return `<link${attributesText({ rel, type, href })}></link>`
}

/** `children`: elements as XML; null for one that is left out. */
export function element(name: string, attributes: Attributes, children: readonly (string | null)[]): string {
  const inner = children.filter((each) => each !== null).join('\n')
  return `<${name}${attributesText(attributes)}>\n${inner}\n</${name}>`
}

/** Those that are null are left out. */
type Attributes = Readonly<Record<string, string | null>>

function attributesText(attributes: Attributes): string {
  const given = Object.entries(attributes)
  return given.map(([name, value]) => (value === null ? '' : ` ${name}="${escapeXml(value)}"`)).join('')
}
