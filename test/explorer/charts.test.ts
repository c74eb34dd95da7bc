/** Charts over the demo corpus: each number on them is that of the records behind it, by the reference evaluator. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../reference/shapes.ts'
import { rounds } from '../support/rounds.ts'
import { article, type Cell, enrichment, openPages, type Pages } from './pages.ts'

const nsid = 'tech.service.news.article'
const pages = await openPages()
const { figure, found, page, reference } = pages
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })
const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

type Figure = Awaited<ReturnType<Pages['figure']>>

/** What a cell must say whose link leads to these records. */
type Measure = (href: string) => string
const count: Measure = (href) => number.format(found(href).length)
/** What shares are of: all records in the same period. */
const base = (href: string) => found(href, 'publishedAt').length
const share: Measure = (href) =>
  base(href) === 0 ? 'no value' : percent.format(found(href).length / base(href))

/** Compares each cell that has a link, or is of the only series of a row that has, with the records there. */
function assertTrue({ rows, head }: Figure, measure: Measure, address: string, total = base): void {
  assert.ok(rows.length > 1, address)
  for (const [key, ...cells] of rows)
    for (const [at, { text, href }] of cells.entries()) {
      const isSingle = cells.every((cell) => cell.href === null)
      const to = href ?? (isSingle ? (key?.href ?? null) : (cells[0]?.href ?? null))
      const label = head[at + 1] ?? ''
      if (to === null || label === 'Others' || label.endsWith(': Records')) continue
      const expected =
        label === 'Records'
          ? count(to)
          : /^(All records|Of)$/.test(label)
            ? number.format(total(to))
            : measure(to)
      // Shares of few records have a mark.
      assert.equal(text.replace(/%\*$/, '%'), expected, `${to} of ${address}`)
    }
}

const dateParts = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const
const names = {
  language: new Intl.DisplayNames(['en'], { type: 'language' }),
  country: new Intl.DisplayNames(['en'], { type: 'region' }),
} as const

/** The label of a group, by what its link selects: a period by its beginning, a code by its name, a record by its title. */
function labelOf(href: string, by: string): string | null {
  const given = new URLSearchParams(href.split('?')[1])
  const value = given.getAll(by).at(-1)
  if (by === 'wordCount')
    return ['from', 'to'].map((bound) => number.format(Number(given.get(`wordCount.${bound}`)))).join(' – ')
  if (value === undefined) return null
  const kind = by.split('_').at(-1)
  if (kind === 'language' || kind === 'country') return names[kind].of(value) ?? value
  if (by === 'source') return reference.resolve(value)?.value.displayName
  return by === 'tags' ? value : null
}

function assertLabelled({ rows }: Figure, by: string): void {
  const labels = rows.map(([key]) => [key?.text, labelOf(key?.href ?? '', by)] as const)
  const known = labels.filter(([, label]) => label !== null)
  assert.ok(known.length >= rows.length - 1)
  for (const [text, label] of known) assert.equal(text, label)
}

const linked = ({ rows }: Figure): readonly Cell[] => rows.flat().filter(({ href }) => href !== null)

function sum(texts: readonly (string | undefined)[]): number {
  return texts.reduce((all, text) => all + Number(text?.replaceAll(',', '')), 0)
}

/** How many of these records have each value of a field, the most frequent first. */
function countsBy(field: string, where: Json = {}): readonly number[] {
  const { groups } = reference.aggregate(nsid, { where, groupBy: [field], limit: 1_000 })
  return groups.map(({ members }) => members.length).toSorted((one, other) => other - one)
}

const period = 'publishedAt=2026-10-05&publishedAt.to=2026-11-15'
const days = 'publishedAt=2026-11-01&publishedAt.to=2026-11-04'

