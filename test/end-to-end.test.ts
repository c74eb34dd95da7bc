/** The whole way: records in a file, the program as a process, questions over HTTP, a signal to stop. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { demoQuery } from '../demo/query.ts'
import { runProgram, type Service, startService } from './network/service.ts'
import type { Json } from './reference/shapes.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-end-to-end-'))
after(() => rmSync(folder, { recursive: true }))

const corpus: readonly Json[] = [...buildDemoCorpus()]
const valuesOf = (collection: string): readonly Json[] =>
  corpus.filter(({ uri }) => uri.split('/')[3] === collection).map(({ value }) => value)
const articles = valuesOf('tech.service.news.article')
const sources = new Map(corpus.map(({ uri, value }) => [uri, value]))

test('what is imported from a file is answered over HTTP, until the program is told to stop', async (t) => {
  await using service = await importAndServe()
  const { url, query: ask } = service

  await t.test('it is up, ready, and has a page for browsers', async () => {
    assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'up' })
    const ready: Json = await (await fetch(`${url}/readyz`)).json()
    assert.equal(ready.status, 'ready')
    const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
    assert.match(page.headers.get('content-type') ?? '', /text\/html/)
  })

  await t.test('every record is there', async () => {
    const data = await ask(`{ article: techServiceNewsArticleAggregate { count }
      enrichment: techServiceNewsEnrichmentAggregate { count } source: techServiceNewsSourceAggregate { count } }`)
    for (const [name, { count }] of Object.entries<Json>(data))
      assert.equal(count, valuesOf(`tech.service.news.${name}`).length, name)
  })

  await t.test('the query of the demo finds articles', async () => {
    const { techServiceNewsArticle } = await ask(demoQuery)
    const titles = articles
      .filter(({ language }) => language === 'en')
      .map(({ title }) => title.toLowerCase())
    const { length } = titles.filter((title) => title.includes('election'))
    assert.ok(length > 0)
    assert.equal(techServiceNewsArticle.totalCount, length)
  })

  await t.test('filters, joins and groups count what the file holds', async () => {
    const data = await ask(
      `query ($language: String!) {
        language: techServiceNewsArticle(where: {language: {eq: $language}}, first: 0) { totalCount }
        joined: techServiceNewsArticle(where: {source: {country: {eq: "JP"}}}, first: 0) { totalCount }
        undated: techServiceNewsArticle(where: {publishedAt: {isNull: true}}, first: 0) { totalCount }
        groups: techServiceNewsArticleAggregate(groupBy: [source_country], limit: 1000) { groups { source_country count } } }`,
      { language: 'ja' },
    )
    const countryOf = (article: Json): string => sources.get(article.source.uri).country
    assert.equal(data.language.totalCount, articles.filter(({ language }) => language === 'ja').length)
    assert.equal(data.joined.totalCount, articles.filter((article) => countryOf(article) === 'JP').length)
    assert.equal(
      data.undated.totalCount,
      articles.filter(({ publishedAt }) => publishedAt === undefined).length,
    )
    const groups = Object.fromEntries(
      data.groups.groups.map((group: Json) => [group.source_country, group.count]),
    )
    const expected: Record<string, number> = {}
    for (const article of articles) expected[countryOf(article)] = (expected[countryOf(article)] ?? 0) + 1
    assert.deepEqual(groups, expected)
  })

  await t.test('paging to the end gives every record once', async () => {
    const seen: string[] = []
    for (let after: string | null = null, more = true; more; ) {
      const data = await ask(
        'query ($after: String) { list: techServiceNewsArticle(first: 100, after: $after, sortBy: [{field: wordCount}]) { nodes { uri } pageInfo { hasNextPage endCursor } } }',
        { after },
      )
      seen.push(...data.list.nodes.map(({ uri }: Json) => uri))
      more = data.list.pageInfo.hasNextPage
      after = data.list.pageInfo.endCursor
    }
    assert.equal(seen.length, articles.length)
    assert.equal(new Set(seen).size, articles.length)
  })

  await t.test('a mistake gets its status and a hint, also by GET', async () => {
    const query = encodeURIComponent('{ techServiceNewsArticle(orderBy: title) { totalCount } }')
    const response = await fetch(`${url}/api/graphql?query=${query}`, {
      headers: { accept: 'application/graphql-response+json' },
    })
    assert.equal(response.status, 400)
    assert.match(await response.text(), /sortBy/)
  })

  await t.test('told to stop, it answers what has begun, takes nothing new and ends well', async () => {
    const begun = await Promise.all(Array.from({ length: 3 }, () => beginRequest(url)))
    const stopped = service.stop()
    await service.said(/Stopping/)
    for (const { socket, body } of begun) socket.write(body)
    for (const { received } of begun) assert.match(await received, /HTTP\/1\.1 200 OK[^]+"count":660/)
    // A connection of its own: those that are open are answered for a while.
    await assert.rejects(once(connect(Number(new URL(url).port), new URL(url).hostname), 'connect'))
    await stopped
  })
})

/** Imports the corpus into a file and serves that file on a free port. */
async function importAndServe(): Promise<Service> {
  const records = join(folder, 'demo.jsonl')
  const env = { LEXIGRAPH_DATABASE: join(folder, 'demo.db') }
  writeFileSync(records, corpus.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const { stdout, stderr, status } = await runProgram(['import', records, '--json'], { env })
  assert.equal(status, 0, stderr)
  const { read, stored, refused } = JSON.parse(stdout)
  assert.deepEqual({ read, stored, refused }, { read: corpus.length, stored: corpus.length, refused: {} })
  return startService(['serve'], { env })
}

/** A request whose head the server has taken, as its "100 Continue" says, and whose body is still to come. */
async function beginRequest(
  url: string,
): Promise<{ socket: Socket; received: Promise<string>; body: string }> {
  const { hostname, port } = new URL(url)
  const body = JSON.stringify({ query: '{ techServiceNewsArticleAggregate { count } }' })
  const socket = connect(Number(port), hostname)
  const received = text(socket)
  const continued = once(socket, 'data')
  socket.write(
    `POST /api/graphql HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  )
  await continued
  return { socket, received, body }
}
