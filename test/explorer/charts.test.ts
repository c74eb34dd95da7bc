/** Charts over the demo corpus in a real engine: what they ask, what they cost, and that their numbers are true. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { parseHTML } from 'linkedom'
import { closeCorpora, corpusNamed, newsLexicons } from '../golden/corpora.ts'
import { modelOf } from '../support/service/agents.ts'
import { onEveryDatabase as test } from '../support/store/databases.ts'
import { explorerOver } from '../support/service/explorer.ts'
import type { Engine } from '../support/store/postgres.ts'

const model = modelOf(newsLexicons.documents, newsLexicons.references)
const article = '/c/tech.service.news.article'
const enrichment = '/c/tech.service.news.enrichment'
/** Points: what the public tier may spend on an operation. */
const limit = 250
after(closeCorpora)

interface Figure {
  readonly title: string
  readonly head: readonly string[]
  /** By the texts of the row's cells. */
  readonly rows: readonly (readonly string[])[]
  readonly links: readonly (readonly (string | null)[])[]
  readonly drawings: number
  readonly text: string
}

async function opened(database: Engine) {
  const { service } = await corpusNamed('demo', database)
  const explorer = explorerOver(service, model)
  const figure = async (address: string): Promise<Figure> => {
    const { status, body, cost } = await explorer.get(address)
    assert.equal(status, 200, body)
    assert.ok(cost <= limit, `${address} costs ${cost} points`)
    const { document } = parseHTML(body)
    const found = document.querySelector('figure')
    assert.ok(found !== null, body)
    const cells = [...found.querySelectorAll('tbody tr')].map((row) => [...row.children])
    return {
      title: plain(found.querySelector('figcaption')?.textContent),
      head: [...found.querySelectorAll('thead th')].map(({ textContent }) => plain(textContent)),
      rows: cells.map((row) => row.map(({ textContent }) => plain(textContent))),
      links: cells.map((row) => row.map((cell) => cell.querySelector('a')?.getAttribute('href') ?? null)),
      drawings: found.querySelectorAll('svg.chart').length,
      text: plain(found.querySelector('.description')?.textContent),
    }
  }
  /** How many records a page of the collection says that it has. */
  const total = async (address: string): Promise<number> => {
    const { status, body } = await explorer.get(address)
    assert.equal(status, 200, body)
    return Number(/([\d,]+) records?</.exec(body)?.[1]?.replaceAll(',', ''))
  }
  return { explorer, service, figure, total }
}

function plain(text: string | null | undefined): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim()
}

function sum(numbers: readonly (string | undefined)[]): number {
  return numbers.reduce((all, each) => all + Number(each?.replaceAll(',', '')), 0)
}

test('a bar of the time chart leads to as many records as it shows', async (database) => {
  const { figure, total } = await opened(database)
  for (const query of [
    'language=en',
    'publishedAt=2026-10-05&publishedAt.to=2026-11-04',
    'per=month&language=fr',
  ]) {
    const { rows, links, drawings } = await figure(`${article}?${query}`)
    assert.equal(drawings, 2)
    assert.ok(rows.length > 2)
    assert.equal(sum(rows.map(([, count]) => count)) <= (await total(`${article}?${query}`)), true)
    for (const at of [0, Math.floor(rows.length / 2), rows.length - 1])
      assert.equal(await total(links[at]?.[0] ?? ''), Number(rows[at]?.[1] ?? 0), `${links[at]?.[0]}`)
  }
})

test('periods without records are shown between bounds, and outside of them none', async (database) => {
  const { figure } = await opened(database)
  const { rows } = await figure(`${article}?language=ja&publishedAt=2026-11-01&publishedAt.to=2026-11-04`)
  assert.deepEqual(rows, [
    ['Nov 1, 2026', '0'],
    ['Nov 2, 2026', '1'],
    ['Nov 3, 2026', '2'],
    ['Nov 4, 2026', '1'],
  ])
  const hours = await figure(`${article}?publishedAt=2026-11-01&publishedAt.to=2026-11-01`)
  assert.equal(hours.rows.length, 24)
  assert.equal(sum(hours.rows.map(([, count]) => count)), 8)
})

