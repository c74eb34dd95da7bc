import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { buildDemoCorpus } from '../../../demo/corpus.ts'
import { isWithin, tokensOf, tokensOfJson } from './tokens.ts'

test('tokens are those of o200k_base, for records of every language', () => {
  for (const record of [...buildDemoCorpus()].filter((_, at) => at % 10 === 0))
    assert.equal(tokensOfJson(record), countTokens(JSON.stringify(record)), record.uri)
})

test('names of special tokens are counted as text', () => {
  assert.ok(tokensOf('<|endoftext|> <|im_start|>') > 6)
})

const long: readonly (readonly [what: string, text: string])[] = [
  ['one letter', 'a'.repeat(5_000)],
  ['a text without spaces', '震惊速递突发新闻'.repeat(600)],
  ['signs', '-=/'.repeat(1_700)],
  ['spaces', ' '.repeat(5_000)],
]
for (const [what, text] of long)
  test(`${what}, without an end, has nearly as many tokens as it counts`, () => {
    const counted = countTokens(text)
    const tokens = tokensOf(text)
    assert.ok(tokens >= 0.98 * counted && tokens <= 1.1 * counted + 160, `${tokens} for ${counted}`)
  })

test('a value is within its tokens, counted or not', () => {
  assert.ok(isWithin({ a: 'short' }, 100))
  assert.ok(isWithin('some words '.repeat(50), 110))
  assert.ok(!isWithin('some words '.repeat(50), 90))
  // Each of these has more tokens than characters.
  for (const text of ['𒀀', '𓀀𒁀', 'ꙮ𒀀'].map((signs) => signs.repeat(20))) {
    const tokens = tokensOfJson(text)
    assert.ok(tokens > text.length + 2, `${tokens}`)
    assert.deepEqual([isWithin(text, tokens), isWithin(text, tokens - 1)], [true, false])
  }
})
