import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildDemoCorpus } from '../../../demo/corpus.ts'
import type { Json } from '../../../test/reference/shapes.ts'
import { rounds, seed } from '../../../test/support/rounds.ts'
import { cutTexts, fitRows, fitValue } from './budget.ts'
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

/** What names a record or a version; more than 300 characters are a text. */
const citable = fc
  .tuple(fc.constantFrom('at://did:plc:', 'bafyrei'), fc.stringMatching(/^[a-z2-7]{20,285}$/))
  .map((parts) => parts.join(''))
const rows = fc.array(
  fc.record(
    {
      uri: citable,
      cid: citable,
      id: citable,
      text: texts,
      inside: fc.array(fc.record({ uri: citable, text: texts })),
    },
    { requiredKeys: ['uri'] },
  ),
  { minLength: 1, maxLength: 12 },
)

function membersOf(value: unknown): [name: string, inside: unknown][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap((member) => [member, ...membersOf(member[1])])
}

function at(value: unknown, path: string): unknown {
  return path === ''
    ? value
    : path.split('.').reduce<unknown>((inside, name) => (inside as Json)[name], value)
}

/** Each text is whole, or the beginning of one with a mark; of what names a record there is no part. */
function assertMarked(fitted: unknown, whole: unknown, shortened: boolean): void {
  const originals = new Set(membersOf(whole).map(([, inside]) => inside))
  for (const [name, inside] of membersOf(fitted)) {
    if (typeof inside !== 'string' || originals.has(inside)) continue
    assert.ok(!['uri', 'cid', 'id'].includes(name), `${name} was cut: ${inside}`)
    assert.ok(shortened && inside.endsWith('…'), inside)
    const start = inside.slice(0, -1)
    assert.ok(
      [...originals].some((text) => typeof text === 'string' && text.startsWith(start)),
      inside,
    )
  }
}

test('any value fits its budget, is whole where there is room, and says what was lost', () => {
  fc.assert(
    fc.property(fc.oneof(values, rows), fc.integer({ min: 60, max: 3000 }), (value, tokens) => {
      const { value: fitted, cut, shortened } = fitValue({ value }, tokens)
      assert.ok(tokensOfJson(fitted) <= tokens, `${tokensOfJson(fitted)} of ${tokens}`)
      if (tokensOfJson({ value }) <= tokens) assert.deepEqual(fitted, { value })
      else assert.ok(shortened || cut.length > 0)
      assert.deepEqual(
        cut,
        cut.toSorted((a, b) => b.of - b.kept - (a.of - a.kept)),
      )
    }),
    { numRuns: 100, seed, endOnFailure: true },
  )
})

test('what names a record is never cut, and lists say how much of them is left', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 60, max: 3000 }), (value, tokens) => {
      const { value: fitted, cut, shortened } = fitValue({ value }, tokens)
      assertMarked(fitted, { value }, shortened)
      for (const { path, kept, of } of cut) {
        assert.ok(kept < of)
        assert.equal((at({ value }, path) as unknown[]).length, of, path)
        assert.equal((at(fitted, path) as unknown[] | undefined)?.length ?? kept, kept, path)
      }
      const names = membersOf({ value }).length
      if (!shortened && cut.length === 0) assert.equal(membersOf(fitted).length, names)
    }),
    { numRuns: rounds(50), seed, endOnFailure: true },
  )
  fc.assert(
    fc.property(rows, fc.integer({ min: 200, max: 2000 }), (given, tokens) => {
      const { rows: kept, shortened } = fitRows(given, tokens)
      assert.ok(kept.length > 0 && tokensOfJson(kept) <= tokens + 2)
      assertMarked(kept, given, shortened)
      if (!shortened) assert.deepEqual(kept, given.slice(0, kept.length))
      else assert.ok(tokensOfJson(given) > tokens)
    }),
    { numRuns: rounds(50), seed, endOnFailure: true },
  )
})

test('an identifier of more than 300 characters is a text', () => {
  const [long, longest] = ['x'.repeat(300), 'x'.repeat(301)]
  assert.deepEqual(cutTexts({ uri: long, text: long }, 160), { uri: long, text: `${'x'.repeat(159)}…` })
  assert.deepEqual(cutTexts({ uri: longest }, 160), { uri: `${'x'.repeat(159)}…` })
})

test('the longest list loses its end first, and what was lost is told', () => {
  const rows = Array.from({ length: 200 }, (_, at) => ({ at, name: 'a name of some length' }))
  const { value, cut } = fitValue({ few: [1, 2, 3], data: { rows } }, 500)
  const { few, data } = value as { few: number[]; data: { rows: unknown[] } }
  assert.deepEqual(few, [1, 2, 3])
  assert.deepEqual(cut, [{ path: 'data.rows', kept: data.rows.length, of: 200 }])
  assert.ok(data.rows.length > 15)
})

test('texts are said to be shortened if they were, with or without the ends of lists', () => {
  for (const [length, isShortened] of [
    [600, false],
    [601, true],
  ] as const) {
    const text = 'some words '.repeat(60).slice(0, length)
    const { cut, shortened } = fitValue({ rows: Array.from({ length: 50 }, () => ({ text })) }, 1_500)
    assert.deepEqual([cut[0]?.of, shortened], [50, isShortened])
  }
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
      assert.ok(tokensOfJson(kept) <= 802)
      assert.ok(rows.length === 0 || kept.length > 0)
    }),
    { numRuns: 60, seed },
  )
})

test('rows of every language fill their tokens, and do not exceed them', () => {
  const records = [...buildDemoCorpus()].map(({ uri, value }): Json => ({ uri, ...value }))
  const tables = records.map(({ uri, title }, at): Json => [title ?? uri, at, null, at / 7])
  for (const [rows, step] of [
    [records, 40],
    [tables, 150],
  ] as const)
    for (let at = 0; at + step <= rows.length; at += 10 * step) {
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
