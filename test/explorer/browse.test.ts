/** The first page, searches of everything, and pages of collections over the demo corpus. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { affordable, mostAffordable } from '../../src/ask/operation.ts'
import { createSubjects } from '../../src/explorer/fields/subject.ts'
import { rounds, seed } from '../support/rounds.ts'
import { buildRecord } from '../support/records/records.ts'
import { explorerOver, openExplorer } from '../support/service/explorer.ts'
import { news } from '../support/service/library.ts'
import { recordLexicon } from '../support/store/store.ts'
import { article as articles, enrichment, newsModel, openPages } from './pages.ts'

const { figure, found, get, page, reference, service } = await openPages()

const pathOf = ({ uri }: { readonly uri: string }): string => uri.replace('at://', '/at/')
const pathsOf = (address: string): readonly string[] => found(address).map(pathOf)

/** Of the numbers in the second column of a table. */
const sum = (rows: readonly (readonly string[])[]): number =>
  rows.reduce((total, [, count = '']) => total + Number(count.replaceAll(',', '')), 0)

/** The records of a page and of all that a link leads on to. */
async function follow(start: string, link: string): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = []
  for (let address: string | undefined = start; address !== undefined; ) {
    const { records, linksTo } = await page(address)
    pages.push(records)
    address = linksTo(link)[0]
  }
  return pages
}

test('pages forwards and backwards have every record once, in order', async () => {
  const filter = `${articles}?language=en&sort=-wordCount`
  const pages = await follow(filter, 'Next page')
  const sortBy = [{ field: 'wordCount', direction: 'DESC' }] as const
  const sorted = reference.sorted('tech.service.news.article', { where: { language: { eq: 'en' } }, sortBy })
  assert.deepEqual(pages.flat(), sorted.map(pathOf))
  assert.equal((await page(`${filter}&show=table`)).total, sorted.length)
  const [second = ''] = (await page(filter)).linksTo('Next page')
  const [back = ''] = (await page(second)).linksTo('Previous page')
  assert.deepEqual((await page(back)).records, pages[0])
  const [third = ''] = (await page(second)).linksTo('Next page')
  const [facets, others] = await Promise.all(
    [second, third].map(async (each) => (await page(each)).document.querySelector('[data-later]')?.outerHTML),
  )
  assert.match(facets ?? '', /data-later="[^"]*wordCount/)
  assert.equal(others, facets)
  const newest = `${articles}?language=en`
  assert.deepEqual((await page(newest)).records, pathsOf(newest).slice(0, 20))
})

test('each value of a facet leads to as many records as it says, and its sign to all others', async () => {
  const facets = 'facets=language,source,articleType,source_country'
  for (const conditions of ['', 'publishedAt=2026-11-01&', 'articleType=report&articleType=video&']) {
    const address = `${articles}?${conditions}${facets}`
    const { document } = await page(address)
    const values = [...document.querySelectorAll('.facet li')]
    assert.ok(values.length >= 25, `${values.length} values of ${address}`)
    for (const [at, value] of values.entries()) {
      const [href = '', excluding] = Array.from(
        value.querySelectorAll('a'),
        (link) => link.getAttribute('href') ?? '',
      )
      // A chosen value leads to the page without it; other values count as if none were chosen.
      const field = value.closest('section')?.getAttribute('aria-labelledby') ?? ''
      if (conditions.includes(`${field.replace('facet-', '')}=`)) continue
      const shown = Number(value.querySelector('.count')?.textContent?.replaceAll(',', ''))
      assert.equal(shown, found(href).length, href)
      // A page for each sign takes long, so that a run draws an eighth of them.
      if (excluding === undefined || (at + seed) % Math.ceil(8 / rounds()) !== 0) continue
      assert.match(excluding, /\.not=/)
      const others = (await page(excluding.replace(/facets=[^&]*/, 'facets=-'))).total
      const left = found(`${articles}?${conditions}`).length - shown
      assert.equal(others, left, `${excluding}, seed ${seed}`)
    }
  }
})

