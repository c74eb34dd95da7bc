/** The first page, searches of everything, and pages of collections over the demo corpus. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { closeCorpora, corpusNamed, newsLexicons } from '../golden/corpora.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { modelOf } from '../support/service/agents.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { explorerOver, openExplorer, type OpenedExplorer } from '../support/service/explorer.ts'
import type { Engine } from '../support/store/postgres.ts'
import { buildRecord, otherCid } from '../support/records/records.ts'

after(closeCorpora)

const model = modelOf(newsLexicons.documents, newsLexicons.references)
const articles = '/c/tech.service.news.article'

async function open(database: Engine) {
  const { service, reference } = await corpusNamed('demo', database)
  const explorer = explorerOver(service, model)
  const all = reference.records.filter(({ collection }) => collection === 'tech.service.news.article')
  return {
    explorer,
    all,
    sources: reference.records.filter(({ collection }) => collection.endsWith('source')),
  }
}

/** Texts without markup, of elements with the class. */
function texts(body: string, name: string): readonly string[] {
  const found = body.matchAll(new RegExp(`<span class="${name}"[^>]*>(.*?)</span>`, 'g'))
  return Array.from(found, ([, content = '']) => content.replaceAll(/<[^>]*>/g, ''))
}

/** Addresses of links that have the text. */
function linksTo(body: string, text: string): readonly string[] {
  return Array.from(body.matchAll(/<a ([^>]*)>(.*?)<\/a>/gs))
    .filter(([, , content = '']) => content.replaceAll(/<[^>]*>/g, '').includes(text))
    .map(([, attributes = '']) => /href="([^"]*)"/.exec(attributes)?.[1]?.replaceAll('&amp;', '&') ?? '')
}

function recordsOf(body: string): readonly string[] {
  return Array.from(body.matchAll(/<h3><a href="(\/at\/[^"]*)"/g), ([, address = '']) => address)
}

async function follow(explorer: OpenedExplorer, start: string, link: string): Promise<readonly string[][]> {
  const pages: string[][] = []
  for (let address: string | undefined = start; address !== undefined; ) {
    const { body, status } = await explorer.get(address)
    assert.equal(status, 200)
    pages.push([...recordsOf(body)])
    address = linksTo(body, link)[0]
  }
  return pages
}

test('pages forwards and backwards have every record once', async (database) => {
  const { explorer, all } = await open(database)
  const filter = `${articles}?language=en&sort=-wordCount`
  const pages = await follow(explorer, filter, 'Next page')
  const english = all.filter(({ value }) => value.language === 'en')
  assert.equal(new Set(pages.flat()).size, english.length)
  assert.equal(pages.flat().length, english.length)
  const { body } = await explorer.get(`${filter}&show=table`)
  assert.match(body, new RegExp(`${english.length} records`))
  const [second = ''] = linksTo((await explorer.get(filter)).body, 'Next page')
  const [back = ''] = linksTo((await explorer.get(second)).body, 'Previous page')
  assert.deepEqual(recordsOf((await explorer.get(back)).body), pages[0])
})

test('a facet includes, excludes and finds missing values', async (database) => {
  const { explorer, all } = await open(database)
  const { body } = await explorer.get(`${articles}?facets=language`)
  const count = (language: string | undefined) =>
    all.filter(({ value }) => value.language === language).length
  const total = async (address: string | undefined) => {
    const page = await explorer.get(address ?? '')
    return Number(/data-total="(\d+)"/.exec(page.body)?.[1])
  }
  assert.equal(await total(linksTo(body, 'German')[0]), count('de'))
  assert.equal(await total(linksTo(body, 'missing')[0]), count(undefined))
  const excluded = /href="([^"]*language\.not=de[^"]*)"/.exec(body)?.[1]?.replaceAll('&amp;', '&')
  assert.equal(await total(excluded), all.length - count('de'))
})

test('references are shown by the names of their records', async (database) => {
  const { explorer, all, sources } = await open(database)
  const [outlet] = sources
  assert.ok(outlet)
  const name = outlet.value.displayName
  const { body } = await explorer.get(`${articles}/filter?field=source`)
  assert.ok(texts(body, 'name').includes(name), name)
  assert.ok(texts(body, 'name').every((each) => !each.startsWith('at://')))
  const found = await explorer.get(`${articles}/filter?field=source&find=${encodeURIComponent(name)}`)
  assert.deepEqual(texts(found.body, 'name').includes(name), true)
  const [address = ''] = linksTo(found.body, name)
  const page = await explorer.get(address)
  const own = all.filter(({ value }) => value.source.uri === outlet.uri)
  assert.match(page.body, new RegExp(`data-total="${own.length}"`))
  assert.match(page.body, new RegExp(`Source: <b><bdi>${name}</bdi></b>`))
})