test('a chart of a search has the range of all records, so that a rise from nothing is seen', async (database) => {
  const { figure } = await opened(database)
  const whole = await figure(`${article}?per=day`)
  const labels = whole.rows.map(([label]) => label)
  for (const address of [
    `${article}?q=flood&per=day`,
    `${article}?q=flood&per=day&as=share`,
    `${article}/charts?part=compare&query=flood&per=day&as=count`,
  ]) {
    const { rows } = await figure(address)
    assert.deepEqual([rows[0]?.[0], rows.at(-1)?.[0]], [labels[0], labels.at(-1)], address)
    assert.match(rows[0]?.[1] ?? '', /^0%?$/)
  }
})

test('shares are those of the same period without other conditions', async (database) => {
  const { figure, service } = await opened(database)
  const { rows } = await figure(
    `${article}?language=ja&publishedAt=2026-11-01&publishedAt.to=2026-11-04&as=share`,
  )
  const { techServiceNewsArticleAggregate: answer } = await service.data(`{
    techServiceNewsArticleAggregate(
      groupBy: [publishedAt_day], fill: true
      where: {language: {eq: "ja"}, publishedAt: {gte: "2026-11-01", lt: "2026-11-05"}}
      denominator: {publishedAt: {gte: "2026-11-01", lt: "2026-11-05"}}
    ) { groups { share } }
  }`)
  const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
  assert.deepEqual(
    rows.map(([, share]) => share),
    answer.groups.map(({ share }: { share: number }) => percent.format(share)),
  )
})

test('what a chart is split into adds up to the whole', async (database) => {
  const { figure, total } = await opened(database)
  for (const split of ['language', 'source']) {
    const whole = await figure(`${article}?publishedAt=2026-10-05&publishedAt.to=2026-11-15&per=week`)
    const parts = await figure(
      `${article}?publishedAt=2026-10-05&publishedAt.to=2026-11-15&per=week&split=${split}`,
    )
    assert.equal(parts.head.length, 7)
    assert.equal(parts.head.at(-1), 'Others')
    assert.deepEqual(
      parts.rows.map(([, ...counts]) => sum(counts)),
      whole.rows.map(([, count]) => Number(count)),
    )
    assert.equal(await total(parts.links[1]?.[1] ?? ''), Number(parts.rows[1]?.[1]))
  }
})

test('each measure by fields has the numbers of the service, and links to their records', async (database) => {
  const { figure, total, service } = await opened(database)
  const count = await figure(`${article}/charts?by=language&top=10`)
  assert.deepEqual(count.rows[0], ['English', '97'])
  assert.equal(await total(count.links[1]?.[0] ?? ''), Number(count.rows[1]?.[1]))
  const { techServiceNewsEnrichmentAggregate: answer } = await service.data(`{
    techServiceNewsEnrichmentAggregate(groupBy: [sentiment]) {
      groups { sentiment median { impactLevel } avg { impactLevel } countDistinct(field: article_source) }
    }
  }`)
  const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
  for (const [measure, of, read] of [
    ['average', 'impactLevel', (group: any) => group.avg.impactLevel],
    ['median', 'impactLevel', (group: any) => group.median.impactLevel],
    ['distinct', 'article_source', (group: any) => group.countDistinct],
  ] as const) {
    const { rows } = await figure(`${enrichment}/charts?measure=${measure}&of=${of}&by=sentiment`)
    assert.deepEqual(
      rows.map(([, value]) => value).toSorted(),
      answer.groups.map((group: unknown) => number.format(read(group))).toSorted(),
      measure,
    )
  }
  const free = await figure(`${article}/charts?measure=share&isAccessibleForFree=true&by=section&top=10`)
  assert.ok(free.rows.every(([, share]) => share?.endsWith('%')))
})

