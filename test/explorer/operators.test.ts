/** What operators set for the pages, on the real program: who they are, what crawlers see, and no pages at all. */
import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Service, startService } from '../network/service.ts'
import { demoRecords } from '../support/records/demo.ts'
import { commandsInTurn } from '../support/server/commands.ts'
import { assertFailure, json } from '../support/server/http-server.ts'
import { temporaryFolder } from '../support/store/store.ts'
import { until } from '../support/until.ts'
import { demoDatabase, demoService } from './reader.ts'
import { someForms } from '../support/rounds.ts'

const inFolder = temporaryFolder()
const run = commandsInTurn()
const base = async () => ['serve', '--database', await demoDatabase(), '--workers', '1']
const serve = async (settings: Readonly<Record<string, string>> = {}): Promise<Service> =>
  startService([
    ...(await base()),
    ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
  ])
const origin = 'https://press.example'
const collections = ['article', 'enrichment', 'source'].map((name) => `tech.service.news.${name}`)
const articles = `/c/${collections[0]}`
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>'
const file = (name: string, text: string): string => {
  const path = inFolder(name)
  writeFileSync(path, text)
  return path
}
after(async () => (await published)?.stop())

/** A page or file of a service. */
async function textAt({ url }: Service, path: string): Promise<string> {
  return (await fetch(url + path)).text()
}

/** Started once for the tests that only read it. */
let published: Promise<Service> | undefined
const publicService = (): Promise<Service> =>
  (published ??= serve({
    'explorer-address': 'https://press.example/',
    'explorer-title': 'Press <b>watch</b>',
    'explorer-logo': file('logo.svg', svg),
    'explorer-contact': 'desk@press.example',
    'explorer-note': `@${file('note.txt', 'From the wire.\n\nTerms: https://press.example/terms.')}`,
    'explorer-image-hosts': 'img.example, *.cdn.example',
  }))

test('pages have the name, logo, contact and note of the operator', async () => {
  const service = await publicService()
  const response = await fetch(service.url)
  const page = await response.text()
  assert.match(page, /<title>Press &lt;b>watch&lt;\/b><\/title>/)
  assert.match(page, /<img src="\/explorer\/logo\.svg" alt\/>/)
  assert.match(page, /<a href="mailto:desk@press\.example"><bdi>desk@press\.example<\/bdi><\/a>/)
  assert.match(
    page,
    /<p dir="auto">Terms: <a href="https:\/\/press\.example\/terms">https:\/\/press\.example\/terms<\/a>\.<\/p>/,
  )
  const policy = response.headers.get('content-security-policy') ?? ''
  assert.match(policy, /img-src 'self' data: https:\/\/img\.example https:\/\/\*\.cdn\.example;/)
  const logo = await fetch(`${service.url}/explorer/logo.svg`)
  assert.deepEqual([logo.headers.get('content-type'), await logo.text()], ['image/svg+xml', svg])
  assert.match(logo.headers.get('content-security-policy') ?? '', /^default-src 'none';.*sandbox$/)
})

test('crawlers find the pages without filters, in every language, at the public address', async () => {
  const service = await publicService()
  const text = (path: string) => textAt(service, path)
  const robots = await text('/robots.txt')
  for (const line of ['User-agent: *', 'Disallow: /*/chart.', `Sitemap: ${origin}/sitemap.xml`])
    assert.ok(robots.split('\n').includes(line), line)
  const sitemap = await text('/sitemap-pages.xml')
  const pages = ['/', ...collections.map((nsid) => `/c/${nsid}`)]
  assert.deepEqual(
    placesIn(sitemap),
    pages.map((path) => origin + path),
  )
  const named = [...sitemap.matchAll(/href="https:\/\/press\.example([^"]*)"/g)]
  for (const [, path = ''] of someForms(named.toReversed(), 4)) {
    const page = await text(path)
    assert.ok(page.includes(`<link rel="canonical" href="https://press.example${path}"/>`), path)
    assert.doesNotMatch(page, /noindex/)
  }
  const filtered = await text(`${articles}?language=en`)
  assert.match(filtered, /<meta name="robots" content="noindex"\/>/)
  assert.doesNotMatch(filtered, /rel="canonical"/)
  assert.ok(filtered.includes(`<meta property="og:url" content="${origin}${articles}?language=en"/>`))
})

/** The addresses that a sitemap names. */
function placesIn(sitemap: string): readonly string[] {
  return Array.from(sitemap.matchAll(/<loc>([^<]*)<\/loc>/g), ([, place = '']) => place)
}