test('a facet does not count its own condition, and a second click takes it back', async () => {
  const { document } = await page(
    `${articles}?isAccessibleForFree=true&section.not=Kultur&facets=isAccessibleForFree`,
  )
  const [chosen] = [...document.querySelectorAll('.facet a[aria-current]')]
  assert.equal(chosen?.getAttribute('href'), `${articles}?section.not=Kultur&facets=isAccessibleForFree`)
  const counts = [...document.querySelectorAll('.facet .count')]
  const sum = counts.reduce((all, { textContent }) => all + Number(textContent), 0)
  assert.equal(sum, found(articles).filter(({ value }) => value.section !== 'Kultur').length)
})

test('references are shown by the names of their records', async () => {
  const [outlet] = reference.records.filter(({ collection }) => collection.endsWith('source'))
  assert.ok(outlet)
  const name = outlet.value.displayName
  const names = (await page(`${articles}/filter?field=source`)).texts('span.name')
  assert.ok(names.includes(name), name)
  assert.ok(names.every((each) => !each.startsWith('at://')))
  const listed = await page(`${articles}/filter?field=source&find=${encodeURIComponent(name)}`)
  assert.ok(listed.texts('span.name').includes(name))
  const [address = ''] = listed.linksTo(name)
  const { total, texts } = await page(address)
  assert.equal(total, found(`${articles}?source=${outlet.uri}`).length)
  assert.match(texts('.filters').join(), new RegExp(`Source: ${name}`))
  const nested = await page(`${enrichment}?show=table&columns=article_source`)
  const known = reference.records.map(({ value }) => value.displayName)
  const shown = nested.texts('.records td bdi')
  assert.ok(shown.length > 0 && shown.every((each) => known.includes(each)), shown.join())
})

test('forms of filters, and facets that the list has, lead to the list with the filter', async () => {
  for (const [given, wanted] of [
    ['/filter?language=en&field=title&op=contains&value=storm', '?language=en&title.contains=storm'],
    ['/filter?section=a&field=section&op=is&value=b', '?section=a&section=b'],
    ['?q=&publishedAt.from=2026-11-01&publishedAt.to=', '?publishedAt=2026-11-01'],
    ['/facets?language=en&facets=country', '?language=en&facets=country'],
    ['/filter?q=storm&q=flood&for=topic&field=language&op=is&value=en', '/topic?language=en&q=storm&q=flood'],
  ])
    assert.equal((await page(`${articles}${given}`)).location, `${articles}${wanted}`)
  assert.equal((await page(`${articles}?q=storm`)).location, null)
  await page(`${articles}/filter?field=wordCount&op=from&value=many`, 400)
})

test('a search with several unknown words suggests all of them at once', async () => {
  const { linksTo } = await page(`${articles}?q=elektion+parliamint&language=en`)
  assert.equal(linksTo('election')[0], `${articles}?q=election+parliament&language=en`)
})

test('each page has what a search of excluded words or of nothing selects, or refuses signs', async () => {
  for (const search of ['-climate', '-climate -election', 'climate OR -election', '\u200B', ' \u2060 \uFE0F'])
    for (const order of ['', '&sort=-wordCount']) {
      const address = `${articles}?q=${encodeURIComponent(search)}${order}`
      const { length } = found(address)
      assert.equal((await page(address)).total, length, address)
      const { texts: shown } = await page(address.replace('/c/', '/embed/c/'))
      assert.match(shown('.count').join(), new RegExp(`\\b${length} records`), address)
      const charts = await figure(address.replace('?', '/charts?part=groups&by=language&'))
      assert.equal(sum(charts.texts), length, address)
    }
  for (const search of ['!!', '-', '""', '*'])
    for (const place of [
      articles,
      `${articles}/charts`,
      `${articles}/feed.atom`,
      `/embed${articles}`,
      '/search',
    ])
      assert.equal((await get(`${place}?q=${encodeURIComponent(search)}`)).status, 400, `${place} ${search}`)
})

