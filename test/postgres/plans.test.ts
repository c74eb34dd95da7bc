/** The plans that PostgreSQL makes for what users ask most: along an index, and never through all articles. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readCases } from '../golden/case-files.ts'
import { newsLexicons } from '../golden/corpora.ts'
import { tid } from '../network/follow.ts'
import {
  article as newsArticle,
  collections,
  enrichment as newsEnrichment,
  outlet,
  type Strong,
} from '../network/support-news.ts'
import { cidOf } from '../support/records/records.ts'
import { freshDatabase, type FreshDatabase } from '../support/store/postgres.ts'
import { openTestService, type TestService } from '../support/service/service.ts'

const did = 'did:plc:plansplansplansplans2345'
const { article, source } = collections
const articles = 12_000
const outlets = 40
/** Of the oldest articles. */
const enrichments = 3_000

let database: FreshDatabase
let service: TestService

before(async () => {
  database = await freshDatabase()
  service = await openTestService({
    ...newsLexicons,
    lexicons: newsLexicons.documents,
    database: new URL(database.url),
  })
  const named = await Promise.all(Array.from({ length: outlets }, (_, index) => sourceLine(index)))
  const lines = Array.from({ length: articles }, (_, index) => {
    return articleLine(index, named[index % outlets] as Strong)
  })
  const enriched = await Promise.all(lines.slice(0, enrichments).map(enrichmentLine))
  await service.opened.load([...named, ...lines, ...enriched])
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

async function sourceLine(index: number) {
  const value = outlet(`Outlet ${index}`, { domain: `outlet-${index}.example` })
  const uri = `at://${did}/${source}/outlet-${index}`
  return { uri, cid: await cidOf(value), indexedAt: instant(index), value }
}

/** A word of one article in two, one of a hundred, one in all, and a pair of letters of its own. */
function articleLine(index: number, ref: Strong) {
  const words = [`story ${index}`, index % 2 === 0 ? 'common' : 'usual', index % 100 === 0 ? 'middling' : 'x']
  if (index === 4321) words.push('zygote')
  const value = newsArticle(words.join(' '), ref, {
    url: `https://outlet.example/${index}`,
    publishedAt: instant(index * 7),
    language: index % 50 === 0 ? 'fr' : 'en',
  })
  return { uri: `at://${did}/${article}/${tid(index)}`, indexedAt: instant(100 + index), value }
}

async function enrichmentLine(line: ReturnType<typeof articleLine>, index: number) {
  const of = { uri: line.uri, cid: await cidOf(line.value) }
  const value = newsEnrichment('', of, { impactLevel: 1 + (index % 10) })
  return {
    uri: `at://${did}/${collections.enrichment}/${tid(index)}`,
    indexedAt: instant(100 + index),
    value,
  }
}

function instant(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
}

const list = 'techServiceNewsArticle'
const title = (needle: string): string =>
  `{ ${list}(first: 20, where: {title: {contains: "${needle}"}}) { nodes { title } } }`

/** Index names, as the plan must have them, by question. */
const questions: Readonly<Record<string, readonly [query: string, index: RegExp]>> = {
  'newest 20 with outlet': [
    `{ ${list}(first: 20) { nodes { title sourceResolved { ... on TechServiceNewsSource { displayName } } } } }`,
    /Index Scan Backward using "tech.service.news.article\/indexed_at"/,
  ],
  'a page further on': [
    `{ ${list}(first: 20, after: "CURSOR") { nodes { title } } }`,
    /Index Scan Backward using "tech.service.news.article\/indexed_at"[^]*Index Cond: .*indexed_at/,
  ],
  'language and a range of dates': [
    `{ ${list}(first: 20, sortBy: [{field: publishedAt, direction: DESC}],
      where: {language: {eq: "fr"}, publishedAt: {gte: "2026-01-05", lt: "2026-02-20"}}) { nodes { title } } }`,
    /Index Scan Backward using "tech.service.news.article\/.language\+.publishedAt"[^]*Index Cond: .*language.*publishedAt/,
  ],
  'a common language, newest first': [
    `{ ${list}(first: 10, sortBy: [{field: publishedAt, direction: DESC}], where: {language: {eq: "en"}}) { nodes { title } } }`,
    // The equality as a range, so that the order is that of this index alone.
    /Index Scan Backward using "tech.service.news.article\/.language\+.publishedAt"[^]*Index Cond: .*language"? >= .*language"? <= /,
  ],
  'by two fields': [
    `{ ${list}(first: 10, sortBy: [{field: publishedAt}, {field: url}], where: {title: {contains: "common"}}) { nodes { title } } }`,
    /Incremental Sort[^]*Index Scan using "tech.service.news.article\/.publishedAt"/,
  ],
  'those without a date': [
    `{ ${list}(first: 10, sortBy: [{field: updatedAt}], where: {updatedAt: {isNull: true}}) { nodes { title } } }`,
    /Index Scan using "tech.service.news.article\/.updatedAt"[^]*Index Cond: .*IS NULL/,
  ],
  'through a reference': [
    `{ ${list}(first: 10, where: {source: {domain: {eq: "outlet-7.example"}}}) { nodes { title } } }`,
    /Index (Only )?Scan (using|on) "tech.service.news.article\/.source:base\+.source:key"/,
  ],
  'of the first rows each is looked up, of the others all': [
    `{ ${list}(first: 20, where: {techServiceNewsEnrichmentViaArticle: {none: {}}}) { nodes { title } } }`,
    /Append[^]*SubPlan[^]*Index Cond: \(\("?.article:base"? = t[^]*hashed SubPlan/,
  ],
  'the same where one is wanted, without a join': [
    `{ ${list}(first: 20, where: {techServiceNewsEnrichmentViaArticle: {some: {impactLevel: {gte: 1}}}}) { nodes { title } } }`,
    /Append[^]*SubPlan[^]*Index Cond: \(\("?.article:base"? = t[^]*hashed SubPlan/,
  ],
  'words of records that refer, each by its link': [
    `{ techServiceNewsSource(first: 20, where: {techServiceNewsArticleViaSource: {some: {title: {matches: "common"}}}}) { nodes { uri } } }`,
    /SubPlan[^]*Index Cond: .*source:key"? = t.*\n\s*Filter: \(.*words @@ \$\d\)* IS TRUE\)/,
  ],
  'words of records within a record, each by its link': [
    `{ techServiceNewsSource { nodes { techServiceNewsArticleViaSource(where: {title: {matches: "common"}}) { totalCount } } } }`,
    /Filter: \(\(words @@ \$\d\) IS TRUE\)/,
  ],
  'some by their URIs': [
    `{ ${list}(first: 20, where: {uri: {in: ["at://${did}/${article}/${tid(7)}", "at://${did}/${article}/${tid(9)}"]}}) { nodes { title } } }`,
    /Index Scan using "tech.service.news.article\/key"/,
  ],
  'by its record key alone': [
    `{ ${list}(first: 20, where: {rkey: {eq: "${tid(7)}"}}) { totalCount nodes { title } } }`,
    /Index (Only )?Scan using "tech.service.news.article\/key"[^]*Index Cond: .*rkey/,
  ],
  'of some outlets': [
    `{ ${list}(first: 20, where: {source: {uri: {in: ["at://${did}/${source}/a", "at://${did}/${source}/b"]}}}) { nodes { title } } }`,
    /Index (Only )?Scan using "tech.service.news.article\/.source:base\+.source:key"/,
  ],
  'in any of several ways': [
    `{ ${list}(first: 20, where: {OR: [{url: {eq: "https://x.example"}}, {source: {domain: {eq: "x.example"}}}]}) { nodes { title } } }`,
    /Index (Only )?Scan (using|on) "tech.service.news.article\/.url:hash"/,
  ],
  'a whole title': [
    `{ ${list}(first: 20, where: {title: {eq: "story 4321 usual x zygote"}}) { nodes { title } } }`,
    /Bitmap Index Scan on "tech.service.news.article\/.title\/trigram"/,
  ],
  'of an account': [
    `{ ${list}(first: 20, where: {did: {eq: "did:plc:nobodynobodynobody234567"}}) { nodes { title } } }`,
    /Index (Only )?Scan (using|on) "tech.service.news.article\/key"/,
  ],
  'contains, rare': [title('zygote'), /Bitmap Index Scan on "tech.service.news.article\/.title\/trigram"/],
  'contains, middling': [
    title('middling'),
    /Bitmap Index Scan on "tech.service.news.article\/.title\/trigram"/,
  ],
  'contains, common': [title('common'), /Index Scan Backward using "tech.service.news.article\/indexed_at"/],
  'contains, no match': [title('qqqzz'), /Bitmap Index Scan on "tech.service.news.article\/.title\/trigram"/],
  'contains, two characters': [
    title('zy'),
    /Bitmap Index Scan on "tech.service.news.article\/.title\/trigram\/short"/,
  ],
  'contains, signs alone': [
    title('&%_'),
    /Bitmap Index Scan on "tech.service.news.article\/.title\/trigram\/short"/,
  ],
  'contains, in either of two texts': [
    `{ ${list}(first: 20, where: {OR: [{title: {contains: "zygote"}}, {description: {contains: "zygote"}}]}) { nodes { title } } }`,
    /BitmapOr/,
  ],
  'count by language': [
    `{ ${list}Aggregate(groupBy: [language]) { groups { language count } } }`,
    /Seq Scan on "tech.service.news.article\/.language:count"/,
  ],
  'count by outlet': [
    `{ ${list}Aggregate(groupBy: [source]) { groups { source count } } }`,
    /Sort[^]*Index Scan Backward using "tech.service.news.article\/.source:base:count\/n"[^]*Memoize/,
  ],
  'total under a filter': [
    `{ ${list}(where: {language: {eq: "fr"}}) { totalCount } }`,
    /Index( Only)? Scan using "tech.service.news.article\/.language/,
  ],
  'by address': [
    `{ ${list}(where: {url: {eq: "https://outlet.example/77"}}) { nodes { title } } }`,
    /"tech.service.news.article\/.url:hash"[^]*Index Cond: /,
  ],
  'by address as someone wrote it': [
    `{ ${list}(where: {url: {sameUrl: "www.outlet.example/77/#x"}}) { totalCount nodes { title } } }`,
    /"tech.service.news.article\/.url:hash"[^]*Index Cond: /,
  ],
  'by either of two addresses': [
    `{ ${list}(first: 20, where: {OR: [{url: {sameUrl: "outlet.example/77"}}, {canonicalUrl: {sameUrl: "outlet.example/77"}}]}) { nodes { title } } }`,
    /"tech.service.news.article\/.url:hash"[^]*"tech.service.news.article\/.canonicalUrl:hash"/,
  ],
  'outlets with their newest': [
    `{ techServiceNewsSource(first: 5) { nodes { techServiceNewsArticleViaSource(first: 20) { nodes { title } } } } }`,
    /Index Scan Backward using "tech.service.news.article\/.source:base\+.source:key"/,
  ],
}

/** Two steps, of which neither has an index. */
const inPairs = /Nested Loop.*\n.*Join Filter.*\n *-> +CTE Scan on .*\n *-> +CTE Scan on /

for (const [name, [query, index]] of Object.entries(questions)) {
  test(`${name} goes along an index`, async () => {
    const { list: page } = await service.data(`{ list: ${list}(first: 20) { pageInfo { endCursor } } }`)
    const request = { query: query.replace('CURSOR', page.pageInfo.endCursor) }
    const { steps } = await service.engine.explain(request)
    const plan = steps.join('\n')
    // Counts are few, and read whole.
    assert.doesNotMatch(plan, /Seq Scan on "tech[^"]*(?<!:count)"/, plan)
    assert.match(plan, index, plan)
    const answer = await service.query(request.query)
    assert.equal(answer.errors, undefined)
  })
}

test('rows of steps are not compared in pairs, but for groups of one page', async () => {
  const cases = readCases().filter(({ corpus }) => corpus === 'demo')
  const plans = await Array.fromAsync(cases, async ({ name, query, variables, operationName }) => {
    if (JSON.stringify(variables)?.includes('answer of ')) return []
    const request = { query, ...(variables && { variables }), ...(operationName && { operationName }) }
    // Some cases are refused.
    const { steps } = await service.engine.explain(request).catch(() => ({ steps: [] }))
    return steps.map((step, at) => ({ name, plan: steps.slice(at - 1, at + 3).join('\n'), step }))
  })
  const joins = plans.flat().filter(({ step, plan }) => /Join Filter: .*=/.test(step) && inPairs.test(plan))
  assert.ok(plans.filter(({ length }) => length > 0).length > cases.length / 2)
  assert.deepEqual(
    joins
      .filter(({ step }) => !/\.place = \w+\.place\)|\.token\)$/.test(step))
      .map(({ name, plan }) => `${name}\n${plan}`),
    [],
  )
})

test('a page that asks of other records goes on beyond the rows that each is looked up for', async () => {
  const where = (words: string): string => `where: {techServiceNewsEnrichmentViaArticle: {${words}}}`
  const numbers = ({ nodes }: { nodes: readonly { title: string }[] }): readonly number[] =>
    nodes.map(({ title: text }) => Number(text.split(' ')[1]))
  const selected = '{ nodes { title } pageInfo { endCursor hasNextPage } }'
  const down = (from: number, to: number): readonly number[] =>
    Array.from({ length: from - to + 1 }, (_, index) => from - index)
  const newest = await service.data(`{
    some: ${list}(first: 20, ${where('some: {}')}) ${selected}
    none: ${list}(first: 20, ${where('none: {}')}) ${selected}
    oldest: ${list}(last: 3, ${where('none: {}')}) ${selected}
    strong: ${list}(first: 3, ${where('some: {impactLevel: {eq: 8}}, none: {impactLevel: {gt: 8}}')}) ${selected}
    never: ${list}(first: 3, ${where('some: {}, none: {}')}) ${selected}
  }`)
  assert.deepEqual(numbers(newest.some), down(enrichments - 1, enrichments - 20))
  assert.deepEqual(numbers(newest.none), down(articles - 1, articles - 20))
  assert.deepEqual(numbers(newest.oldest), down(enrichments + 2, enrichments))
  assert.deepEqual(numbers(newest.strong), [enrichments - 3, enrichments - 13, enrichments - 23])
  assert.deepEqual(numbers(newest.never), [])
  const after = `after: "${newest.some.pageInfo.endCursor}"`
  const { next } = await service.data(
    `{ next: ${list}(first: 100, ${after}, ${where('some: {}')}) ${selected} }`,
  )
  assert.deepEqual(numbers(next), down(enrichments - 21, enrichments - 120))
  assert.ok(next.pageInfo.hasNextPage)
})

test('an operation with more values than figures are kept for is answered all the same', async () => {
  const lists = Array.from({ length: 10 }, (_, list) =>
    Array.from({ length: 400 }, (_, value) => `value ${list} ${value}`),
  )
  const where = { AND: lists.map((values) => ({ tags: { hasAny: values } })) }
  const { list: found } = await service.data(
    `query ($where: TechServiceNewsArticleWhereInput) { list: ${list}(where: $where) { totalCount } }`,
    { where },
  )
  assert.equal(found.totalCount, 0)
})

test('what is found for one list does not hide the figures of the next', async () => {
  const lists = [...'abcdefgh'].map(
    (name) => `${name}: ${list}(where: {source: {domain: {eq: "${name}.example"}}}) { totalCount }`,
  )
  await service.data(`{ ${lists.join(' ')} }`)
  const outlets = service.opened
    .lastStatement()
    .match(/\.id in \(select \S+ from "tech.service.news.source"/g)
  assert.equal(outlets?.length, lists.length)
})
