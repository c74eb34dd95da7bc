/**
 * The questions that systems are compared by: what is asked, and the plain form that answers of all systems are
 * brought into. `questions` asks them of Lexigraph; a peer's `questions.ts` has its own under the same names, and
 * null with a word why for what it cannot express. No system is known here.
 *
 * In plain forms a missing value is null, an instant is milliseconds since 1970, a record is the list of the fields
 * named here in that order, and lists have the order of the answer unless it is said otherwise.
 */
import { questions as documents } from '../questions.ts'

/** What an answer's `data` is taken for; leaves are strings, numbers, booleans or null. */
export interface Tree {
  readonly [name: string]: Tree | undefined
}

/** Asks the system itself, for what must be known before a question can be put, such as a cursor. */
export type Ask = (query: string) => Promise<Tree>

export interface Question {
  readonly query: string | ((ask: Ask) => Promise<string>)
  /** Brings the answer's data into the plain form. */
  readonly read: (data: Tree) => unknown
}

export type QuestionName = keyof typeof titles

export const titles = {
  Q1: 'newest 20 with outlet',
  'Q2 first': '50 rows by publishedAt, first page',
  Q2: '50 rows by publishedAt, 10,000 deep',
  'Q3 rare': 'contains, a rare word',
  'Q3 middling': 'contains, a middling word',
  'Q3 common': 'contains, a very common word',
  'Q3 none': 'contains, no match',
  'Q3 two': 'contains, two characters',
  Q4: 'contains in title or description',
  Q5: 'language and date range, newest 20',
  Q6: 'count by language',
  Q7: 'count by outlet, the first 1,000',
  Q8: 'count by language where the title contains',
  Q9: 'count by month',
  Q10: 'newest 20 with their enrichments',
  Q11: 'enrichments of impact 8 and more, with article and outlet',
  Q12: 'total under a filter',
  Q13: 'introspection',
  Q14: '{__typename}',
  Q15: "average impact by the outlet's orientation",
  Q16: 'articles without any enrichment',
} as const

export const names = Object.keys(titles) as readonly QuestionName[]

const list = 'techServiceNewsArticle'
const aggregate = `${list}Aggregate`
const row = 'edges { node { title url publishedAt language } }'
const byTime = 'sortBy: [{field: publishedAt, direction: DESC}]'

export const questions: Readonly<Record<QuestionName, Question>> = {
  /** [title, url, description, publishedAt, language, [displayName, country] or null] */
  Q1: {
    query: given('newest 20 with outlet'),
    read: (data) =>
      nodes(data).map((it) => {
        const { title, url, description = null, publishedAt, language = null } = it
        return [title, url, description, instant(publishedAt), language, outlet(it)]
      }),
  },
  /** [title, url, publishedAt, language]; by publishedAt, indexedAt and key, each the latest first */
  'Q2 first': { query: `{ ${list}(first: 50, ${byTime}) { ${row} } }`, read: rows },
  /** The same fields; records 10,001 to 10,050. */
  Q2: { query: deepPage, read: rows },
  /** [title, url, publishedAt, language] of the newest 20; so are all of Q3 and Q4 */
  'Q3 rare': { query: given('contains, rare'), read: rows },
  'Q3 middling': { query: given('contains, middling'), read: rows },
  'Q3 common': { query: given('contains, very common'), read: rows },
  'Q3 none': { query: given('contains, no match'), read: rows },
  'Q3 two': { query: given('contains, two characters'), read: rows },
  Q4: { query: given('contains in title or description'), read: rows },
  /** [title, url, publishedAt, language]; order as in Q2 */
  Q5: { query: given('language and date range, newest 20'), read: rows },
  /** [language, count], sorted with `sorted` */
  Q6: { query: given('count by language'), read: (data) => sorted(groups(data, 'language')) },
  /** [groupCount, [[outlet's URI, count]…]]: the largest first, equals by URI, at most 1,000 */
  Q7: {
    query: given('count by outlet'),
    read: (data) => [data[aggregate]?.groupCount, groups(data, 'source')],
  },
  /** [language, count], sorted with `sorted` */
  Q8: { query: given('count by language, title contains'), read: (data) => sorted(groups(data, 'language')) },
  /** ['2020-04', count], sorted with `sorted` */
  Q9: {
    query: given('count by month'),
    read: (data) =>
      sorted(
        groups(data, 'publishedAt_month').map(([month, count]) => [
          month === null ? null : String(month).slice(0, 7),
          count,
        ]),
      ),
  },
  /** [title, [[impactLevel, sentiment]…]], the inner list sorted with `sorted` */
  Q10: {
    query: given('newest 20 with enrichments'),
    read: (data) =>
      nodes(data).map((it) => {
        const found = items(it.techServiceNewsEnrichmentViaArticle?.nodes)
        return [it.title, sorted(found.map((one) => [one.impactLevel ?? null, one.sentiment ?? null]))]
      }),
  },
  /** [impactLevel, title of the article or null, [displayName, country] or null] of the newest 20 */
  Q11: {
    query: given('enrichments of impact 8 with article and outlet'),
    read: (data) =>
      items(data.techServiceNewsEnrichment?.edges).map(({ node }) => {
        const article = node?.articleResolved
        return [node?.impactLevel, article?.title ?? null, article ? outlet(article) : null]
      }),
  },
  /** The number */
  Q12: { query: given('total under a filter'), read: (data) => data[list]?.totalCount },
  /** Whether there is a schema: each system has its own. */
  Q13: { query: introspection(), read: (data) => items(data.__schema?.types).length > 0 },
  /** The name of the root type */
  Q14: { query: given('__typename'), read: (data) => data.__typename },
  /** [orientation, enrichments, average rounded to 6 places], sorted with `sorted` */
  Q15: {
    query:
      '{ techServiceNewsEnrichmentAggregate(groupBy: [article_source_politicalOrientation]) { groups { article_source_politicalOrientation count avg { impactLevel } } } }',
    read: (data) =>
      sorted(
        items(data.techServiceNewsEnrichmentAggregate?.groups).map((it) => [
          it.article_source_politicalOrientation ?? null,
          it.count,
          it.avg?.impactLevel == null ? null : Number(Number(it.avg.impactLevel).toFixed(6)),
        ]),
      ),
  },
  /** [title, url, publishedAt, language] of the newest 20 */
  Q16: {
    query: `{ ${list}(first: 20, where: {techServiceNewsEnrichmentViaArticle: {none: {}}}) { ${row} } }`,
    read: rows,
  },
}

