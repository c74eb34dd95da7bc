/** What bench/analysis/analysis.ts asks, and what it may take. */

export interface Question {
  readonly name: string
  readonly query: string
  readonly limit: Limit
}

export type Limit =
  | { readonly kind: 'ms'; readonly most: number }
  /** So many times as long as another query. */
  | { readonly kind: 'times'; readonly most: number; readonly of: string }

const article = 'techServiceNewsArticleAggregate'
const enrichment = 'techServiceNewsEnrichmentAggregate'
const weeks = 'publishedAt: {gte: "2020-04-06", lt: "2020-06-01"}'
/** It has 22,000 enrichments with 118,000 entities. */
const week = 'createdAt: {gte: "2020-05-08", lt: "2020-05-15"}'
/** Groups by the elements of an array, under an equality that many records meet, or few. */
const arrays: readonly (readonly [name: string, field: string, key: string, condition: string])[] = [
  ['topics, every record', enrichment, 'topics', 'model: {eq: "synthetic-1"}'],
  ['topics, 94,000 in English', enrichment, 'topics', 'language: {eq: "en"}'],
  ['topics, 17,800 in French', enrichment, 'topics', 'language: {eq: "fr"}'],
  ['topics, 13,000 of an impact', enrichment, 'topics', 'impactLevel: {eq: 3}'],
  ['tags, 149,000 in English', article, 'tags', 'language: {eq: "en"}'],
  ['tags, 28,000 in French', article, 'tags', 'language: {eq: "fr"}'],
  ['tags, 47,000 of a section', article, 'tags', 'section: {eq: "sports"}'],
  ['tags, of no record', article, 'tags', 'url: {eq: "https://example.com/"}'],
]

export const questions: readonly Question[] = [
  {
    name: 'share by month',
    query: `{ ${article}(denominator: {}, groupBy: [publishedAt_month]) { groups { publishedAt_month count total share } } }`,
    limit: { kind: 'ms', most: 3 },
  },
  {
    name: 'share by month, 149,000 in English',
    query: `{ ${article}(where: {language: {eq: "en"}}, denominator: {}, groupBy: [publishedAt_month]) { groups { publishedAt_month count total share } } }`,
    limit: { kind: 'ms', most: 3 },
  },
  // Nearly all articles are of these eight weeks.
  {
    name: 'share of a topic by outlet and week, 20 outlets',
    query: `{ ${article}(search: "lockdown", where: {${weeks}}, denominator: {${weeks}}, groupBy: [source], limit: 20) {
      groups { source share top(groupBy: [publishedAt_week], limit: 8) { publishedAt_week count total share } } } }`,
    limit: { kind: 'ms', most: 60 },
  },
  ...arrays.map(
    ([name, field, key, condition]): Question => ({
      name: `grouping by ${name}`,
      query: `{ ${field}(where: {${condition}}, groupBy: [${key}]) { groups { ${key} count } } }`,
      limit: {
        kind: 'times',
        most: 1.5,
        of: `{ ${field}(groupBy: [${key}]) { groups { ${key} count } } }`,
      },
    }),
  ),
  {
    name: 'pairs of topics over 132,000 enrichments',
    query: `{ ${enrichment} { pairs(field: topics, limit: 20) { values count } } }`,
    limit: { kind: 'ms', most: 400 },
  },
  {
    name: 'entities of a week',
    query: `{ ${enrichment}(where: {${week}}, groupBy: [entities_name], limit: 20) { groups { entities_name count } } }`,
    limit: { kind: 'ms', most: 40 },
  },
  {
    name: 'persons of a week',
    query: `{ ${enrichment}(where: {${week}, entities: {some: {type: {eq: "person"}}}}, groupBy: [entities_name], limit: 20) { groups { entities_name count } } }`,
    limit: { kind: 'ms', most: 40 },
  },
  {
    name: 'countries of places of a week',
    query: `{ ${enrichment}(where: {${week}}, groupBy: [locations_country], limit: 20) { groups { locations_country count } } }`,
    limit: { kind: 'ms', most: 40 },
  },
  ...['sentiment', 'language', 'emotionalTone'].map(
    (key): Question => ({
      name: `median by ${key}`,
      query: `{ ${enrichment}(groupBy: [${key}]) { groups { ${key} median { impactLevel } } } }`,
      limit: {
        kind: 'times',
        most: 1.5,
        of: `{ ${enrichment}(groupBy: [${key}]) { groups { ${key} avg { impactLevel } } } }`,
      },
    }),
  ),
]
