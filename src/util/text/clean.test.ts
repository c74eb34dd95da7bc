import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cleanText } from './clean.ts'

test('text from elsewhere is shown on one line, without what drives a terminal, and cut', () => {
  assert.equal(cleanText('Grüße, 世界 👋🏽'), 'Grüße, 世界 👋🏽')
  assert.equal(
    cleanText('a\0b\nc\r\td\u001b[31me\u0085f\u2028g'),
    'a\uFFFDb\uFFFDc\uFFFD\uFFFDd\uFFFD[31me\uFFFDf\uFFFDg',
  )
  assert.equal(cleanText('a\u202eb\u2066c\ud800'), 'a\uFFFDb\uFFFDc\uFFFD')
  assert.equal(cleanText('x'.repeat(20), 3), 'xxx…')
})
