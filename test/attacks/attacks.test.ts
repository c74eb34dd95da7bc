import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '../support/store/postgres.ts'
import { families } from './families.ts'
import { testAttacks } from './suite.ts'

for (const engine of databases) testAttacks(engine)

test('there are enough attacks, and no two are called alike', () => {
  const names = families.flatMap(([family, , all]) => all.map(({ name }) => `${family}, ${name}`))
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.length > 120)
})
