/** The outlets as records. */
import { outlets, type Outlet } from './outlets.ts'
import { buildRecord, type DemoRecord, formatInstant } from './record.ts'
import { languagePack } from './languages.ts'

export interface Source {
  readonly outlet: Outlet
  readonly record: DemoRecord
}

const feedKinds = [
  ['rss', 'feed.xml'],
  ['atom', 'atom.xml'],
  ['json-feed', 'feed.json'],
  ['news-sitemap', 'sitemap-news.xml'],
  ['html', 'latest'],
] as const

export function buildSources(): Source[] {
  return outlets.map((outlet, index) => {
    const createdAt = Date.UTC(2026, 8, 14, 8, index, 0)
    const baseUrl = `https://www.${outlet.slug}.example`
    const record = buildRecord(
      outlet.repository,
      'tech.service.news.source',
      `${outlet.slug}.example`,
      createdAt + 2000,
      {
        displayName: outlet.name,
        baseUrl,
        domain: `${outlet.slug}.example`,
        description: outlet.about,
        country: outlet.country,
        region: outlet.region,
        language: outlet.language,
        languages:
          outlet.mediaType === 'news-agency' && outlet.language !== 'en'
            ? [outlet.language, 'en']
            : [outlet.language],
        mediaType: outlet.mediaType,
        politicalOrientation: outlet.orientation,
        orientationRater: outlet.orientation && 'https://ratings.example/outlets',
        logoUrl: index % 3 === 0 ? `${baseUrl}/logo.svg` : undefined,
        feeds: buildFeeds(outlet, baseUrl, index),
        active: !outlet.closed,
        createdAt: formatInstant(createdAt),
        updatedAt: outlet.closed ? formatInstant(Date.UTC(2026, 10, 2, 17, 30)) : undefined,
      },
    )
    return { outlet, record }
  })
}

function buildFeeds(outlet: Outlet, baseUrl: string, index: number): object[] {
  const { sections } = languagePack(outlet.language)
  const [firstKind, firstPath] = feedKinds[index % 5] ?? feedKinds[0]
  const feeds: object[] = [{ url: `${baseUrl}/${firstPath}`, kind: firstKind, language: outlet.language }]
  if (index % 2 === 0) {
    const [kind, path] = feedKinds[(index + 2) % 5] ?? feedKinds[0]
    feeds.push({
      url: `${baseUrl}/politics/${path}`,
      kind,
      section: sections.politics,
      language: outlet.language,
    })
  }
  return feeds
}