test('a form of a filter leads to the address of the filter', async (database) => {
  const { explorer } = await open(database)
  const location = async (address: string) => (await explorer.get(address)).location
  assert.equal(
    await location(`${articles}/filter?language=en&field=title&op=contains&value=storm`),
    `${articles}?language=en&title.contains=storm`,
  )
  assert.equal(
    await location(`${articles}/filter?section=a&field=section&op=is&value=b`),
    `${articles}?section=a&section=b`,
  )
  assert.equal(
    await location(`${articles}?q=&publishedAt.from=2026-11-01&publishedAt.to=`),
    `${articles}?publishedAt=2026-11-01`,
  )
  assert.equal(await location(`${articles}?q=storm`), null)
  const refused = await explorer.get(`${articles}/filter?field=wordCount&op=from&value=many`)
  assert.deepEqual([refused.status, refused.location], [400, null])
})

test('a search with several unknown words suggests all of them at once', async (database) => {
  const { explorer } = await open(database)
  const { body } = await explorer.get(`${articles}?q=elektion+parliamint&language=en`)
  const [best] = linksTo(body, 'election')
  assert.equal(best, `${articles}?q=election+parliament&language=en`)
})

test('a search of everything marks its words and says how many records each collection has', async (database) => {
  const { explorer } = await open(database)
  const { body, status } = await explorer.get('/search?q=climate')
  assert.equal(status, 200)
  assert.equal(recordsOf(body).length, 20)
  assert.match(body, /<mark>Climate<\/mark>/)
  const [address = ''] = linksTo(body, 'Article 17')
  assert.equal(address, `${articles}?q=climate`)
  const pages = await follow(explorer, '/search?q=climate', 'Next page')
  assert.equal(new Set(pages.flat()).size, pages.flat().length)
  assert.equal((await explorer.get('/search?q=climate&x=1')).status, 400)
})

test('examples of the first page lead to records', async (database) => {
  const { explorer } = await open(database)
  const { body } = await explorer.get('/')
  const [, examples = ''] = /class="examples"(.*?)<\/section>/s.exec(body) ?? []
  const addresses = Array.from(examples.matchAll(/href="([^"]*)"/g), ([, each = '']) =>
    each.replaceAll('&amp;', '&'),
  )
  assert.ok(addresses.length >= 2)
  for (const address of addresses) {
    const page = await explorer.get(address)
    assert.equal(page.status, 200, address)
  }
  assert.match((await explorer.get(addresses[0] ?? '')).body, /data-total="[1-9]/)
})

test('examples compare different records, by another field where records have no tags', async (database) => {
  const { explorer } = await open(database)
  const { body } = await explorer.get('/')
  const [address = ''] = linksTo(body, 'as shares over time')
  const queries = new URLSearchParams(address.split('?')[1]).getAll('query')
  assert.equal(queries.length, 2)
  const found = await Promise.all(
    queries.map(async (query) => recordsOf((await explorer.get(`${articles}?${query}`)).body)),
  )
  assert.notDeepEqual(found[0], found[1])
  const article = (value: object) => ({
    title: 'A title',
    url: 'https://example.com/',
    source: { uri: 'at://did:plc:abc/tech.service.news.source/one', cid: otherCid },
    publishedAt: '2026-11-01T00:00:00.000Z',
    createdAt: '2026-11-01T00:00:00.000Z',
    ...value,
  })
  const values = [
    { language: 'de', country: 'AT' },
    { language: 'de', country: 'CH' },
    { language: 'fr', country: 'CH' },
  ]
  const records = await Promise.all(
    values.map((value, at) =>
      buildRecord('tech.service.news.article', {
        did: 'did:plc:newsexamples2345abcdefg2',
        rkey: `3m5ciqvmgkm2${at + 2}`,
        indexedAt: '2026-11-01T00:00:00.000Z',
        value: article(value),
      }),
    ),
  )
  const { documents: lexicons, references } = newsLexicons
  await using untagged = await openExplorer({ database, lexicons, references, records })
  assert.match((await untagged.get('/')).body, /class="examples"/)
})

