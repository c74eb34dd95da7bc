/** Lists that are found in other ways where it is cheaper. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { news } from '../../../../test/support/service/library.ts'
import { openTestService, sharedService, waysOfLoading } from '../../../../test/support/service/service.ts'

const open = sharedService(async () => news())
const list = 'techServiceNewsArticle'
const enrichments = 'techServiceNewsEnrichmentViaArticle'
const newestFirst = 'sortBy: [{field: publishedAt, direction: DESC}]'

test('many candidates are sorted before they are verified', async () => {
  // Statistics that make every text common.
  await using service = await openTestService({ ...news(), loading: 4 * waysOfLoading })
  const page = `{ ${list}(first: 3, ${newestFirst}, where: {title: {contains: "the"}}) { nodes { uri } } }`
  assert.equal((await service.data(page))[list].nodes.length, 3)
  assert.match(service.opened.lastStatement(), /limit -1\) t\d+ cross join/)
})

test('what few records can have is found through an index', async () => {
  const service = await open('sqlite')
  const [{ uri, source, title, url }, other] = (
    await service.data(`{ ${list}(first: 2) { nodes { uri title url source { uri } } } }`)
  )[list].nodes
  const nobody = 'did:plc:nobodynobodynobody234567'
  const many = Array.from({ length: 1_000 }, (_, n) => `at://${nobody}/a.b.c/${n}`)
  for (const [where, count, index] of [
    [`uri: {eq: "${uri}"}`, 1, '/key'],
    [`uri: {in: ["${other.uri}", "at://${nobody}/a.b.c/d", "${uri}"]}`, 2, '/key'],
    [`uri: {in: ["${uri}"]}, NOT: {uri: {eq: "${uri}"}}`, 0, '/key'],
    [`did: {in: ["${nobody}", "${nobody}a"]}`, 0, '/key'],
    [`source: {uri: {in: ["${source.uri}x", "${source.uri}y"]}}`, 0, '/.source:base+.source:key'],
    ['source: {domain: {eq: "nobody.example"}}', 0, '/.source:base+.source:key'],
    ['source: {displayName: {contains: "qqqzz"}, country: {ne: "FR"}}', 0, '/.source:base+.source:key'],
    [`OR: [{url: {eq: "${url}"}}, {source: {domain: {eq: "x.example"}}}]`, 1, '/.url:hash'],
    [`url: {in: ["${url}", "https://x.example/y"]}`, 1, '/.url:hash'],
    [`url: {sameUrl: "${url.replace('https://www.', 'http://')}/?utm_source=x#y"}`, 1, '/.url:hash'],
    [`OR: [{url: {sameUrl: "${url}"}}, {canonicalUrl: {sameUrl: "${url}"}}]`, 1, '/.url:hash'],
    ['source: {baseUrl: {sameUrl: "nobody.example"}}', 0, '/.baseUrl:hash'],
    [`${enrichments}: {some: {summary: {contains: "qqqzz"}}}`, 0, '/key'],
    [`title: {eq: ${JSON.stringify(title)}}`, 1, '/.title/trigram'],
    [`OR: [{uri: {in: ${JSON.stringify(many)}}}, {source: {uri: {in: ${JSON.stringify(many)}}}}]`, 0, null],
    ['title: {in: ["qqqzz", "zzqqq", ""]}, uri: {ne: "at://a/b/c"}', 0, null],
  ] as const)
    for (const sort of ['', `, ${newestFirst}`]) {
      const page = `{ ${list}(where: {${where}}${sort}) { totalCount nodes { uri } } }`
      const { totalCount, nodes } = (await service.data(page))[list]
      assert.deepEqual([totalCount, nodes.length], [count, count], page)
      if (index === null) continue
      const by = index.endsWith('trigram') ? '' : 'indexed by '
      const collection = index === '/.baseUrl:hash' ? 'source' : 'article'
      assert.ok(
        service.opened.lastStatement().includes(`${by}"tech.service.news.${collection}${index}"`),
        page,
      )
    }
})

test('behind a cursor no bound on the order is asked for that the cursor implies', async () => {
  const service = await open('sqlite')
  const given = 'first: 3, where: {publishedAt: {gte: "2026-09-20"}}, sortBy: [{field: publishedAt}]'
  const bound = /"\.publishedAt" >= \?/
  const sqlOf = async (query: string): Promise<string> => (await service.engine.explain({ query })).sql ?? ''
  const first = `{ ${list}(${given}) { nodes { uri } pageInfo { endCursor } } }`
  assert.match(await sqlOf(first), bound)
  const { endCursor } = (await service.data(first))[list].pageInfo
  const next = `{ ${list}(${given}, after: "${endCursor}") { nodes { uri } } }`
  assert.doesNotMatch(await sqlOf(next), bound)
  assert.equal((await service.data(next))[list].nodes.length, 3)
})

test('in the order of ids a cursor is the id of its record, and moments are ranges of ids', async () => {
  const service = await open('sqlite')
  const { endCursor } = (await service.data(`{ ${list}(first: 3) { pageInfo { endCursor } } }`))[list]
    .pageInfo
  const query = `{ ${list}(first: 3, after: "${endCursor}") { nodes { uri } } }`
  const { sql } = await service.engine.explain({ query })
  assert.match(sql ?? '', /\(select t\d+\.id from [^]* union all select \(with recursive [^]* limit 1\)/)
  const since = `{ ${list}(first: 3, where: {indexedAt: {gte: "2026-10-01"}}) { nodes { uri } } }`
  assert.match((await service.engine.explain({ query: since })).sql ?? '', /t\d+\.id > \(with recursive /)
})

test('no way to look records up takes an answer away', async () => {
  // With figures that are true, and with such as find everything rare.
  for (const loading of [0, 3 * waysOfLoading]) {
    await using service = await openTestService({ ...news(), loading })
    const levels = 28
    for (const where of [
      // SQLite has a longest way into an expression.
      `${'duplicateOf: {'.repeat(levels)}title: {eq: "nobody"}${'}'.repeat(levels)}`,
      `${'techServiceNewsArticleViaDuplicateOf: {some: {'.repeat(levels)}title: {eq: "nobody"}${'}}'.repeat(levels)}`,
      // What never holds may not reach into the look-up.
      'AND: [{OR: []}, {OR: [{url: {eq: "x"}}, {title: {eq: "nobody"}}]}]',
      'AND: [{OR: []}, {OR: [{url: {eq: "x"}}, {duplicateOf: {title: {eq: "nobody"}}}]}]',
    ]) {
      const strategy = `${list}(where: {${where}})`
      assert.deepEqual((await service.data(`{ ${strategy} { totalCount } }`))[list], { totalCount: 0 }, where)
      assert.deepEqual((await service.data(`{ ${strategy} { nodes { uri } } }`))[list], { nodes: [] }, where)
    }
  }
})
