/** The bench's questions in the schema that PostGraphile makes of schema.sql and indexes.sql. */
import { sameEverywhere } from '../same-everywhere.ts'
import { byKey, type Group, instant, largest, pairs, rounded } from '../plain.ts'
import type { Question, Questions } from '../question.ts'

const newest = 'orderBy: [INDEXED_AT_DESC, RKEY_DESC, DID_DESC]'
const published = 'orderBy: [PUBLISHED_AT_DESC, RKEY_DESC, DID_DESC]'
const node = 'nodes { title url publishedAt language }'
const french =
  'filter: {language: {equalTo: "fr"}, publishedAt: {greaterThanOrEqualTo: "2020-04-20T00:00:00Z", lessThan: "2020-05-01T00:00:00Z"}}'
const april =
  'filter: {language: {equalTo: "en"}, publishedAt: {greaterThanOrEqualTo: "2020-04-01T00:00:00Z", lessThan: "2020-05-01T00:00:00Z"}}'
const campaign = '{includesInsensitive: "campaign"}'

export const questions: Questions = {
  Q1: {
    query: `{ allArticles(first: 20, ${newest}) { nodes { title url description publishedAt language sourceBySourceId { displayName country } } } }`,
    read: (data) =>
      data.allArticles.nodes.map((it: Article & Outletted & { description: string | null }) => [
        it.title,
        it.url,
        it.description,
        instant(it.publishedAt),
        it.language,
        ...outlet(it),
      ]),
  },
  Q2: {
    pages: 1,
    page: () => `{ allArticles(first: 1, offset: 9999, ${published}) { pageInfo { endCursor } } }`,
    next: (data) => data.allArticles.pageInfo.endCursor,
    queryAfter: (cursor) =>
      `{ allArticles(first: 50, after: "${cursor}", ${published}) { ${node} pageInfo { endCursor } } }`,
    read: rows,
  },
  'Q3 rare': contains('zverev'),
  'Q3 middling': contains('campaign'),
  'Q3 common': contains('coronavirus'),
  'Q3 none': contains('qqqzz'),
  'Q3 two characters': contains('zv'),
  Q4: list(`filter: {or: [{title: ${campaign}}, {description: ${campaign}}]}, ${newest}`),
  Q5: list(`${french}, ${published}`),
  Q6: groups('LANGUAGE'),
  Q7: {
    query:
      '{ allOutletCounts(first: 1000, orderBy: [ARTICLES_DESC, OUTLET_ASC]) { totalCount nodes { outlet articles } } }',
    read: ({ allOutletCounts: { totalCount, nodes } }) => [
      totalCount,
      largest(
        nodes.map((it: { outlet: string; articles: number }) => [it.outlet, it.articles]),
        1000,
      ),
    ],
  },
  Q8: groups('LANGUAGE', `(filter: {title: ${campaign}})`),
  'Q8 many': groups('LANGUAGE', '(filter: {title: {includesInsensitive: "trump"}})'),
  Q9: groups('PUBLISHED_AT_TRUNCATED_TO_MONTH', '', (key) => key?.slice(0, 7) ?? null),
  Q10: {
    query: `{ allArticles(first: 20, ${newest}) { nodes { title enrichmentsByArticleId { nodes { impactLevel sentiment } } } } }`,
    read: (data) =>
      data.allArticles.nodes.map(
        (it: { title: string; enrichmentsByArticleId: { nodes: readonly Enrichment[] } }) => [
          it.title,
          pairs(
            it.enrichmentsByArticleId.nodes.map(({ impactLevel, sentiment }) => [impactLevel, sentiment]),
          ),
        ],
      ),
  },
  Q11: {
    query: `{ allEnrichments(first: 20, filter: {impactLevel: {greaterThanOrEqualTo: 8}}, ${newest}) { nodes { impactLevel articleByArticleId { title sourceBySourceId { displayName country } } } } }`,
    read: (data) =>
      data.allEnrichments.nodes.map(
        (it: Enrichment & { articleByArticleId: (Article & Outletted) | null }) => [
          it.impactLevel,
          it.articleByArticleId?.title ?? null,
          ...outlet(it.articleByArticleId),
        ],
      ),
  },
  Q12: total(french),
  'Q12 many': total(april),
  ...sameEverywhere,
  Q15: {
    query: '{ allOrientationImpacts { nodes { politicalOrientation average } } }',
    read: (data) =>
      byKey(
        data.allOrientationImpacts.nodes.map(
          (it: { politicalOrientation: string | null; average: number }) => [
            it.politicalOrientation,
            rounded(it.average),
          ],
        ),
      ),
  },
  // `enrichmentsByArticleIdExist: false` says the same, in SQL for which PostgreSQL reads all enrichments.
  Q16: list(`filter: {enrichmentsByArticleId: {none: {rowId: {isNull: false}}}}, ${newest}`),
}

interface Article {
  readonly title: string
  readonly url: string
  readonly publishedAt: string | null
  readonly language: string | null
}

interface Outletted {
  readonly sourceBySourceId: { readonly displayName: string | null; readonly country: string | null } | null
}

interface Enrichment {
  readonly impactLevel: number
  readonly sentiment: string | null
}

function contains(needle: string): Question {
  return list(`filter: {title: {includesInsensitive: "${needle}"}}, ${newest}`)
}

function list(options: string): Question {
  return { query: `{ allArticles(first: 20, ${options}) { ${node} } }`, read: rows }
}

function rows(data: { readonly allArticles: { readonly nodes: readonly Article[] } }): unknown {
  return data.allArticles.nodes.map((it) => [it.title, it.url, instant(it.publishedAt), it.language])
}

/** Counts come as texts, since a bigint may be larger than a number. */
function total(filter: string): Question {
  return { query: `{ allArticles(${filter}) { totalCount } }`, read: (data) => data.allArticles.totalCount }
}

function groups(by: string, filter = '', key: (key: string | null) => string | null = (it) => it): Question {
  return {
    query: `{ allArticles${filter} { groupedAggregates(groupBy: [${by}]) { keys count { rowId } } } }`,
    read: (data) =>
      byKey(
        data.allArticles.groupedAggregates.map(
          (it: { keys: readonly [string | null]; count: { rowId: string } }): Group => [
            key(it.keys[0]),
            Number(it.count.rowId),
          ],
        ),
      ),
  }
}

function outlet(it: Outletted | null): readonly (string | null)[] {
  return [it?.sourceBySourceId?.displayName ?? null, it?.sourceBySourceId?.country ?? null]
}
