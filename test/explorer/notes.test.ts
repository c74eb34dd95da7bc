/** What pages say where readers could misread what they see. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { parseHTML } from 'linkedom'
import { closeCorpora, corpusNamed, newsLexicons } from '../golden/corpora.ts'
import { modelOf } from '../support/service/agents.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { explorerOver, type OpenedExplorer } from '../support/service/explorer.ts'
import type { Engine } from '../support/store/postgres.ts'

const model = modelOf(newsLexicons.documents, newsLexicons.references)
const article = '/c/tech.service.news.article'
const enrichment = '/c/tech.service.news.enrichment'
after(closeCorpora)

async function open(database: Engine): Promise<OpenedExplorer> {
  return explorerOver((await corpusNamed('demo', database)).service, model)
}

/** Texts of the elements of a page, and the addresses of the links in them. */
async function shown(explorer: OpenedExplorer, address: string, selector: string) {
  const { body, status } = await explorer.get(address)
  const found = [...parseHTML(body).document.querySelectorAll(selector)]
  return {
    status,
    body,
    texts: found.map((element) => element.textContent?.replaceAll(/\s+/g, ' ').trim() ?? ''),
    links: found.flatMap((element) =>
      [...element.querySelectorAll('a')].map((link) => link.getAttribute('href')),
    ),
  }
}

test('a range that ends before it begins says so, and leads to the one that was meant', async (database) => {
  const explorer = await open(database)
  for (const [given, swapped] of [
    ['publishedAt=2026-11-30&publishedAt.to=2026-11-01', 'publishedAt=2026-11-01&publishedAt.to=2026-11-30'],
    ['language=en&wordCount.from=20&wordCount.to=10', 'language=en&wordCount.from=10&wordCount.to=20'],
  ] as const)
    for (const page of [article, `${article}/charts`]) {
      const { texts, links } = await shown(explorer, `${page}?${given}`, 'p.problem')
      assert.match(texts.join(), /the range begins after it ends/)
      assert.deepEqual(links, [`${page}?${swapped}`])
    }
  for (const right of [
    'publishedAt=2026-11-01T20:00:00Z&publishedAt.to=2026-11-01',
    'publishedAt=2026-11-01&publishedAt.to=2026-11-01',
    'wordCount.from=10&wordCount.to=10',
  ])
    assert.deepEqual((await shown(explorer, `${article}?${right}`, 'p.problem')).texts, [], right)
})

test('a language of pages that there is not is refused like other unknown values', async (database) => {
  const explorer = await open(database)
  for (const page of ['/', `${article}?language=en`, `/embed${article}`, `${article}/feed.atom`]) {
    const address = `${page}${page.includes('?') ? '&' : '?'}lang=xx`
    const { status, texts, links } = await shown(explorer, address, 'section.problem')
    assert.equal(status, 400)
    assert.match(texts.join(), /“lang” cannot be “xx”. It can be: en, es, ar./)
    assert.deepEqual(links, [page])
  }
  assert.equal((await explorer.get('/?lang=')).status, 200)
  for (const lang of ['ES', 'es-MX'])
    assert.match((await explorer.get(`/?lang=${lang}`)).body, /<html lang="es"/)
})

test('unknown fields are refused with those that there are, of which a long list is cut visibly', async (database) => {
  const explorer = await open(database)
  const told = async (query: string) =>
    (await shown(explorer, `${enrichment}${query}`, 'section.problem')).texts.join()
  assert.match(await told('?facets=foo'), /“facets” cannot be “foo”\. It can be: .*sentiment/)
  assert.match(await told('/charts?by=foo'), /“by” cannot be “foo”\. It can be: [^.]*…/)
})

test('more facets than an operation may have are left out', async (database) => {
  const explorer = await open(database)
  const facets =
    'category,sentiment,topics,keywords,language,model,scope,eventType,emotionalTone,politicalOrientation,impactLevel'
  const { status, texts } = await shown(explorer, `${enrichment}?facets=${facets}`, '.sidebar .none')
  assert.equal(status, 200)
  assert.match(texts.join(), /Choose fewer facets or filters/)
})

test('values that were looked through in part are not called the most frequent ones', async (database) => {
  const explorer = await open(database)
  const notes = async (query: string) =>
    (await shown(explorer, `${article}/filter?${query}`, '#values .none')).texts
  assert.deepEqual(await notes('field=wordCount'), ['The 100 most frequent values.'])
  assert.deepEqual(await notes('field=wordCount&find=12'), [
    'Only the 100 most frequent values were looked through.',
  ])
  assert.deepEqual(await notes('field=language&find=en'), [])
})

test('an order says where records without its value are', async (database) => {
  const explorer = await open(database)
  const notes = async (query: string) =>
    (await shown(explorer, `${article}?${query}`, '.bar .none')).texts.join()
  assert.match(await notes('sort=-wordCount'), /Records without “Word count” come last\./)
  assert.match(await notes('sort=wordCount'), /Records without “Word count” come first\./)
  assert.doesNotMatch(await notes('sort=wordCount&wordCount.from=1'), /without/)
  assert.doesNotMatch(await notes('sort=title'), /without/)
  const { service } = explorer
  const { list } = await service.data(
    '{ list: techServiceNewsArticle(where: {publishedAt: {isNull: true}}) { totalCount } }',
  )
  const undated = new RegExp(`without “Published at” are among the others \\(${list.totalCount}\\)`)
  if (list.totalCount === 0) assert.doesNotMatch(await notes(''), /without/)
  else assert.match(await notes(''), undated)
})

test('the files of a chart that was not split are those of the chart that is shown', async (database) => {
  const explorer = await open(database)
  const filters = 'q=climate&source_country=GB&language=en'
  const { body, links } = await shown(explorer, `${article}?${filters}&split=source`, 'figure, details.take')
  assert.match(body, /The chart is not split/)
  const files = links.filter((link) => /chart\.|aggregate\./.test(link ?? ''))
  assert.ok(files.length > 3, links.join())
  for (const file of files) assert.doesNotMatch(file ?? '', /split=source|groupBy=[^&]*source/)
})

test('facets that were chosen and cannot be afforded do not keep the page away', async (database) => {
  const explorer = await open(database)
  const dear =
    'q=climate&source_country=GB&title.contains=the&techServiceNewsEnrichmentViaArticle.sentiment=negative'
  const facets = 'language,source,source_country,source_language,section,articleType,source_region'
  const { status, texts } = await shown(explorer, `${article}?${dear}&facets=${facets}`, '.sidebar .none')
  assert.equal(status, 200)
  assert.match(texts.join(), /Choose fewer facets or filters/)
})
