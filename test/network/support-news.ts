/** Records of the lexicons that come with the package, with only the members that matter to a test. */
import type { Json } from '../reference/shapes.ts'
import type { Written } from './network.ts'

export const collections = {
  source: 'tech.service.news.source',
  article: 'tech.service.news.article',
  enrichment: 'tech.service.news.enrichment',
} as const

export type Strong = Pick<Written, 'uri' | 'cid'>

const createdAt = '2026-11-16T12:00:00.000Z'

export function outlet(displayName: string, more: Json = {}): Json {
  const baseUrl = 'https://outlet.example'
  return { $type: collections.source, displayName, baseUrl, createdAt, ...more }
}

export function article(title: string, source: Strong, more: Json = {}): Json {
  const url = 'https://outlet.example/story'
  return { $type: collections.article, title, url, source: strong(source), createdAt, ...more }
}

export function enrichment(summary: string, of: Strong, more: Json = {}): Json {
  return {
    $type: collections.enrichment,
    summary,
    article: strong(of),
    model: 'a/reader',
    createdAt,
    ...more,
  }
}

let unfits = 0

/** No record of the lexicon: it has no title. Each is another, since a PDS that deletes one of two alike loses both. */
export function unfit(source: Strong): Json {
  unfits += 1
  const { title: _, ...rest } = article('', source, { guid: `unfit ${unfits}` })
  return rest
}

export function strong({ uri, cid }: Strong): Strong {
  return { uri, cid }
}

export function rkeyOf(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}
