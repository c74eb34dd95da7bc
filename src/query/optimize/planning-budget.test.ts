import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Statistics } from '../../database/database.ts'
import type { TextIndex } from '../../database/layout/tables.ts'
import { withinPlanningBudget } from './optimizer.ts'

const statement = { text: 'select 1', values: [] }

test('counting is charged by the rows that are counted', () => {
  const counts = (found: number) => {
    const statistics: Statistics = {
      rows: () => 1_000_000,
      countUpTo: (_, limit) => Math.min(found, limit),
      trigram: () => 1,
      word: () => 1,
      prefix: () => null,
    }
    const { countUpTo } = withinPlanningBudget(statistics)
    return Array.from({ length: 1_000 }, () => countUpTo(statement, 20_000)).filter((n) => n < 20_000).length
  }
  assert.equal(counts(20_000), 0)
  assert.ok(counts(1) > 50 && counts(1) < 200)
  assert.ok(counts(10_000) > 2 && counts(10_000) < 8)
})

test('rows of semi-joins are charged too, and a probe that is too expensive leaves the budget to others', () => {
  const looked: number[] = []
  const statistics: Statistics = {
    rows: () => 1_000_000,
    countUpTo: (_, __, innerRows = 0) => {
      looked.push(innerRows)
      return 0
    },
    trigram: () => 1,
    word: () => 1,
    prefix: () => null,
  }
  const { countUpTo, trigram } = withinPlanningBudget(statistics)
  for (let n = 0; n < 100; n += 1) countUpTo(statement, 1_000, 300)
  assert.ok(looked.reduce((sum, innerRows) => sum + innerRows, 0) <= 1_500)
  assert.equal(countUpTo(statement, 1_000, 300), 1_000)
  assert.equal(trigram({} as TextIndex, 'abc'), 1)
})

test('candidate sources compare with two thousand values, and no more', () => {
  const { affordsValues } = withinPlanningBudget({} as Statistics)
  assert.deepEqual([1_500, 501, 500, 1].map(affordsValues), [true, false, true, false])
})
