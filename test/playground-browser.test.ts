/** The playground of the real program in a real browser: what it offers works, and nothing leaves its origin. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, after, test } from 'node:test'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { type Service, runProgram, startService } from './network/service.ts'
import { openBrowser, skipWithoutBrowser as skip } from './support/server/browser.ts'
import { patience, until } from './support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-playground-'))
let service: Promise<Service> | undefined
let browser: Promise<Browser> | undefined
after(async () => {
  await (await browser)?.close()
  await (await service)?.stop()
  rmSync(folder, { recursive: true })
})

test('the page runs its first query and shows the answer', { skip }, async (t) => {
  const { page, complaints } = await openPlayground(t)
  assert.equal(await page.title(), 'Lexigraph')
  assert.equal(await page.locator('.graphiql-logo').innerText(), 'Lexigraph')
  await execute(page)
  await answer(page, '"totalCount": 660')
  assert.deepEqual(complaints, [])
})

test('names are suggested, mistakes are marked, and the editor has its menus', { skip }, async (t) => {
  const { page, complaints } = await openPlayground(t)
  // There is nothing to suggest or to mark before the page has loaded the schema.
  await repeatUntilVisible(
    page.locator('.suggest-widget').getByText('baseUrl', { exact: true }),
    async () => {
      await page.keyboard.press('Escape')
      await write(page, '{ techServiceNewsSource(first: 1) { nodes {  ')
      await page.keyboard.press('Control+Space')
    },
  )
  await page.keyboard.press('Escape')
  await repeatUntilVisible(page.locator('.graphiql-query-editor .squiggly-error').first(), () =>
    write(page, '{ techServiceNewsSource { nodes { nonsense } } }'),
  )

  await repeatUntilVisible(page.locator('.graphiql-query-editor .find-widget.visible'), async () => {
    await page.locator(queryLines).click()
    await page.keyboard.press('Control+f')
  })
  await page.locator('.find-widget textarea').first().press('Escape')
  await page.locator('.graphiql-query-editor .find-widget.visible').waitFor({ state: 'detached' })
  const commands = page.locator('.quick-input-widget')
  await repeatUntilVisible(commands.locator('.quick-input-box input'), async () => {
    await page.locator(queryLines).click()
    await page.keyboard.press('F1')
  })
  await commands.locator('.quick-input-box input').fill('>Prettify')
  await commands.getByText('Prettify Editors').waitFor()
  await page.keyboard.press('Escape')
  await repeatUntilVisible(page.getByRole('menuitem', { name: /Copy Query/ }), async () => {
    await page.keyboard.press('Escape')
    await page.locator(queryLines).click({ button: 'right' })
  })
  await page.keyboard.press('Escape')
  await assertAlive(page)
  assert.deepEqual(complaints, [])
})

test('every button and dialog opens and closes, and nothing locks up', { skip }, async (t) => {
  const { page, complaints } = await openPlayground(t)
  const button = (name: RegExp | string): Locator => page.getByRole('button', { name })

  await button('Show Documentation Explorer').click()
  await page.locator('.graphiql-doc-explorer').getByText('Query', { exact: true }).click()
  await page.locator('.graphiql-doc-explorer').getByText('techServiceNewsArticleByUri').waitFor()
  await page.keyboard.press('Control+Alt+k')
  await page.locator('.graphiql-doc-explorer input').fill('sentimentScore')
  await page
    .getByRole('option', { name: /sentimentScore/ })
    .first()
    .click()
  await page.locator('.graphiql-doc-explorer').getByText('sentimentScore').first().waitFor()
  await button('Show History').click()
  await page.locator('.graphiql-history').waitFor()
  await button('Hide History').click()

  await button('Open short keys dialog').click()
  await page.getByRole('dialog').getByText('Short Keys').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: /Close/ }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await button('Open settings dialog').click()
  const themes = {
    Dark: 'body.graphiql-dark',
    Light: 'body.graphiql-light',
    System: 'body:not(.graphiql-dark, .graphiql-light)',
  }
  for (const [theme, body] of Object.entries(themes)) {
    await page.getByRole('dialog').getByRole('button', { name: theme }).click()
    await page.locator(body).waitFor()
  }
  await page.getByRole('dialog').getByRole('button', { name: 'On', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Off', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear data' }).click()
  await page.getByRole('dialog').getByText('Cleared data').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await write(page, 'query A{...F} fragment F on Query{indexStatus{collections{records}}}')
  await button(/Prettify/).click()
  await lines(page, queryLines, 'collections {')
  // Fragments are merged in what the page has taken over from the editor, which it does a moment later.
  await until(() => page.evaluate("Object.values(localStorage).some((kept) => kept.includes('query A'))"))
  await button(/Merge fragments/).click()
  await page.locator(queryLines).getByText('fragment').waitFor({ state: 'detached' })
  await button(/Copy query/).click()
  const copied = await page.evaluate('navigator.clipboard.readText()')
  assert.match(String(copied), /query A \{\s+indexStatus/)
  await button('Variables').click()
  await button('Headers').click()
  await page.locator('.graphiql-editor-tool').waitFor()
  await button('Re-fetch GraphQL schema').click()
  await button('New tab').click()
  await page.getByRole('tab').nth(1).waitFor()
  await assertAlive(page)
  await page.getByRole('button', { name: 'Close Tab' }).last().click()
  await page.getByRole('tab').nth(1).waitFor({ state: 'detached' })
  await assertAlive(page)
  assert.deepEqual(complaints, [])
})

test('headers and variables are sent, and what is not there any more is not kept', { skip }, async (t) => {
  const { page, complaints } = await openPlayground(t)
  await write(
    page,
    'query Some($n: Int) { techServiceNewsSource(first: $n) { nodes { rkey } pageInfo { hasNextPage } } }',
  )
  await page.getByRole('button', { name: 'Variables' }).click()
  await page.locator('.graphiql-editor-tool .view-lines').first().click()
  await page.keyboard.insertText('{"n": 2}')
  await execute(page)
  await answer(page, '"hasNextPage": true')
  await page.getByRole('button', { name: 'Headers' }).click()
  await page.locator('.graphiql-editor-tool .view-lines').last().click()
  await page.keyboard.insertText('{"X-API-Key": "lxg_unknown"}')
  const refused = page.waitForResponse((response) => response.request().method() === 'POST')
  await execute(page)
  assert.equal((await refused).request().headers()['x-api-key'], 'lxg_unknown')
  await answer(page, 'UNAUTHENTICATED')
  await page.reload()
  await lines(page, queryLines, 'query Some')
  assert.doesNotMatch(String(await page.evaluate('JSON.stringify(localStorage)')), /lxg_unknown/)
  assert.deepEqual(
    complaints.filter((complaint) => !complaint.includes('401')),
    [],
  )
})

test('an address opens a query with its variables, next to what was there', { skip }, async (t) => {
  const { page, complaints } = await openPlayground(t)
  await write(page, 'query Before { __typename }')
  await page.getByRole('tab', { name: 'Before' }).waitFor()
  await until(() =>
    page.evaluate(
      "Object.entries(localStorage).some(([key, kept]) => key.endsWith('tabState') && kept.includes('query Before'))",
    ),
  )
  const parameters = new URLSearchParams({
    query: 'query Given($n: Int) { techServiceNewsSource(first: $n) { pageInfo { hasNextPage } } }',
    variables: '{"n": 1}',
  })
  await page.goto('about:blank')
  await page.goto(`${(await service)?.url}/api/graphql#${parameters}`)
  await lines(page, queryLines, 'query Given')
  assert.equal(new URL(page.url()).hash, '')
  await page.getByRole('tab', { name: 'Before' }).waitFor()
  await execute(page)
  await answer(page, '"hasNextPage": true')
  assert.deepEqual(complaints, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a reader of ${colorScheme} pages gets a ${colorScheme} one`, { skip }, async (t) => {
    const { page, complaints } = await openPlayground(t, { colorScheme })
    const color = String(
      await page.evaluate("getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor"),
    )
    const brightness = Number(/(\d+)(?:\.\d+)?%?\)?$/.exec(color)?.[1] ?? NaN)
    assert.equal(brightness > 127 ? 'light' : 'dark', colorScheme, color)
    assert.deepEqual(complaints, [])
  })
}

/** The program over the demo's records, started once. */
async function serveDemo(): Promise<Service> {
  const records = join(folder, 'records.jsonl')
  writeFileSync(records, [...buildDemoCorpus()].map((record) => `${JSON.stringify(record)}\n`).join(''))
  const env = { LEXIGRAPH_DATABASE: `sqlite:${join(folder, 'news.db')}` }
  const { status, stderr } = await runProgram(['import', records], { env })
  assert.equal(status, 0, stderr)
  return startService(['serve'], { env })
}

