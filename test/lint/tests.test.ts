/** The lint rules for tests find what they are for, and nothing else. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { root } from '../runner/test-files.ts'
import { temporaryFolder } from '../support/store/store.ts'

const inFolder = temporaryFolder()

const found = [
  `import { setTimeout as rest } from 'node:timers/promises'`,
  'setTimeout(go, 1)',
  'globalThis.setInterval(go, 1)',
  'promisify(setTimeout)(500)',
  'new Promise((resolve) => setTimeout(resolve, 500))',
  'Atomics.wait(cells, 0, 0, 500)',
  'AbortSignal.timeout(5_000)',
  'AbortSignal.timeout(10 * 1_000)',
  'wait({ timeout: 5_000 })',
  'wait({ timeoutMs: 5 * 1000 })',
  'const deadline = 30_000',
  'let first = Date.now(); show(performance.now() - first)',
  'let second = 0; second = performance.now(); if (second < limit) go()',
  'assert.ok(process.hrtime.bigint() > limit)',
  `test.only('sand', go)`,
  `test('sand', { only: true }, go)`,
]
const permitted = [
  `import { setImmediate } from 'node:timers/promises'`,
  'AbortSignal.timeout(60_000)',
  'wait({ timeout: 0 })',
  'wait({ timeout: 2 * 60_000 })',
  'wait({ timeout: patience })',
  'const old = Date.now() - 3_000',
  't.mock.timers.enable({ apis: ["setTimeout"] })',
  'catalog.only.clear()',
]

test('sleeps, short deadlines, comparisons of durations and `only` are found, and nothing else', () => {
  const file = inFolder('one.test.ts')
  const config = inFolder('oxlintrc.json')
  writeFileSync(file, [...found, ...permitted].join('\n'))
  const plugin = fileURLToPath(new URL('tests.js', import.meta.url))
  const rules = { 'tests/timing': 'error', 'tests/only': 'error' }
  writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, jsPlugins: [plugin], rules }))
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  const run = spawnSync(process.execPath, [oxlint, '-c', config, '-f', 'unix', file], { encoding: 'utf8' })
  const lines = Array.from(run.stdout.matchAll(/one\.test\.ts:(\d+):/g), ([, line]) => Number(line))
  assert.deepEqual(
    [...new Set(lines)].toSorted((a, b) => a - b),
    found.map((_, index) => index + 1),
    run.stdout + run.stderr,
  )
})
