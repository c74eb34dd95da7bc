import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Statistics } from '../database/database.ts'
import { rationed } from './rationed.ts'

const statement = { text: 'select 1', values: [] }

test('counting is rationed by what there is to count', () => {
  const counts = (found: number) => {
    const figures: Statistics = {
      rows: () => 1_000_000,
      countUpTo: (_, limit) => Math.min(found, limit),
      trigram: () => 1,
      prefix: () => null,
    }
    const { countUpTo } = rationed(figures)
    return Array.from({ length: 1_000 }, () => countUpTo(statement, 20_000)).filter((n) => n < 20_000).length
  }
  assert.equal(counts(20_000), 0)
  assert.ok(counts(1) > 200 && counts(1) < 1_000)
  assert.ok(counts(10_000) > 5 && counts(10_000) < 20)
})
