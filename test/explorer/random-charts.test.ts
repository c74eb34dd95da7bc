/**
 * Charts over random corpora, from one day to thirty years, with few values or many: each number is that of the records
 * behind it by the reference evaluator, and no record is missing from a chart that does not say so.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../../demo/random.ts'
import type { PlainRecord } from '../reference/dataset.ts'
import { createReference } from '../reference/reference.ts'
import { rounds, seed, someForms } from '../support/rounds.ts'
import { modelOf } from '../support/service/agents.ts'
import { openTestService } from '../support/service/service.ts'
import { assertGroups, assertMarks, assertTaken } from './chart-links.ts'
import { assertHome, lastTime } from './home.ts'
import { type Cell, type Pages, pagesOver, plain as plainText, rowsOf } from './pages.ts'
import { drawRecords, kinds, lexicons, shapes } from './random-records.ts'
import { assertCaption, assertDrawn, enoughOf, highestOf, type Part, shareText } from './shares.ts'

const number = new Intl.NumberFormat('en')
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })

// Each round is a test of its own: many together may take longer than one test may on a busy machine.
const inTurn = [...shapes.entries()].map((_, at, all) => all[(seed + at) % all.length]!)
for (const [at, shape] of someForms(inTurn, 3))
  for (let round = 0; round < rounds(); round += 1)
    test(`charts over ${shape.days} days are true, seed ${seed}, round ${round}`, async () => {
      const random = createRandom(seed + 1_000 * round + at).fraction
      const records = await drawRecords(random, shape)
      const reference = createReference(lexicons, {}, records)
      await using service = await openTestService({ lexicons, records })
      const pages = pagesOver({ service, reference }, modelOf(lexicons, {}))
      await assertHome(pages, Object.keys(kinds))
      const checks = Object.keys(kinds).flatMap((nsid) => checksOf(pages, nsid))
      if ('least' in shape)
        for (const per of ['month', 'day']) {
          await assertTopics(pages, `/c/org.example.report/topic?q=storm&per=${per}`, 'publishedAt')
          const split = `q=flood&split=language&facets=language&per=${per}`
          await assertOverTime(pages, `/c/org.example.report?${split}`, 'share', 'publishedAt')
        }
      for (let left = 6; left > 0; left -= 1) await checks[Math.floor(random() * checks.length)]?.()
    })

type Check = () => Promise<void>

/** Each kind of chart of a collection, of all records and of some. */
function checksOf(pages: Pages, nsid: string): readonly Check[] {
  const place = `/c/${nsid}`
  const time = kinds[nsid].publishedAt ? 'publishedAt' : 'indexedAt'
  const searches = ['q=storm', 'q=storm&language=vab', 'q=flood&articleType=kind+0&base=all']
  const queries = [
    '',
    'language=vab',
    'tags=t0',
    'wordCount.from=250',
    ...(kinds[nsid].title ? searches : []),
  ]
  const overTime = [
    '',
    'per=month',
    'per=year',
    'per=day',
    ...['language', 'articleType', 'tags', 'wordCount', 'isAccessibleForFree'].map(
      (name) => `split=${name}&facets=${name}`,
    ),
  ]
  const pairs = [
    ['language'],
    ['tags'],
    ['wordCount'],
    ['language', 'articleType'],
    ['tags', 'language'],
    [`${time}_month`, 'language'],
    [`${time}_day`, 'tags'],
    [`${time}_weekday`, 'articleType'],
    ['indexedAt_month', `${time}_weekday`],
    ['wordCount&step=100', 'indexedAt_hourOfDay'],
    ['wordCount&step=100'],
    ['language', `${time}_hourOfDay`],
    ['isAccessibleForFree', 'wordCount'],
  ].map((pair) => pair.map((name) => `by=${name}`).join('&'))
  const shown = (['count', 'share'] as const).flatMap((as) =>
    queries.flatMap((query) => overTime.map((more) => [`${place}?${join(query, more)}`, as] as const)),
  )
  const topics = [
    'q=storm',
    'q=storm&q=flood',
    'language=vab&q=flood&q=storm',
    'base=all&articleType=kind+0&q=storm',
    `q=storm&${time}=1990-01-01&${time}.to=1990-01-31`,
    'language=vab',
    `language=vab&${time}=1990-01-01&${time}.to=1990-06-30`,
  ]
  return [
    ...(kinds[nsid].title ? topics : ['language=vab']).flatMap((query) =>
      ['', '', '', 'per=year', 'per=month'].map(
        (per) => () => assertTopics(pages, `${place}/topic?${join(query, per)}`, time),
      ),
    ),
    ...shown.map(
      ([address, as]) =>
        () =>
          assertOverTime(pages, address, as, time),
    ),
    ...queries.flatMap((query) =>
      pairs.map((by) => () => assertGroups(pages, `${place}/charts?${join(query, by)}`)),
    ),
    ...['by=wordCount&step=100', `by=${time}_month`].map((by) => () => assertShares(pages, place, by)),
    ...queries.map((query) => () => assertMonths(pages, place, query, time)),
    ...queries.map((query) => () => assertFacets(pages, `${place}?${query}`)),
    ...['vaa', 'vac', 'vah', 'vaz'].map((value) => () => assertFacets(pages, `${place}?language=${value}`)),
  ]
}

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('&')

