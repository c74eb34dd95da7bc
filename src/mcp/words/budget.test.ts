import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildDemoCorpus } from '../../../demo/corpus.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import { fitRows, fitValue } from './budget.ts'
import { tokensOfJson } from './tokens.ts'

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

test('rows fit with any values in them', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ a: texts, b: either(scalars) }), { maxLength: 30 }), (rows) => {
      const { rows: kept } = fitRows(rows, 800)
      assert.ok(tokensOfJson(kept) <= 830)
      assert.ok(rows.length === 0 || kept.length > 0)
    }),
    { numRuns: 60 },
  )
})

test('rows of every language fill their tokens, and do not exceed them', () => {
  const records = [...buildDemoCorpus()].map(({ uri, value }): Json => ({ uri, ...value }))
  const tables = records.map(({ uri, title }, at): Json => [title ?? uri, at, null, at / 7])
  for (const [rows, step] of [
    [records, 40],
    [tables, 150],
  ] as const)
    for (let at = 0; at + step <= rows.length; at += 5 * step) {
      const some = rows.slice(at, at + step)
      const tokens = tokensOfJson(some)
      assert.equal(fitRows(some, Math.ceil(1.05 * tokens)).rows.length, some.length)
      const less = Math.floor(tokens / 2)
      const { rows: kept } = fitRows(some, less)
      assert.ok(tokensOfJson(kept) <= less)
      const more = [...kept, some[kept.length]]
      assert.ok(tokensOfJson(more) > 0.9 * less, `${tokensOfJson(more)} of ${less}`)
    }
})
