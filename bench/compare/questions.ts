/**
 * The questions that systems are compared by, as Lexigraph is asked them. bench/peers/README.md tells each of them and
 * the plain form that the answers of all systems are brought into. No system is known here.
 */
import { byKey, type Group, instant, largest, pairs, recordKey, rounded } from '../peers/plain.ts'
import type { DeepQuestion, Name, Question, Read } from '../peers/question.ts'
import { sameEverywhere } from '../peers/same-everywhere.ts'

export type { DeepQuestion, Question, Unable } from '../peers/question.ts'

/** Beside those that peers are asked, the first page of the list whose depths Q2 reads. */
export type QuestionName = Name | 'Q2 first'

export const titles: Readonly<Record<QuestionName, string>> = {
  Q1: 'newest 20 with outlet',
  'Q2 first': '50 rows by publishedAt, first page',
  Q2: '50 rows by publishedAt, 10,000 deep',
  'Q3 rare': 'contains, a rare word',
  'Q3 middling': 'contains, a middling word',
  'Q3 common': 'contains, a very common word',
  'Q3 none': 'contains, no match',
  'Q3 two characters': 'contains, two characters',
  Q4: 'contains in title or description',
  Q5: 'language and date range, newest 20',
  Q6: 'count by language',
  Q7: 'count by outlet, the first 1,000',
  Q8: 'count by language where the title contains a word of 300',
  'Q8 many': 'the same, a word of 3,700',
  Q9: 'count by month',
  Q10: 'newest 20 with their enrichments',
  Q11: 'enrichments of impact 8 and more, with article and outlet',
  Q12: 'total under a filter, 8,000 records',
  'Q12 many': 'the same, 43,000',
  Q13: 'introspection',
  Q14: '`{__typename}`',
  Q15: "average impact by the outlet's orientation",
  Q16: 'articles without any enrichment',
}

export const names = Object.keys(titles) as readonly QuestionName[]

/** What an answer's `data` is taken for; leaves are strings, numbers or null. */
interface Tree {
  readonly [name: string]: Tree | undefined
}

const list = 'techServiceNewsArticle'
const aggregate = `${list}Aggregate`
const enrichments = 'techServiceNewsEnrichment'
const row = 'edges { node { title url publishedAt language } }'
const byTime = 'sortBy: [{field: publishedAt, direction: DESC}]'
const outlet = 'sourceResolved { ... on TechServiceNewsSource { displayName country } }'
const april = 'language: {eq: "en"}, publishedAt: {gte: "2020-04-01", lt: "2020-05-01"}'
const french = 'language: {eq: "fr"}, publishedAt: {gte: "2020-04-20", lt: "2020-05-01"}'

export const questions: Readonly<Record<QuestionName, Question | DeepQuestion>> = {
  Q1: {
    query: `{ ${list}(first: 20) { edges { node { title url description publishedAt language ${outlet} } } } }`,
    read: (data) =>
      nodes(data).map((it) => {
        const { title, url, description = null, publishedAt, language = null } = it
        return [title, url, description, time(publishedAt), language, ...outletOf(it)]
      }),
  },
  'Q2 first': { query: page(50, null, `${row} pageInfo { endCursor }`), read: rows },
  Q2: deep(10_000),
  'Q3 rare': contains('zverev'),
  'Q3 middling': contains('campaign'),
  'Q3 common': contains('coronavirus'),
  'Q3 none': contains('qqqzz'),
  'Q3 two characters': contains('zv'),
  Q4: where('OR: [{title: {contains: "campaign"}}, {description: {contains: "campaign"}}]'),
  Q5: where(french, `, ${byTime}`),
  Q6: groupsBy('language', (data) => byKey(groups(data, 'language'))),
  Q7: {
    query: `{ ${aggregate}(groupBy: [source], limit: 1000) { groupCount groups { source count } } }`,
    read: (data) => {
      const found = groups(data, 'source').map(([uri, count]): Group => [uri && recordKey(uri), count])
      return [data[aggregate].groupCount, largest(found, 1_000)]
    },
  },
  Q8: byLanguage('campaign'),
  'Q8 many': byLanguage('trump'),
  Q9: groupsBy('publishedAt_month', (data) =>
    byKey(
      groups(data, 'publishedAt_month').map(([month, count]): Group => [month && month.slice(0, 7), count]),
    ),
  ),
  Q10: {
    query: `{ ${list}(first: 20) { edges { node { title ${enrichments}ViaArticle { nodes { impactLevel sentiment } } } } } }`,
    read: (data) =>
      nodes(data).map((it) => {
        const found = items(it[`${enrichments}ViaArticle`]?.nodes)
        return [it.title, pairs(found.map((one) => [Number(one.impactLevel), string(one.sentiment)]))]
      }),
  },
  Q11: {
    query: `{ ${enrichments}(first: 20, where: {impactLevel: {gte: 8}}) { edges { node { impactLevel articleResolved { ... on TechServiceNewsArticle { title ${outlet} } } } } } }`,
    read: (data) =>
      items(data[enrichments].edges).map(({ node }) => {
        const article = node?.articleResolved
        return [node?.impactLevel, article?.title ?? null, ...outletOf(article)]
      }),
  },
  Q12: total(french),
  'Q12 many': total(april),
  ...sameEverywhere,
  Q15: {
    query: `{ ${enrichments}Aggregate(groupBy: [article_source_politicalOrientation]) { groups { article_source_politicalOrientation avg { impactLevel } } } }`,
    read: (data) =>
      byKey(
        items(data[`${enrichments}Aggregate`].groups).map((it): Group => {
          const average = it.avg?.impactLevel ?? null
          return [
            string(it.article_source_politicalOrientation),
            rounded(average === null ? null : Number(average)),
          ]
        }),
      ),
  },
  Q16: where(`${enrichments}ViaArticle: {none: {}}`),
}