/** What shares of the records behind an address are of: those with its filters, or all of its period. `group`: the field of a group. */
function baseOf(pages: Pages, href: string, time: string, view: string, group = time): number {
  return pages.found(baseAddress(href, time, view, group)).length
}

function baseAddress(href: string, time: string, view: string, group = time): string {
  const isFiltered = view.includes('q=') && /language=|articleType=/.test(view) && !view.includes('base=all')
  const [path = '', query = ''] = href.split('?')
  const kept = [time, group, ...(isFiltered ? ['language', 'articleType'] : [])]
  const own = [...new URLSearchParams(query)].filter(([name]) => kept.includes(name.split('.')[0] ?? ''))
  return `${path}?${new URLSearchParams(own)}`
}

async function assertOverTime(
  pages: Pages,
  plain: string,
  as: 'count' | 'share',
  time: string,
): Promise<void> {
  const isTopic = plain.includes('/topic')
  const address = isTopic ? plain : `${plain}&as=${as}`
  const all = pages.found(plain.replace('/charts', ''))
  const { document } = await pages.page(address)
  if (document.querySelector('figure tbody') === null) return
  const { rows, head, description } = await pages.figure(address)
  await assertCaption(pages, address, description)
  const offers = document.querySelector('.chart-options a[href*="as=share"]') !== null
  if (!isTopic && as === 'count')
    assert.equal(offers, /\b(q|language|articleType|tags|wordCount.from|split)=/.test(plain))
  const parts: (Part & { readonly text: string; readonly of: string })[] = []
  for (const [key, ...cells] of rows) {
    const isSingle = cells.every(({ href }) => href === null)
    const series = isSingle ? 1 : as === 'share' ? (cells.length - 1) / 2 : cells.length
    const own = new Set(cells.flatMap(({ href }) => (href === null ? [] : pages.found(href))))
    const period = key?.href ?? cells[0]?.href ?? ''
    const all = baseOf(pages, period, time, plain)
    for (const [column, { text, href }] of cells.slice(0, series).entries()) {
      const to = href ?? (isSingle ? (key?.href ?? null) : null)
      const isRest = head[column + 1] === 'Others'
      if (to === null && !isRest) continue
      const count = isRest
        ? pages.found(key?.href ?? '').filter((record) => !own.has(record)).length
        : pages.found(to ?? '').length
      const of = `${to ?? key?.text} of ${address}`
      assert.equal(as === 'count' ? text : cells[series + column]?.text, number.format(count), of)
      parts.push({ count, all, series: column, text, of })
    }
    if (as === 'share' && period !== '')
      assert.equal(cells.at(-1)?.text, number.format(all), `${period} of ${address}`)
  }
  if (as === 'share') {
    for (const part of parts) assert.equal(part.text, shareText(part, parts), part.of)
    const texts = parts.map(({ text }) => text)
    assertDrawn(document, texts)
    assert.equal(
      description.includes('* or hollow'),
      texts.some((text) => text.endsWith('*')),
      address,
    )
  }
  for (const { text, href } of await restOf(pages, address))
    if (href !== null && as === 'count') assert.equal(text, number.format(pages.found(href).length), href)
  if (as === 'count' && !isTopic) for (const check of [assertMarks, assertTaken]) await check(pages, address)
  if (as === 'share' || plain.includes('split=tags') || description.includes('Only the newest')) return
  const numberAfter = (words: string): number =>
    Number(new RegExp(`${words}[^:]*: ([\\d,]+)`).exec(description)?.[1]?.replaceAll(',', '') ?? 0)
  const sum = (cells: readonly (Cell | undefined)[]): number =>
    cells.reduce((total, cell) => total + Number(cell?.text.replaceAll(',', '')), 0)
  const left = numberAfter('without a time') + numberAfter('far from all others')
  assert.equal(sum(rows.flatMap(([, ...cells]) => cells)) + left, all.length, `${address}: ${description}`)
}

