import assert from 'node:assert/strict'
import { test } from 'node:test'
import { responseType } from './media-types.ts'

test('what comes after the first 2,000 characters of Accept is not read', () => {
  const modern = 'application/graphql-response+json'
  const types = (count: number): string => `${'a/b,'.repeat(count)}${modern}`
  assert.equal(responseType(types(400)), modern)
  assert.equal(responseType(types(500)), 'application/json')
})
