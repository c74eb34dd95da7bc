import assert from 'node:assert/strict'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { answered } from '../../../test/support/server/answered.ts'
import { onEveryDatabase } from '../../../test/support/store/databases.ts'
import { type Exposition, parseExposition } from '../../../test/support/server/exposition.ts'
import { emptyStatus } from '../../../test/support/server/http-server.ts'
import {
  mark as marks,
  note,
  openNotes,
  put,
  spot,
  stoppedClock,
} from '../../../test/support/records/notes.ts'
import { emptyDatabases } from '../../../test/support/store/store.ts'
import { until } from '../../../test/support/until.ts'
import type { IndexStatus } from '../../database/database.ts'
import { CommandError } from '../command.ts'
import { parseConfig } from '../settings/config.ts'
import { serveMetrics } from './metrics.ts'

const emptyUrl = emptyDatabases()

onEveryDatabase('a scrape has requests, records, sources and the size of the database', async (database) => {
  const clock = stoppedClock()
  await using store = await openNotes(await emptyUrl(database), clock.now)
  const changes = [put(store, spot('a'), 0), put(store, spot('b'), 1)]
  const source = 'jetstream:wss://example.org'
  await store.database.write.metadata.writeState(source, 'live', null, 3)
  const mark = { source, cursor: null, eventAt: clock.now() - 1_500_000n }
  await store.database.write.applyBatch(changes, mark)
  await using server = await serve(store.database.read)
  server.metrics.observer.answered(answered())

  const scrape = async (): Promise<Exposition> => {
    const response = await fetch(server.url)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
    return parseExposition(await response.text())
  }
  assert.equal((await scrape()).value('lexigraph_requests_total'), 1)
  // A scrape waits for the index for a second only.
  const seen = await until(async () => {
    const found = await scrape()
    return found.value('lexigraph_index_read_timestamp_seconds') !== undefined && found
  })
  assert.equal(seen.value('lexigraph_records', { collection: note }), 2)
  assert.equal(seen.value('lexigraph_records', { collection: marks }), 0)
  assert.equal(seen.value('lexigraph_source_lag_seconds', { source }), 1.5)
  assert.equal(seen.value('lexigraph_source_state', { state: 'live' }), 1)
  assert.equal(seen.value('lexigraph_repositories', { state: 'failed' }), 0)
  assert.equal(seen.value('lexigraph_database_bytes'), await store.database.read.readSize())
  assert.ok(Number(seen.value('lexigraph_database_bytes')) > 10_000)
  if (database === 'sqlite') {
    const files = [store.path, `${store.path}-wal`].map((path) => statSync(path).size)
    assert.equal(seen.value('lexigraph_database_bytes'), (files[0] ?? 0) + (files[1] ?? 0))
  }
  const age = Date.now() / 1_000 - Number(seen.value('lexigraph_index_read_timestamp_seconds'))
  assert.ok(age >= 0 && age < 60)
})

test('nothing else is served there', async () => {
  await using server = await serve()
  for (const path of ['/', '/api/graphql', '/metrics/x']) {
    const response = await fetch(new URL(path, server.url))
    assert.deepEqual([response.status, await response.text()], [404, 'Metrics are at /metrics.\n'])
  }
  assert.equal((await fetch(server.url, { method: 'POST' })).status, 404)
})

test('a foreign host is refused where only this machine is served', async () => {
  await using server = await serve()
  const { port } = new URL(server.url)
  const statusFor = async (host: string, path: string): Promise<number | undefined> => {
    const sent = get({ port, path, headers: { host }, agent: false })
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return response.statusCode
  }
  for (const path of ['/metrics', '/', '/no']) {
    for (const host of ['evil.example', `127.evil.example:${port}`, 'localhost.evil.example', '10.0.0.7'])
      assert.equal(await statusFor(host, path), 403, `${host} ${path}`)
    for (const host of [`127.0.0.1:${port}`, 'localhost', '[::1]:80'])
      assert.notEqual(await statusFor(host, path), 403, `${host} ${path}`)
  }
})

test('records are counted once for many scrapes', async () => {
  let count = 0
  const readStatus = async (): Promise<IndexStatus> => {
    count += 1
    return emptyStatus
  }
  await using server = await serve({ ...still, readStatus })
  await Promise.all([scrape(server.url), scrape(server.url)])
  await scrape(server.url)
  assert.equal(count, 1)
})

test('a database that does not answer keeps no scrape, and shows nothing that could pass for good', async () => {
  const never = { ...still, readStatus: () => new Promise<never>(() => {}) }
  const broken = { ...still, readSize: () => Promise.reject(new Error('It is gone.')) }
  for (const database of [never, broken]) {
    await using server = await serve(database)
    server.metrics.observer.answered(answered())
    const seen = await scrape(server.url)
    assert.equal(seen.value('lexigraph_requests_total'), 1)
    for (const name of ['lexigraph_database_bytes', 'lexigraph_index_read_timestamp_seconds'])
      assert.equal(seen.value(name), undefined)
  }
})

test('a port that is taken is told, with the setting to change', async () => {
  await using taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  await assert.rejects(
    serve(still, String(port)),
    (error) => error instanceof CommandError && error.message.includes('--metrics-port'),
  )
})

const still = { readStatus: async () => emptyStatus, readSize: async () => 8_192 }

function serve(database: Parameters<typeof serveMetrics>[1] = still, port = '0') {
  const { config } = parseConfig('serve', ['--metrics-port', port, '--log-level', 'error'], {})
  return serveMetrics(config, database, false)
}

async function scrape(url: string): Promise<Exposition> {
  return parseExposition(await (await fetch(url)).text())
}
