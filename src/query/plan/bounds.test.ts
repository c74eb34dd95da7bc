import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { beyondStart, tightest } from './bounds.ts'
import type { SortKey } from './plan.ts'
import type { Comparison, Condition } from './conditions.ts'

type Value = number | bigint | string

const operands = {
  indexed_at: { kind: 'system', name: 'indexed_at' },
  tags: { kind: 'json', path: ['tags'], as: 'integer' },
} as const

const comparisons: readonly Comparison[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte']

/** Few values, so that equal ones meet. */
const values: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  numbers: fc.integer({ min: -1, max: 1 }),
  instants: fc.bigInt({ min: -1n, max: 1n }),
  texts: fc.constantFrom('', 'a', 'B', 'é', '\uffee', '\u{10000}'),
}

function holds(part: Condition, row: Readonly<Record<string, Value>>): boolean {
  if (part.kind === 'any') return part.of.some((inner) => holds(inner, row))
  if (part.kind !== 'compare') throw new Error(part.kind)
  const name = part.operand.kind === 'system' ? 'indexed_at' : 'tags'
  return compares(row[name] as Value, part.op, part.to as Value)
}

function compares(value: Value, op: Comparison, to: Value): boolean {
  const order = Math.sign(
    typeof value === 'string'
      ? Buffer.compare(Buffer.from(value), Buffer.from(String(to)))
      : Number(value) - Number(to),
  )
  return { eq: order === 0, ne: order !== 0, gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[
    op
  ]
}

for (const [what, value] of Object.entries(values)) {
  const part = fc.record({
    kind: fc.constant('compare' as const),
    operand: fc.constantFrom(operands.indexed_at, operands.tags),
    op: fc.constantFrom(...comparisons),
    to: value,
  })

  test(`fewer bounds hold for the same ${what}, and there is one on each side`, () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), value, value, (parts, indexedAt, tags) => {
        const fewer = tightest(parts)
        const row = { indexed_at: indexedAt, tags }
        assert.equal(
          fewer.every((one) => holds(one, row)),
          parts.every((one) => holds(one, row)),
        )
        for (const operand of Object.values(operands)) {
          const ops = fewer.flatMap((one) =>
            one.kind === 'compare' && one.operand === operand ? [one.op[0]] : [],
          )
          for (const side of ['e', 'g', 'l']) assert.ok(ops.filter((op) => op === side).length <= 1)
        }
      }),
      { numRuns: 500 },
    )
  })

  test(`beside the start of a page the same ${what} are left`, () => {
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 4 }),
        fc.constantFrom('asc' as const, 'desc' as const),
        value,
        value,
        value,
        (parts, direction, start, indexedAt, tags) => {
          const key: SortKey = { value: operands.indexed_at, direction, nullable: false }
          const row = { indexed_at: indexedAt, tags }
          // Where the key is equal, the next keys decide; so it may hold.
          const isBeyond = compares(indexedAt, direction === 'asc' ? 'gte' : 'lte', start)
          const left = beyondStart(parts, key, start)
          assert.equal(
            isBeyond && left.parts.every((one) => holds(one, row)),
            isBeyond && parts.every((one) => holds(one, row)),
          )
          if (!left.isWithin) assert.ok(left.parts.length > 0)
        },
      ),
      { numRuns: 500 },
    )
  })
}
