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

test('every test file belongs to npm test or to the long command, and unit tests to npm test', () => {
  const { all, unit, short, long, drawing } = findTestFiles()
  assert.deepEqual([...short, ...long].toSorted(), all)
  assert.deepEqual(
    [...unit, ...drawing].filter((file) => !short.includes(file)),
    [],
  )
})

test('a test file that starts a server or a process, or imports what does, is not a unit test', () => {
  const { unit } = findTestFiles()
  assert.ok(unit.includes('src/util/async/fair-semaphore.test.ts'))
  for (const file of ['src/database/leader-lock.test.ts', 'test/http-answers.test.ts'])
    assert.ok(!unit.includes(file), file)
})

test('the files that draw at random are told from what they call', () => {
  const { drawing } = findTestFiles()
  assert.ok(drawing.includes('test/properties/lists.test.ts'))
  assert.ok(!drawing.includes('test/architecture.test.ts'))
})

test('nothing follows the promises of tests, which would be a third of their computing', async () => {
  await Promise.resolve()
  assert.equal(executionAsyncId(), 0)
})

test('an error that nothing catches ends the run, named by the test that ran', () => {
  const file = inFolder('uncaught.test.ts')
  const runner = JSON.stringify(new URL('run-files.ts', import.meta.url).href)
  const runs = inFolder('runs.mjs')
  const code = `import { runFiles } from ${runner}\nawait runFiles([${JSON.stringify(relative(root, file))}])`
  writeFileSync(runs, code)
  for (const fault of [
    'setImmediate(() => { throw new Error("wind") })',
    'Promise.reject(new Error("wind"))',
  ]) {
    writeFileSync(
      file,
      `import { test } from 'node:test'\ntest('sand', () => new Promise(() => { ${fault} }))\n`,
    )
    const run = spawnSync(process.execPath, [runs], { encoding: 'utf8' })
    assert.equal(run.status, 1)
    assert.match(run.stdout, /^✖ sand \(an error that nothing catches\) Error: wind$/m)
  }
})

test('what was skipped is one line, with a reason for each number', () => {
  const two = { tests: 3, failed: 1, skips: { 'nginx is not installed': 2 } }
  const one = { tests: 1, failed: 0, skips: { 'nginx is not installed': 1, 'Chromium is not installed': 4 } }
  const sum = sumOutcomes([two, one])
  assert.deepEqual([sum.tests, sum.failed], [4, 1])
  assert.equal(skippedLine(sum.skips), 'Skipped: 3 (nginx is not installed), 4 (Chromium is not installed).')
  assert.equal(skippedLine({}), '')
})