// Shares have the periods of the numbers: a short run looks at those of three views.
for (const [at, query] of [
  'language=en',
  period,
  `${days}&language=ja`,
  'per=month&language=fr',
  'per=year',
  'publishedAt=2026-11-01&publishedAt.to=2026-11-02&per=hour',
  'publishedAt=2026-11-01T00:00:00Z&publishedAt.to=2026-11-01T17:30:00Z&per=hour',
  'wordCount.from=300&wordCount.to=900&per=week&articleType=report&articleType=video',
].entries())
  for (const as of at < rounds(3) ? ['count', 'share'] : ['count'])
    test(`the ${as} of each period is that of its records: ${query}`, async () => {
      const shown = await figure(`${article}?${query}&as=${as}`)
      assert.equal(shown.drawings, shown.rows.length > 1 ? 2 : 0)
      if (query === 'per=year') assert.deepEqual(shown.texts[0]?.[0], '2026')
      else assertTrue(shown, as === 'share' ? share : count, query)
      for (const [key] of query.includes('per=') ? [] : shown.rows) {
        const day = new URLSearchParams(key?.href?.split('?')[1]).get('publishedAt') ?? ''
        assert.equal(key?.text, new Intl.DateTimeFormat('en', dateParts).format(new Date(day)))
      }
      if (as === 'share') return
      // No record with a time is left out.
      const dated = found(`${article}?${query}`).filter(({ value }) => value.publishedAt !== undefined)
      assert.equal(sum(shown.texts.map(([, each]) => each)), dated.length)
    })

