import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { buildDemoCorpus } from '../../../demo/corpus.ts'
import { estimateTokens, fitRows, fitValue, tokensOfJson } from './budget.ts'

test('estimates are not below what a tokenizer counts, and not far above, for records of every language', () => {
  const texts = [...buildDemoCorpus()].map((record) => JSON.stringify(record))
  let [estimated, counted] = [0, 0]
  for (let at = 0; at < texts.length; at += 20) {
    const text = texts.slice(at, at + 20).join('\n')
    const [estimate, count] = [estimateTokens(text), countTokens(text)]
    assert.ok(estimate >= count, `${estimate} for ${count} tokens: ${text.slice(0, 200)}`)
    estimated += estimate
    counted += count
  }
  assert.ok(estimated < 1.4 * counted, `${estimated} for ${counted}`)
})

const scripts: readonly (readonly [name: string, text: string])[] = [
  ['Amharic', 'ሰላም ለዓለም ይሁን'],
  ['Tibetan', 'ཧེ་ལོ་འཛམ་གླིང'],
  ['Khmer', 'សួស្តីពិភពលោក'],
  ['Georgian', 'გამარჯობა მსოფლიო'],
  ['Thai', 'สวัสดีชาวโลก'],
  ['Hebrew', 'שלום עולם'],
  ['Korean', '한국어 문장입니다'],
  ['rare Chinese', '龘靐齉齾龘靐齉齾'],
  ['emoji', '😀🎉👩‍👩‍👧🏳️‍🌈'],
  ['mathematical', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢'],
  ['base64', 'Ns5OAHPWWyIxNzk0NzAyNjkwMDAwMDAwIiwiM24yY3VzaGQ0ZzJvZSIsImRpZDpwbGM6bGV4aWdyYXBo'],
  ['hexadecimal', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  ['signs', '#!/?*+-=~`^|<>@$%&;.!!!???---___===***'],
]
for (const [name, text] of scripts)
  test(`the estimate of ${name} is near the count`, () => {
    const count = countTokens(text)
    const estimate = estimateTokens(text)
    assert.ok(estimate >= count * 0.5 && estimate <= count * 4 + 2, `${estimate} for ${count}`)
  })

const texts = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.lorem({ maxCount: 30 }),
  fc.lorem({ maxCount: 20 }).map((text) => text.repeat(20)),
)
const scalars = fc.oneof(texts, fc.integer(), fc.boolean(), fc.constant(null))
const lists = (of: fc.Arbitrary<unknown>) => fc.array(of, { maxLength: 12 })
const objects = (of: fc.Arbitrary<unknown>) => fc.dictionary(fc.string({ maxLength: 12 }), of, { maxKeys: 8 })
const either = (of: fc.Arbitrary<unknown>) => fc.oneof(scalars, lists(of), objects(of))
const values = either(either(either(scalars)))

test('any value fits its budget, and is whole where there is room', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 60, max: 3000 }), (value, tokens) => {
      const { value: fitted, cut, shortened } = fitValue({ value }, tokens)
      assert.ok(tokensOfJson(fitted) <= tokens, `${tokensOfJson(fitted)} of ${tokens}`)
      if (tokensOfJson({ value }) <= tokens) assert.deepEqual(fitted, { value })
      else assert.ok(shortened || cut.length > 0)
      for (const { kept, of } of cut) assert.ok(kept < of)
    }),
    { numRuns: 150 },
  )
})

test('the longest list loses its end first, and what was lost is told', () => {
  const rows = Array.from({ length: 200 }, (_, at) => ({ at, name: 'a name of some length' }))
  const { value, cut } = fitValue({ few: [1, 2, 3], data: { rows } }, 500)
  const { few, data } = value as { few: number[]; data: { rows: unknown[] } }
  assert.deepEqual(few, [1, 2, 3])
  assert.deepEqual(cut, [{ path: 'data.rows', kept: data.rows.length, of: 200 }])
  assert.ok(data.rows.length > 15)
})

test('rows lose long texts before they lose their number', () => {
  const rows = Array.from({ length: 10 }, () => ({ text: 'some words '.repeat(200) }))
  const { rows: kept, shortened } = fitRows(rows, 1000)
  assert.equal(kept.length, 10)
  assert.ok(shortened)
  assert.ok(tokensOfJson(kept) <= 1000)
})

test('rows fit whatever is in them', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ a: texts, b: either(scalars) }), { maxLength: 30 }), (rows) => {
      const { rows: kept } = fitRows(rows, 800)
      assert.ok(tokensOfJson(kept) <= 830)
      assert.ok(rows.length === 0 || kept.length > 0)
    }),
    { numRuns: 60 },
  )
})