test('sitemaps name the records of each collection, the newest first', async () => {
  const service = await publicService()
  const text = (path: string) => textAt(service, path)
  const sitemaps = ['pages', ...collections].map((name) => `${origin}/sitemap-${name}.xml`)
  assert.deepEqual(placesIn(await text('/sitemap.xml')), sitemaps)
  for (const nsid of collections) {
    const uris = demoRecords()
      .map(({ uri }) => uri)
      .filter((uri) => uri.includes(`/${nsid}/`))
    const places = placesIn(await text(`/sitemap-${nsid}.xml`))
    assert.ok(places.length > 20)
    assert.deepEqual(places.toSorted(), uris.map((uri) => uri.replace('at://', `${origin}/at/`)).toSorted())
    const page = await text(places[0]?.replace(origin, '') ?? '')
    assert.match(page, new RegExp(`<link rel="canonical" href="${places[0]}"/>`))
  }
  const response = await fetch(`${service.url}/sitemap-${collections[0]}.xml`)
  assert.equal(response.headers.get('content-type'), 'application/xml; charset=utf-8')
  const sitemap = await response.text()
  const times = Array.from(sitemap.matchAll(/<lastmod>([^<]*)</g), ([, time = '']) => time)
  assert.equal(times.length, placesIn(sitemap).length)
  assert.ok(times.every((time) => !Number.isNaN(Date.parse(time))))
  assert.equal((await fetch(`${service.url}/sitemap-no.such.collection.xml`)).status, 404)
})

test('without a public address there is no sitemap, and no page names one', async () => {
  const service = await demoService()
  for (const path of ['sitemap.xml', 'sitemap-pages.xml', 'sitemap-tech.service.news.article.xml'])
    assert.equal((await fetch(`${service.url}/${path}`)).status, 404)
  assert.doesNotMatch(await textAt(service, '/robots.txt'), /Sitemap/)
  assert.doesNotMatch(await textAt(service, '/'), /canonical|og:url/)
})

test('without the explorer the first page leads to the playground, and there are no pages', async () => {
  await using service = await serve({ explorer: 'off' })
  const { status, headers } = await fetch(service.url, { redirect: 'manual' })
  assert.deepEqual([status, headers.get('location')], [302, '/api/graphql'])
  for (const path of [articles, '/robots.txt', '/explorer/page.css'])
    assert.equal((await fetch(service.url + path)).status, 404, path)
})

test('a setting that is wrong stops the start with a sentence', async () => {
  const wrong: readonly (readonly [option: string, value: string, sentence: RegExp])[] = [
    ['logo', inFolder('none.png'), /: .*none\.png cannot be read: there is no such file\./],
    ['logo', file('page.html', '<p>'), /: .*page\.html is not an SVG, PNG, JPEG or WebP image\./],
    ['contact', 'javascript:alert(1)', / is a mail address or an https URL/],
    ['note', `@${inFolder('none.txt')}`, /: .*none\.txt cannot be read/],
    ['address', 'https://press.example/news', / is the address of the first page/],
    ['image-hosts', "a.example; script-src 'x'", /: .* is not a host/],
  ]
  for (const [option, value, sentence] of someForms(wrong, 2)) {
    const { status, stderr } = await run([...(await base()), '--port', '0', `--explorer-${option}`, value])
    assert.equal(status, 1, stderr)
    assert.match(stderr, new RegExp(`--explorer-${option}${sentence.source}`))
  }
})