for (const [at, split] of ['language', 'source', 'source_country', 'articleType', 'tags'].entries())
  test(`a chart that is split by ${split} has a series for each of the most frequent values`, async () => {
    const address = `${article}?${period}&per=week&split=${split}&facets=${split}`
    const shown = await figure(address)
    assertTrue(shown, count, address)
    if (at < rounds(2)) assertTrue(await figure(`${address}&as=share`), share, address)
    assert.match(
      (await page(`${address}&as=share`)).texts('figcaption').join(),
      /^Share of all .* \(each part is of the whole, not of its own /,
    )
    const where = { publishedAt: { gte: '2026-10-05', lt: '2026-11-16' } }
    const sums = shown.head.slice(1).map((_, at) => sum(shown.texts.map((row) => row[at + 1])))
    assert.deepEqual(sums.slice(0, 8), countsBy(split, where).slice(0, 8))
    if (split === 'tags') return assert.equal(shown.head.length, 9)
    assert.equal(shown.head.at(-1) === 'Others', countsBy(split, where).length > 8)
    for (const [key, ...cells] of shown.rows)
      assert.equal(sum(cells.map(({ text }) => text)), found(key?.href ?? '').length)
  })

test('periods without records are shown between bounds, and outside of them none', async () => {
  const { texts } = await figure(`${article}?language=ja&${days}`)
  const labels = [1, 2, 3, 4].map((day) => `Nov ${day}, 2026`)
  assert.deepEqual(
    texts,
    labels.map((label, at) => [label, String([0, 1, 2, 1][at])]),
  )
  const hours = await figure(`${article}?publishedAt=2026-11-01&publishedAt.to=2026-11-01`)
  assert.equal(hours.rows.length, 24)
})

test('a chart of a search has the range of all records, so that a rise from nothing is seen', async () => {
  const labels = (await figure(`${article}?per=day`)).texts.map(([label]) => label)
  for (const address of [
    `${article}?q=flood&per=day`,
    `${article}?q=flood&per=day&as=share`,
    `${article}/topic?q=flood&per=day`,
  ]) {
    const { texts } = await figure(address)
    assert.deepEqual([texts[0]?.[0], texts.at(-1)?.[0]], [labels[0], labels.at(-1)], address)
    assert.match(texts[0]?.[1] ?? '', /^0(%\*?)?$/)
  }
})

for (const by of ['language', 'source', 'articleType', 'tags', 'country', 'source_region'])
  for (const conditions of ['', '&language=en&language=fr&publishedAt=2026-11-01'])
    test(`groups by ${by}${conditions} are the largest ones, in order, and lead to their records`, async () => {
      const address = `${article}/charts?by=${by}&top=10${conditions}`
      const shown = await figure(address)
      assertTrue(shown, count, address)
      if (by !== 'articleType' && by !== 'source_region') assertLabelled(shown, by)
      const { groups } = reference.aggregate(nsid, { groupBy: [by], limit: 1_000 })
      const where =
        conditions === '' ? {} : { language: { in: ['en', 'fr'] }, publishedAt: { gte: '2026-11-01' } }
      const counts = countsBy(by, where)
      assert.ok(groups.length >= counts.length)
      assert.deepEqual(
        shown.texts.map(([, text]) => Number(text)),
        counts.slice(0, 10),
      )
      const isCut = counts.length > 10
      assert.equal(shown.description.includes(`10 of ${counts.length}`), isCut, shown.description)
      // Groups that are left out have lower values.
      assert.match(shown.description, /^Of what is shown: Highest: .* Lowest: /)
    })

for (const [by, unit] of [
  ['publishedAt_weekday', 7],
  ['publishedAt_hourOfDay', 24],
] as const)
  test(`groups by ${by} are in order`, async () => {
    const { texts } = await figure(`${article}/charts?by=${by}`)
    const { groups } = reference.aggregate(nsid, { groupBy: [by], orderBy: 'KEY_ASC', limit: 1_000 })
    const expected = groups
      .filter(({ keys }) => keys[0] != null)
      .map(({ members }) => number.format(members.length))
    assert.ok(expected.length <= unit, `${expected.length} groups`)
    assert.deepEqual(
      texts.map(([, text]) => text).filter((text) => text !== '0'),
      expected,
    )
    assert.match(texts[0]?.[0] ?? '', unit === 7 ? /^Monday$/ : /^\d\d:00$/)
  })

/** Of at least five records, the largest first. */
const measures: Readonly<Record<string, (members: Json) => number | null>> = {
  'measure=average&of=impactLevel': (members) => reference.mean(members, 'impactLevel'),
  'measure=median&of=clickbaitScore': (members) => reference.median(members, 'clickbaitScore'),
  'measure=distinct&of=article_source': (members) =>
    reference.countDistinct('tech.service.news.enrichment', members, 'article_source'),
}
for (const [measure, measured] of Object.entries(measures))
  for (const by of ['sentiment', 'category', 'article_source', 'article_country'])
    test(`groups by ${by} have the numbers of ${measure}`, async () => {
      const address = `${enrichment}/charts?${measure}&by=${by}&top=10`
      const shown = await figure(address)
      assertTrue(shown, (href) => number.format(measured(found(href)) ?? Number.NaN), address)
      const isDistinct = measure.includes('distinct')
      const { groups } = reference.aggregate('tech.service.news.enrichment', { groupBy: [by], limit: 1_000 })
      const values = groups
        .filter(({ members }) => isDistinct || members.length >= 5)
        .flatMap(({ members }) => measured(members) ?? [])
      assert.deepEqual(
        shown.texts.map(([, text]) => text),
        values
          .toSorted((one, other) => other - one)
          .slice(0, 10)
          .map((value) => number.format(value)),
      )
      assert.equal(shown.head.at(-1), 'Records')
    })

test('a share of groups is that of the records of the group, and one of all that of all', async () => {
  const free = await figure(`${article}/charts?measure=share&isAccessibleForFree=true&by=articleType&top=10`)
  for (const [key, ...cells] of free.rows) {
    const [matching, all] = [found(key?.href ?? ''), found(key?.href ?? '', 'articleType')]
    assert.deepEqual(
      cells.map(({ text }) => text),
      [percent.format(matching.length / all.length), `${matching.length}`, `${all.length}`],
    )
    assert.ok(matching.length >= 5)
  }
  assert.match(free.description, /Groups with fewer than 5 matches are left out/)
  const whole = await figure(`${article}/charts?measure=share&by=language`)
  const all = found(article).length
  assertTrue(
    whole,
    (href) => percent.format(found(href).length / all),
    'shares of all',
    () => all,
  )
})

for (const [by, kinds] of [
  ['by=language&by=publishedAt_month', ['bars', 'lines', 'table']],
  ['by=publishedAt_week&by=country', ['lines']],
  ['by=articleType&by=language', ['table', 'bars']],
] as const)
  test(`two fields give a table of both: ${by}`, async () => {
    for (const kind of kinds) {
      const address = `${article}/charts?${by}&kind=${kind}`
      const shown = await figure(address)
      assert.equal(shown.drawings, kind === 'table' ? 0 : 2)
      assertTrue(shown, count, address)
      assert.ok(linked(shown).length > 2)
      if (by.includes('country'))
        assert.ok(shown.description.includes(`Country: 6 of ${countsBy('country').length} groups are shown`))
      const series = shown.head.slice(1).map((_, at) => sum(shown.texts.map((row) => row[at + 1])))
      if (!by.includes('_month')) continue
      const { groups } = reference.aggregate(nsid, { groupBy: ['language'], limit: 1_000 })
      const dated = groups.map(({ members }) => members.filter(({ value }) => value.publishedAt).length)
      assert.deepEqual(series.toSorted(), dated.slice(0, series.length).toSorted(), kind)
    }
  })

test('a chart that cannot be drawn as chosen says so, and has the same numbers', async () => {
  const hours = `${article}/charts?by=publishedAt_month&by=publishedAt_hourOfDay`
  for (const [address, drawings, note] of [
    [`${article}/charts?by=articleType&kind=lines`, 2, /Lines need an order/],
    [`${hours}&kind=bars`, 0, /so this is a table/],
    [`${hours}&kind=lines`, 0, /so this is a table/],
    [hours, 0, null],
  ] as const) {
    const shown = await figure(address)
    assert.equal(shown.drawings, drawings, address)
    if (note === null) assert.doesNotMatch(shown.description, /table/)
    else assert.match(shown.description, note)
    if (!address.startsWith(hours)) continue
    assert.equal(shown.head.length, 25)
    assert.deepEqual(shown.texts, (await figure(hours)).texts)
  }
  const averages = `${enrichment}/charts?measure=average&of=clickbaitScore&by=sentiment`
  const lines = await figure(`${averages}&by=createdAt_month&kind=bars`)
  assert.match(lines.description, /so these are lines/)
  const { document, body } = await page(`${averages}&by=category&kind=bars`)
  assert.equal(document.querySelectorAll('svg.chart').length, 2)
  assert.doesNotMatch(body, /so (this is|these are)/)
})

test('a table of two fields has no drawing to take along', async () => {
  const query = 'by=language&by=source_country'
  const { body, document } = await page(`${article}/charts?${query}`)
  assert.equal(document.querySelectorAll('figure > .scroll table').length, 1)
  assert.doesNotMatch(body, /chart\.svg/)
  await page(`${article}/chart.svg?part=groups&${query}`, 404)
  for (const kind of ['heat', 'multiples']) await page(`${article}/charts?${query}&kind=${kind}`, 400)
})

const furthest: readonly (readonly [bounds: string, status: number])[] = [
  ['publishedAt.from=2026-02-30', 400],
  ['publishedAt.from=0001-01-01&publishedAt.to=9999-12-31', 200],
  ['publishedAt.from=0001-01-01', 200],
  ['publishedAt.to=9999-12-31', 200],
]
test('dates that do not exist are refused everywhere, and the first and the last day are not', async () => {
  for (const place of ['', '/charts', '/topic?q=flood', '/filter'])
    for (const [bounds, expected] of furthest.slice(0, rounds(2)))
      await page(`${article}${place}${place.includes('?') ? '&' : '?'}${bounds}`, expected)
})

test('a filter has a topic page, with the words that are unusual among its records', async () => {
  const { document, links, texts } = await page(`${enrichment}/topic?sentiment=negative`)
  const here = found(`${enrichment}?sentiment=negative`).length
  assert.ok(texts('.findings')[0]?.includes(`(${here} of ${found(enrichment).length})`))
  assert.equal(document.querySelectorAll('.outlets').length, 2)
  const panel = await page(links('.later')[0] ?? '')
  const words = panel.texts('.things th[scope=row]').map((text) => text.replace(/ \+$/, ''))
  assert.ok(words.length > 0 && !words.some((word) => ['the', 'in', 'of'].includes(word)), words.join())
  assert.ok(panel.links('.things th').every((href) => found(href).length >= 3))
  // A period alone has no shares.
  const week = 'publishedAt=2026-11-09&publishedAt.to=2026-11-15'
  const of = await page(`${article}/topic?${week}`)
  assert.deepEqual(of.texts('.findings li'), [`${found(`${article}?${week}`).length} records`])
  assert.doesNotMatch(of.texts('figure, .topic-panel').join(), /%/)
})

test('a chart by numbers has no gaps, and counts records without the number apart', async () => {
  const address = `${article}/charts?by=wordCount&step=200`
  const shown = await figure(address)
  assertTrue(shown, count, address)
  assertLabelled(shown, 'wordCount')
  const starts = shown.texts.map(([label = '']) => Number(label.split(' ')[0]?.replace(',', '')))
  assert.deepEqual(
    starts,
    starts.map((_, at) => at * 200),
  )
  assert.ok(shown.texts.some(([, text]) => text === '0'))
  const without = found(`${article}?wordCount.missing=1`).length
  assert.ok(shown.description.includes(`not shown: ${without}.`), shown.description)
})

test('charts say in words what their view is, and one period is a sentence', async () => {
  const { body } = await page(`${article}/charts?q=storm&language=en`)
  assert.match(body, /<p class="lead"><bdi>Article: “storm”; Language: English<\/bdi><\/p>/)
  const day = `${article}?publishedAt.from=2026-11-02&publishedAt.to=2026-11-02`
  const { description, drawings } = await figure(`${day}&per=day`)
  assert.deepEqual([drawings, description], [0, `Nov 2, 2026: ${found(day).length}.`])
})

test('a chart is a file', async () => {
  for (const query of [
    '',
    '?split=language&as=share',
    '?part=groups&by=tags',
    '?part=topic&q=flood&q=storm',
  ]) {
    const { body } = await page(`${article}/chart.svg${query}`)
    assert.match(body, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    assert.doesNotMatch(body, /<a |class=|style=/)
  }
  await page(`${article}/chart.svg?q=nosuchwordanywhere`, 404)
  await page(`${article}/chart.svg?part=nonsense`, 400)
})

test('a value that is missing is not zero', async () => {
  const hours = 'publishedAt=2026-11-01&publishedAt.to=2026-11-02&per=hour'
  const address = `${article}?q=climate&as=share&${hours}`
  const shown = await figure(address)
  assertTrue(shown, share, address)
  const missing = shown.texts.filter(([, text]) => text === 'no value').length
  assert.ok(missing > 0 && missing < shown.rows.length, `${missing} of ${shown.rows.length}`)
  // Periods are counted once where they have several series.
  for (const { description } of [shown, await figure(`${address}&split=articleType&facets=articleType`)])
    assert.ok(description.includes(`Without a value (–): ${missing}.`), description)
  const { document } = await page(address)
  assert.match(document.querySelector('svg.chart')?.innerHTML ?? '', /: no value</)
})

test('of two fields, the pairs without a value are counted', async () => {
  const by = 'by=article_source&by=article_source_country'
  const { texts, description } = await figure(`${enrichment}/charts?measure=average&of=clickbaitScore&${by}`)
  const missing = texts.flat().filter((text) => text === 'no value').length
  assert.ok(missing > 0 && description.includes(`Pairs without a value: ${missing}.`), description)
})

test('a period that is cut by bounds is named and drawn paler', async () => {
  const address = `${article}/charts?by=publishedAt_month&publishedAt=2026-09-10&publishedAt.to=2026-10-31`
  assert.ok((await figure(address)).description.includes('Not complete: Sep 2026.'))
  assert.match((await page(address)).body, /fill-opacity="0\.45"/)
  const { body } = await page(address.replace('/charts?', '/chart.svg?part=groups&'))
  assert.match(body, /Not complete: Sep 2026\./)
})

test('a chart of nothing says so', async () => {
  const { rows, description, drawings } = await figure(`${article}/charts?q=nosuchwordanywhere`)
  assert.deepEqual([rows, drawings, description], [[], 0, 'There is nothing to show.'])
  assert.equal((await page(`${article}?q=nosuchwordanywhere`)).document.querySelector('figure'), null)
})
