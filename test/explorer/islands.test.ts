/** What scripts add to pages, in a real browser: keys, and looking for values as they are typed. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { buildDemoCorpus } from '../../demo/corpus.ts'
import { runProgram, type Service, startService } from '../network/service.ts'
import { openBrowser, skipWithoutBrowser } from '../support/server/browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-islands-'))
const articles = '/c/tech.service.news.article'
const skip = skipWithoutBrowser
let service: Service
let browser: Browser

before(async () => {
  if (skip !== false) return
  const [records, database] = [join(folder, 'records.jsonl'), join(folder, 'records.db')]
  writeFileSync(records, Array.from(buildDemoCorpus(), (record) => `${JSON.stringify(record)}\n`).join(''))
  const { status, stderr } = await runProgram(['import', records, '--database', database])
  assert.equal(status, 0, stderr)
  service = await startService(['serve', '--database', database, '--workers', '1'])
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function open(path: string) {
  const page = await browser.newPage()
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text())
  })
  await page.goto(service.url + path)
  return { page, faults }
}

test('keys lead to the search, through the results, and to the list of keys', { skip }, async () => {
  const { page, faults } = await open(articles)
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
  assert.deepEqual(faults, [])
})

test('values that do not contain what is typed are hidden, and others are fetched', { skip }, async () => {
  const { page, faults } = await open(`${articles}/filter?field=tags`)
  const values = page.locator('#values li:visible .name')
  await page.getByPlaceholder('Find a value').fill('ELECCION')
  for (const text of await values.allTextContents()) assert.match(text, /eleccion/)
  await page.waitForURL(/find=ELECCION/)
  assert.ok((await values.count()) >= 1)
  await page.reload()
  for (const text of await values.allTextContents()) assert.match(text, /eleccion/)
  assert.deepEqual(faults, [])
})

test('a list tells of records that came after it', { skip }, async () => {
  const { page } = await open(articles)
  await page.clock.install()
  await page.route(/facets=-/, async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace(
      /data-total="(\d+)"/,
      (_, total) => `data-total="${Number(total) + 3}"`,
    )
    await route.fulfill({ response, body })
  })
  await page.reload()
  await page.clock.runFor(61_000)
  await page.getByRole('button', { name: '3 new records' }).waitFor()
})

test('times are in the zone of the reader, and lists say which it is', { skip }, async () => {
  const path = '/c/tech.service.news.enrichment'
  const plain = await browser.newPage({ javaScriptEnabled: false, timezoneId: 'Asia/Tokyo' })
  await plain.goto(service.url + path)
  assert.equal(await plain.locator('.results .zone').textContent(), 'Times are in UTC.')
  const page = await browser.newPage({ timezoneId: 'Asia/Tokyo' })
  await page.goto(service.url + path)
  const note = page.locator('.results .zone', { hasText: 'Asia/Tokyo' })
  assert.equal(await note.textContent(), 'Times are in your zone, Asia/Tokyo.')
  const time = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const
  for (const address of [path, '/']) {
    await page.goto(service.url + address)
    await page.locator('.zone', { hasText: 'Asia/Tokyo' }).first().waitFor()
    const shown = await page
      .locator('time')
      .evaluateAll((all) => all.map((each) => [each.getAttribute('datetime') ?? '', each.textContent]))
    for (const [instant, text] of shown)
      assert.ok(
        text?.startsWith(new Intl.DateTimeFormat('en', time).format(Date.parse(instant ?? ''))),
        text ?? '',
      )
  }
})
