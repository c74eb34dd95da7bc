/** The whole way: records in a file, the program as a process, questions over HTTP, a signal to stop. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { demoQueries } from '../demo/queries.ts'
import type { Json } from './reference/shapes.ts'

const program = fileURLToPath(new URL('../bin/lexigraph.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'lexigraph-end-to-end-'))
after(() => rmSync(folder, { recursive: true }))

const corpus: readonly Json[] = [...buildDemoCorpus()]
const valuesOf = (collection: string): readonly Json[] =>
  corpus.filter(({ uri }) => uri.split('/')[3] === collection).map(({ value }) => value)
const articles = valuesOf('tech.service.news.article')
const sources = new Map(corpus.map(({ uri, value }) => [uri, value]))

test('what is imported from a file is answered over HTTP, until the program is told to stop', async (t) => {
  await using server = await importAndServe()
  const { url, child } = server
  const ask = async (query: string, variables?: Json): Promise<Json> => {
    const response = await fetch(`${url}/api/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query, variables }),
    })
    assert.equal(response.status, 200)
    return response.json()
  }

  await t.test('it is up, ready, and has a page for browsers', async () => {
    assert.deepEqual(await (await fetch(`${url}/healthz`)).json(), { status: 'up' })
    assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), { status: 'ready' })
    const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } })
    assert.match(page.headers.get('content-type') ?? '', /text\/html/)
  })

  await t.test('every record is there', async () => {
    const { data } = await ask(`{ article: techServiceNewsArticleAggregate { count }
      enrichment: techServiceNewsEnrichmentAggregate { count } source: techServiceNewsSourceAggregate { count } }`)
    for (const [name, { count }] of Object.entries<Json>(data))
      assert.equal(count, valuesOf(`tech.service.news.${name}`).length, name)
  })

  await t.test('the queries of the demo have answers', async () => {
    for (const { name, query } of demoQueries) {
      const { data, errors } = await ask(query)
      assert.equal(errors, undefined, name)
      assert.ok(Object.keys(data).length > 0)
    }
  })

  await t.test('filters, joins and groups count what the file holds', async () => {
    const { data } = await ask(
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
      const { data } = await ask(
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
    child.kill('SIGTERM')
    await server.stopping
    for (const { socket, body } of begun) socket.write(body)
    for (const { received } of begun) assert.match(await received, /HTTP\/1\.1 200 OK[^]+"count":660/)
    await assert.rejects(fetch(`${url}/healthz`))
    assert.equal(await exitOf(child), 0)
  })
})

/** Imports the corpus into a file and serves that file on a free port. */
async function importAndServe() {
  const records = join(folder, 'demo.jsonl')
  const database = join(folder, 'demo.db')
  writeFileSync(records, corpus.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const importing = start(['import', records, '--json', '--database', database])
  const [report, complaints] = await Promise.all([text(importing.stdout), text(importing.stderr)])
  assert.equal(await exitOf(importing), 0, complaints)
  const { read, stored, refused } = JSON.parse(report)
  assert.deepEqual({ read, stored, refused }, { read: corpus.length, stored: corpus.length, refused: {} })

  const child = start(['serve', '--port', '0', '--database', database])
  const lines = createInterface({ input: child.stderr })
  const stopping = Promise.withResolvers<void>()
  // A test that fails earlier waits for nobody's words.
  stopping.promise.catch(() => {})
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      const address = /answers at (http:\/\/[\d.]+:\d+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
      if (line.includes('Stopping')) stopping.resolve()
    })
    lines.on('close', () => {
      reject(new Error('The server ended before it listened.'))
      stopping.reject(new Error('The server ended without a word.'))
    })
  })
  return {
    url,
    child,
    stopping: stopping.promise,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await exitOf(child)
    },
  }
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

function start(args: readonly string[]) {
  return spawn(process.execPath, [program, ...args], { cwd: folder })
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}
