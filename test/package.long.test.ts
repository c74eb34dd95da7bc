/** The published package at work: its processes, threads, pages and agents. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { unpackPackage } from '../build/unpack.ts'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { en } from '../src/explorer/languages/en.ts'
import { connect, overHttp } from './mcp/connect.ts'
import { startFakeJetstream } from './network/fake-jetstream.ts'
import { didOf, tid } from './network/follow.ts'
import { type ProgramOptions, runProgram, startService } from './network/service.ts'
import { outlet } from './network/support-news.ts'
import { asksNobody } from './network/support-outlets.ts'
import { childrenOf, commandOf } from './support/processes.ts'
import { onEveryDatabase } from './support/store/databases.ts'
import { emptyDatabases } from './support/store/store.ts'
import { until } from './support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'lexigraph-package-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const records = join(folder, 'records.jsonl')
const corpus = [...buildDemoCorpus()]
const emptyUrl = emptyDatabases()
let program = ''
before(async () => {
  // A run of all tests has made it already.
  program = process.env['TEST_PROGRAM'] ?? (await unpackPackage(join(folder, 'package')))
  writeFileSync(records, corpus.map((record) => `${JSON.stringify(record)}\n`).join(''))
})

test('what the package imports in threads it serves, with long statements in a process of their own', async () => {
  const env = await imported(await emptyUrl('sqlite'))
  await using service = await start(['serve', '--workers', '1'], { env })
  const { techServiceNewsArticle } = await service.query('{ techServiceNewsArticle { totalCount } }')
  assert.ok(techServiceNewsArticle.totalCount > 100)
  await until(() => childrenOf(service.pid).some((pid) => commandOf(pid).includes('/dist/query-child.js')))
  const { indexStatus } = await service.query('{ indexStatus { collections { records } } }')
  const counts: number[] = indexStatus.collections.map(({ records }: { records: number }) => records)
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    corpus.length,
  )
  await service.stop()
})

test('introspection and the playground are there when they are asked for', async () => {
  await using service = await start(['serve', '--workers', '1'], {
    env: await imported(await emptyUrl('sqlite')),
  })
  const { __schema } = await service.query('{ __schema { queryType { name } } }')
  assert.equal(__schema.queryType.name, 'Query')
  const page = await fetch(`${service.url}/api/graphql`, { headers: { accept: 'text/html' } })
  const html = await page.text()
  assert.match(html, /<title>Lexigraph<\/title>/)
  assert.match(html, /data-query="[^"]*techServiceNewsArticle/)
  const [, script = ''] = /src="([^"]+)"/.exec(html) ?? []
  assert.equal((await fetch(service.url + script)).status, 200)
})

test('pages are there with their script, their styles, drawings from a thread, and files', async () => {
  await using service = await start(['serve', '--workers', '1'], {
    env: await imported(await emptyUrl('sqlite')),
  })
  const articles = `${service.url}/c/tech.service.news.article`
  const chart = `${articles}/chart.svg?part=groups&by=language`
  // The thread may take longer to start, or on a busy machine to draw, than a page waits for a chart.
  await until(async () => (await fetch(chart)).ok)
  const page = await until(async () => {
    const text = await (await fetch(`${articles}/charts?by=language`)).text()
    return !text.includes(en.charts.failed) && text
  })
  assert.equal(page.match(/<svg class="chart /g)?.length, 2)
  for (const [, path = ''] of page.matchAll(/(?:src|href)="(\/explorer\/[^"]+\.(?:js|css))"/g))
    assert.equal((await fetch(service.url + path)).status, 200, path)
  assert.match(await (await fetch(chart)).text(), /^<svg /)
  const parquet = await fetch(chart.replace('.svg', '.parquet'))
  assert.equal(Buffer.from(await parquet.arrayBuffer()).toString('latin1', 0, 4), 'PAR1')
})

onEveryDatabase('several processes answer questions, agents and readers of metrics', async (engine) => {
  const args = ['serve', '--workers', '2', '--mcp', '--metrics-port', '0']
  await using service = await start(args, { env: await imported(await emptyUrl(engine)) })
  const { techServiceNewsArticle } = await service.query('{ techServiceNewsArticle { totalCount } }')
  assert.ok(techServiceNewsArticle.totalCount > 100)
  const commands = childrenOf(service.pid).map(commandOf)
  assert.equal(commands.filter((command) => command.includes('/dist/serve-worker.js')).length, 2)
  await using client = await connect(overHttp(service.url))
  assert.ok((await client.listTools()).tools.length > 0)
  const [, metrics = ''] = await service.said(/(http:\/\/\S+\/metrics)/)
  assert.match(await (await fetch(metrics)).text(), /^process_cpu_seconds_total/m)
})

test('what a source delivers is read and stored in threads beside the server', async () => {
  await using network = await startFakeJetstream()
  const env = { ...asksNobody, LEXIGRAPH_DATABASE: await emptyUrl('sqlite') }
  const args = ['serve', '--workers', '1', '--ingest', `jetstream:${network.url}`]
  await using service = await start(args, { env })
  await service.said(/is live/)
  const publication = {
    did: didOf(1),
    collection: 'tech.service.news.source',
    rkey: 'a',
    record: outlet('First'),
  }
  network.publishRecord({ ...publication, rev: tid(Date.now() * 1_000) })
  await until(async () => {
    const { techServiceNewsSource } = await service.query('{ techServiceNewsSource { totalCount } }')
    return techServiceNewsSource.totalCount === 1
  })
})

function start(args: readonly string[], options: ProgramOptions) {
  return startService(args, { ...options, program })
}

/** The settings for a database with the corpus. */
async function imported(database: string): Promise<Readonly<Record<string, string>>> {
  const env = { LEXIGRAPH_DATABASE: database, LEXIGRAPH_THREADS: '2' }
  const { stderr, status } = await runProgram(['import', records], { env, program })
  assert.equal(status, 0, stderr)
  return env
}