/** The cells of the row of records without a time. */
async function restOf(pages: Pages, address: string): Promise<readonly Cell[]> {
  const { document } = await pages.page(address)
  return Array.from(document.querySelectorAll('figure tfoot td'), (cell) => ({
    text: plainText(cell.textContent),
    href: cell.querySelector('a')?.getAttribute('href') ?? null,
  }))
}

/** The sentences, tables and lists of topics: each number is that of the records behind its link. */
async function assertTopics(pages: Pages, address: string, time: string): Promise<void> {
  await assertOverTime(pages, address, 'share', time)
  const { document, links, texts } = await pages.page(address)
  const addresses = links('.findings')
  if (addresses.length === 0) {
    const base = address.replaceAll(/\/topic|q=\w+&?/g, '')
    assert.equal(baseOf(pages, base, time, address), 0, address)
    assert.match(texts('main > .none').join(), /^There are no records in this period/)
  }
  for (const [at, said] of texts('.findings li').entries()) {
    const here = pages.found(addresses[at] ?? '').length
    const all = baseOf(pages, addresses[at] ?? '', time, address)
    const wanted = ` is in ${percent.format(here / all)} of `
    const counts = `(${number.format(here)} of ${number.format(all)})`
    assert.ok(said.includes(wanted) && said.includes(counts), `${said} ${address}`)
  }
  const isDrawn = document.querySelector('figure tbody') !== null
  const { rows: periods, description } = isDrawn ? await pages.figure(address) : { rows: [], description: '' }
  const partial = /Not complete: (.*?)\.(?: |$)/.exec(description)?.[1] ?? ''
  const isWhole = (key: number) => !partial.includes(periods[key]?.[0]?.text ?? '?')
  const [peaks, lowest]: [number[], number[]] = [[], []]
  for (const [at, said] of texts('.findings li').entries()) {
    const known = periods.map(([key, ...cells]): Part => {
      const href = (addresses.length === 1 ? key : cells[at])?.href ?? ''
      const all = href === '' ? 0 : baseOf(pages, href, time, address)
      return { count: href === '' ? 0 : pages.found(href).length, all, series: at }
    })
    lowest.push(...enoughOf(known).map(({ count, all }) => count / all))
    const [peak, isCut] = [highestOf(known), description.includes('Only the newest')]
    const wanted = peak === undefined || isCut ? undefined : percent.format(peak)
    assert.equal(/, most .*: ([\d.]+%)/.exec(said)?.[1], wanted, `${said} ${address}`)
    if (peak !== undefined) peaks.push(peak)
    const whole = known.flatMap(({ count, all }, key) => (count / all === peak ? [isWhole(key)] : []))
    assert.ok(wanted === undefined || whole.includes(!said.includes(' (not complete): ')), said)
  }
  // A single value is said alone.
  const highest = percent.format(Math.max(...peaks))
  const wanted = [`Highest: ${highest} (`, `: ${highest}.`]
  const said = description.replaceAll('%*', '%')
  if (peaks.length > 0 && periods.length > 1) assert.ok(wanted.some((each) => said.includes(each)))
  if (lowest.length > 0 && description.includes('Lowest: '))
    assert.ok(said.includes(`Lowest: ${percent.format(Math.min(...lowest))} (`), description)
  for (const [at, list] of topicsIn(document, 'newest')) {
    const timeOf = ({ value, indexedAt }: PlainRecord): string =>
      String(time === 'indexedAt' ? indexedAt : (value[time] ?? ''))
    const records = pages.found(addresses[at] ?? '')
    const shown = Array.from(list.querySelectorAll('.newest li > a'), (link) => {
      const uri = link.getAttribute('href')?.replace('/at/', 'at://')
      return records.find((record) => record.uri === uri) ?? assert.fail(`${uri} of ${address}`)
    })
    // Nothing that claims to be later than all that is indexed leads the newest, and nothing without a time follows them.
    const last = new Date(lastTime(pages, Object.keys(kinds))).toISOString()
    const known = records.filter(
      (record) => time === 'indexedAt' || (timeOf(record) !== '' && timeOf(record) <= last),
    )
    const isTimeless = known.length === 0 && records.length > 0
    assert.equal(list.textContent?.includes('Newest in the index'), isTimeless, address)
    if (isTimeless) assert.deepEqual(shown, records.slice(0, 6), address)
    else assert.deepEqual(shown.map(timeOf), known.map(timeOf).toSorted().toReversed().slice(0, 6), address)
    const [first] = shown
    if (first === undefined) continue
    const said = (await pages.page(first.uri.replace('at://', '/at/'))).texts('main dd').join(' ')
    const { wordCount, tags } = first.value
    for (const each of [...(wordCount ? [number.format(wordCount)] : []), ...tags])
      assert.ok(said.includes(each), `${each} of ${first.uri}`)
  }
  const isOfLanguage = !address.includes('q=')
  for (const [at, list] of topicsIn(document, 'outlets')) {
    const topic = addresses[at] ?? ''
    const groups = Map.groupBy(pages.found(topic), ({ value }) => value.language ?? null)
    const parts = Array.from(groups, ([language, own]) => {
      const few = `${topic}&language${language === null ? '.missing=1' : `=${language}`}`
      return { count: own.length, all: baseOf(pages, few, time, address, 'language'), language }
    })
    // Ranked are those of five matches and fifty records, or if there are none, those of five matches.
    const five = parts.filter(({ count }) => count >= 5)
    const fifty = five.filter(({ all }) => all >= 50)
    const ranked = fifty.length > 0 ? fifty : five
    const tables = [...list.querySelectorAll('table')]
    for (const table of tables) {
      const isRanked = table.querySelector('caption')?.textContent.startsWith('Highest shares') === true
      const rows = rowsOf(table).map(({ href, cells: [, ...cells] }) => {
        const [here, all] = [pages.found(href).length, baseOf(pages, href, time, address, 'language')]
        const share = percent.format(here / all) + (all < 50 || here < 5 ? '*' : '')
        const wanted = isOfLanguage ? [] : [share, number.format(all)]
        assert.deepEqual(cells, wanted.toSpliced(1, 0, number.format(here)), `${href} of ${address}`)
        return isRanked ? here / all : here
      })
      const wanted = isRanked ? ranked.map(({ count, all }) => count / all) : parts.map(({ count }) => count)
      assert.deepEqual(rows, wanted.toSorted((one, other) => other - one).slice(0, 8), address)
    }
    // Of records without a language alone there is nothing to rank.
    const rankings = (isOfLanguage ? [parts] : [ranked, parts]).filter((rows) =>
      rows.some(({ language }) => language !== null),
    )
    assert.equal(tables.length, rankings.length, address)
  }
  // The note stands where a row has the mark.
  const outlets = texts('[aria-labelledby=topic-outlets]').join()
  assert.equal(outlets.includes('* Of fewer than 50'), outlets.includes('%*'), address)
  for (const late of links('.later')) {
    const panel = await pages.page(late)
    for (const [at, list] of topicsIn(panel.document)) {
      const address = addresses[at] ?? ''
      const all = pages.found(address)
      const name = late.includes('panel=words') ? 'q' : 'tags'
      // Words are compared within the language of more than half of the records.
      const spoken = name === 'q' ? languageOfMost(all) : undefined
      const topic = new Set(all)
      const compared = (records: readonly PlainRecord[]) =>
        records.filter(({ value }) => spoken === undefined || value.language === spoken)
      const others = (address: string) => compared(pages.found(address).filter((each) => !topic.has(each)))
      // The period holds for both sides, but for words of a language.
      const without =
        isOfLanguage && name === 'q' ? address.replace(/\?.*/, '?') : baseAddress(address, time, late)
      for (const { href, cells } of rowsOf(list)) {
        const word = cells[0]?.replace(/ \+$/, '') ?? ''
        const elsewhere = others(`${without}&${name}=${name === 'q' ? 'title:' : ''}${word}`).length
        const shares = [pages.found(href).length / compared(all).length, elsewhere / others(without).length]
        assert.deepEqual(
          cells.slice(1),
          shares.map((share) => percent.format(share)),
          `${href} of ${late}`,
        )
      }
      const [, said = ''] = /Compared with: (.*), without those here/.exec(plainText(list.textContent)) ?? []
      if (rowsOf(list).length > 0 && (spoken !== undefined || !late.includes('language=')))
        assert.equal(/ in (v[a-z]{2})\b/.exec(said)?.[1], spoken, `${late}: ${said}`)
    }
  }
}

