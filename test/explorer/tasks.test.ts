/**
 * Ten things that people come for, from the first page in at most six actions, with script and without: a click, a
 * choice, or a text that is typed. What they then see has an address that shows the same again.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import type { Json } from '../reference/shapes.ts'
import { rounds } from '../support/rounds.ts'
import { skipWithoutBrowser as skip } from '../support/server/browser.ts'
import { until } from '../support/until.ts'
import { demoService, openReader, type Reader, showCharts } from './reader.ts'

const mostActions = 6
const articles = 'techServiceNewsArticle'

interface Task {
  readonly name: string
  /** Acts, and asserts that the reader sees what was wanted. */
  readonly run: (reader: Reader & { readonly hasScript: boolean }) => Promise<void>
}

const tasks: readonly Task[] = [
  {
    name: 'reports on a topic in two languages',
    async run({ page, click, search }) {
      await click(collection(page, 'Articles'))
      await click(facetValue(page, 'Language', 'English'))
      await click(facetValue(page, 'Language', 'Spanish'))
      await search(searchBox(page), 'election OR elecciones')
      await click(page.locator('.findings a'))
      const { totalCount } = await list(
        'search: "election OR elecciones", where: {language: {in: ["en", "es"]}}',
      )
      assert.ok(totalCount > 5)
      await total(page, totalCount)
      const found = page.locator('.results')
      await found.getByText('English', { exact: true }).first().waitFor()
      await found.getByText('Spanish', { exact: true }).first().waitFor()
    },
  },
  {
    name: 'one country’s outlets in a month',
    async run({ page, click, fill, search }) {
      await click(collection(page, 'Articles'))
      await click(facetValue(page, 'Country of the outlet', 'France'))
      await fill(page.getByLabel('from'), '2026-10-01')
      await search(page.getByLabel('to', { exact: true }), '2026-10-31')
      const { totalCount } = await list(
        'where: {source: {country: {eq: "FR"}}, publishedAt: {gte: "2026-10-01", lt: "2026-11-01"}}',
      )
      assert.ok(totalCount > 5)
      await total(page, totalCount)
    },
  },
  {
    name: 'whether coverage rose',
    async run({ page, click, search }) {
      await click(collection(page, 'Articles'))
      await search(searchBox(page), 'election')
      await click(page.getByRole('link', { name: 'Month', exact: true }))
      await click(page.getByText('Table of values'))
      const months = await monthlyShares('election')
      assert.ok(months.length > 1)
      assert.deepEqual(
        (await rows(page.locator('figure table'))).map(([month, share]) => [month, share?.replace('*', '')]),
        months,
      )
    },
  },
  {
    name: 'two topics compared as shares over ten years',
    async run({ page, click, fill, search }) {
      await click(collection(page, 'Articles'))
      await search(searchBox(page), 'election')
      await fill(page.getByPlaceholder('Add a topic'), 'climate')
      await fill(page.getByLabel('from'), '2016-11-01')
      await search(page.getByLabel('to', { exact: true }), '2026-10-31')
      await click(page.getByText('Table of values'))
      const heads = await page.locator('figure thead th').allInnerTexts()
      assert.deepEqual(heads.slice(0, 3), ['Month', '“election”', '“climate”'])
      assert.match((await rows(page.locator('figure table'))).flat().join(' '), /\d%/)
    },
  },
  {
    name: 'who writes the most clickbait',
    async run({ page, click, select }) {
      await click(collection(page, 'Analyses'))
      await click(page.getByRole('link', { name: 'More charts' }))
      await select(page.getByRole('combobox', { name: 'Measure', exact: true }), 'Average')
      await select(page.getByRole('combobox', { name: 'of', exact: true }), 'Clickbait')
      await select(page.getByRole('combobox', { name: 'By', exact: true }), 'Article · Outlet')
      await click(page.getByRole('button', { name: 'Draw' }))
      const { query } = await demoService()
      const data = await query(`{ techServiceNewsEnrichmentAggregate(groupBy: [article_source], limit: 1,
        having: {measure: COUNT, operator: GTE, value: 5}, rankBy: {measure: AVG, field: clickbaitScore}) { groups { article_sourceResolved { ... on TechServiceNewsSource { displayName } } } } }`)
      const [first] = data.techServiceNewsEnrichmentAggregate.groups
      const table = await rows(page.locator('figure table'))
      assert.equal(table[0]?.[0], first.article_sourceResolved.displayName)
    },
  },
  {
    name: 'a report with its analyses',
    async run({ page, click }) {
      const { query } = await demoService()
      const data = await query(`{ ${articles}(first: 4) { nodes { uri title
        techServiceNewsEnrichmentViaArticle { nodes { model } } } } }`)
      const analysesOf = (node: Json) => node.techServiceNewsEnrichmentViaArticle.nodes
      const report = data[articles].nodes.find((node: Json) => analysesOf(node).length === 2)
      await click(
        page
          .getByRole('main')
          .locator(`a[href="/at/${report.uri.slice('at://'.length)}"]`)
          .first(),
      )
      await page.getByRole('heading', { level: 1, name: report.title }).waitFor()
      for (const { model } of analysesOf(report)) await page.getByRole('cell', { name: model }).waitFor()
    },
  },
  {
    name: 'everything from one outlet',
    async run({ page, click }) {
      await click(collection(page, 'Articles'))
      await click(page.locator('.results').getByRole('link', { name: 'Harbour & Hill' }).first())
      await page.getByRole('heading', { level: 1, name: 'Harbour & Hill' }).waitFor()
      const { totalCount } = await list('where: {source: {displayName: {eq: "Harbour & Hill"}}}')
      await click(page.getByRole('link', { name: `${totalCount} articles` }).first())
      await total(page, totalCount)
    },
  },
  {
    name: 'what was unusual last week',
    async run({ page, click, hasScript }) {
      await click(page.getByRole('link', { name: 'Articles: what was unusual in the week' }))
      const { query } = await demoService()
      const data =
        await query(`{ ${articles}Aggregate(where: {publishedAt: {gte: "2026-11-09", lt: "2026-11-16"}}) {
        unusualWords(field: title, against: {}, minCount: 3, limit: 60) { recordsRead words { word significance { score share againstShare } } } } }`)
      const { words: found, recordsRead } = data[`${articles}Aggregate`].unusualWords
      const words = found
        .filter(({ significance: { score, share, againstShare } }: Json) => {
          const least = (Math.sqrt(recordsRead * share) - 1) ** 2 / recordsRead
          return score >= 1.2 && least >= 6 * againstShare
        })
        .map(({ word }: Json) => word)
      assert.ok(words.includes('market') && !words.includes('to'), words.join())
      const panel = page.locator('#late-words')
      // Without script, a link leads to the panel.
      const link = panel.getByRole('link', { name: 'that go with it' })
      const seen = async (part: Locator) => {
        const { y = -1 } = (await part.boundingBox()) ?? {}
        return y > -1 && y < (page.viewportSize()?.height ?? 0)
      }
      if (!hasScript) {
        await until(() => seen(link))
        await click(link)
      }
      await panel.locator('.things').waitFor()
      if (hasScript) await until(() => seen(panel))
      const table = await rows(page.locator('#late-words .things'))
      assert.deepEqual(
        table.map(([word]) => word?.replace(/ \+$/, '')),
        words.slice(0, 12),
      )
    },
  },
  {
    name: 'the table as CSV',
    async run({ page, click }) {
      await click(collection(page, 'Articles'))
      await click(facetValue(page, 'Language', 'French'))
      await click(page.getByRole('link', { name: 'Table', exact: true }))
      const menu = page.locator('details.take', { hasText: 'Take these articles with you' })
      await click(menu.getByText('Take these articles with you'))
      const downloading = page.waitForEvent('download')
      await click(menu.getByRole('link', { name: 'CSV', exact: true }))
      const text = await readFile(await (await downloading).path(), 'utf8')
      const { totalCount } = await list('where: {language: {eq: "fr"}}')
      assert.equal(text.trim().split(/\r\n/).length, totalCount + 1)
    },
  },
  {
    name: 'a view for a colleague',
    async run({ page, click, select }) {
      await click(collection(page, 'Articles'))
      await click(facetValue(page, 'Language', 'German'))
      await click(page.getByRole('link', { name: 'Cards' }))
      await select(page.getByRole('combobox', { name: 'Sort', exact: true }), 'Words, descending')
      await click(page.getByRole('button', { name: 'Sort' }))
      assert.match(page.url(), /sort=-wordCount/)
      await total(page, (await list('where: {language: {eq: "de"}}')).totalCount)
    },
  },
]