test('two fields give a table of both', async (database) => {
  const { figure, total } = await opened(database)
  for (const kind of ['bars', 'lines', 'heat', 'multiples']) {
    const { head, rows, links, drawings } = await figure(
      `${article}/charts?by=language&by=publishedAt_month&kind=${kind}`,
    )
    assert.equal(drawings, 2)
    assert.deepEqual(
      rows.map(([month]) => month),
      ['Sep 2026', 'Oct 2026', 'Nov 2026'],
    )
    const english = head.indexOf('English')
    assert.ok(english > 0)
    assert.equal(await total(links[1]?.[english] ?? ''), Number(rows[1]?.[english]))
  }
  const ranges = await figure(`${article}/charts?by=wordCount&step=200`)
  assert.equal(await total(ranges.links[1]?.[0] ?? ''), Number(ranges.rows[1]?.[1]))
})

test('charts say what they leave out, and of how many records a measure is', async (database) => {
  const { figure, service } = await opened(database)
  const { techServiceNewsArticleAggregate: answer } = await service.data(`{
    techServiceNewsArticleAggregate(groupBy: [country]) { groupCount }
  }`)
  const two = await figure(`${article}/charts?by=publishedAt_week&by=country`)
  assert.match(two.text, new RegExp(`Country: 6 of ${answer.groupCount} groups are shown`))
  const share = await figure(`${article}/charts?measure=share&by=language&q=climate`)
  assert.match(share.text, /Groups in which fewer than 5 records match are left out/)
  const average = await figure(`${article}/charts?measure=average&of=wordCount&by=language`)
  assert.equal(average.head.at(-1), 'Records')
  const { techServiceNewsArticleAggregate: counted } = await service.data(`{
    techServiceNewsArticleAggregate(where: {language: {eq: "en"}}) { count }
  }`)
  assert.equal(average.rows.find(([name]) => name === 'English')?.at(-1), String(counted.count))
})

test('up to four queries are compared, each with conditions of its own', async (database) => {
  const { figure, total, explorer } = await opened(database)
  const query = ['climate', 'q=election&language=en', 'language=fr', 'source_country=GB'].map((text) => [
    'query',
    text,
  ])
  const all = `${article}/charts?${new URLSearchParams([['part', 'compare'], ['per', 'month'], ...query])}`
  const shares = await figure(all)
  assert.deepEqual(shares.head.slice(1), [
    'climate',
    'election, Language: English',
    'Language: French',
    'Source country: United Kingdom',
  ])
  const counts = await figure(`${all}&as=count`)
  for (const series of [1, 2, 3, 4])
    assert.equal(await total(counts.links[1]?.[series] ?? ''), Number(counts.rows[1]?.[series]))
  const { status } = await explorer.get(`${all}&query=five`)
  assert.equal(status, 400)
})

test('dates that do not exist are refused everywhere, and the first and the last day are not', async (database) => {
  const { explorer } = await opened(database)
  const pages = [
    '',
    '/charts',
    '/charts?part=compare&query=flood',
    '/charts?part=unusual',
    '/chart.svg',
    '/filter',
  ]
  for (const page of pages)
    for (const [days, expected] of [
      ['publishedAt.from=2026-02-30', 400],
      ['publishedAt.from=0001-01-01', 200],
      ['publishedAt.to=9999-12-31', 200],
      ['publishedAt.from=0001-01-01&publishedAt.to=9999-12-31', 200],
    ] as const) {
      const address = `${article}${page}${page.includes('?') ? '&' : '?'}${days}`
      assert.equal((await explorer.get(address)).status, expected, address)
    }
})

