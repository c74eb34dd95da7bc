import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kind, parse } from 'graphql'
import { assertDocumentWithin, assertTextWithin, measureVariables, limits } from './limits.ts'

const code = 'QUERY_TOO_COMPLEX'

test('names and values of variables count, up to the limits', () => {
  const named = (count: number) => ({
    x: Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, index])),
  })
  // `x` is a name too.
  const most = limits.inputNames - 1
  measureVariables(named(most))
  assert.throws(() => measureVariables(named(most + 1)), { code })
  const listed = (lists: number) => ({ x: Array(lists).fill(Array(999).fill(0)) })
  measureVariables(listed(limits.inputValues / 1_000 - 1))
  assert.throws(() => measureVariables(listed(limits.inputValues / 1_000)), { code })
})

test('brackets that are closed do not count as nested', () => {
  assertTextWithin(`{ ${'a(b: [1]) { c } '.repeat(limits.nesting + 1)} }`)
  const nested = (levels: number) => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`
  assertTextWithin(nested(limits.nesting))
  assert.throws(() => assertTextWithin(nested(limits.nesting + 1)), { code })
})

test('fields of the query count in fragments too', () => {
  const within = (fields: number) => {
    const selected = Array.from({ length: fields }, (_, index) => `a${index}: __typename`).join(' ')
    const document = parse(`{ ...F } fragment F on Query { ${selected} }`)
    const fragments = document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    )
    return assertDocumentWithin(document, new Map(fragments))
  }
  assert.ok(within(limits.rootFields))
  assert.throws(() => within(limits.rootFields + 1), { code })
})
