import assert from 'node:assert/strict'
import { executionAsyncId } from 'node:async_hooks'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../support/store/store.ts'
import { skippedLine, sumOutcomes } from './outcome.ts'
import { findTestFiles, root } from './test-files.ts'

const inFolder = temporaryFolder()

test('every test file that git knows is run by npm test or npm run test:long', (t) => {
  const { status, stdout } = spawnSync('git', ['ls-files', '*.test.ts'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) return t.skip('this is not a git checkout')
  const { short, long } = findTestFiles()
  const known = new Set([...short, ...long])
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .filter((file) => !known.has(file)),
    [],
  )
  assert.ok(short.length > 0 && long.length > 0)
})

test('a test file that starts a server or a process, or imports what does, is not a unit test', () => {
  const { unit } = findTestFiles()
  assert.ok(unit.includes('src/util/async/fair-semaphore.test.ts'))
  for (const file of ['src/database/leader-lock.test.ts', 'test/http-answers.test.ts'])
    assert.ok(!unit.includes(file), file)
})

test('a file that draws at random, or has more forms, is told from what it calls', () => {
  const { drawing } = findTestFiles()
  for (const file of ['test/properties/lists.test.ts', 'test/rebuilds.test.ts'])
    assert.ok(drawing.includes(file), file)
  assert.ok(!drawing.includes('test/architecture.test.ts'))
})

test('nothing follows the promises of tests, which would be a third of their computing', async () => {
  await Promise.resolve()
  assert.equal(executionAsyncId(), 0)
})

const hangs = (fault: string): string => `test('sand', () => new Promise(() => { ${fault} }))`
const faults: readonly (readonly [fault: string, text: string, printed: RegExp])[] = [
  [
    'an error that nothing catches',
    hangs('setImmediate(() => { throw new Error("wind") })'),
    /^✖ sand \(an error that nothing catches\) Error: wind$/m,
  ],
  [
    'a rejection that nothing catches',
    hangs('Promise.reject(new Error("wind"))'),
    /^✖ sand \(an error that nothing catches\) Error: wind$/m,
  ],
  [
    'an end of the process',
    hangs('setImmediate(() => process.exit(0))'),
    /^✖ sand \(the process ended during this test\)$/m,
  ],
  [
    'a test that hangs',
    `test('sand', { timeout: 50 }, () => new Promise(() => { spawn('cat', ['-u']) }))`,
    /^✖ sand \(it hangs\) \nIts processes:\n\w .*node .*\n\w cat -u /m,
  ],
  [
    'a hook that fails',
    `after(() => { throw new Error('wind') }); test('sand', () => {})`,
    /^1 of 1 tests FAILED\.$/m,
  ],
]
for (const [fault, text, printed] of faults)
  test(`${fault} fails the run`, () => {
    const { status, stdout } = runFile(text)
    assert.equal(status, 1)
    assert.match(stdout, printed)
  })

test('a run whose tests and hooks have ended is ended, and says what was left open', () => {
  const server = "before(() => createServer().listen(0, '127.0.0.1')); test('sand', () => {})"
  for (const [text, expected] of [
    [server, 0],
    [`${server}; after(() => { throw new Error('wind') })`, 1],
  ] as const) {
    const { status, stdout } = runFile(text, 0)
    assert.equal(status, expected)
    assert.match(stdout, /^A test left something open: .*TCPServerWrap/m)
  }
})

function runFile(text: string, grace?: number) {
  const file = inFolder('one.test.ts')
  const runs = inFolder('runs.mjs')
  const runner = JSON.stringify(new URL('run-files.ts', import.meta.url).href)
  writeFileSync(
    file,
    `import { spawn } from 'node:child_process'\nimport { createServer } from 'node:net'\nimport { after, before, test } from 'node:test'\n${text}\n`,
  )
  writeFileSync(
    runs,
    `import { runFiles } from ${runner}\nawait runFiles([${JSON.stringify(relative(root, file))}], ${grace})`,
  )
  return spawnSync(process.execPath, [runs], { encoding: 'utf8' })
}

test('what was skipped is one line, with a reason for each number', () => {
  const two = { tests: 3, failed: 1, skips: { 'nginx is not installed': 2 } }
  const one = { tests: 1, failed: 0, skips: { 'nginx is not installed': 1, 'Chromium is not installed': 4 } }
  const sum = sumOutcomes([two, one])
  assert.deepEqual([sum.tests, sum.failed], [4, 1])
  assert.equal(skippedLine(sum.skips), 'Skipped: 3 (nginx is not installed), 4 (Chromium is not installed).')
  assert.equal(skippedLine({}), '')
})
