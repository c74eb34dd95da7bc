import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allOf, anyOf, concat, literal, quote, raw, sequence, sql } from './sql.ts'

test('names and texts are quoted so that they cannot end early', () => {
  assert.equal(quote('a"b'), '"a""b"')
  assert.equal(literal("it's").sql, "'it''s'")
})

test('a chain of conditions of any length is no deeper and no longer than engines take', () => {
  assert.deepEqual([allOf([]).sql, anyOf([]).sql, anyOf([sql`a`]).sql], ['true', 'false', 'a'])
  assert.equal(allOf([sql`a`, sql`b`]).sql, '(a and b)')
  for (const count of [50, 51, 2_501]) {
    const { sql: text } = anyOf(Array.from({ length: count }, (_, n) => raw(`c${n}`)))
    const names = text.match(/c\d+/g) ?? []
    assert.deepEqual([names.length, new Set(names).size], [count, count])
    // Innermost chains; whatever is around them is a chain again.
    for (let chains = text; chains.includes('('); ) {
      const inner = chains.match(/\([^()]*\)/g) ?? []
      assert.ok(inner.every((chain) => chain.split(' or ').length <= 50))
      chains = chains.replaceAll(/\([^()]*\)/g, 'chain')
    }
  }
})

test('texts are put together in one call as long as a call takes them, literals merged', () => {
  const nested = concat([literal('b'), sql`x`, literal("it's")])
  assert.equal(concat([literal('a'), nested, literal(' c')]).sql, "concat('ab', x, 'it''s c')")
  assert.equal(concat([sql`x`]).sql, 'x')
  const parts = (count: number) => Array.from({ length: count }, (_, n) => raw(`p${n}`))
  assert.equal(concat(parts(99)).sql.match(/concat/g)?.length, 1)
  assert.equal(concat(parts(100)).sql.match(/concat/g)?.length, 2)
  assert.equal(sequence([]).sql, '')
})
