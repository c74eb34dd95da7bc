/**
 * How many source files run for one event of a firehose, from the socket to the committed row: a record of a known
 * account that is created, with the source's thread and the pump in this process, and a database of SQLite.
 * Usage: node bench/coverage/files-run-event.ts [--list]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIngestLog } from '../../src/ingest/log.ts'
import { pump, createFloodGuard } from '../../src/ingest/pump.ts'
import type { Source } from '../../src/ingest/source.ts'
import { createFirehoseSource } from '../../src/ingest/sources/firehose/firehose.ts'
import { startFakeServer } from '../../test/network/fake-server.ts'
import { clockBeside, collection, didOf, noteReader } from '../../test/network/follow.ts'
import { startDirectory } from '../../test/support/network/directory.ts'
import { commitFrame, createSignedRepo } from '../../test/support/network/signed-repo.ts'
import { openTestStore, recordLexicon } from '../../test/support/store/store.ts'
import { until } from '../../test/support/until.ts'
import { startCoverage } from './coverage.ts'

const note = recordLexicon(collection, { text: { type: 'string', maxLength: 100_000 } })
const folder = mkdtempSync(join(tmpdir(), 'lexigraph-files-'))
const coverage = await startCoverage()
const repo = await createSignedRepo(didOf(1))
await using directory = await startDirectory({ did: repo.did, key: repo.keypair.did() })
await using server = await startFakeServer({
  respond: (_request, response) => void response.writeHead(404).end(),
  refuse: () => null,
  serve: (connection) => connection.closed,
})
const store = await openTestStore({
  path: join(folder, 'notes.db'),
  lexicons: [note],
  now: () => BigInt(Date.now()) * 1_000n,
})
const stop = new AbortController()
const url = `http://${server.host}`
const firehose = createFirehoseSource({
  name: 'firehose:bench',
  url,
  reader: noteReader(),
  identity: { plcUrl: directory.url, handleResolver: null },
  clock: clockBeside(url),
  threads: 1,
})
let stored: string | null = null
const source: Source = {
  ...firehose,
  deliveries: async function* (context) {
    for await (const delivery of firehose.deliveries(context))
      yield { ...delivery, acknowledge: async () => void (stored = delivery.cursor) }
  },
}
const pumped = pump(source, store.database.write, {
  signal: stop.signal,
  log: createIngestLog((_level, text) => console.error(text), Date.now),
  flood: createFloodGuard(1_000_000, () => BigInt(Date.now()) * 1_000n),
})
await until(() => server.connections.length > 0)
// The first events load modules and the account.
for (let seq = 1; seq < 5; seq += 1) await send(seq)
await coverage.filesRun()
await send(5)
const files = await coverage.filesRun()
console.log(`one event: ${files.length} files`)
if (process.argv.includes('--list')) console.log(files.map((file) => `  ${file}`).join('\n'))
stop.abort()
await pumped
await store[Symbol.asyncDispose]()
rmSync(folder, { recursive: true })
process.exit()

async function send(seq: number): Promise<void> {
  const record = { $type: collection, text: `text ${seq}` }
  const commit = await repo.write({ action: 'create', collection, rkey: `r${seq}`, record })
  await server.connections[0]?.send(await commitFrame(seq, commit))
  await until(() => stored === String(seq))
}
