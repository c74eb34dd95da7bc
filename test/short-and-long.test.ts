/** Which statements others may wait for: those whose walk their page bounds, however much data there is. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { news } from './support/service/library.ts'
import { openTestService, type TestService, waysOfLoading } from './support/service/service.ts'

/** By the statistics, a million records of each collection, and everything common among them. */
const opened = new Map<number, Promise<TestService>>()
after(async () => {
  for (const service of opened.values()) await (await service)[Symbol.asyncDispose]()
})

const estimates = { true: 0, common: 2 } as const

function service(estimate: keyof typeof estimates): Promise<TestService> {
  const loading = estimates[estimate] * waysOfLoading
  const known = opened.get(loading) ?? openTestService({ ...news(), loading })
  opened.set(loading, known)
  return known
}

const article = 'techServiceNewsArticle'
const page = '{ nodes { title sourceResolved { ... on TechServiceNewsSource { displayName } } } }'

const short: Readonly<Record<string, string>> = {
  'a total that is kept': `{ ${article} { totalCount } }`,
  'a total of one value': `{ ${article}(where: {language: {eq: "en"}}) { totalCount } }`,
  'the newest with their outlet': `{ ${article}(first: 20) ${page} }`,
  'the oldest': `{ ${article}(last: 20) ${page} }`,
  'in another order': `{ ${article}(sortBy: [{field: publishedAt, direction: DESC}]) ${page} }`,
  'of a language, in default order': `{ ${article}(where: {language: {eq: "en"}}) ${page} }`,
  'of a language in a stretch of time, by that time': `{ ${article}(
    where: {language: {eq: "en"}, publishedAt: {gte: "2020-01-01"}}, sortBy: [{field: publishedAt, direction: DESC}]) ${page} }`,
  'with what refers to them': `{ ${article} { nodes { title techServiceNewsEnrichmentViaArticle { nodes { uri } } } } }`,
  'bounds that are said twice': `{ ${article}(where: {indexedAt: {gt: "1970-01-01", gte: "2090-01-01"}}, sortBy: [{field: indexedAt}]) ${page} }`,
  'one by its URI': `{ ${article}ByUri(uri: "at://did:plc:abcdefghijklmnopqrstuvwx/tech.service.news.article/a") { title } }`,
  'some by their URIs': `{ ${article}(where: {uri: {in: ["at://did:plc:a/b/c", "at://did:plc:a/b/d"]}}, sortBy: [{field: publishedAt}]) ${page} }`,
  'how many of some URIs are there': `{ ${article}(where: {uri: {in: ["at://did:plc:a/b/c", "at://did:plc:a/b/d"]}}) { totalCount } }`,
  'where the sources are': '{ indexStatus { sources { name state } } }',
}

const long: Readonly<Record<string, string>> = {
  'a total that is not kept': `{ ${article}(where: {title: {contains: "the"}}) { totalCount } }`,
  groups: `{ ${article}Aggregate(groupBy: [language]) { groups { language count } } }`,
  'a needle that may be in any of them': `{ ${article}(where: {title: {contains: "the"}}) ${page} }`,
  'a condition that no index answers': `{ ${article}(where: {NOT: {language: {eq: "en"}}}) ${page} }`,
  'an order that no index gives': `{ ${article}(sortBy: [{field: did}]) ${page} }`,
  'a condition on what refers to them': `{ ${article}(where: {techServiceNewsEnrichmentViaArticle: {some: {impactLevel: {gte: 8}}}}) ${page} }`,
  'what refers to them under a condition': `{ ${article} { nodes { techServiceNewsEnrichmentViaArticle(where: {impactLevel: {gte: 8}}) { nodes { uri } } } } }`,
  'totals of what refers to them under a condition': `{ ${article} { nodes { techServiceNewsEnrichmentViaArticle(where: {impactLevel: {gte: 8}}) { totalCount } } } }`,
  'how many records there are': '{ indexStatus { collections { records } } }',
  'pages of pages': `{ techServiceNewsSource(first: 100) { nodes { techServiceNewsArticleViaSource(first: 100) ${page} } } }`,
}

for (const [what, query] of Object.entries(short))
  test(`other statements wait for ${what}`, async () => assert.equal(await kindOf(query, 'common'), 'short'))

for (const [what, query] of Object.entries(long))
  test(`no other statement waits for ${what}`, async () =>
    assert.equal(await kindOf(query, 'common'), 'long'))

async function kindOf(query: string, estimate: keyof typeof estimates): Promise<'short' | 'long'> {
  const { opened, data } = await service(estimate)
  await data(query)
  return opened.lastKind()
}
