/** What pages have: nothing that keeps people from using them, and not more bytes than a phone loads at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { bundle } from '../../build/explorer.ts'
import { languages } from '../../src/explorer/languages/language.ts'
import { longTest, someForms } from '../support/rounds.ts'
import { skipWithoutBrowser as skip } from '../support/server/browser.ts'
import { assertAccessible, pages, storyPaths } from './accessible.ts'
import { openReader } from './reader.ts'

const article = '/c/tech.service.news.article'

test('no word is too long for a phone', { skip }, () =>
  assertAccessible('en', someForms(['a long word everywhere', 'topic of a long word', 'a long word']), []),
)

test('no page of a usual kind is wider than a phone or hard to use, light or dark', { skip }, async () => {
  await assertAccessible(
    'en',
    someForms(
      [
        'charts',
        'search',
        'table',
        'account',
        'home',
        'cards',
        'filter',
        'topics',
        'one of each story',
        'unknown record',
      ],
      4,
    ),
    someForms(['article of a story', 'filtered collection', 'topics', 'article']),
  )
})

test('a layout from right to left is as wide as a phone, and usable', { skip }, async () => {
  await assertAccessible('ar', someForms(['outlet', 'table']), someForms(['filtered collection', 'topics']))
})

const ofRecords = ['article', 'story', 'article of a story'] as const
const kinds = [...(Object.keys(pages) as (keyof typeof pages)[]), ...ofRecords] as const
for (const { tag } of languages)
  longTest(`no page is wider than a phone or hard to use, in the language ${tag}`, { skip }, () =>
    assertAccessible(tag, [], kinds),
  )

test('a menu of the page of charts is as wide as what is chosen in it', { skip }, async () => {
  await using reader = await openReader(`${article}/charts?q=flood&language=en&measure=share`)
  const cut = await reader.page.evaluate(`
    Array.from(document.querySelectorAll('.chart-form > label select'), (select) =>
      Array.from(select.options, ({ value, text }) => {
        select.value = value
        const chosen = document.createElement('span')
        Object.assign(chosen.style, { font: getComputedStyle(select).font, position: 'absolute', whiteSpace: 'pre' })
        chosen.textContent = text
        document.body.append(chosen)
        return chosen.offsetWidth > select.clientWidth ? [text] : []
      }),
    ).flat(2)`)
  assert.deepEqual(cut, [])
})

test('everything that can be used is reached by Tab, and what has the focus is seen', { skip }, async () => {
  await using reader = await openReader(`${article}?language=en`)
  const { page } = reader
  const wanted = await countFocusable(page)
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

/** Notes them in `wanted` of the window. */
async function countFocusable(page: Page): Promise<number> {
  const count = await page.evaluate(`{
    // The marks of a chart are links of its table too.
    const isMark = (each) => each.closest('svg') !== null && links.has(each.getAttribute('href'))
    const links = new Set([...document.querySelectorAll('table a')].map((each) => each.getAttribute('href')))
    const all = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
    // Values are excluded on the page of their field too, and outlets are linked on the pages of their records.
    const isElsewhere = (each) => each.matches('.exclude[tabindex], .results a[tabindex], .embedded a[tabindex]')
    const places = all.filter((each) => each.checkVisibility() && !isMark(each) && !isElsewhere(each))
    globalThis.wanted = new Set(places)
    globalThis.wanted.size
  }`)
  return Number(count)
}

test('a list of any kind has at most 120 things that Tab leads to', { skip }, async () => {
  const { story } = await storyPaths()
  await using reader = await openReader(story)
  const { page } = reader
  const plain = ['', 'language=en', 'q=election', 'stories=1', story.split('?')[1]]
  const shown = ['list', 'table', 'cards'].map((show) => `show=${show}`)
  const lists = plain.flatMap((query) => shown.map((show) => `${article}?${query}&${show}`))
  const others = [
    ...['tech.service.news.source', 'tech.service.news.enrichment'].map((nsid) => `/c/${nsid}`),
    '/search?q=the',
    ...['', '?show=table'].map((query) => `/embed${article}${query}`),
    `${article}/topic?q=election`,
  ]
  const found: string[] = []
  for (const address of [...someForms(lists, 4), ...someForms(others, 2)]) {
    await page.goto(new URL(address, page.url()).href)
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
    const count = await countFocusable(page)
    if (count > 120) found.push(`${address}: ${count}`)
  }
  assert.deepEqual(found, [])
})

test('script and styles of a page are small', async () => {
  const { files } = await bundle()
  const sizeOf = (type: string): number =>
    Array.from(files)
      .filter(([name]) => name.endsWith(type))
      .reduce((sum, [, content]) => sum + gzipSync(content).length, 0)
  assert.ok(sizeOf('.js') <= 40_000, `${sizeOf('.js')} bytes of script`)
  assert.ok(sizeOf('.css') <= 15_000, `${sizeOf('.css')} bytes of styles`)
})

for (const [width, tag] of [
  [1280, 'ar'],
  [1280, 'es'],
  [390, 'es'],
] as const)
  test(`texts are cut at their own end, a choice not at all: ${tag}, ${width} pixels`, { skip }, async () => {
    const viewport = { width, height: 900 }
    await using reader = await openReader(`${article}?q=the&lang=${tag}`, { viewport })
    const { page } = reader
    await page.evaluate("document.querySelector('.sidebar').open = true")
    const cut = await page.evaluate<[string, string][]>(`[...document.querySelectorAll('main *')]
      .map((element) => ({ element, style: getComputedStyle(element) }))
      .filter(({ style }) => style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none')
      .map(({ element, style }) => [element.textContent, style.direction])`)
    assert.ok(cut.length > 0)
    for (const [text, direction] of cut)
      assert.equal(direction, /^\P{L}*\p{Script=Arabic}/u.test(text) ? 'rtl' : 'ltr', text)
    const [own = 0, needed = 0] = await page.evaluate<number[]>(`(() => {
      const select = document.querySelector('.add select')
      const copy = select.parentElement.appendChild(select.cloneNode(true))
      copy.style.cssText = 'position: absolute; width: auto; max-width: none'
      return [select.offsetWidth, copy.offsetWidth]
    })()`)
    assert.ok(own >= needed, `${own} of ${needed} pixels`)
  })
