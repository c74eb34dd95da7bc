/** The page as it is served. test/playground-browser.test.ts uses it in a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpServer, startServer } from './support/server/http-server.ts'

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const oddQuery = '# A "first" query: ${x} </script> & \'&#39;\r\n{ hello(name: "example") }\n'
const playground = { exampleQuery: async () => oddQuery, lexicons: 'a-b' }

test('a browser gets the page, everybody else an answer', async () => {
  await using server = await startServer({ playground })
  const page = await server.get('/api/graphql', { accept: browserAccept })
  assert.equal(page.status, 200)
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'; script-src 'self';/)
  assert.doesNotMatch(policy, /https?:|unsafe-eval|script-src[^;]*unsafe-inline/)
  assert.match(page.headers.get('vary') ?? '', /accept/)
  for (const accept of ['*/*', 'application/json, text/html;q=0.9'])
    assert.equal((await server.get('/api/graphql', { accept })).status, 400)
  const answer = await server.get('/api/graphql?query=%7Bhello%7D', { accept: browserAccept })
  assert.equal(await answer.text(), '{"data":{"hello":"Hello, world"}}')
})

test('the page is ours, names the first query and runs no script of its own', async () => {
  await using server = await startServer({ playground })
  const { html } = await readPage(server)
  assert.match(html, /<title>Lexigraph<\/title>/)
  const [, escaped = ''] = /data-query="([^"]*)"/.exec(html) ?? []
  const query = escaped.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  assert.equal(query, oddQuery)
  assert.doesNotMatch(html, /<script(?! type="module" src="\/)/)
})

test('the page changes with the first query, and is sent again only then', async () => {
  let query = '{ hello }'
  await using server = await startServer({ playground: { ...playground, exampleQuery: async () => query } })
  const get = (etag: string) => server.get('/api/graphql', { accept: browserAccept, 'if-none-match': etag })
  const first = await get('')
  assert.equal(first.headers.get('cache-control'), 'no-cache')
  const etag = first.headers.get('etag') ?? ''
  assert.equal((await get(etag)).status, 304)
  query = '{ text }'
  assert.match(await (await get(etag)).text(), /\{ text \}/)
})

test('every file the page names is there, typed, compressed and kept by browsers', async () => {
  await using server = await startServer({ playground })
  const { folder, files } = await readPage(server)
  assert.deepEqual(files.toSorted(), ['page.css', 'page.js'])
  for (const file of [...files, 'editor-worker.js', 'graphql-worker.js', 'json-worker.js']) {
    const response = await server.get(folder + file, { 'accept-encoding': 'gzip' })
    assert.equal(response.status, 200, file)
    const type = file.endsWith('.css') ? 'text/css' : 'text/javascript'
    assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`)
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    const etag = response.headers.get('etag') ?? ''
    assert.equal((await server.get(folder + file, { 'if-none-match': etag })).status, 304)
    const text = await response.text()
    assert.ok(text.length > 0)
    // Fonts, pictures and scripts of other hosts would be fetched from there.
    assert.doesNotMatch(text, /url\(["']?(https?:)?\/\/|import\(?["']https?:/)
  }
})

test('only the files of the page are served', async () => {
  await using server = await startServer({ playground })
  const { folder } = await readPage(server)
  const paths = [
    '/playground/',
    folder,
    `${folder}index.html`,
    `${folder}../page.js`,
    `${folder}%2e%2e/page.js`,
    `${folder}..%2fpage.js`,
    `${folder}..%5c..%5cpackage.json`,
    `${folder}/etc/passwd`,
    `${folder}%00`,
    `${folder}__proto__`,
    '/playground/000000000000/page.js',
  ]
  for (const path of paths) {
    const response = await server.raw(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    assert.match(response, /^HTTP\/1.1 404 .*"code":"NOT_FOUND"/s, path)
  }
})

/** The page, the folder of its files, and the names of those that it names. */
async function readPage(server: HttpServer): Promise<{ html: string; folder: string; files: string[] }> {
  const html = await (await server.get('/api/graphql', { accept: browserAccept })).text()
  const paths = Array.from(html.matchAll(/(?:src|href)="(\/[^"]+)"/g), ([, path]) => path ?? '')
  const [folder = ''] = /^\/playground\/[0-9a-f]{12}\//.exec(paths[0] ?? '') ?? []
  assert.notEqual(folder, '')
  return { html, folder, files: paths.map((path) => path.replace(folder, '')) }
}
