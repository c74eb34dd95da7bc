/** What lists by counts of referring records, and lists of the first of each combination, cost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { libraryLexicons, libraryReferences } from '../../../test/support/records/lexicons.ts'
import { createPlanner } from '../../../test/support/store/plans.ts'
import { sizeOf } from './cost.ts'
import { weights } from './cost-weights.ts'

const list = 'orgExampleLibraryBook'
const viaBook = 'orgExampleLibraryReviewViaBook'
const {
  total,
  indexLookup,
  tableScan,
  join,
  sort,
  sortField,
  distinct,
  grouping,
  groupField,
  groupText,
  groupJoin,
} = weights
const planned = createPlanner(libraryLexicons, libraryReferences)

/** An operation, and its size worked out by hand with the table in docs/prices.md, besides that it is written. */
function costs(sentence: string, operations: readonly (readonly [text: string, expected: number])[]): void {
  test(sentence, () => {
    for (const [text, expected] of operations)
      assert.equal(sizeOf({ ...planned(text), written: 0 }), expected, text)
  })
}

costs('counts of referring records cost what conditions on these cost, and are an order of their own', [
  [`{ ${list}(where: {${viaBook}: {count: {gte: 2}}}) { totalCount } }`, 20 + total + tableScan + join],
  [
    `{ ${list}(first: 0, sortBy: [{field: ${viaBook}_count}, {field: pages}]) { pageInfo { endCursor } } }`,
    20 + 1 + sort + sortField,
  ],
])

costs('a list of the first of each combination costs what all of its records cost', [
  [`{ ${list}(first: 0, distinctOn: [language]) { pageInfo { endCursor } } }`, 20 + 1 + distinct],
  [
    `{ ${list}(first: 0, distinctOn: [author, title], sortBy: [{field: pages}], where: {language: {eq: "en"}}) { pageInfo { endCursor } } }`,
    20 + 1 + distinct + indexLookup + groupField + groupText + sort,
  ],
  [`{ ${list}(distinctOn: [language, genre]) { totalCount } }`, 20 + total + grouping + groupField],
  [`{ ${list}(distinctOn: [${viaBook}_count]) { totalCount } }`, 20 + total + grouping + groupJoin],
])
