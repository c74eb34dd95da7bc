import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { measureJson } from './json-depth.ts'

const cases: readonly (readonly [text: string, depth: number])[] = [
  ['', 0],
  ['1', 0],
  ['"[[["', 0],
  ['{}', 1],
  ['{"a":[{"b":[]}],"c":[]}', 4],
  ['["\\"[[", []]', 2],
  ['["\\\\", []]', 2],
  ['["\\\\\\"[[[", []]', 2],
  ['["unclosed [[[', 1],
  [']]]][', 1],
]
for (const [text, depth] of cases) {
  test(`the depth of ${text || 'nothing'} is ${depth}`, () => assert.equal(measureJson(text).depth, depth))
}

test('agrees with a recursive count on any JSON', () => {
  const depthOf = (value: unknown): number =>
    value !== null && typeof value === 'object' ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.equal(measureJson(JSON.stringify(value)).depth, depthOf(value)),
    ),
  )
})

test('the parts of a JSON are its names and values, and its brackets besides', () => {
  const partsOf = (value: unknown): number =>
    value === null || typeof value !== 'object'
      ? 0
      : Object.values(value).reduce<number>(
          (sum, each) => sum + 1 + partsOf(each),
          Array.isArray(value) ? 0 : Object.keys(value).length,
        )
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { parts } = measureJson(JSON.stringify(value))
      assert.ok(parts >= partsOf(value) && parts <= 2 * partsOf(value) + 1)
    }),
  )
})

test('a million levels are only a number', () => {
  assert.equal(measureJson('['.repeat(1_000_000)).depth, 1_000_000)
})

test('a million escaped quotes take one pass', () => {
  assert.equal(measureJson(`"${'\\"'.repeat(1_000_000)}[`).depth, 0)
  assert.equal(measureJson(`"${'\\'.repeat(2_000_000)}"[`).depth, 1)
})
