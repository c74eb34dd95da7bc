import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Collection } from '../schema/model/model.ts'
import { mostRankedTerms } from '../search/relevance.ts'
import type { Path } from './paths.ts'
import { hasRelevance, readSnippet } from './search.ts'

const snippet = (text: string, ...found: readonly string[]) => ({
  text,
  ranges: found.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length })),
})
const collection = { searchFields: ['a', 'b', 'c'].map((name) => ({ name, path: [name] })) }
const shownOf = (texts: object, ...shown: readonly string[]) => {
  const edge = Object.fromEntries(
    Object.entries(texts).map(([name, one]) => [`s${'abc'.indexOf(name)}`, one]),
  )
  const paths = shown.map((text) => ({ text }) as Path)
  return readSnippet(edge, collection as unknown as Collection, paths)
}

test('the text with the most different words is shown, and of equal ones one that the row does not show', () => {
  const [one, two] = [snippet('red kite', 'red'), snippet('red kite, red', 'red', 'kite')]
  assert.deepEqual(shownOf({ a: one, b: two, c: one }), { b: '**red** **kite**, red' })
  assert.deepEqual(shownOf({ a: two, b: two }, 'a'), { b: '**red** **kite**, red' })
  assert.deepEqual(shownOf({ a: two, b: two }, 'b'), { a: '**red** **kite**, red' })
  assert.deepEqual(shownOf({ a: one, b: two }, 'b'), { b: '**red** **kite**, red' })
  const twice = {
    text: 'Red, red',
    ranges: [snippet('Red', 'Red'), { ranges: [{ start: 5, end: 8 }] }].flatMap(({ ranges }) => ranges),
  }
  assert.deepEqual(shownOf({ a: twice, b: two }), { b: '**red** **kite**, red' })
  assert.equal(shownOf({ a: snippet('kite'), b: null }), null)
})

test('a search has relevance up to the most words that the service ranks by', () => {
  const terms = (length: number) => ({
    text: '',
    isOfAnyText: true,
    isExcluding: false,
    terms: Array.from({ length }, (_, at) => `w${at}`),
  })
  assert.deepEqual(
    [0, 1, mostRankedTerms, mostRankedTerms + 1].map((length) => hasRelevance(terms(length))),
    [false, true, true, false],
  )
})
