/** What pages say where readers could misread what they see, and where an address is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHTML } from 'linkedom'
import { suggestions } from '../../src/explorer/browse/search-form.ts'
import { toText } from '../../src/explorer/html.ts'
import { chooseLanguage } from '../../src/explorer/languages/language.ts'
import { refusedPage } from '../../src/explorer/pages/failure.ts'
import { timeAndZone, timeOf } from '../../src/explorer/parts/values.ts'
import { explorerOver } from '../support/service/explorer.ts'
import { article, enrichment, limit, newsModel, openPages, plain } from './pages.ts'

const { figure, found, get, page, service } = await openPages()

test('a range that ends before it begins says so, and leads to the one that was meant', async () => {
  for (const [from, to] of [
    ['publishedAt=2026-11-30&publishedAt.to=2026-11-01', 'publishedAt=2026-11-01&publishedAt.to=2026-11-30'],
    ['language=en&wordCount.from=20&wordCount.to=10', 'language=en&wordCount.from=10&wordCount.to=20'],
  ])
    for (const place of [article, `${article}/charts`]) {
      const { texts, links } = await page(`${place}?${from}`)
      assert.match(texts('p.problem').join(), /the range begins after it ends/)
      assert.deepEqual(links('p.problem'), [`${place}?${to}`])
    }
  for (const right of [
    'publishedAt=2026-11-01T20:00:00Z&publishedAt.to=2026-11-01',
    'publishedAt=2026-11-01&publishedAt.to=2026-11-01',
    'wordCount.from=10&wordCount.to=10',
  ])
    assert.deepEqual((await page(`${article}?${right}`)).texts('p.problem'), [], right)
})

test('a language of pages that there is not is refused like other unknown values', async () => {
  for (const place of ['/', `${article}?language=en`, `/embed${article}`, `${article}/feed.atom`]) {
    const { texts, links } = await page(`${place}${place.includes('?') ? '&' : '?'}lang=xx`, 400)
    assert.match(texts('section.problem').join(), /“lang” cannot be “xx”. It can be: en, es, ar./)
    assert.deepEqual(links('section.problem'), [place])
  }
  await page('/?lang=')
  for (const lang of ['ES', 'es-MX'])
    assert.equal((await page(`/?lang=${lang}`)).document.documentElement.lang, 'es')
})

test('an address with a mistake is refused with what there is, and leads to the same one without it', async () => {
  const { linksTo } = await page(`${article}?language=en&colour=red&wordCount.from=many`, 400)
  assert.deepEqual(linksTo('Go on without it'), [`${article}?language=en`])
  const told = async (query: string) =>
    (await page(`${enrichment}${query}`, 400)).texts('section.problem').join()
  assert.match(await told('?facets=foo'), /“facets” cannot be “foo”\. It can be: .*sentiment/)
  // A long list is cut visibly.
  assert.match(await told('/charts?by=foo'), /“by” cannot be “foo”\. It can be: [^.]*…/)
  for (const file of ['chart.csv', 'chart.svg'])
    assert.match(
      (await page(`${article}/${file}?part=groups&by=colour`, 400)).body,
      /<title>Charts: Article ·/,
    )
})

test('a search of everything links to the topic of the collection whose records name outlets', async () => {
  assert.deepEqual((await page('/search?q=flood')).linksTo('At a glance: “flood”'), [
    `${article}/topic?q=flood`,
  ])
  assert.deepEqual((await page('/search?q=nosuchword')).linksTo('At a glance'), [])
})

test('a cursor that is not one leads to the first page', async () => {
  const { body, linksTo } = await page(`${article}?language=en&after=abc`, 400)
  assert.match(body, /<title>This page cannot be shown/)
  assert.deepEqual(linksTo('First page'), [`${article}?language=en`])
})

test('a search that cannot be carried out can be changed, or left out', async () => {
  for (const [address, search, without] of [
    [`${article}?language=en&q=-&lang=ar`, '-', `${article}?language=en&lang=ar`],
    ['/search?q=%22&lang=es', '"', '/search?lang=es'],
    [`${article}?q=%3F&lang=en`, '?', `${article}?lang=en`],
  ] as const) {
    const { document, texts, links } = await page(address, 400)
    // Nothing of the message for developers.
    assert.doesNotMatch(texts('.problem').join(), /[`]|RELEVANCE/)
    const input = (name: string) => document.querySelector(`.problem form input[name=${name}]`)
    assert.equal(input('q')?.getAttribute('value'), search)
    assert.equal(input('language') !== null, address.includes('language='))
    assert.deepEqual(links('.problem'), [without])
  }
})

test('a refusal of the service is explained in the language of the page, and leads to it without filters', async () => {
  for (const [tag, code, message, said] of [
    ['es', 'QUERY_TOO_COMPLEX', 'Select fewer lists within lists.', /Esto costaría demasiado/],
    ...['en', 'es', 'ar'].map((each) => [each, 'BAD_USER_INPUT', 'Write at least one word.', /./] as const),
  ] as const) {
    const language = chooseLanguage(tag, undefined)
    const request = {
      parts: ['c', 'tech.service.news.article'],
      parameters: [['title.matches', '-a']] as const,
      language,
      address: `${article}?title.matches=-a`,
      exportRows: 1_000,
      queryPoints: 250,
      origin: 'http://test.example',
    }
    const content = toText(
      await refusedPage({ code, message, retryAfter: null }, request).render({}, null, null),
    )
    assert.match(content, said)
    const isOwn = code === 'BAD_USER_INPUT'
    // Only the reason is of use to readers.
    assert.equal(content.includes(`<p lang="en" dir="ltr" class="none">${message}</p>`), isOwn)
    assert.equal(content.includes(message), isOwn)
    if (isOwn) assert.ok(content.includes(language.text.wrongInput), content)
    assert.ok(content.includes(`<a href="${article}?lang=${tag}" rel="nofollow">${language.text.clear}</a>`))
  }
})

test('what costs too much with its filters leads to what does not, and keeps the searches', async () => {
  const [topics, filters] = ['q=climate&q=flood&q=storm&q=election', 'tags=food&source_country=GB']
  const { links, texts } = await page(`${article}/topic?${filters}&${topics}&per=week`, 400)
  const fewer = topics.replace('&q=election', '')
  assert.deepEqual(links('.problem'), [
    `${article}/topic?${filters}&${fewer}&per=week`,
    `${article}/topic?${topics}&per=week`,
  ])
  assert.deepEqual(texts('.problem a'), [
    '“climate”, “flood”, “storm” in Article; Tags: food; Source country: United Kingdom',
    '“climate”, “flood”, “storm”, “election” in Article',
  ])
  for (const link of links('.problem'))
    assert.equal((await page(link)).texts('.findings li').length, link.split('q=').length - 1)
  // The service refuses what the page could afford.
  const dear = explorerOver(service, newsModel, { price: () => limit + 1 })
  const fault = { code: 'QUERY_TOO_COMPLEX', message: '', retryAfter: null }
  for (const [address, without] of [
    [`${article}?q=climate&language=en`, `${article}?q=climate`],
    [`${article}?q=climate`, article],
    [
      `${article}/filter?q=climate&q=flood&tags=food&for=topic&field=language`,
      `${article}/filter?q=climate&q=flood&for=topic&field=language`,
    ],
  ] as const) {
    const { document } = parseHTML((await dear.get(address, () => fault)).body)
    assert.equal(document.querySelector('.problem a')?.getAttribute('href'), without, address)
  }
  // Without a search there is no topic to keep.
  const price = (given: unknown): number => (JSON.stringify(given).includes('food') ? limit + 1 : 1)
  const { body } = await explorerOver(service, newsModel, { price }).get(`${article}/topic?tags=food`)
  assert.equal(parseHTML(body).document.querySelector('.problem p a')?.textContent, 'Remove all filters')
})

test('values that were looked through in part are not called the most frequent ones', async () => {
  const notes = async (query: string) => (await page(`${article}/filter?${query}`)).texts('#values .none')
  assert.deepEqual(await notes('field=wordCount'), ['The 100 most frequent values.'])
  assert.deepEqual(await notes('field=wordCount&find=12'), [
    'Only the 100 most frequent values were looked through.',
  ])
  assert.deepEqual(await notes('field=language&find=en'), [])
})

test('a phrase has quotes of its own within those of a search, also in titles of files', async () => {
  const query = new URLSearchParams({ q: '"storm surge"' })
  for (const address of ['/search', `${article}/topic`, article, `${article}/feed.atom`]) {
    const { body } = await get(`${address}?${query}`)
    assert.match(body, /“‘storm surge’”/, address)
    assert.doesNotMatch(body, /“(?:"|&quot;)/, address)
  }
})

test('feeds and embedded lists name the records of their filters', async () => {
  const story = found(`${article}?story.missing=0`)[0]!.value.story
  const title = found(article).find(({ uri }) => uri === story)!.value.title
  for (const address of [`${article}/feed.atom`, `/embed${article}`]) {
    const { body } = await get(`${address}?${new URLSearchParams({ story: String(story) })}`)
    const { document } = parseHTML(body)
    const said = document.querySelector('h1, title')?.textContent ?? ''
    assert.ok(
      (document.querySelector('h1') ?? document.querySelector('title'))?.textContent?.includes(String(title)),
      said,
    )
  }
})

test('the orders of a list begin with those of its table', async () => {
  const { document } = await page(article)
  const labels = (selector: string) =>
    Array.from(document.querySelectorAll(selector), ({ textContent }) => plain(textContent))
  const [usual, more] = [labels('.sort select > option'), labels('.sort optgroup[label="More"] option')]
  assert.equal(usual[0], 'Newest in the index first')
  assert.equal(usual[1], 'Published at, descending')
  assert.ok(usual.length <= 11 && more.includes('Indexed at, descending'), usual.join())
  assert.deepEqual(
    usual.filter((label) => more.includes(label)),
    [],
  )
  // Facets of the second request are before the fields that have none.
  const { document: late } = await page(`${article}?q=the&language=en&source_country=GB`)
  assert.ok(/id="late-facets"[^]*class="more"/.test(late.querySelector('aside')?.innerHTML ?? ''))
})

test('an order says where records without its value are', async () => {
  const notes = async (query: string) => (await page(`${article}?${query}`)).texts('.bar .none').join()
  assert.match(await notes('sort=-wordCount'), /Records without “Word count” come last\./)
  assert.match(await notes('sort=wordCount'), /Records without “Word count” come first\./)
  assert.doesNotMatch(await notes('sort=wordCount&wordCount.from=1'), /without/)
  assert.doesNotMatch(await notes('sort=title'), /without/)
  assert.ok(found(`${article}?publishedAt.missing=1`).length > 0)
  assert.match(await notes('sort=-publishedAt'), /Records without “Published at” come last\./)
  assert.equal((await page(article)).texts('.sort option')[0], 'Newest in the index first')
})

test('topics whose records have no right time show the newest in the index', async () => {
  for (const query of [
    'publishedAt.missing=1',
    'q=the&publishedAt.missing=1',
    'publishedAt.missing=1&panel=newest',
    'q=the',
    'publishedAt=1000-01-01',
    'q=nosuchword',
  ]) {
    const { links, texts } = await page(`${article}/topic?${query}`)
    const records = found(`${article}?${query.replace('&panel=newest', '')}`)
    const isTimeless = records.length > 0 && !/^(q=the|publishedAt=1000-01-01)$/.test(query)
    assert.equal(texts('[aria-labelledby=topic-newest]').join().includes('Newest in the index'), isTimeless)
    const all = links('[aria-labelledby=topic-newest] .newest li')
    const shown = all.filter((href) => href.includes('/tech.service.news.article/'))
    const newest = records.slice(0, 6).map(({ uri }) => uri.replace('at://', '/at/'))
    if (isTimeless) assert.deepEqual(shown, newest, query)
    else assert.equal(shown.length > 0, records.length > 0, query)
    const note = `Records without a time that are not shown: ${records.length}.`
    const isSaid = isTimeless && !query.includes('panel=')
    assert.equal(texts('main > .none').join().includes(note), isSaid, query)
  }
  // A time that is not that of the records is named.
  const { description } = await figure(`${enrichment}/charts?by=article_publishedAt_month`)
  const undated = found(`${enrichment}?article_publishedAt.missing=1`).length
  const note = `Article published at: Records without a time that are not shown: ${undated}.`
  assert.ok(description.includes(note), description)
})

test('conditions of any kind fit into the sentence of a topic, and the language separates them', async () => {
  for (const [query, start] of [
    ['tags.missing=1', '“Tags: missing” is in '],
    ['q=climate&tags.missing=0', '“climate” is in '],
    ['title.contains=“the”', '“Title: contains ‘the’” is in '],
    ['title.contains=the&language.not=en', '“Title: contains the, Language: not English” is in '],
  ] as const) {
    const { texts } = await page(`${article}/topic?${query}`)
    assert.ok(texts('.findings li').join().startsWith(start), texts('.findings li').join())
  }
  // A condition on the time that is no period is said as it is.
  for (const [flag, said] of [
    ['0', 'has a value'],
    ['1', 'missing'],
  ]) {
    const { texts } = await page(`${article}/topic?q=the&publishedAt.missing=${flag}`)
    assert.ok(
      texts('.findings li').join().includes(` of the records with Published at: ${said} (`),
      texts('.findings li').join(),
    )
  }
  const filters = 'q=climate&tags.missing=0&title.contains=the'
  const { texts } = await page(`${article}/topic?${filters}`)
  assert.match(texts('.findings li').join(), / with Tags: has a value; Title: contains the \(/)
  for (const place of ['', '/topic'])
    assert.match((await page(`${article}${place}?${filters}&lang=ar`)).texts('title').join(), /^[^;]*؛[^;]*$/)
})

test('a filter is added to topics where they are', async () => {
  const topics = 'q=storm&q=flood'
  const { document } = await page(`${article}/topic?${topics}`)
  const inputs = Array.from(document.querySelectorAll('.add [type=hidden]'), (input) =>
    ['name', 'value'].map((name) => input.getAttribute(name)).join('='),
  )
  assert.equal(inputs.join('&'), `${topics}&for=topic`)
  const fields = await page(`${article}/filter?${inputs.join('&')}`)
  const [language = ''] = fields.linksTo('Language')
  const values = await page(language)
  assert.deepEqual(values.linksTo('English'), [`${article}/topic?language=en&${topics}`])
  assert.deepEqual(values.links('.heading'), [`${article}/topic?${topics}`])
  // The records of any topic are counted, or of the first where an open quotation would take in the others.
  for (const [query, counted, said] of [
    [topics, '(storm) OR (flood)', '“storm” or “flood”'],
    ['q=storm', 'storm', '“storm”'],
    ['q=-storm&q=flood+OR+rain', '-storm OR flood OR rain', '“-storm” or “flood OR rain”'],
    ['q=%22storm&q=flood', '"storm', '“"storm”'],
    ['q=(storm&q=flood', '(storm) OR (flood)', '“(storm” or “flood”'],
    ['q=+&q=flood&q=flood', 'flood', '“flood”'],
  ] as const) {
    const { texts } = await page(`${article}/filter?${query}&for=topic&field=language`)
    const English = texts('.facet li').find((text) => text.startsWith('English'))
    const records = found(`${article}?${new URLSearchParams({ q: counted, language: 'en' })}`)
    assert.match(String(English), new RegExp(`^English ?${records.length}\\b`), query)
    assert.deepEqual(texts('.facet > .none'), [`Article: ${said}`])
  }
  // Forms send blank inputs; without a search the records of the filters are the topic.
  const sent = `${article}/topic?language=en&wordCount.from=100`
  assert.equal((await page(`${sent}&wordCount.to=`)).location, sent)
  // An address with such topics and the page of filters would be too long.
  const long = `q=${encodeURIComponent('é'.repeat(520))}`
  assert.deepEqual((await page(`${article}/topic?${long}&${long}&${long}&${long}`)).texts('.add'), [])
})

test('a condition that is wrong can be left out', async () => {
  const { links } = await page(`${article}/filter?field=wordCount&op=from&value=abc`, 400)
  assert.deepEqual(links('.problem'), [`${article}/filter?field=wordCount`])
})

test('fewer words are recommended only where there are several', async () => {
  for (const place of [article, '/search'])
    for (const [query, isTold] of [
      ['nosuchword', false],
      ['nosuchword+norother', true],
    ] as const) {
      const { body } = await page(`${place}?q=${query}`)
      assert.ok(body.includes('Nothing matches.'))
      assert.equal(body.includes('search for fewer words'), isTold, place)
    }
})

test('a search without a hit in a script without spaces leads to the records that contain its characters', async () => {
  const told = async (query: string, place = article) => {
    const { links, texts } = await page(`${place}?${query}`)
    const counts = texts('.suggestions .count').map(Number)
    assert.deepEqual(
      links('.suggestions').map((link) => found(link).length),
      counts,
      query,
    )
    return counts
  }
  for (const q of ['放量', '班公', '上げ', 'すみ', '"候 方"', 'title:候方', '放量 OR 班公', 'nosuch放量'])
    assert.equal((await told(`q=${encodeURIComponent(q)}`)).length > 0, !q.startsWith('nosuch'), q)
  assert.deepEqual(await told('q=放量&language=zh'), await told('q=放量'))
  assert.equal((await told('q=放量', '/search')).length, 2)
  // Found as words, excluded, in another script, or without any record.
  for (const q of ['気候', 'nosuchword', 'nosuchword -放量', '鑑鑑鑑'])
    for (const place of [article, '/search']) assert.deepEqual(await told(`q=${q}`, place), [], q)
})

test('records without a time show when they were indexed, and lead to a chart of that', async () => {
  const { texts, links } = await page(`${article}?publishedAt.missing=1`)
  assert.ok(texts('.result .facts').every((facts) => /Indexed at \w+ \d+, \d{4}/.test(facts)))
  const [chart = ''] = links('.results').filter((link) => link.includes('by=indexedAt_day'))
  const counts = (await figure(chart)).rows.map(([, count]) => Number(count?.text))
  assert.ok(counts.length > 1 && counts.some((count) => count > 0), chart)
})

test('midnight in UTC is a date, and periods that bounds cut are named', async () => {
  const english = chooseLanguage('en', undefined)
  const shown = (instant: string) => toText(timeOf(instant, english))
  assert.equal(shown('2026-11-16T00:00:00.000Z'), '<time datetime="2026-11-16">Nov 16, 2026</time>')
  assert.match(shown('2026-11-16T00:00:01Z'), />Nov 16, 2026, 12:00 AM</)
  // Scripts move only those with `data-zone`.
  const midnight = toText(timeAndZone('2026-11-16T00:00:00Z', english))
  assert.equal(midnight, '<time datetime="2026-11-16">Nov 16, 2026</time>')
  const cut = await figure(`${article}?publishedAt=2026-10-07&publishedAt.to=2026-10-25&per=week`)
  assert.match(cut.description, /Not complete: Oct 5, 2026\.$/)
})

test('the file of ranges has those without records, as the table does', async () => {
  const query = 'by=wordCount&step=200'
  const { body } = await get(`${article}/chart.csv?part=groups&${query}`)
  const rows = body
    .trim()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(','))
  const { texts } = await figure(`${article}/charts?${query}`)
  const missing = found(`${article}?wordCount.missing=1`).length
  assert.deepEqual(
    rows.map(([, count]) => count),
    [...texts.map(([, count]) => count), `${missing}`],
  )
})

test('a search without a word is refused for that reason, on a list and as a topic', async () => {
  for (const place of [article, `${article}/topic`]) {
    const { texts } = await page(`${place}?q=%F0%9F%98%B7`, 400)
    assert.match(texts('section.problem').join(), /Write at least one word: signs are not enough\./)
  }
})

test('what finds the same is no suggestion', () => {
  const links = (search: string, nearest: string) =>
    toText(
      suggestions(
        [{ word: search, nearest: [{ word: nearest }] }],
        search,
        chooseLanguage('en', undefined),
        (to) => to,
      ),
    )
  assert.equal(links('Überflut', 'uberflut'), '')
  assert.match(links('Überflut', 'uberfluten'), /uberfluten/)
})
