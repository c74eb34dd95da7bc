import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertNoCopy, type CopyMark, formatMark, parseMark } from './mark.ts'

test('an unfinished copy names the command that completes it, whatever its source is called', () => {
  const marks: readonly (readonly [CopyMark, RegExp])[] = [
    [{ derivation: 'abc', kind: 'database', source: 'the backup of May.db' }, /`lexigraph copy` again/],
    [{ derivation: 'abc', kind: 'backup', source: 'the backup of 2026' }, /`lexigraph restore` again/],
  ]
  for (const [mark, command] of marks) {
    assert.deepEqual(parseMark(formatMark(mark)), mark)
    assert.throws(() => assertNoCopy(formatMark(mark)), command)
  }
  assert.equal(parseMark('abc'), null)
})
