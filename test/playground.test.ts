import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, skipWithoutBrowser } from './support/browser.ts'
import { type HttpServer, startServer } from './support/http-server.ts'

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const exampleQuery = '# A first `question`: ${x} </script>\n{ hello(name: "example") }\n'

test('a browser gets the page, everybody else an answer', async () => {
  await using server = await startServer({ exampleQuery })
  const page = await server.get('/api/graphql', { accept: browserAccept })
  assert.equal(page.status, 200)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self';/)
  assert.match(page.headers.get('vary') ?? '', /accept/)
  assert.equal((await server.get('/api/graphql', { accept: '*/*' })).status, 400)
  assert.equal(
    (await server.get('/api/graphql', { accept: 'application/json, text/html;q=0.9' })).status,
    400,
  )
  const answer = await server.get('/api/graphql?query=%7Bhello%7D', { accept: browserAccept })
  assert.equal(await answer.text(), '{"data":{"hello":"Hello, world"}}')
})

test('the root leads to the page', async () => {
  await using server = await startServer({ exampleQuery })
  const response = await fetch(server.url, { redirect: 'manual' })
  assert.equal(response.status, 302)
  assert.equal(response.headers.get('location'), '/api/graphql')
})

test('every file the page names is there, typed, compressed and kept by browsers', async () => {
  await using server = await startServer({ exampleQuery })
  const { folder, files } = await readPage(server)
  assert.ok(files.length > 10)
  for (const file of [...files, 'assets/i18n/en-US.json', 'assets/img/logo_350.svg']) {
    const response = await server.get(folder + file, { 'accept-encoding': 'gzip' })
    const type = { js: 'text/javascript', css: 'text/css', json: 'application/json', svg: 'image/svg+xml' }
    const expected = type[file.split('.').at(-1) as keyof typeof type]
    assert.equal(response.status, 200, file)
    if (expected) assert.equal(response.headers.get('content-type'), `${expected}; charset=utf-8`)
    if (expected) assert.equal(response.headers.get('content-encoding'), 'gzip')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    const etag = response.headers.get('etag') ?? ''
    const again = await server.get(folder + file, { 'if-none-match': etag })
    assert.equal(again.status, 304)
    assert.ok((await response.arrayBuffer()).byteLength > 0)
  }
})

test('only the files of the package are served', async (t) => {
  await using server = await startServer({ exampleQuery })
  const { folder } = await readPage(server)
  const paths = [
    '/playground/',
    folder,
    `${folder}index.html`,
    `${folder}iframe-sandbox/index.html`,
    `${folder}../index.js`,
    `${folder}%2e%2e/index.js`,
    `${folder}..%2findex.js`,
    `${folder}..%5c..%5cpackage.json`,
    `${folder}/etc/passwd`,
    `${folder}%00`,
    `${folder}assets`,
    `${folder}__proto__`,
    '/playground/000000000000/main.js',
  ]
  for (const path of paths) {
    await t.test(path.replace(folder, 'FOLDER/'), async () => {
      const response = await server.raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
      assert.match(response, /^HTTP\/1.1 404 /)
      assert.match(response, /"code":"NOT_FOUND"/)
    })
  }
})

test('in a real browser the page asks and shows the answer, and knows no other host', {
  skip: skipWithoutBrowser,
}, async (t) => {
  await using server = await startServer({ exampleQuery })
  const browser = await openBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`))
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.url()} is ${response.status()}`)
  })
  page.on('request', (request) => {
    const { url } = server
    if (!request.url().startsWith(`${url}/`) && !/^(data|blob):/.test(request.url()))
      complaints.push(request.url())
  })

  await page.goto(server.url)
  await page.getByText('hello(name: "example")').first().waitFor()
  await ask(page, 'Hello, example')
  await page.locator('.cm-content', { hasText: 'A first `question`' }).click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText('{ hello(name: "typed by hand") }')
  await ask(page, 'Hello, typed by hand')
  await page.getByText('Docs', { exact: true }).click()
  await page.getByText('Query', { exact: true }).last().click()
  await page.getByText('What can be asked.').first().waitFor()
  if (process.env['SCREENSHOT']) await page.screenshot({ path: process.env['SCREENSHOT'] })
  assert.deepEqual(complaints, [])
})

async function ask(page: Page, answer: string): Promise<void> {
  await page.getByRole('button', { name: 'Send Request' }).click()
  await page.getByText(answer).first().waitFor()
}

/** The folder of the page's files, and the files that the page names. */
async function readPage(server: HttpServer): Promise<{ folder: string; files: string[] }> {
  const html = await (await server.get('/api/graphql', { accept: browserAccept })).text()
  const folder = /<base href="([^"]+)"/.exec(html)?.[1] ?? ''
  assert.match(folder, /^\/playground\/[0-9a-f]{12}\/$/)
  const files = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, file]) => file ?? '')
  return { folder, files: files.filter((file) => file !== folder) }
}
