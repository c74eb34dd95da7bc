/** The official conformance suite against the program's own server: every scenario for servers, on both revisions. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { install, isInstalled } from '../support/install.ts'
import { startAgentServer } from './agent-server.ts'
import { fixtures } from './fixtures.ts'

const folder = fileURLToPath(new URL('conformance', import.meta.url))
const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

for (const revision of ['2025-11-25', '2026-07-28'])
  test(`the conformance suite of ${revision} passes, but for what is explained`, async () => {
    if (!isInstalled(folder)) install(folder)
    await using server = await startAgentServer({ addition: fixtures })
    const summary = await runSuite(`${server.url}/mcp`, revision)
    const scenarios = Array.from(summary.matchAll(/^([✓✗]) ([\w-]+): \d+ passed/gmu))
    assert.ok(scenarios.length > 30, summary)
    const failed = scenarios.filter(([, mark]) => mark === '✗').map(([, , name]) => name)
    assert.deepEqual(failed.toSorted(), expectedFailures(revision).toSorted(), summary)
  })

/** What the suite prints; its own verdict counts less than all that it runs. */
function runSuite(url: string, revision: string): Promise<string> {
  const output = mkdtempSync(join(tmpdir(), 'lexigraph-conformance-'))
  const args = [suite, 'server', '--url', url, '--requirements', revision, '-o', output]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      rmSync(output, { recursive: true })
      resolve(stdout + stderr)
    })
  })
}

function expectedFailures(revision: string): readonly string[] {
  const text = readFileSync(join(folder, `expected-failures.${revision}.yaml`), 'utf8')
  return Array.from(text.matchAll(/^ {2}- ([\w-]+)$/gm), ([, name]) => name ?? '')
}
