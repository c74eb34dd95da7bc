/** What an operator sees of a service: the real program with its workers, its log and its metrics. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { buildDemoCorpus } from '../demo/corpus.ts'
import { createLogs } from '../src/cli/log-stream.ts'
import { createMetrics } from '../src/server/observe/metrics.ts'
import { addIndexMetrics } from '../src/server/observe/metrics-index.ts'
import { gatherMetrics } from '../src/server/observe/metrics-workers.ts'
import { logRequest } from '../src/server/observe/observe.ts'
import { type Service, startService } from './network/service.ts'
import type { Json } from './reference/shapes.ts'
import { answered } from './support/server/answered.ts'
import { commandsInTurn } from './support/server/commands.ts'
import { onOneDatabase } from './support/store/databases.ts'
import { parseExposition } from './support/server/exposition.ts'
import { emptyStatus, postTo } from './support/server/http-server.ts'
import { emptyDatabases, temporaryFolder } from './support/store/store.ts'
import { until } from './support/until.ts'

const emptyUrl = emptyDatabases()
const run = commandsInTurn()
const articles = { collection: 'tech.service.news.article' }
const page = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8')

onOneDatabase(
  'requests to two workers are in one log and one scrape, and nothing that callers sent is',
  async (engine) => {
    const database = await emptyUrl(engine)
    await run(['import', '/dev/null', '--database', database])
    const created = await run(['keys', 'create', '--name', 'A newspaper', '--tier', 'research'], {
      env: { LEXIGRAPH_DATABASE: database },
    })
    assert.equal(created.status, 0, created.stderr)
    const key = created.stdout.trim()
    await using service = await startService(['serve', '--workers', '2', '--metrics-port', '0'], {
      env: { LEXIGRAPH_DATABASE: database, LEXIGRAPH_SLOW_QUERY: '1' },
    })
    const [, metrics = ''] = await service.said(/^Metrics are at (\S+)\.$/m)
    const total = '{ techServiceNewsArticle(where: {title: {contains: $secret}}) { totalCount } }'
    const query = `query Named($secret: String!) ${total.replace('}}', ', ne: "secret literal"}}')}`
    const body = { query, variables: { secret: 'secret variable' } }
    const sent: number[] = []
    for (let n = 0; n < 6; n += 1) sent.push(await post(service, body, n < 4 ? { 'x-api-key': key } : {}))
    sent.push(await post(service, { query: '{ secretField }' }))
    sent.push(await post(service, body, { 'x-api-key': `${key.slice(0, -1)}_` }))
    assert.deepEqual(sent, [200, 200, 200, 200, 200, 200, 400, 401])

    const scrape = async () => parseExposition(await (await fetch(metrics)).text())
    // Records are counted beside, and workers are not waited for long.
    const seen = await until(async () => {
      const found = await scrape()
      const isWhole =
        found.value('lexigraph_records', articles) !== undefined &&
        found.value('lexigraph_workers', { state: 'live' }) === 2
      return isWhole && found
    })
    const requests = (tier: string, outcome: string) =>
      seen.value('lexigraph_requests_total', { tier, outcome })
    assert.deepEqual(
      [
        requests('research', 'ok'),
        requests('public', 'ok'),
        requests('public', 'GRAPHQL_VALIDATION_FAILED'),
        requests('none', 'UNAUTHENTICATED'),
        seen.value('lexigraph_workers', { state: 'live' }),
        seen.value('lexigraph_requests_in_flight'),
        seen.value('lexigraph_records', articles),
      ],
      [4, 2, 1, 1, 2, 0, 0],
    )

    await service.stop()
    const said = service.stderr()
    const lines = said.split('\n').filter((line) => line.startsWith('{'))
    const parsed: Json[] = lines.map((line) => JSON.parse(line))
    const told = parsed.filter(({ msg }) => msg === 'request')
    // Two workers write, each in its own time.
    assert.deepEqual(
      told.map(({ key, outcome }) => `${key} ${outcome}`).toSorted(),
      [
        ...Array<string>(4).fill('A newspaper ok'),
        ...Array<string>(2).fill('null ok'),
        'null GRAPHQL_VALIDATION_FAILED',
        'null UNAUTHENTICATED',
      ].toSorted(),
    )
    const named = told.filter(({ outcome }) => outcome === 'ok')
    assert.ok(named.every(({ operation }) => operation === 'Named'))
    assert.equal(new Set(told.map(({ requestId }) => requestId)).size, 8)
    assert.ok(told.every(({ worker }) => worker === 1 || worker === 2))
    const slow = parsed.find(({ msg }) => msg === 'An operation was slow.')
    if (slow !== undefined) assert.ok(slow.sql.length > 0 && slow.plan.length > 0)
    assert.doesNotMatch(said, /secret (literal|variable)|127\.0\.0\.1:?\d*"/)
    assert.ok(!said.includes(key.slice(4, 20)))
  },
)

test('the rows of an answer are counted for every way of sending it', async () => {
  const inFolder = temporaryFolder()
  const [file, database] = [inFolder('demo.jsonl'), inFolder('demo.db')]
  writeFileSync(file, [...buildDemoCorpus()].map((record) => `${JSON.stringify(record)}\n`).join(''))
  assert.equal((await run(['import', file, '--database', database])).status, 0)
  await using service = await startService(['serve', '--mcp', '--answer-cache', '0', '--database', database])
  const query =
    '{ techServiceNewsArticle(first: 100) { nodes { uri cid title description url publishedAt language } } }'
  for (const encoding of ['identity', 'gzip']) {
    const response = await postTo(service, { query }, { 'accept-encoding': encoding })
    assert.equal(JSON.parse(await response.text()).data.techServiceNewsArticle.nodes.length, 100)
  }
  const client = new Client({ name: 'test', version: '0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`)))
  await client.callTool({ name: 'run_graphql', arguments: { query } })
  await client.close()
  await service.stop()
  const told: Json[] = service
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const rows = told.filter(({ msg, rows }) => msg === 'request' && rows !== null).map(({ rows }) => rows)
  // The tool also reads the index time of three collections.
  assert.deepEqual(rows.slice(-3), [100, 100, 103])
})

test('docs/operating.md lists every metric, with its type, labels and meaning', () => {
  // Those of the process are the client library's own.
  const metrics = allMetrics().filter(({ name }) => name.startsWith('lexigraph_'))
  const rows = metrics.map((metric) => {
    const { name, help, type, labelNames } = metric as unknown as Record<string, string> & {
      labelNames: string[]
    }
    const labels = labelNames.map((label) => `\`${label}\``).join(', ')
    return `| \`${name}\` | ${type} | ${labels} | ${help} |`
  })
  const listed = page.match(/^\| `lexigraph_.+\|$/gm) ?? []
  assert.deepEqual(listed.toSorted(), rows.toSorted())
})

test('the page shows a line of the log as it is', () => {
  const [, shown = ''] = /```json\n(\{"level":"info".*\})\n```/.exec(page) ?? []
  const lines: string[] = []
  const { requests } = createLogs({ 'log-level': 'info' }, 1, { write: (line) => void lines.push(line) })
  logRequest(answered(), { log: requests, requests: 'all', variables: false })
  assert.deepEqual(Object.keys(JSON.parse(shown)), Object.keys(JSON.parse(lines.join(''))))
})

test('what the page tells alerts to look at is there', () => {
  const known = allMetrics().map(({ name }) => name)
  const named = page.match(/\b(lexigraph|nodejs|process)_\w+/g) ?? []
  const unknown = named.filter(
    (name) => !known.includes(name) && !known.includes(name.replace(/_(bucket|sum|count)$/, '')),
  )
  assert.deepEqual(unknown, [])
})

function allMetrics() {
  const { registry } = createMetrics()
  addIndexMetrics(registry, { readStatus: async () => emptyStatus, readSize: async () => 0 })
  using _workers = gatherMetrics(registry)
  return registry.getMetricsAsArray()
}

async function post(service: Service, body: object, headers: Record<string, string> = {}): Promise<number> {
  const response = await postTo(service, body, { accept: 'application/graphql-response+json', ...headers })
  await response.arrayBuffer()
  return response.status
}
