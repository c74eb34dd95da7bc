/** What scripts add to pages, in a real browser: keys, looking for values as they are typed, later parts, zones and pictures. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { skipWithoutBrowser as skip } from '../support/server/browser.ts'
import { storyPaths } from './accessible.ts'
import { openReader } from './reader.ts'
import { someForms } from '../support/rounds.ts'

const articles = '/c/tech.service.news.article'

test('keys lead to the search, through the results, and to the list of keys', { skip }, async () => {
  await using reader = await openReader(articles)
  const { page, complaints } = reader
  const focused = () => page.locator(':focus')
  const titles = page.locator('.result h3 a')
  await page.keyboard.press('j')
  assert.equal(await focused().textContent(), await titles.nth(0).textContent())
  await page.keyboard.press('j')
  assert.equal(await focused().textContent(), await titles.nth(1).textContent())
  await page.keyboard.press('k')
  assert.equal(await focused().textContent(), await titles.nth(0).textContent())
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  assert.equal(await focused().getAttribute('name'), 'q')
  await page.keyboard.type('j/?')
  assert.equal(await focused().inputValue(), 'j/?')
  assert.deepEqual(complaints, [])
})

test('values that do not contain what is typed are hidden, and others are fetched', { skip }, async () => {
  await using reader = await openReader(`${articles}/filter?field=tags`)
  const { page, complaints } = reader
  const values = page.locator('#values li:visible .name')
  await page.getByPlaceholder('Find a value').fill('ELECCION')
  for (const text of await values.allTextContents()) assert.match(text, /eleccion/)
  await page.waitForURL(/find=ELECCION/)
  assert.ok((await values.count()) >= 1)
  await page.reload()
  for (const text of await values.allTextContents()) assert.match(text, /eleccion/)
  assert.deepEqual(complaints, [])
})

for (const width of [1280, 390])
  test(`nothing moves on a page of ${width} pixels when its other parts arrive`, { skip }, async () => {
    const { story, 'article of a story': told } = await storyPaths()
    await using reader = await openReader(told, { viewport: { width, height: 900 } })
    const { page, complaints } = reader
    const filtered = `${articles}?q=climate&source_country=GB&language=en`
    const lists = [`${articles}?stories=1&show=cards`, `${articles}?stories=1&show=table`]
    const topics = ['q=election', 'q=election&q=climate&q=flood', 'language=es'].map(
      (query) => `${articles}/topic?${query}`,
    )
    for (const address of someForms(
      [filtered, told, ...topics, '/', story, story.replace('?', '/topic?'), ...lists],
      3,
    )) {
      const { promise: isSeen, resolve: see } = Promise.withResolvers<undefined>()
      await page.route(/panel=|\/facets\?/, async (route) => {
        await isSeen
        // Each after those before it were shown.
        const panel = new URL(route.request().url()).searchParams.get('panel')
        await page.locator(`.later[aria-busy]:has(~ #late-${panel})`).first().waitFor({ state: 'detached' })
        await route.continue()
      })
      await page.goto(new URL(address, page.url()).href)
      // A page that is still being parsed moves on a busy machine, and a frame that is late counts what moved before it.
      await page.evaluate(`new Promise((resolve) => {
        // What follows the parts is seen.
        scrollTo(0, document.body.scrollHeight)
        requestAnimationFrame(() => requestAnimationFrame(() => {
          globalThis.loaded = performance.now()
          resolve()
        }))
      })`)
      see(undefined)
      for (const part of await page.locator('.later').all()) {
        // Facets of phones are folded.
        if (await part.evaluate((place) => place.checkVisibility()))
          await part.locator('> p > a').waitFor({ state: 'detached' })
      }
      if (address === filtered && width > 1000)
        await page.locator('#late-facets .facet a.value').first().waitFor()
      const moved = await page.evaluate(`new Promise((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().filter(({ startTime }) => startTime > globalThis.loaded).map(({ value, sources }) =>
          [value, ...sources.map(({ node }) => node?.nodeName + node?.className)].join(' '))))
          .observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0, [])))
      })`)
      assert.deepEqual(moved, [], address)
      const unused = `[...document.querySelectorAll('.late')].map((late) => late.offsetHeight - Math.max(...Array.from(late.children, (part) => part.offsetTop + part.offsetHeight - late.offsetTop)))`
      for (const pixels of (await page.evaluate(unused)) as number[])
        assert.ok(pixels < 50, `${pixels} ${address}`)
      await page.unrouteAll()
    }
    assert.deepEqual(complaints, [])
  })

test('a part of a page is asked for when its reader comes near it', { skip }, async () => {
  await using reader = await openReader('/', { viewport: { width: 1280, height: 300 } })
  const { page } = reader
  const asked: string[] = []
  page.on('request', (request) => {
    const panel = new URL(request.url()).searchParams.get('panel')
    if (panel !== null) asked.push(panel)
  })
  await page.goto(new URL(`${articles}/topic?q=election`, page.url()).href)
  await page.waitForFunction('document.readyState === "complete"')
  assert.deepEqual(asked, [])
  // Past all of them at once.
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  await page.locator('.later > p > a').first().waitFor({ state: 'detached' })
  assert.deepEqual(asked.toSorted(), ['stories', 'values', 'words'])
})

test('a part that is refused after its beginning says why, and keeps its link', { skip }, async () => {
  await using reader = await openReader('/')
  const { page } = reader
  await page.route(/panel=words/, async (route) => {
    const refused = await route.fetch({ url: `${new URL(articles, page.url())}?nothing=1` })
    assert.equal(refused.status(), 400)
    await route.fulfill({ response: refused, status: 200 })
  })
  await page.goto(new URL(`${articles}/topic?q=election`, page.url()).href)
  await page.waitForFunction('document.readyState === "complete"')
  await page.evaluate('scrollTo(0, document.body.scrollHeight)')
  const part = page.locator('#late-words')
  await part.locator('p').nth(1).waitFor()
  assert.equal(await part.locator('p > a').count(), 2)
})

test('a page that is printed asks for all of its parts', { skip }, async () => {
  await using reader = await openReader(`${articles}/topic?q=election`, {
    viewport: { width: 1280, height: 300 },
  })
  const { page } = reader
  await page.waitForFunction('document.readyState === "complete"')
  assert.ok((await page.locator('.later > p > a').count()) > 0)
  await page.evaluate("dispatchEvent(new Event('beforeprint'))")
  await page.locator('.later > p > a').last().waitFor({ state: 'detached' })
})

test('times are in the zone of the reader, and lists say which it is', { skip }, async () => {
  const path = '/c/tech.service.news.enrichment'
  const timezoneId = 'Asia/Tokyo'
  await using plain = await openReader(path, { javaScriptEnabled: false, timezoneId })
  assert.equal(await plain.page.locator('.results .zone').textContent(), 'Times are in UTC.')
  await using reader = await openReader(path, { timezoneId, locale: 'en-US' })
  const { page } = reader
  const note = page.locator('.results .zone', { hasText: timezoneId })
  assert.equal(await note.textContent(), 'Times are in your zone, Asia/Tokyo.')
  const time = { dateStyle: 'medium', timeStyle: 'short', timeZone: timezoneId } as const
  for (const address of [path, '/']) {
    await page.goto(new URL(address, page.url()).href)
    await page.locator('.zone', { hasText: timezoneId }).first().waitFor()
    const shown = await page
      .locator('time')
      .evaluateAll((all) => all.map((each) => [each.getAttribute('datetime') ?? '', each.textContent]))
    assert.ok(shown.length > 3)
    for (const [instant, text] of shown)
      assert.ok(
        text?.startsWith(new Intl.DateTimeFormat('en', time).format(Date.parse(instant ?? ''))),
        text ?? '',
      )
  }
})

test('a chart is saved as PNG in twice the size of its SVG', { skip }, async () => {
  await using reader = await openReader(articles)
  const { page, complaints } = reader
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Chart as PNG' }).first().click(),
  ])
  assert.match(download.suggestedFilename(), /^articles-by-(day|week|month)\.png$/)
  const png = readFileSync(await download.path())
  assert.equal(png.toString('latin1', 1, 4), 'PNG')
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  assert.ok(width >= 1_000 && height >= 300, `${width} × ${height}`)
  assert.deepEqual(complaints, [])
})
