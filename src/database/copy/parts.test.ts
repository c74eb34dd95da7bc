import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareKeys, type CopyRow, rowText } from './parts.ts'
import { assertNoCopy, type CopyMark, formatMark, parseMark } from './mark.ts'

const part = { name: 'anything', columns: ['at', 'key', 'rest'], key: 2, table: null }

test('keys are ordered by number and by code point, as both engines order them', () => {
  const keys: readonly CopyRow[] = [
    [9n, 'b', 'x'],
    [10n, 'a', 'x'],
    [10n, 'b', 'x'],
    // One code unit, and two that begin with a smaller one.
    [10n, '\uFB00', 'x'],
    [10n, '\u{1F300}', 'x'],
  ]
  for (const [index, a] of keys.entries())
    for (const [other, b] of keys.entries())
      assert.equal(Math.sign(compareKeys(part, a, b)), Math.sign(index - other), `${a} and ${b}`)
})

test('what stands behind a key does not count', () => {
  assert.equal(compareKeys(part, [1n, 'a', 'x'], [1n, 'a', 'y']), 0)
})

test('a row has one text for values of every kind', () => {
  assert.equal(rowText(['a\n', 2n ** 60n, null, 0.5]), '["a\\n","1152921504606846976",null,0.5]\n')
})

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
