/** Following the network as the command line does it: what is refused at the start, what is restarted, how it ends. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startFakeServer } from './network/fake-server.ts'
import { runProgram, startProgram, startService } from './network/service.ts'
import { temporaryFolder } from './support/store/store.ts'
import { patience, until } from './support/until.ts'

const inFolder = temporaryFolder()
const elsewhere = 'jetstream:ws://127.0.0.1:1'

test('what is wrong with --ingest ends serve before a database is made', async () => {
  const database = inFolder('never.db')
  for (const [args, message] of [
    [[elsewhere, '--plc', 'nowhere'], /^--plc must be the URL of a service, not "nowhere"\.\n$/],
    [[elsewhere, '--publishers', ','], /^--publishers names nobody; leave it out to take all\.\n$/],
    [['repo-export:nonsense'], /^"nonsense" names no repositories; [^\n]+\n$/],
    [['import:nowhere.jsonl'], /^nowhere\.jsonl cannot be read: there is no such file\.\n$/],
    [
      [elsewhere, '--database', ':memory:'],
      /^--ingest needs a database in a file; name one with --database\.\n$/,
    ],
  ] as const) {
    const serve = ['serve', '--port', '0', '--database', database, '--ingest', ...args]
    const { stderr, status } = await runProgram(serve)
    assert.ok(status === 1 || status === 2)
    assert.ok(!existsSync(database))
    assert.match(stderr, message)
  }
})

test('callers are told the name that an operator gives a source, and its password never', async () => {
  const database = inFolder('named.db')
  const secret = 'tap:http://admin:p@ss@127.0.0.1:1'
  await using service = await startService(['serve', '--ingest', `main relay=${secret}`], {
    env: { LEXIGRAPH_DATABASE: database },
  })
  await service.said(/Following tap:http:\/\/127\.0\.0\.1:1\./)
  await until(async () => {
    const { indexStatus } = await service.query('{ indexStatus { sources { name } } }')
    return indexStatus.sources[0]?.name === 'main relay'
  })
  const others = fileURLToPath(new URL('schemas/site-standard/lexicons', import.meta.url))
  const empty = inFolder('empty.jsonl')
  writeFileSync(empty, '')
  const rebuilt = await runProgram(['import', empty, '--lexicons', others, '--database', database])
  assert.equal(rebuilt.status, 0, rebuilt.stderr)
  assert.equal(await service.ended, 1)
  assert.match(
    service.stderr(),
    /^Another process has rebuilt the index, and not for the lexicons that are in /m,
  )
  assert.doesNotMatch(service.stderr(), /p@ss|admin/)
})

test('a signal ends ingest quietly while publishers are looked up', async () => {
  await using resolver = await startResolver((response) => response.writeHead(500).end())
  const env = { LEXIGRAPH_DATABASE: inFolder('looking.db'), LEXIGRAPH_HANDLE_RESOLVER: resolver.url }
  const args = ['ingest', '--from', elsewhere, '--publishers', 'unknown.test']
  await using ingest = startProgram(args, { env })
  await ingest.said(/unknown\.test cannot be looked up now/)
  await ingest.stop()
  assert.match(
    ingest.stderr(),
    /^A new database [^\n]+\n(The handle [^\n]+ Trying again\.\n)+Stopping: [^\n]+\n$/,
  )
})

test('a signal ends backfill, and what was not fetched is left for the next run', async () => {
  let asked = 0
  await using directory = await startResolver(() => void (asked += 1))
  const env = { LEXIGRAPH_DATABASE: inFolder('stopped.db'), LEXIGRAPH_PLC: directory.url }
  await using backfill = startProgram(['backfill', `did:plc:${'a'.repeat(24)}`], { env })
  await until(() => asked > 0)
  assert.equal(await backfill.kill('SIGTERM'), 1)
  assert.equal((await backfill.status()).repositories.waiting, 1)
})

test('a signal ends ingest while standard input says nothing', async () => {
  const program = fileURLToPath(new URL('../bin/lexigraph.js', import.meta.url))
  const child = spawn(process.execPath, [program, 'ingest', '--from', 'import:-'], {
    env: { ...process.env, LEXIGRAPH_DATABASE: inFolder('idle.db') },
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (piece) => (stderr += piece))
  await until(() => stderr.includes('Following'))
  const exit = once(child, 'close', { signal: AbortSignal.timeout(patience) }).finally(() =>
    child.kill('SIGKILL'),
  )
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
  assert.match(stderr, /\nFollowing import:-\.\n(import:- is live\.\n)?Stopping: [^\n]+\n$/)
})

/** Answers every request so. */
async function startResolver(answer: (response: ServerResponse) => void) {
  const server = await startFakeServer({
    respond: (_request, response) => answer(response),
    refuse: () => null,
    serve: async () => {},
  })
  return { ...server, url: `http://${server.host}` }
}
