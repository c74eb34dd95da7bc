/** The bench's questions in schema.graphql. */
import { sameEverywhere } from '../same-everywhere.ts'
import { byKey, type Group, largest, pairs, rounded } from '../plain.ts'
import type { Question, Questions } from '../question.ts'

const node = 'nodes { title url publishedAt language }'
const french = 'where: {language: "fr", publishedFrom: "2020-04-20", publishedBefore: "2020-05-01"}'
const april = 'where: {language: "en", publishedFrom: "2020-04-01", publishedBefore: "2020-05-01"}'

export const questions: Questions = {
  Q1: {
    query:
      '{ articles(first: 20) { nodes { title url description publishedAt language outlet { displayName country } } } }',
    read: (data) =>
      data.articles.nodes.map((it: Article) => [
        it.title,
        it.url,
        it.description,
        it.publishedAt,
        it.language,
        ...outlet(it),
      ]),
  },
  Q2: {
    pages: 1,
    page: () => '{ articles(first: 10000, order: PUBLISHED) { endCursor } }',
    next: (data) => data.articles.endCursor,
    queryAfter: (cursor) =>
      `{ articles(first: 50, after: "${cursor}", order: PUBLISHED) { ${node} endCursor } }`,
    read: rows,
  },
  'Q3 rare': contains('zverev'),
  'Q3 middling': contains('campaign'),
  'Q3 common': contains('coronavirus'),
  'Q3 none': contains('qqqzz'),
  'Q3 two characters': contains('zv'),
  Q4: list('where: {textContains: "campaign"}'),
  Q5: list(`order: PUBLISHED, ${french}`),
  Q6: groups('articlesByLanguage'),
  Q7: {
    query: '{ articlesByOutlet(first: 1000) { count groups { outlet articles } } }',
    read: ({ articlesByOutlet: { count, groups: found } }) => [
      count,
      largest(
        found.map((it: { outlet: string; articles: number }): Group => [it.outlet, it.articles]),
        1000,
      ),
    ],
  },
  Q8: groups('articlesByLanguage', '(where: {titleContains: "campaign"})'),
  'Q8 many': groups('articlesByLanguage', '(where: {titleContains: "trump"})'),
  Q9: groups('articlesByMonth'),
  Q10: {
    query: '{ articles(first: 20) { nodes { title enrichments { impactLevel sentiment } } } }',
    read: (data) =>
      data.articles.nodes.map((it: Article) => [
        it.title,
        pairs(it.enrichments.map(({ impactLevel, sentiment }) => [impactLevel, sentiment])),
      ]),
  },
  Q11: {
    query:
      '{ enrichments(first: 20, minImpact: 8) { impactLevel article { title outlet { displayName country } } } }',
    read: (data) =>
      data.enrichments.map((it: Enrichment) => [
        it.impactLevel,
        it.article?.title ?? null,
        ...outlet(it.article),
      ]),
  },
  Q12: total(french),
  'Q12 many': total(april),
  ...sameEverywhere,
  Q15: {
    query: '{ impactByOrientation { politicalOrientation average } }',
    read: (data) =>
      byKey(
        data.impactByOrientation.map(
          (it: { politicalOrientation: string | null; average: number | null }): Group => [
            it.politicalOrientation,
            rounded(it.average),
          ],
        ),
      ),
  },
  Q16: list('where: {enriched: false}'),
}

interface Article {
  readonly title: string
  readonly url: string
  readonly description: string | null
  readonly publishedAt: string | null
  readonly language: string | null
  readonly outlet: { readonly displayName: string | null; readonly country: string | null } | null
  readonly enrichments: readonly Enrichment[]
}

interface Enrichment {
  readonly impactLevel: number
  readonly sentiment: string | null
  readonly article: Article | null
}

function contains(needle: string): Question {
  return list(`where: {titleContains: "${needle}"}`)
}

function list(options: string): Question {
  return { query: `{ articles(first: 20, ${options}) { ${node} } }`, read: rows }
}

function rows(data: { readonly articles: { readonly nodes: readonly Article[] } }): unknown {
  return data.articles.nodes.map((it) => [it.title, it.url, it.publishedAt, it.language])
}

function total(filter: string): Question {
  return { query: `{ articles(${filter}) { totalCount } }`, read: (data) => data.articles.totalCount }
}

function groups(field: string, options = ''): Question {
  return {
    query: `{ ${field}${options} { key count } }`,
    read: (data) =>
      byKey(data[field].map((it: { key: string | null; count: number }): Group => [it.key, it.count])),
  }
}

function outlet(it: Article | null): readonly (string | null)[] {
  return [it?.outlet?.displayName ?? null, it?.outlet?.country ?? null]
}