function languageOfMost(records: readonly PlainRecord[]): string | undefined {
  const all = [...Map.groupBy(records, ({ value }) => value.language)]
  return all.find(([, some]) => some.length > records.length / 2)?.[0]
}

function topicsIn(document: ParentNode, panel = '') {
  return [...document.querySelectorAll(`[aria-labelledby^=topic-${panel}] .side-by-side > div`)].entries()
}

/** The number of records, and how many of them have each value. */
async function assertFacets(pages: Pages, address: string): Promise<void> {
  const { total, document } = await pages.page(address)
  assert.equal(total, pages.found(address).length)
  // A value that was chosen is there with its number, although others have more records.
  for (const value of document.querySelectorAll('.facet a.value[aria-current]'))
    assert.equal(plainText(value.querySelector('.count')?.textContent), number.format(total), address)
  for (const value of document.querySelectorAll('.facet a.value:not([aria-current])')) {
    const href = value.getAttribute('href') ?? ''
    const field = value.closest('.facet')?.getAttribute('aria-labelledby')?.replace('facet-', '') ?? ''
    // Of a field that is filtered by, a further value adds its records.
    if (address.includes(`${field}=`)) continue
    const count = plainText(value.querySelector('.count')?.textContent)
    assert.equal(count, number.format(pages.found(href).length), href)
  }
}

