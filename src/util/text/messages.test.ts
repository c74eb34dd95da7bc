import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { asSentence, cleanText, shorten, withoutMiddle } from './messages.ts'

test('text from elsewhere is shown on one line, without what drives a terminal, and cut', () => {
  assert.equal(cleanText('Grüße, 世界 👋🏽'), 'Grüße, 世界 👋🏽')
  assert.equal(
    cleanText('a\0b\nc\r\td\u001b[31me\u0085f\u2028g'),
    'a\uFFFDb\uFFFDc\uFFFD\uFFFDd\uFFFD[31me\uFFFDf\uFFFDg',
  )
  assert.equal(cleanText('a\u202eb\u2066c\ud800'), 'a\uFFFDb\uFFFDc\uFFFD')
  assert.equal(cleanText('x'.repeat(20), 3), 'xxx…')
})

test('messages of ordinary length stay as they are', () => {
  const message = `Cannot query field "${'x'.repeat(80)}" on type "Query". ${'Read it by another name. '.repeat(15)}`
  assert.equal(shorten(message), message)
  assert.equal(shorten(''), '')
})

test('a long name keeps its ends, and what is said of it', () => {
  const shown = shorten(`Cannot query field "${'x'.repeat(500_000)}end" on type "Query".`)
  assert.match(shown, /^Cannot query field "x{59}…x{16}end" on type "Query"\.$/)
})

test('a long list or sentence keeps its beginning and its end', () => {
  const shown = shorten(`Write one of ${'a, bc, '.repeat(100_000)}or nothing.`)
  assert.match(shown, /^Write one of a, bc, .* … .*or nothing\.$/)
  assert.ok(shown.length <= 303)
})

test('what is cut out of the middle of a message is not missed when it is shortened', () => {
  for (const message of [
    'a',
    `"${'x'.repeat(500_000)}" is`,
    `Write one of ${'a, bc, '.repeat(100_000)}or nothing.`,
  ])
    assert.equal(shorten(withoutMiddle(message)), shorten(message))
  assert.ok(withoutMiddle('a, bc, '.repeat(100_000)).length < 5_000)
})

test('a message ends with one full stop, also in the sentences of commands', () => {
  assert.deepEqual(['Disk full', 'Disk full.', 'Why?'].map(asSentence), ['Disk full.', 'Disk full.', 'Why?'])
  const root = new URL('../../../', import.meta.url)
  const doubled = globSync('src/cli/**/*.ts', { cwd: root }).filter((file) =>
    /message\)?\}\./i.test(readFileSync(new URL(file, root), 'utf8')),
  )
  assert.deepEqual(doubled, [])
})