test('a search of everything marks its words and says how many records each collection has', async () => {
  const { body, records, linksTo } = await page('/search?q=climate')
  assert.equal(records.length, 20)
  assert.match(body, /<mark>Climate<\/mark>/)
  const count = found(`${articles}?q=climate`).length
  assert.equal(linksTo(`Article ${count}`)[0], `${articles}?q=climate`)
  const pages = await follow('/search?q=climate', 'Next page')
  assert.equal(new Set(pages.flat()).size, pages.flat().length)
  await page('/search?q=climate&x=1', 400)
})

test('a search of everything shows the outlet and the date of each article and analysis', async () => {
  const recordAt = new Map(news().records.map((record) => [pathOf(record), record.value]))
  const kinds = new Set<string>()
  for (const search of ['climate', 'storm', 'election']) {
    const { document } = await page(`/search?q=${search}`)
    for (const result of document.querySelectorAll('li.result')) {
      const path = result.querySelector('h3 a')?.getAttribute('href') ?? ''
      const value = recordAt.get(path)
      const about =
        value.article === undefined ? value : recordAt.get(value.article.uri.replace('at://', '/at/'))
      const outlet = recordAt.get(about?.source?.uri.replace('at://', '/at/') ?? '')
      if (outlet === undefined) continue
      kinds.add(path.split('/')[3] ?? '')
      assert.ok(result.querySelector('.facts')?.textContent.includes(outlet.displayName), path)
      if (about.publishedAt !== undefined) assert.ok(result.querySelector('time'), path)
    }
  }
  assert.deepEqual([...kinds].toSorted(), ['tech.service.news.article', 'tech.service.news.enrichment'])
})

test('findings say in words which records shares are of', async () => {
  const valueAt = new Map(news().records.map(({ uri, value }) => [uri, value]))
  const source = found(`${articles}?q=climate&articleType=report`).find((each) => each.value.source)?.value
    .source.uri
  const { displayName, country } = valueAt.get(source)
  const nameOf = (tag: string) => new Intl.DisplayNames(tag, { type: 'region' }).of(country)
  const outlet = `source=${encodeURIComponent(source)}`
  for (const [conditions, said] of [
    ['language=en&language=fr', 'of the records in English or French ('],
    [outlet, `of the records by ${displayName} (`],
    [`source_country=${country}`, `of the records from ${nameOf('en')} (`],
    [`${outlet}&articleType=report`, `of the records by ${displayName} with Article type: Report (`],
    [`source_country=${country}&language=en&lang=es`, `de registros en inglés desde ${nameOf('es')} (`],
  ]) {
    const { texts } = await page(`${articles}/topic?q=climate&${conditions}`)
    assert.ok(
      texts('.findings li').join().includes(String(said)),
      `${texts('.findings li').join()}, not ${said}`,
    )
  }
  const { linksTo } = await page(`${articles}?q=climate&language=en`)
  assert.equal(linksTo('At a glance: “climate” in English').length, 1)
})

test('examples of the first page lead to records', async () => {
  const { links, cost } = await page('/')
  // The words of a week are the dearest part.
  assert.ok(cost <= 160, `${cost} points`)
  const addresses = links('.examples')
  assert.ok(addresses.length >= 2)
  for (const address of addresses) await page(address)
  assert.ok((await page(addresses[0] ?? '')).total > 0)
})

test('examples are of another field where records have no tags', async () => {
  const articlesOnly = news().records.filter(({ uri }) => uri.includes('.article/'))
  const records = articlesOnly.slice(0, 30).map(({ uri, value }) => ({
    uri,
    value: { ...value, tags: undefined },
  }))
  await using untagged = await openExplorer({ ...news(), records })
  assert.match((await untagged.get('/')).body, /class="examples"/)
})

test('a topic of records without text has no part for words', async () => {
  const nsid = 'org.example.reading'
  const lexicon = recordLexicon(nsid, {
    at: { type: 'string', format: 'datetime' },
    day: { type: 'integer' },
  })
  const records = await Promise.all(
    [1, 2, 3].map((day) =>
      buildRecord(nsid, { rkey: `r${day}`, value: { day, at: `2026-10-0${day}T12:00:00Z` } }),
    ),
  )
  await using textless = await openExplorer({ lexicons: [lexicon], records })
  const { body } = await textless.get(`/c/${nsid}/topic?day.from=2`)
  assert.match(body, /class="findings"/)
  assert.doesNotMatch(body, /words/)
})