test('names in display.json are on the pages and in answers of agents, and a mistake in it is reported', async () => {
  const lexicons = inFolder('lexicons')
  cpSync(new URL('../../lexicons/', import.meta.url), lexicons, { recursive: true })
  const showing = (display: unknown): unknown =>
    writeFileSync(join(lexicons, 'display.json'), JSON.stringify(display))
  const nsid = 'tech.service.news.source'
  showing({ [nsid]: { label: { en: 'Papers', ar: 'الصحف' }, facets: ['mediaType'], title: 'domain' } })
  {
    await using service = await startService([...(await base()), '--lexicons', lexicons, '--mcp'])
    const page = await textAt(service, `/c/${nsid}`)
    assert.match(page, /<h1>Papers<\/h1>/)
    const facets = Array.from(page.matchAll(/id="facet-([^"]*)"/g), ([, name]) => name)
    assert.deepEqual(facets, ['mediaType'])
    assert.match(await textAt(service, '/?lang=ar'), />الصحف<\/a>/)
    const params = { name: 'search_records', arguments: { collection: 'source', limit: 1 } }
    const answer = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { ...json, accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    // The title comes first, then the time.
    assert.match(await answer.text(), /domain\\":\\"[a-z.-]+\\",\\"createdAt/)
  }
  showing({ [nsid]: { facets: ['mediatype'] } })
  const mistake =
    /lexicons\/display\.json: tech\.service\.news\.source\.facets: There is no field "mediatype" for this\. Did you mean "mediaType"\?/
  const commands = [
    ['check'],
    [...(await base()), '--port', '0'],
    ['mcp', '--endpoint', 'http://127.0.0.1:1/'],
  ]
  for (const args of someForms(commands, 2)) {
    const { stdout, stderr, status } = await run([...args, '--lexicons', lexicons])
    assert.match(stdout + stderr, mistake)
    assert.equal(status, 1)
  }
})

test('an address that is not one is a page for browsers, and JSON for programs', async () => {
  const service = await publicService()
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
  for (const path of ['/nope', '/favicon.ico', '/api/nope', '/c']) {
    const page = await fetch(service.url + path, { headers: { ...browser, 'accept-language': 'es' } })
    assert.equal(page.status, 404)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(await page.text(), /<h1>Esta página no existe/)
    for (const accept of ['*/*', 'application/json', 'image/png']) {
      const answer = await fetch(service.url + path, { headers: { accept } })
      assert.equal(answer.status, 404)
      assert.match(await answer.text(), /Nothing is served here/)
    }
    const written = await fetch(service.url + path, { method: 'POST', headers: browser })
    await assertFailure(written, 404, 'NOT_FOUND')
  }
})

test('a page that something is sent to says that it can only be read, and programs get JSON', async () => {
  const service = await publicService()
  const send = (path: string, accept: string) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { accept, 'accept-language': 'es' },
      body: new URLSearchParams({ q: 'storm' }),
    })
  for (const path of ['/', `${articles}?language=en`, '/at/did:plc:a/b/c']) {
    const page = await send(path, 'text/html,*/*;q=0.8')
    assert.equal(page.status, 405)
    assert.equal(page.headers.get('allow'), 'GET, HEAD, OPTIONS')
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self'/)
    const text = await page.text()
    assert.match(text, /<html lang="es"/)
    assert.ok(text.includes(`<a href="${path}" rel="nofollow">Abrir la página</a>`), text)
    await assertFailure(await send(path, 'application/json'), 405, 'METHOD_NOT_ALLOWED')
  }
})

test('what is asked for with HEAD has the ETag that GET has, and is not sent when it is known', async () => {
  const service = await publicService()
  for (const path of ['/', articles, `${articles}?language=en`, '/robots.txt', '/sitemap.xml']) {
    const got = await fetch(service.url + path)
    await got.text()
    const etag = got.headers.get('etag') ?? ''
    assert.match(etag, /^W\/"/, path)
    assert.equal((await fetch(service.url + path, { method: 'HEAD' })).headers.get('etag'), etag, path)
    for (const method of ['GET', 'HEAD']) {
      const again = await fetch(service.url + path, { method, headers: { 'if-none-match': etag } })
      assert.equal(again.status, 304, `${method} ${path}`)
    }
  }
})

test('a reader who has asked too much sees a page that says how long to wait', async () => {
  // The second page of a minute is refused, however long pages take.
  const tiers = file('tiers.json', '{"public": {"pointsPerMinute": 4, "pointsPerQuery": 4, "seconds": 120}}')
  await using service = await serve({ tiers })
  const wait = async (path: string, language: string): Promise<readonly [Response, string]> =>
    until(async () => {
      const response = await fetch(service.url + path, { headers: { 'accept-language': language } })
      const page = await response.text()
      if (response.status !== 429) return false
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
      // The browser loads the page again by itself, without script.
      assert.equal(response.headers.get('refresh'), response.headers.get('retry-after'))
      return [response, page] as const
    })
  // Pages of records wait for their data, so their status is known.
  const { uri } = demoRecords().find(({ uri }) => uri.includes('news.article')) as { uri: string }
  const record = uri.replace('at://', '/at/')
  const [, left] = await wait(`${record}?lang=en`, 'en')
  assert.match(left, /<title>This page cannot be shown ·/)
  assert.ok(left.includes(`<a href="${record}?lang=en" rel="nofollow">Try again</a>`), left)
  // Every request costs a point, also for a page that would cost too much.
  const [refused, page] = await wait(articles, 'es')
  assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(page, /<html lang="es"/)
  assert.match(page, new RegExp(`<a href="${articles}" rel="nofollow">Intentar de nuevo</a>`))
})