const queryLines = '.graphiql-query-editor .view-lines'

/** The page when it can be used, and what is wrong with it: complaints of the browser, and requests to elsewhere. */
async function openPlayground(
  t: TestContext,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: readonly string[] }> {
  const { url } = await (service ??= serveDemo())
  t.after(async () => {
    // To look at: SCREENSHOTS names a folder.
    const screenshots = process.env['SCREENSHOTS']
    if (screenshots) await page.screenshot({ path: join(screenshots, `${t.name}.png`) })
    await context.close()
  })
  // Without storage or cache of others.
  const context = await (await (browser ??= openBrowser())).newContext({
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(patience)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText
    // A page that is left stops loading what it had begun to load.
    if (error !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${error}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()} is ${response.status()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !/^(data|blob):/.test(request.url()))
      complaints.push(request.url())
  })
  await page.goto(`${url}/api/graphql`)
  await lines(page, queryLines, 'totalCount')
  return { page, complaints }
}

async function write(page: Page, query: string): Promise<void> {
  await page.locator(queryLines).click()
  await page.keyboard.press('Control+a')
  // Typed text would get closing brackets.
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(query)})`)
  await page.keyboard.press('Control+v')
}

/** A page that is still loading misses keys and clicks; a person who sees nothing come of them repeats them. */
async function repeatUntilVisible(expected: Locator, act: () => Promise<void>): Promise<void> {
  await until(async () => {
    await act()
    return expected.waitFor({ timeout: 5_000 }).then(
      () => true,
      () => false,
    )
  })
}

async function execute(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Execute query' }).click()
}

async function answer(page: Page, text: string): Promise<void> {
  await lines(page, '.graphiql-response .view-lines', text)
}

/** Waits until the visible lines of an editor have the text; it shows spaces as others. */
async function lines(page: Page, selector: string, text: string): Promise<void> {
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  await page
    .locator(selector, { hasText: new RegExp(escaped.replaceAll(' ', '[ \u00a0]')) })
    .first()
    .waitFor()
}

async function assertAlive(page: Page): Promise<void> {
  const name = `Alive${Math.random().toString(36).slice(2)}`
  await write(page, `query ${name} { ${name}: __typename }`)
  // The tab has the operation's name as soon as the page has read the document.
  await page.getByRole('tab', { name }).waitFor()
  await execute(page)
  await answer(page, `"${name}": "Query"`)
}