test('what is unusual is compared with the rest, and with the period before', async (database) => {
  const { figure, explorer } = await opened(database)
  const negative = await figure(`${enrichment}/charts?part=unusual&sentiment=negative&on=category`)
  assert.deepEqual(negative.rows[0], ['Environment', '26.3%', '5.7%'])
  const words = await figure(`${enrichment}/charts?part=unusual&sentiment=negative&on=words-summary`)
  assert.equal(words.rows[0]?.[0], 'report')
  const frequent = ['the', 'in', 'of']
  assert.ok(!words.rows.some(([word]) => frequent.includes(word ?? '')))
  const before = await figure(
    `${article}/charts?part=unusual&publishedAt=2026-11-09&publishedAt.to=2026-11-15&on=language&against=previous`,
  )
  assert.deepEqual(before.head, ['Language', 'this view', 'the period before'])
  const { body } = await explorer.get(`${article}/charts?part=unusual`)
  assert.match(body, /href="[^"]*publishedAt=2026-11-09&amp;part=unusual"/)
})

test('a chart by numbers has no gaps, and counts records without the number apart', async (database) => {
  const { figure, service } = await opened(database)
  const { rows, text } = await figure(`${article}/charts?by=wordCount&step=200`)
  const starts = rows.map(([label = '']) => Number(label.split(' ')[0]?.replace(',', '')))
  assert.deepEqual(
    starts,
    starts.map((_, at) => at * 200),
  )
  assert.ok(rows.some(([, count]) => count === '0'))
  const { without } = await service.data(
    '{ without: techServiceNewsArticle(where: {wordCount: {isNull: true}}) { totalCount } }',
  )
  assert.ok(text.includes(`not shown: ${without.totalCount}.`), text)
})

test('charts say in words what their view is, and one period is a sentence', async (database) => {
  const { explorer } = await opened(database)
  const { body } = await explorer.get(`${article}/charts?q=storm&language=en&part=compare`)
  assert.match(body, /<p class="lead"><bdi>Article: “storm”; Language: English<\/bdi><\/p>/)
  const day = await explorer.get(`${article}?publishedAt.from=2026-11-02&publishedAt.to=2026-11-02&per=day`)
  assert.doesNotMatch(day.body, /class="drawing"/)
  assert.match(day.body, /<p class="description">Nov 2, 2026: \d+\.<\/p>/)
})

test('a chart is a file', async (database) => {
  const { explorer } = await opened(database)
  for (const query of [
    '',
    '?split=language&as=share',
    '?part=groups&by=tags',
    '?part=compare&query=climate&query=flood',
  ]) {
    const { status, body } = await explorer.get(`${article}/chart.svg${query}`)
    assert.equal(status, 200)
    assert.match(body, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    assert.doesNotMatch(body, /<a |class=|style=/)
  }
  assert.equal((await explorer.get(`${article}/chart.svg?q=nosuchwordanywhere`)).status, 404)
  assert.equal((await explorer.get(`${article}/chart.svg?part=nonsense`)).status, 400)
})

test('a value that is missing is not zero', async (database) => {
  const { explorer, figure } = await opened(database)
  const day = 'publishedAt=2026-11-01&publishedAt.to=2026-11-02&per=hour'
  const { rows, text } = await figure(`${article}?q=climate&as=share&${day}`)
  const missing = rows.filter(([, value]) => value === 'no value').length
  assert.ok(missing > 0 && missing < rows.length, `${missing} of ${rows.length}`)
  assert.ok(text.includes(`Without a value: ${missing}.`), text)
  const { body } = await explorer.get(`${article}?q=climate&as=share&${day}`)
  const { document } = parseHTML(body)
  assert.match(document.querySelector('.legend')?.textContent ?? '', /no value/)
  assert.match(document.querySelector('svg.chart')?.innerHTML ?? '', /: no value</)
})

test('a chart of nothing says so', async (database) => {
  const { explorer, figure } = await opened(database)
  const { rows, text, drawings } = await figure(`${article}/charts?q=nosuchwordanywhere`)
  assert.deepEqual([rows, drawings, text], [[], 0, 'There is nothing to show.'])
  const { status, body } = await explorer.get(`${article}?q=nosuchwordanywhere`)
  assert.equal(status, 200)
  assert.doesNotMatch(body, /<figure/)
})
