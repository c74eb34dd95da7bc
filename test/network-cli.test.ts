/** Following the network as the command line does it: how it ends. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startProgram } from './network/service.ts'
import { temporaryFolder } from './support/store.ts'

const inFolder = temporaryFolder()
const elsewhere = 'jetstream:ws://127.0.0.1:1'

test('a signal ends ingest quietly while publishers are looked up', async () => {
  await using resolver = await startResolver(500)
  const env = { LEXIGRAPH_DATABASE: inFolder('looking.db'), LEXIGRAPH_HANDLE_RESOLVER: resolver.url }
  const args = ['ingest', '--from', elsewhere, '--publishers', 'somebody.test']
  await using ingest = startProgram(args, { env })
  await ingest.said(/somebody\.test cannot be looked up now/)
  await ingest.stop()
  assert.match(ingest.stderr(), /^The handle [^\n]+ Trying again\.\nStopping: [^\n]+\n$/)
})

test('a signal ends ingest while standard input says nothing', async () => {
  const program = fileURLToPath(new URL('../bin/lexigraph.js', import.meta.url))
  const child = spawn(process.execPath, [program, 'ingest', '--from', 'import:-'], {
    env: { ...process.env, LEXIGRAPH_DATABASE: inFolder('idle.db') },
  })
  const stderr = text(child.stderr)
  await once(child.stderr, 'readable')
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(20_000) }).finally(() =>
    child.kill('SIGKILL'),
  )
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
  assert.match(await stderr, /^Following import:-\.\n(import:- is live\.\n)?Stopping: [^\n]+\n$/)
})

/** Whoever is asked about, it answers with that status. */
async function startResolver(status: number) {
  const server = createServer((_request, response) => response.writeHead(status).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
