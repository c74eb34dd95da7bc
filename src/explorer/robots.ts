/** `robots.txt` and the sitemap: which addresses crawlers leave alone, and which pages there are. */
import { collectionAddress, withParameter } from './addresses.ts'
import { languages } from './languages/language.ts'
import { instantOf, type Site } from './page.ts'

/** Views with filters are without number, and programs have better ways to the data. */
const disallowed = ['/api/', '/export/', '/mcp', '/embed/', '/*?', '/*/feed.atom', '/*/feed.json']

export function robotsText({ operator: { origin } }: Site): string {
  return [
    'User-agent: *',
    ...disallowed.map((path) => `Disallow: ${path}`),
    'Allow: /*?lang=',
    ...(origin === null ? [] : ['', `Sitemap: ${origin}/sitemap.xml`]),
    '',
  ].join('\n')
}

export async function sitemapText({
  operator: { origin },
  subjects,
  readIndex,
}: Site): Promise<string | null> {
  if (origin === null) return null
  const index = await readIndex().catch(() => null)
  const newest = new Map(index?.collections.map(({ name, newestIndexedAt }) => [name, newestIndexedAt]))
  const pages = [
    entry(origin, '/', null),
    ...subjects.all.map(({ collection: { nsid } }) =>
      entry(origin, collectionAddress(nsid), newest.get(nsid) ?? null),
    ),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${pages.join('\n')}
</urlset>
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
