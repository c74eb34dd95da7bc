import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skippedLine, sumOutcomes } from './outcome.ts'
import { findTestFiles } from './test-files.ts'

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

test('the files that draw at random, or have more forms, are told from what they call', () => {
  const { drawing } = findTestFiles()
  for (const file of ['test/properties/lists.test.ts', 'test/rebuilds.test.ts'])
    assert.ok(drawing.includes(file), file)
  assert.ok(!drawing.includes('test/architecture.test.ts'))
})

test('what was skipped is one line, with a reason for each number', () => {
  const two = { tests: 3, failed: 1, skips: { 'nginx is not installed': 2 } }
  const one = { tests: 1, failed: 0, skips: { 'nginx is not installed': 1, 'Chromium is not installed': 4 } }
  const sum = sumOutcomes([two, one])
  assert.deepEqual([sum.tests, sum.failed], [4, 1])
  assert.equal(skippedLine(sum.skips), 'Skipped: 3 (nginx is not installed), 4 (Chromium is not installed).')
  assert.equal(skippedLine({}), '')
})