test('usual pages cost less than the public limit', async (database) => {
  const { explorer } = await open(database)
  const addresses = [
    '/',
    '/search?q=climate',
    articles,
    `${articles}?language=en`,
    `${articles}?q=climate`,
    `${articles}?q=climate&language=en&publishedAt.from=2026-11-01`,
    `${articles}?q=climate&source_country=GB`,
    `${articles}?techServiceNewsEnrichmentViaArticle.sentiment=negative&source_country=GB`,
    `${articles}/filter?field=source`,
    `${articles}/filter?field=tags&find=cli`,
    `${articles}?sort=-wordCount&show=table`,
    '/c/tech.service.news.enrichment?category=environment',
    '/c/tech.service.news.source',
  ]
  for (const address of addresses) {
    const { status, cost } = await explorer.get(address)
    if (process.env['SHOW_COSTS'] !== undefined) console.log(cost, address)
    assert.equal(status, 200, address)
    assert.ok(cost <= 250, `${address}: ${cost} points`)
    // Groups for examples would cost more.
    if (address === '/') assert.ok(cost <= 10, `${cost} points`)
  }
})

test('a page has every facet that its price leaves room for, and no dearer one', async (database) => {
  const { explorer } = await open(database)
  const mostOf = (condition: string, name: string) => (condition.includes(`${name}=`) ? 240 : 215)
  const roles = createSubjects(model).of('tech.service.news.article')?.roles.facets ?? []
  const conditions = [
    '',
    'q=climate',
    'language=en',
    'q=climate&source_country=GB&language=en',
    'title.contains=the',
    'source_country=GB&source_language=en&title.contains=the',
    'techServiceNewsEnrichmentViaArticle.sentiment=negative&source_country=GB&wordCount.from=100',
  ]
  let left = 0
  for (const condition of conditions) {
    const { body, cost } = await explorer.get(`${articles}?${condition}`)
    const shown = Array.from(body.matchAll(/name="facets" value="([^"]*)" checked/g), ([, name = '']) => name)
    assert.ok(cost <= 240, `${condition}: ${cost}`)
    for (const other of roles.filter((name) => !shown.includes(name))) {
      left += 1
      const dearer = await explorer.get(`${articles}?${condition}&facets=${[...shown, other].join(',')}`)
      // The facets that a reader names come before the chart.
      const withoutChart = dearer.body.includes('The chart is left out')
      const isLeft = dearer.body.includes('Choose fewer facets')
      assert.ok(
        dearer.cost > mostOf(condition, other) || withoutChart || isLeft,
        `${condition}: ${other} would cost ${dearer.cost}`,
      )
    }
  }
  assert.ok(left > 0)
})

test('a search with filters keeps the chart and what was filtered by', async (database) => {
  const { explorer, all } = await open(database)
  const given = (conditions: string) => `${articles}?${conditions}`
  const period = 'publishedAt.from=2026-10-01&publishedAt.to=2026-10-31'
  const searched = await explorer.get(
    given(`q=election+OR+elecciones&language=en&language=es&source_country=GB&${period}`),
  )
  assert.ok(searched.cost <= 250, `${searched.cost} points`)
  assert.match(searched.body, /<figure/)
  assert.match(searched.body, /Some facets are left out/)
  for (const name of ['language', 'source_country'])
    assert.match(searched.body, new RegExp(`id="facet-${name}"`), name)
  const clicked = await explorer.get(given('q=climate&source_country=GB'))
  assert.match(clicked.body, /id="facet-source_country".*?class="count"/s)
  // The total comes from the chart.
  const french = await explorer.get(given('language=fr'))
  const count = all.filter(({ value }) => value.language === 'fr').length
  assert.match(french.body, new RegExp(`data-total="${count}"`))
})

test('a chart that costs too much gives way to one without a split, and to a link', async (database) => {
  const { explorer } = await open(database)
  const filters = 'q=climate&source_country=GB&language=en'
  const split = await explorer.get(`${articles}?${filters}&split=source`)
  assert.match(split.body, /<figure/)
  assert.match(split.body, /The chart is not split/)
  const dear = 'q=climate&source_country=GB&facets=language&as=share'
  const { body } = await explorer.get(`${articles}?${dear}`)
  assert.match(body, /The chart is left out/)
  assert.equal(linksTo(body, 'More charts of this view').length, 1)
})

test('an address with a mistake leads to the same one without it', async (database) => {
  const { explorer } = await open(database)
  const { status, body } = await explorer.get(`${articles}?language=en&colour=red&wordCount.from=many`)
  assert.equal(status, 400)
  assert.deepEqual(linksTo(body, 'Go on without it'), [`${articles}?language=en`])
})