/** Periods far from all others are left out, and the chart says of how many months it shows how many. */
async function assertMonths(pages: Pages, place: string, query: string, time: string): Promise<void> {
  const address = `${place}/charts?${join(query, `by=${time}_month`)}`
  await assertGroups(pages, address)
  const { rows, description } = await pages.figure(address)
  if (description.includes('Only the newest')) return
  const times = pages.found(`${place}?${query}`).flatMap(({ value, indexedAt }) => {
    if (time === 'indexedAt') return [Number(indexedAt / 1_000n)]
    return value[time] === undefined ? [] : [Date.parse(value[time])]
  })
  const months = new Set(times.map((at) => new Date(at).toISOString().slice(0, 7))).size
  const shown = rows.filter(([, cell]) => cell?.text !== '0').length
  const said = shown < months ? `months: ${number.format(shown)} of ${number.format(months)} groups` : ''
  assert.ok(description.includes(said), `${shown} of ${months}: ${description} ${address}`)
  assert.equal(description.includes('groups are shown'), said !== '', address)
}

/** Of ranges and periods, those without a match too: of all records of the group, those that match. */
async function assertShares(pages: Pages, place: string, by: string): Promise<void> {
  const address = `${place}/charts?measure=share&language=vab&${by}`
  const field = by.replace(/^by=|_month$|&.*/g, '')
  const parts = (await pages.figure(address)).rows.flatMap(([key, cell]) => {
    if (key?.href == null) return []
    const [count, all] = [pages.found(key.href).length, pages.found(key.href, field).length]
    return [{ count, all, series: 0, text: cell?.text, of: `${key.href} of ${address}` }]
  })
  for (const part of parts) assert.equal(part.text, shareText(part, parts), part.of)
}

test('words are refused where no text is searched, on every page', async () => {
  await using service = await openTestService({ lexicons, records: [] })
  const { page } = pagesOver({ service, reference: createReference(lexicons, {}, []) }, modelOf(lexicons, {}))
  for (const place of ['/c/NSID', '/c/NSID/charts', '/c/NSID/filter', '/c/NSID/feed.atom'])
    for (const more of ['q=zzzz', 'q=zzzz&split=language'].slice(0, place.endsWith('charts') ? 2 : 1)) {
      const { body } = await page(`${place.replace('NSID', 'org.example.reading')}?${more}`, 400)
      assert.match(body, /“q” searches words, and there is no text here that is searched/)
    }
  for (const place of ['/embed/c/NSID', '/c/NSID/chart.svg', '/c/NSID/chart.csv'])
    await page(`${place.replace('NSID', 'org.example.reading')}?q=zzzz`, 400)
})