/** By the JSON of each, as strings compare: systems order equals in ways of their own. */
export function sorted(values: readonly unknown[]): readonly unknown[] {
  const keyed = values.map((value) => ({ value, key: JSON.stringify(value) }))
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ value }) => value)
}

/** Those that are called so, or whose name begins with one of the words: `Q3` means all of Q3. */
export function chosen(words: readonly string[]): readonly QuestionName[] {
  if (words.length === 0) return names
  const found = names.filter((name) => words.some((word) => name === word || name.startsWith(`${word} `)))
  if (found.length === 0)
    throw new Error(`No question is called ${words.join(', ')}; there are ${names.join(', ')}.`)
  return found
}

function given(name: string): string {
  const text = documents[name]
  if (text === undefined) throw new Error(`bench/questions.ts has no question "${name}".`)
  return text
}

/** A cursor for 10,000 records, or for as many as leave a page to read. */
async function deepPage(ask: Ask): Promise<string> {
  const total = Number((await ask(`{ ${list} { totalCount } }`))[list]?.totalCount)
  let after = ''
  for (let left = Math.min(10_000, total - 50); left > 0; left -= 1_000) {
    const page = `first: ${Math.min(left, 1_000)}, ${byTime}${after}`
    const read = await ask(`{ ${list}(${page}) { pageInfo { endCursor } } }`)
    after = `, after: ${JSON.stringify(read[list]?.pageInfo?.endCursor)}`
  }
  return `{ ${list}(first: 50, ${byTime}${after}) { ${row} } }`
}

function rows(data: Tree): unknown {
  return nodes(data).map((it) => [it.title, it.url, instant(it.publishedAt), it.language ?? null])
}

function nodes(data: Tree): readonly Tree[] {
  return items(data[list]?.edges).map(({ node }) => node ?? {})
}

function groups(data: Tree, key: string): readonly (readonly unknown[])[] {
  return items(data[aggregate]?.groups).map((group) => [group[key] ?? null, group.count])
}

function outlet({ sourceResolved }: Tree): unknown {
  return sourceResolved ? [sourceResolved.displayName, sourceResolved.country ?? null] : null
}

function items(value: unknown): readonly Tree[] {
  return Array.isArray(value) ? value : []
}

function instant(value: unknown): number | null {
  return typeof value === 'string' ? Date.parse(value) : null
}

/** What tools ask, without what only newer servers know. */
function introspection(): string {
  const type = `kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`
  const argument = `name description type { ${type} } defaultValue`
  return `{ __schema { queryType { name } types { kind name description
    fields(includeDeprecated: true) { name description args { ${argument} } type { ${type} } isDeprecated deprecationReason }
    inputFields { ${argument} } interfaces { ${type} } possibleTypes { ${type} }
    enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } }
    directives { name description locations args { ${argument} } } } }`
}
