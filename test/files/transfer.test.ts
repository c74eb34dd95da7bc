/** How a file ends when its caller leaves or does not read. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { QueryEngine } from '../../src/query/execute/execute.ts'
import { buildModel } from '../../src/schema/model/build-model.ts'
import { buildGraphQLSchema } from '../../src/schema/graphql/graphql.ts'
import { type HttpServer, longTimeouts, startServer } from '../support/server/http-server.ts'
import { onEveryDatabase } from '../support/store/databases.ts'
import { libraryLexicons } from '../support/records/lexicons.ts'
import { childrenOf, hasEnded, isAsleep } from '../support/processes.ts'
import { createStandInEngine } from '../support/service/stand-in-engine.ts'
import { emptyDatabases, openTestStore } from '../support/store/store.ts'
import { understand } from '../support/records/understand.ts'
import { patience, until } from '../support/until.ts'

const schema = buildGraphQLSchema(buildModel(understand(libraryLexicons, {}).set))
const timeout = { ...longTimeouts, stall: patience }
const asked =
  'GET /export/org.example.library.book.csv HTTP/1.1\r\nhost: localhost\r\naccept-encoding: identity\r\n\r\n'

/** An engine whose file has no end, and whether the work on it has ended. */
function endlessFile(): Pick<QueryEngine, 'execute' | 'openFile' | 'describeFile'> & {
  readonly ended: () => boolean
  readonly pieces: () => number
} {
  const state = { ended: false, pieces: 0 }
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (; !state.ended; state.pieces += 1) {
      // As from a pipe, in a turn of its own.
      await setImmediate()
      yield Buffer.alloc(65_536)
    }
  }
  return {
    ...createStandInEngine(),
    openFile: async (_request, _form, limits) => {
      const permit = await (limits.startFile ?? limits.startLong)()
      return {
        head: { name: 'endless', rows: 1, total: 1, isTruncated: false, cost: 1 },
        bytes: bytes(),
        total: 1,
        rows: () => 0,
        signal: permit.signal,
        async [Symbol.asyncDispose]() {
          permit[Symbol.dispose]()
          state.ended = true
        },
      }
    },
    ended: () => state.ended,
    pieces: () => state.pieces,
  }
}

function download({ port }: HttpServer): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(asked))
  return socket.on('error', () => undefined)
}

test('a client that does not read is disconnected, and the work for it ends', async () => {
  const engine = endlessFile()
  await using server = await startServer({ schema, engine, timeout: { ...timeout, stall: 100 } })
  const socket = download(server)
  await until(engine.ended)
  await until(async () => (await server.connections()) === 0)
  socket.destroy()
})

test('nothing more is written while a client does not read, and it goes on afterwards', async () => {
  const engine = endlessFile()
  await using server = await startServer({ schema, engine, timeout })
  const socket = download(server)
  let before = -1
  await until(() => {
    const isStill = before > 0 && engine.pieces() === before
    before = engine.pieces()
    return isStill
  })
  socket.resume()
  await until(() => engine.pieces() > before + 100)
  assert.equal(engine.ended(), false)
  socket.destroy()
  await until(engine.ended)
})

test('the work ends when a client leaves', async () => {
  const engine = endlessFile()
  await using server = await startServer({ schema, engine, timeout })
  const socket = download(server)
  socket.once('data', () => socket.destroy())
  await until(engine.ended)
})

test('a server that stops breaks off its files', async () => {
  const engine = endlessFile()
  const server = await startServer({ schema, engine, timeout })
  const socket = download(server)
  socket.resume()
  await until(() => engine.pieces() > 10)
  await server.close()
  await until(engine.ended)
})

test('a third file of one caller at the same time is refused', async () => {
  const engine = endlessFile()
  await using server = await startServer({ schema, engine, timeout })
  const sockets = [download(server), download(server)]
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
  const third = await server.get('/export/org.example.library.book.csv')
  assert.equal(third.status, 429)
  assert.equal(third.headers.get('retry-after'), '5')
  for (const socket of sockets) socket.destroy()
})

const database = emptyDatabases()
const manyRows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000000)
  select '{"i":' || i || '}' from n`
const spec = {
  format: 'ndjson',
  columns: [{ name: 'i', type: 'integer', path: ['i'] }],
  bom: false,
  gzip: false,
  query: '',
} as const

onEveryDatabase(
  'a process reads no further than its file is taken, and ends with its signal',
  async (engine) => {
    await using store = await openTestStore({ path: await database(engine), lexicons: libraryLexicons })
    const { version } = await store.database.read.readPlanState()
    const before = childrenOf(process.pid)
    const abort = new AbortController()
    const statements = {
      version,
      count: { text: 'select 1 as total', values: [] },
      rows: { text: manyRows, values: [] },
    }
    const file = await store.database.read.openFile(statements, spec, abort.signal)
    assert.ok(file !== null)
    const [child = 0] = childrenOf(process.pid).filter((pid) => !before.includes(pid))
    const bytes = file.bytes[Symbol.asyncIterator]()
    const first = await bytes.next()
    assert.match(Buffer.from(first.value as Uint8Array).toString(), /^\{"i":1\}\n\{"i":2\}\n/)
    // It sleeps because the pipe is full.
    await until(() => isAsleep(child))
    abort.abort(new Error('enough'))
    await until(() => hasEnded(child))
    await assert.rejects(async () => {
      for (;;) if ((await bytes.next()).done === true) return
    })
    await file[Symbol.asyncDispose]()
    const { signal } = new AbortController()
    const outdated = { ...statements, version: version + 1 }
    assert.equal(await store.database.read.openFile(outdated, spec, signal), null)
    const broken = { ...statements, rows: { text: 'select nothing', values: [] } }
    await assert.rejects(async () => {
      await using opened = await store.database.read.openFile(broken, spec, signal)
      for await (const _piece of opened?.bytes ?? []);
    }, /nothing/)
  },
)