const readers = new Map<boolean, Promise<Reader>>()
after(async () => {
  for (const reader of readers.values()) await (await reader)[Symbol.asyncDispose]()
})

/** One with script and one without, who begin each task at the first page: a window costs as much as a task. */
async function readerOf(javaScriptEnabled: boolean): Promise<Reader> {
  const known = readers.get(javaScriptEnabled)
  const opened = known ?? openReader('/', { javaScriptEnabled })
  readers.set(javaScriptEnabled, opened)
  const reader = await opened
  if (known !== undefined) await reader.page.goto(`${(await demoService()).url}/`)
  return reader
}

/** Half of the tasks are done, by turns with script and without, and in more rounds all, in both ways. */
const ways = tasks.map((task, at) => ({ ...task, javaScriptEnabled: at % 2 === 0 }))
const done =
  rounds() > 1
    ? ways.flatMap((way) => [way, { ...way, javaScriptEnabled: !way.javaScriptEnabled }])
    : ways.filter((_, at) => at % 4 < 2)
for (const [at, { name, run, javaScriptEnabled }] of done.entries())
  test(`people find ${name}${javaScriptEnabled ? '' : ', without script'}`, { skip }, async () => {
    const reader = await readerOf(javaScriptEnabled)
    const before = reader.actions()
    await run({ ...reader, hasScript: javaScriptEnabled })
    const actions = reader.actions() - before
    assert.ok(actions <= mostActions, `${actions} actions`)
    // Without script, a browser keeps addresses by itself; of the half of the tasks one leads to what is kept.
    if (javaScriptEnabled && (rounds() > 1 || at === 0)) await assertKept(reader)
    assert.deepEqual(reader.complaints, [])
  })

