import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))

test('a hole that is known fails the audit, and is named', async () => {
  const { status, said } = await auditAt(advise({ fastify: [hole('high')] }))
  assert.equal(status, 1)
  assert.match(said, /^high: fastify .*: A made-up hole \(https:\/\/example\.org\/1\)$/m)
})

test('none, or only small ones, pass', async () => {
  const none = 'Known holes that are high or critical: 0.\n'
  assert.deepEqual(await auditAt(advise({})), { status: 0, said: none })
  const { status, said } = await auditAt(advise({ fastify: [hole('low')] }))
  assert.equal(status, 0)
  assert.match(said, /^low: fastify/)
})

test('a registry without audits, or without an answer, is skipped and said to be', async () => {
  const refusing = await auditAt((_request, response) => response.writeHead(405).end())
  assert.deepEqual(refusing, { status: 0, said: 'The registry offers no audit; skipped.\n' })
  const { status, said } = await audit('http://127.0.0.1:9')
  assert.deepEqual({ status, said }, { status: 0, said: 'The registry offers no audit; skipped.\n' })
})

test('an audit that cannot be made for another reason fails', async () => {
  const { status } = await audit('http://127.0.0.1:9', '--prefix', '/nonexistent')
  assert.equal(status, 1)
})

function hole(severity: string) {
  return {
    id: 1,
    url: 'https://example.org/1',
    title: 'A made-up hole',
    severity,
    vulnerable_versions: '*',
  }
}

/** A registry that knows these holes, and no package. */
function advise(holes: object): RequestListener {
  return (request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    if (request.method === 'POST') response.end(JSON.stringify(holes))
    else response.writeHead(404).end('{}')
  }
}

async function auditAt(answer: RequestListener): Promise<{ status: number; said: string }> {
  await using registry = createServer(answer).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const { port } = registry.address() as AddressInfo
  return await audit(`http://127.0.0.1:${port}`)
}

async function audit(registry: string, ...more: string[]): Promise<{ status: number; said: string }> {
  // What npm learns of holes it remembers by their numbers, across registries.
  const cache = mkdtempSync(join(tmpdir(), 'lexigraph-audit-'))
  after(() => rmSync(cache, { recursive: true, force: true }))
  const given = ['--registry', registry, '--cache', cache, '--fetch-retries=0', ...more]
  const child = spawn(process.execPath, ['test/audit.js', ...given], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { status, said }
}