test('a topic says its filters in titles and pictures, and with shares of all in sentences', async () => {
  const filters = 'language=en&source_country=GB'
  const words = 'Language: English; Source country: United Kingdom'
  const one = await page(`${articles}/topic?q=climate&${filters}`)
  assert.equal(one.texts('h1').join(), `“climate” in Article; ${words}`)
  assert.match(one.texts('title').join(), new RegExp(`^“climate” in Article; ${words}`))
  assert.match(one.texts('.findings').join(), /^“climate” is in /)
  const ofAll = await page(`${articles}/topic?q=climate&${filters}&base=all`)
  assert.ok(ofAll.texts('.findings').join().startsWith('“climate” in English from United Kingdom is in '))
  const period = 'publishedAt.from=2026-01-01T00:00:00Z&publishedAt.to=2026-12-31T23:59:59Z'
  const query = `part=topic&q=climate&${period}&${filters}&base=all`
  const { body } = await page(`${articles}/chart.svg?${query}`)
  const lines = Array.from(body.matchAll(/<text [^>]*>([^<]*)<\/text>/g), ([, text = '']) => text)
  assert.match(lines.join(''), /http:\/\/test\.example\/c\/[^ ]*publishedAt[^ ]*base=all/)
  assert.ok(
    lines.some((line) => /^\W*Share of all .* per /.test(line)),
    lines.join(),
  )
})

test('words of a topic are compared within its language, which is said', async () => {
  for (const query of ['q=climate&language=en&base=all', 'q=climate', 'q=climate&language=en']) {
    const { body } = await page(`${articles}/topic?${query}&panel=words`)
    assert.match(body, /Compared with: the records in English, without those here\./, query)
  }
})

test('words of a country are compared, although its condition on both sides would cost too much', async () => {
  for (const query of ['q=climate&source_country=GB', 'q=climate&source_country=GB&language=en']) {
    const whole = await page(`${articles}/topic?${query}`)
    const part = whole.links('#late-words')[0] ?? ''
    assert.match(part, /panel=words/, query)
    const { body, cost } = await page(part)
    assert.match(body, /id="late-words"/)
    assert.ok(cost > 150 && cost <= 330, `${query}: ${cost}`)
  }
})

test('a page has every facet that its price leaves room for, and no dearer one', async () => {
  const roles = createSubjects(newsModel).of('tech.service.news.article')?.roles.facets ?? []
  for (const condition of [
    'q=climate&source_country=GB&language=en',
    'techServiceNewsEnrichmentViaArticle.sentiment=negative&source_country=GB&wordCount.from=100',
  ]) {
    const { body, cost } = await page(`${articles}?${condition}`)
    const shown = Array.from(body.matchAll(/name="facets" value="([^"]*)" checked/g), ([, name = '']) => name)
    assert.ok(cost <= mostAffordable, `${condition}: ${cost}`)
    const left = roles.filter((name) => !shown.includes(name))
    assert.ok(left.length > 0)
    for (const other of left) {
      const dearer = await page(`${articles}?${condition}&facets=${[...shown, other].join(',')}`)
      // The facets that a reader names come before the chart.
      const gaveWay = !dearer.body.includes('<figure') || dearer.body.includes('data-later')
      const most = condition.includes(`${other}=`) ? mostAffordable : affordable
      assert.ok(dearer.cost > most || gaveWay, `${condition}: ${other} would cost ${dearer.cost}`)
    }
  }
})

test('a search with filters keeps the chart and what was filtered by', async () => {
  const dates = 'publishedAt.from=2026-10-01&publishedAt.to=2026-10-31'
  const searched = await page(
    `${articles}?q=election+OR+elecciones&language=en&language=es&source_country=GB&${dates}`,
  )
  assert.match(searched.body, /<figure/)
  assert.match(searched.body, /data-later/)
  const late = await page(searched.links('.later')[0] ?? '')
  for (const name of ['language', 'source_country'])
    assert.ok(
      [searched, late].some(({ document }) => document.querySelector(`#facet-${name}`)),
      name,
    )
  const clicked = await page(`${articles}?q=climate&source_country=GB`)
  assert.match(clicked.body, /id="facet-source_country".*?class="count"/s)
  const french = `${articles}?language=fr`
  assert.equal((await page(french)).total, found(french).length)
})