/** The same again after reloading, after going back and forth, and for somebody else with the address. */
async function assertKept({ page }: Reader): Promise<void> {
  const shown = await mainText(page)
  const address = page.url()
  await page.reload()
  await showCharts(page)
  assert.equal(await mainText(page), shown)
  await page.goBack()
  assert.notEqual(page.url(), address)
  await page.goForward()
  await showCharts(page)
  assert.equal(page.url(), address)
  assert.equal(await mainText(page), shown)
  await using colleague = await openReader(address)
  assert.equal(await mainText(colleague.page), shown)
}

/** The text of the page, including that of closed `<details>`. */
async function mainText(page: Page): Promise<string> {
  // Parts of a second request take the place of their links when a reader comes near them.
  await until(async () => {
    await page.evaluate("document.querySelector('.later > p > a')?.scrollIntoView()")
    return (await page.locator('.later > p > a').count()) === 0
  })
  return (await page.getByRole('main').textContent()) ?? ''
}

function collection(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Collections' }).getByRole('link', { name })
}

function searchBox(page: Page): Locator {
  return page.getByRole('main').getByRole('searchbox').first()
}

function facetValue(page: Page, facet: string, value: string): Locator {
  return page
    .getByRole('region', { name: facet, exact: true })
    .getByRole('link', { name: new RegExp(`^${value}\\b`) })
}

async function total(page: Page, count: number): Promise<void> {
  await page.locator('.total', { hasText: `${count} article` }).waitFor()
}

async function rows(table: Locator): Promise<readonly (readonly string[])[]> {
  const found = await table.locator('tbody tr').all()
  return Promise.all(found.map((row) => row.locator('th, td').allTextContents()))
}

async function list(given: string): Promise<{ readonly totalCount: number }> {
  return (await (await demoService()).query(`{ ${articles}(first: 1, ${given}) { totalCount } }`))[articles]
}

/** The share of the month's articles that a search finds, as pages write it. */
async function monthlyShares(search: string): Promise<readonly (readonly string[])[]> {
  const { query } = await demoService()
  const selection =
    'where: {publishedAt: {isNull: false}}, groupBy: [publishedAt_month], orderBy: KEY_ASC) { groups { publishedAt_month count } }'
  const { found, all } = await query(`{
    found: ${articles}Aggregate(search: "${search}", ${selection}
    all: ${articles}Aggregate(${selection} }`)
  const month = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })
  const percent = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })
  return found.groups.map(({ publishedAt_month: at, count }: Json) => {
    const whole = all.groups.find((each: Json) => each.publishedAt_month === at).count
    return [month.format(new Date(at)), percent.format(count / whole)]
  })
}
