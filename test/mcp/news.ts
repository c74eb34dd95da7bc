/** The corpus that is asked about, in the words of the reference evaluator: what the right answers are made from. */
import type { DemoRecord } from '../../demo/record.ts'
import { newsLexicons } from '../golden/corpora.ts'
import { createReference, type Reference } from '../reference/reference.ts'
import { parseInstant } from '../reference/values.ts'
import { withStories } from '../reference/words/stories.ts'
import type { PlainRecord } from '../reference/dataset.ts'

export const article = 'tech.service.news.article'
export const enrichment = 'tech.service.news.enrichment'
export const source = 'tech.service.news.source'

export interface News {
  readonly reference: Reference
  /** When the newest records were made. */
  readonly now: Date
  /** The name of the outlet of an article or of the article that is analysed. */
  readonly outletOf: (record: PlainRecord) => string
  readonly articleOf: (analysis: PlainRecord) => PlainRecord
  readonly analysesOf: (article: PlainRecord) => readonly PlainRecord[]
}

export function readNews(records: readonly DemoRecord[], now: Date): News {
  const { documents, references, stories = {} } = newsLexicons
  const reference = createReference(documents, references, withStories(records.map(plain), stories), stories)
  const articleOf = ({ value }: PlainRecord) => known(reference.resolve(value.article.uri))
  const outletOf = (record: PlainRecord): string => {
    const { value } = record.collection === enrichment ? articleOf(record) : record
    return known(reference.resolve(value.source.uri)).value.displayName
  }
  const analyses = Map.groupBy(
    reference.records.filter(({ collection }) => collection === enrichment),
    ({ value }): string => value.article.uri,
  )
  return { reference, now, articleOf, outletOf, analysesOf: ({ uri }) => analyses.get(uri) ?? [] }
}

function plain({ uri, cid, rev, indexedAt, value }: DemoRecord): PlainRecord {
  const [, , did = '', collection = '', rkey = ''] = uri.split('/')
  const at = parseInstant(indexedAt)
  return { uri, cid, rev, did, collection, rkey, indexedAt: at, changedAt: at, value }
}

export function known<Thing>(thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined) throw new Error('The corpus lacks what a question rests on.')
  return thing
}