test('a chart that costs more than one operation may is asked for in several', async () => {
  const dear = `${articles}?q=climate&source_country=GB&facets=language,source&split=source&as=share`
  assert.match((await page(dear)).body, /<figure/)
})

test('a chart of all times asks for counts without conditions on the time', async () => {
  for (const [more, isWhole] of [
    ['per=week', true],
    ['as=share', true],
    ['language=en', true],
    ['language=en&publishedAt.from=2026-08-01', false],
  ] as const) {
    const asked = new Set<string>()
    const price = ({ query }: { readonly query: string }) => (asked.add(query), 1)
    await explorerOver(service, newsModel, { price }).get(`${articles}?${more}`)
    const charts = [...asked].filter((query) => query.includes('part0:'))
    // The dearest chart that may be asked for is priced first.
    assert.equal(charts.at(-1)?.includes('fill'), !isWhole, more)
  }
})

test('a chart of which a part costs too much gives way to a link', async () => {
  const price = ({ query }: { readonly query: string }) => (query.includes('part0:') ? mostAffordable + 1 : 1)
  const { body } = await explorerOver(service, newsModel, { price }).get(`${articles}?language=en`)
  assert.match(body, /<a href="[^"]*\/charts\?language=en" rel="nofollow">More charts/)
  assert.doesNotMatch(body, /<figure/)
})

test('a chart that costs too much is refused before its page begins', async () => {
  const dear = explorerOver(service, newsModel, { price: () => mostAffordable + 1 })
  for (const place of ['charts', 'chart.svg?part=groups']) {
    const { status, body } = await dear.get(`${articles}/${place}`)
    assert.equal(status, 400)
    assert.match(body, /This would cost too much/)
  }
})

test('facets that cannot be afforded, or are too many, do not keep the page away', async () => {
  const dear =
    'q=climate&source_country=GB&title.contains=the&techServiceNewsEnrichmentViaArticle.sentiment=negative'
  const some = 'language,source,source_country,source_language,section,articleType,source_region'
  const many =
    'category,sentiment,topics,keywords,language,model,scope,eventType,emotionalTone,politicalOrientation,impactLevel'
  for (const address of [`${articles}?${dear}&facets=${some}`, `${enrichment}?facets=${many}`]) {
    const { links } = await page(address)
    const [late = ''] = links('.later')
    assert.ok((await page(late)).document.querySelector('#late-facets .facet') !== null, late)
  }
})

test('facets of the second request count the records of the page, and those of later pages do too', async () => {
  const query = 'q=climate&source_country=GB&language=en'
  const first = await page(`${articles}?${query}`)
  const second = await page(
    `${articles}?language=en&after=${(await page(`${articles}?language=en`)).body.match(/after=([^"&]+)/)?.[1]}`,
  )
  for (const { links, document } of [first, second]) {
    const here = [...document.querySelectorAll('.facet[aria-labelledby]')].length
    const late = await page(links('.later')[0] ?? '')
    const values = [...late.document.querySelectorAll('#late-facets .facet a.value')]
    assert.ok(values.length > 2 && here < 5, `${values.length} values, ${here} facets`)
    for (const value of values) {
      const count = Number(value.querySelector('.count')?.textContent?.replaceAll(',', ''))
      const href = value.getAttribute('href') ?? ''
      // Other values of a field that is filtered by count as if none were chosen.
      if (!/language|country/.test(value.closest('section')?.getAttribute('aria-labelledby') ?? ''))
        assert.equal(count, found(href).length, href)
    }
  }
})

test('a page that does not exist leads to this host alone', async () => {
  for (const address of ['//evil.example/x', '///evil.example', '//evil.example/x?lang=es'])
    assert.doesNotMatch((await page(address, 404)).body, /(href|action)="\/\//)
})
