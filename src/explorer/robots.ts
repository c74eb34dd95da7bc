/** `robots.txt` and the sitemaps: which addresses crawlers leave alone, and which pages there are. */
import { collectionAddress, recordAddress, withParameter } from './addresses.ts'
import type { PageSubject } from './fields/subject.ts'
import { languages } from './languages/language.ts'
import { leaves } from '../ask/graphql-text.ts'
import { buildOperation, type Operation } from '../ask/operation.ts'
import { type FileDraft, type IndexState, instantOf, type Site } from './page.ts'

/** Views with filters are without number, and programs have better ways to the data. */
const disallowed = ['/api/', '/export/', '/mcp', '/embed/', '/*?', '/*/feed.atom', '/*/chart.']

export function robotsText({ operator: { origin } }: Site): string {
  return [
    'User-agent: *',
    ...disallowed.map((path) => `Disallow: ${path}`),
    'Allow: /*?lang=',
    ...(origin === null ? [] : ['', `Sitemap: ${origin}${sitemapPaths.index}`]),
    '',
  ].join('\n')
}

/** The sitemaps that name no records. */
export type Sitemap = keyof typeof sitemapPaths
const sitemapPaths = { index: '/sitemap.xml', pages: '/sitemap-pages.xml' } as const

/** XML; null where the public address is not known. `index`: null if its state is not known. */
export function sitemapText(
  { operator: { origin }, subjects }: Pick<Site, 'operator' | 'subjects'>,
  sitemap: Sitemap,
  index: IndexState | null,
): string | null {
  if (origin === null) return null
  const newest = new Map(index?.collections.map(({ name, newestIndexedAt }) => [name, newestIndexedAt]))
  const changed = (nsid: string): bigint | null => newest.get(nsid) ?? null
  const nsids = subjects.all.map(({ collection: { nsid } }) => nsid)
  if (sitemap === 'pages')
    return urlSet([
      entry(origin, '/', null),
      ...nsids.map((nsid) => entry(origin, collectionAddress(nsid), changed(nsid))),
    ])
  // Without the state of the index, any collection may have records.
  const filled = nsids.filter((nsid) => index === null || changed(nsid) !== null)
  // Below no folder, because a sitemap may only name addresses in its own.
  const paths = [sitemapPaths.pages, ...filled.map((nsid) => `/sitemap-${nsid}.xml`)]
  const entries = paths.map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>`)
  return xml('sitemapindex', entries)
}

/** The NSID in the path of a sitemap of records; null of any other path. */
export function nsidOfSitemap(part: string): string | null {
  return /^sitemap-([^/]+)\.xml$/.exec(part)?.[1] ?? null
}

/** Records of a sitemap, and of a page of them: a crawler pays a point for each page. */
const mostRecords = 5_000
const pageSize = 100

interface RecordsPage {
  readonly nodes: readonly { readonly uri: string; readonly changedAt: string }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

/** The newest records of a collection. */
export function recordsSitemap({ schema }: Site, { collection }: PageSubject, origin: string): FileDraft {
  const pageAfter = (after: string | null): Operation =>
    buildOperation(schema, 'Sitemap', [
      {
        name: 'list',
        field: collection.rootField,
        arguments: { first: pageSize, after },
        selection: { nodes: leaves('uri', 'changedAt'), pageInfo: leaves('hasNextPage', 'endCursor') },
      },
    ])
  return {
    media: 'application/xml; charset=utf-8',
    operation: pageAfter(null),
    async write(answer, ask) {
      const entries: string[] = []
      for (let page = answer['list'] as RecordsPage; ; ) {
        for (const { uri, changedAt } of page.nodes) {
          const address = recordAddress(uri)
          if (address !== null)
            entries.push(`<url><loc>${origin}${address}</loc><lastmod>${changedAt}</lastmod></url>`)
        }
        const { hasNextPage, endCursor } = page.pageInfo
        if (!hasNextPage || entries.length >= mostRecords) return urlSet(entries)
        page = (await ask(pageAfter(endCursor)))['list'] as RecordsPage
      }
    },
  }
}

function urlSet(entries: readonly string[]): string {
  return xml('urlset', entries, ' xmlns:xhtml="http://www.w3.org/1999/xhtml"')
}

function xml(name: string, entries: readonly string[], attributes = ''): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<${name} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${attributes}>
${entries.join('\n')}
</${name}>
`
}

/** `changed`: microseconds since 1970. Addresses of collections have no characters that XML escapes. */
function entry(origin: string, address: string, changed: bigint | null): string {
  const day = changed === null ? null : instantOf(changed).slice(0, 10)
  return [
    `<url><loc>${origin}${address}</loc>`,
    ...languages.map(
      ({ tag }) =>
        `<xhtml:link rel="alternate" hreflang="${tag}" href="${origin}${withParameter(address, 'lang', tag)}"/>`,
    ),
    ...(day === null ? [] : [`<lastmod>${day}</lastmod>`]),
    '</url>',
  ].join('')
}
