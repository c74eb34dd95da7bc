/** The playground of the real program in a real browser: what it offers works, and nothing leaves its origin. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { demoService, openReader, type Reader } from './explorer/reader.ts'
import { skipWithoutBrowser as skip } from './support/server/browser.ts'
import { longTest } from './support/rounds.ts'
import { until } from './support/until.ts'

test('the page runs its first query and shows the answer', { skip }, async (t) => {
  const { page, complaints } = await openPlayground(t)
  assert.equal(await page.title(), 'Lexigraph')
  assert.equal(await page.locator('.graphiql-logo').innerText(), 'Lexigraph')
  await execute(page)
  await answer(page, '"totalCount": 660')
  assert.deepEqual(complaints, [])
})

longTest('names are suggested, mistakes are marked, and the editor has its menus', { skip }, async (t) => {
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

longTest('documents, themes and other queries are at hand', { skip }, async (t) => {
  const { page, complaints } = await openPlayground(t)
  const button = (name: RegExp | string): Locator => page.getByRole('button', { name })

  await button('Show Documentation Explorer').click()
  await page.keyboard.press('Control+Alt+k')
  await page.locator('.graphiql-doc-explorer input').fill('sentimentScore')
  await page
    .getByRole('option', { name: /sentimentScore/ })
    .first()
    .click()
  await page.locator('.graphiql-doc-explorer').getByText('sentimentScore').first().waitFor()
  await button('Open settings dialog').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Dark' }).click()
  await page.locator('body.graphiql-dark').waitFor()
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
  await button('New tab').click()
  await page.getByRole('tab').nth(1).waitFor()
  await assertAlive(page)
  assert.deepEqual(complaints, [])
})

longTest(
  'headers and variables are sent, and what is not there any more is not kept',
  { skip },
  async (t) => {
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
  },
)

longTest('an address opens a query with its variables, next to what was there', { skip }, async (t) => {
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
  await page.goto(`${(await demoService()).url}/api/graphql#${parameters}`)
  await lines(page, queryLines, 'query Given')
  assert.equal(new URL(page.url()).hash, '')
  await page.getByRole('tab', { name: 'Before' }).waitFor()
  await execute(page)
  await answer(page, '"hasNextPage": true')
  assert.deepEqual(complaints, [])
})

longTest(
  'a reader of light pages gets a light one, and one of dark pages a dark one',
  { skip },
  async (t) => {
    const { page } = await openPlayground(t)
    for (const [colorScheme, isLight] of [
      ['light', true],
      ['dark', false],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.reload()
      await lines(page, queryLines, 'totalCount')
      const color = String(
        await page.evaluate(
          "getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor",
        ),
      )
      const brightness = Number(/(\d+)(?:\.\d+)?%?\)?$/.exec(color)?.[1] ?? NaN)
      assert.equal(brightness > 127, isLight, color)
    }
  },
)

const queryLines = '.graphiql-query-editor .view-lines'

/** The page when it can be used, without storage or cache of others. */
async function openPlayground(t: TestContext): Promise<Reader> {
  const reader = await openReader('/api/graphql', { permissions: ['clipboard-read', 'clipboard-write'] })
  t.after(async () => {
    // To look at: SCREENSHOTS names a folder.
    const screenshots = process.env['SCREENSHOTS']
    if (screenshots) await reader.page.screenshot({ path: join(screenshots, `${t.name}.png`) })
    await reader[Symbol.asyncDispose]()
  })
  await lines(reader.page, queryLines, 'totalCount')
  return reader
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
  let looks = 0
  await until(async () => {
    if (looks % 50 === 0) await act()
    looks += 1
    return expected.isVisible()
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
