/** What every page has: nothing that keeps people from using it, and not more bytes than a phone loads at once. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { bundleExplorer } from '../../build/explorer.ts'
import { skipWithoutBrowser as skip } from '../support/server/browser.ts'
import { demoService, openReader } from './reader.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const article = '/c/tech.service.news.article'
const account = '/at/did:plc:lexigraphdemopress222222'
const pages = {
  home: '/',
  search: '/search?q=flood',
  collection: article,
  'filtered collection': `${article}?q=flood+-village&language=en&section.not=sport&publishedAt.from=2026-10-01`,
  table: `${article}?show=table`,
  cards: `${article}?show=cards`,
  filter: `${article}/filter?field=source`,
  charts: `${article}/charts`,
  'compared charts': `${article}/charts?part=compare&query=climate&query=language%3Den`,
  'unusual words': `${article}/charts?part=unusual&publishedAt=2026-11-09`,
  'heat map': `${article}/charts?by=language&by=source_country`,
  'time charts': `${article}?language=en&split=source_country&as=share`,
  account,
  embedded: `/embed${article}?language=en`,
  outlet: `${account}/tech.service.news.source/alpenfunk.example`,
  'refused address': `${article}?colour=red`,
  'unknown record': `${account}/tech.service.news.source/nobody`,
} as const

/** What axe looks at: all in English, and of the others those with a layout that texts or directions change. */
const examined: Readonly<Record<string, readonly string[] | 'all'>> = {
  en: 'all',
  es: ['home', 'filtered collection', 'charts'],
  ar: ['home', 'filtered collection', 'table', 'filter', 'charts', 'outlet', 'article', 'refused address'],
}

for (const [lang, kinds] of Object.entries(examined))
  test(`no page is wider than a phone or hard to use, in the language ${lang}, light or dark`, {
    skip,
  }, async () => {
    const { url } = await demoService()
    await using reader = await openReader(`/?lang=${lang}`)
    const { page } = reader
    const found: string[] = []
    const addresses = Object.entries({ ...pages, article: await articlePath() })
    for (const [name, address] of addresses) {
      await page.setViewportSize({ width: 360, height: 740 })
      await page.goto(`${url}${address}${address.includes('?') ? '&' : '?'}lang=${lang}`)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      if (width !== 360) found.push(`${name}: ${width} pixels`)
      if (kinds !== 'all' && !kinds.includes(name)) continue
      await page.setViewportSize({ width: 1280, height: 900 })
      await page.evaluate(axe)
      await page.emulateMedia({ colorScheme: 'light' })
      found.push(...(await seriousOf(page, `${name}, light`)))
      // Colours are the same in all languages.
      if (kinds !== 'all') continue
      await page.emulateMedia({ colorScheme: 'dark' })
      found.push(...(await seriousOf(page, `${name}, dark`, ['color-contrast'])))
    }
    assert.deepEqual(found, [])
  })

/** The page of a report with two analyses. */
async function articlePath(): Promise<string> {
  const { query } = await demoService()
  const { techServiceNewsArticle: found } = await query(
    '{ techServiceNewsArticle(first: 1) { nodes { uri } } }',
  )
  return `/${found.nodes[0].uri.replace('at://', 'at/')}`
}

async function seriousOf(page: Page, name: string, rules?: readonly string[]): Promise<readonly string[]> {
  const options = {
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map(({ html, failureSummary }) => `${name}: ${id}: ${html}: ${failureSummary}`),
    )
}

test('everything that can be used is reached by Tab, and what has the focus is seen', { skip }, async () => {
  await using reader = await openReader(`${article}?language=en`)
  const { page } = reader
  const wanted = Number(
    await page.evaluate(`{
      // The marks of a chart are links of its table too.
      const isMark = (each) => each.closest('svg') !== null && links.has(each.getAttribute('href'))
      const links = new Set([...document.querySelectorAll('table a')].map((each) => each.getAttribute('href')))
      const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
      const places = all.filter((each) => each.checkVisibility() && !isMark(each))
      globalThis.wanted = new Set(places)
      globalThis.wanted.size
    }`),
  )
  assert.ok(wanted > 50, `${wanted} elements`)
  const unseen: string[] = []
  for (let pressed = 0; pressed <= wanted + 30; pressed += 1) {
    await page.keyboard.press('Tab')
    const seen = (await page.evaluate(`{
      const focused = document.activeElement
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused)
      const isSeen = (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none'
      globalThis.wanted.delete(focused)
      ;({ isOver: focused === document.body, isSeen, html: focused.outerHTML.slice(0, 120) })
    }`)) as { readonly isOver: boolean; readonly isSeen: boolean; readonly html: string }
    if (seen.isOver) break
    if (!seen.isSeen) unseen.push(seen.html)
  }
  const missed = await page.evaluate('[...globalThis.wanted].map((each) => each.outerHTML.slice(0, 120))')
  assert.deepEqual(missed, [])
  assert.deepEqual(unseen, [])
})

test('script and styles of a page are small', async () => {
  const { files } = await bundleExplorer()
  const sizeOf = (type: string): number =>
    Array.from(files)
      .filter(([name]) => name.endsWith(type))
      .reduce((sum, [, content]) => sum + gzipSync(content).length, 0)
  assert.ok(sizeOf('.js') <= 40_000, `${sizeOf('.js')} bytes of script`)
  assert.ok(sizeOf('.css') <= 15_000, `${sizeOf('.css')} bytes of styles`)
})