/** Those that are called so, or whose name begins with one of the words: `Q3` means all of Q3. */
export function chosen(words: readonly string[]): readonly QuestionName[] {
  if (words.length === 0) return names
  const found = names.filter((name) => words.some((word) => name === word || name.startsWith(`${word} `)))
  if (found.length > 0) return found
  throw new Error(`No question is called ${words.join(' or ')}; there are ${names.join(', ')}.`)
}

/** The document of a question that needs no cursor. */
export function documentOf(name: QuestionName): string {
  const question = questions[name]
  if ('query' in question) return question.query
  throw new Error(`${name} is asked behind a cursor.`)
}

/** The page of 50 behind so many records. */
export function deep(records: number): DeepQuestion {
  const pages = 10
  return {
    pages,
    page: (cursor) => page(records / pages, cursor, 'pageInfo { endCursor }'),
    next: (data) => data[list].pageInfo.endCursor,
    queryAfter: (cursor) => page(50, cursor, `${row} pageInfo { endCursor }`),
    read: rows,
  }
}

function page(first: number, cursor: string | null, selection: string): string {
  const after = cursor === null ? '' : `, after: ${JSON.stringify(cursor)}`
  return `{ ${list}(first: ${first}, ${byTime}${after}) { ${selection} } }`
}

function contains(needle: string): Question {
  return where(`title: {contains: "${needle}"}`)
}

function where(condition: string, order = ''): Question {
  return { query: `{ ${list}(first: 20${order}, where: {${condition}}) { ${row} } }`, read: rows }
}

function byLanguage(needle: string): Question {
  const condition = `, where: {title: {contains: "${needle}"}}`
  return groupsBy('language', (data) => byKey(groups(data, 'language')), condition)
}

function total(condition: string): Question {
  return {
    query: `{ ${list}(where: {${condition}}) { totalCount } }`,
    read: (data) => data[list].totalCount,
  }
}

function groupsBy(key: string, read: Read, condition = ''): Question {
  return {
    query: `{ ${aggregate}(groupBy: [${key}]${condition}, limit: 1000) { groups { ${key} count } } }`,
    read,
  }
}

function rows(data: Tree): unknown {
  return nodes(data).map((it) => [it.title, it.url, time(it.publishedAt), it.language ?? null])
}

function nodes(data: Tree): readonly Tree[] {
  return items(data[list]?.edges).map(({ node }) => node ?? {})
}

function groups(data: Tree, key: string): readonly Group[] {
  return items(data[aggregate]?.groups).map((group): Group => [string(group[key]), Number(group.count)])
}

function outletOf(article: Tree | null | undefined): readonly unknown[] {
  const found = article?.sourceResolved
  return [found?.displayName ?? null, found?.country ?? null]
}

function items(value: unknown): readonly Tree[] {
  return Array.isArray(value) ? value : []
}

function string(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function time(value: unknown): string | null {
  return instant(string(value))
}
