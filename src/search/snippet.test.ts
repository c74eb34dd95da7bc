import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { snippetOf as expectedSnippet } from '../../test/reference/words/snippet.ts'
import { parseSearch, type SearchTerm, wantedTerms } from './parse-search.ts'
import { snippetOf } from './snippet.ts'
import { wordsOf } from './words.ts'

function termsOf(search: string): readonly SearchTerm[] {
  const parsed = parseSearch(search, [])
  return parsed === null ? [] : wantedTerms(parsed)
}

test('accents, case and marks of formatting in the text are shown as they are', () => {
  const text = 'l’Élection, CO\u00adOP'
  const ranges = [
    { start: 2, end: 10 },
    { start: 12, end: 17 },
  ]
  assert.deepEqual(snippetOf(text, termsOf('election coop'), 9), { text, ranges })
})

const word = fc.constantFrom('a', 'b', 'ab', 'abc', 'B', 'É', 'e', '3.5', 'c++', '北京气候', '½', '2', 'x')
const anyText = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', ', ', '-', '… ', '\n')), { maxLength: 40 })
  .map((parts) => parts.flat().join(''))
const anySearch = fc
  .array(
    fc.constantFrom('a', 'b', '"a b"', 'a*', '"b a b"', 'a-b*', 'é', '北京', '"气候 a"', '2', 'x', '"1 2"'),
    {
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(' '))

test('a snippet is what trying every passage gives', () => {
  fc.assert(
    fc.property(anyText, anySearch, fc.integer({ min: 1, max: 12 }), (given, search, length) => {
      const terms = termsOf(search)
      assert.deepEqual(snippetOf(given, terms, length), expectedSnippet(given, terms, length))
    }),
    { numRuns: 3_000 },
  )
})

/** How many words of the text a part of it has, wherever it is; a fraction sign has two. */
function countOfWords(given: string, part: string): number {
  const places = Array.from({ length: given.length + 1 }, (_, at) => at).filter((at) =>
    given.startsWith(part, at),
  )
  const counts = places.map((from) => {
    const inside = wordsOf(given).filter(({ start, end }) => start >= from && end <= from + part.length)
    return new Set(inside.map(({ start }) => start)).size
  })
  return Math.min(...counts)
}

test('a snippet is a part of the text, not too long, with ranges inside that have what was asked for', () => {
  fc.assert(
    fc.property(anyText, anySearch, fc.integer({ min: 1, max: 12 }), (given, search, length) => {
      const terms = termsOf(search)
      const snippet = snippetOf(given, terms, length)
      assert.ok(given.includes(snippet.text))
      assert.ok(countOfWords(given, snippet.text) <= length)
      let at = 0
      for (const { start, end } of snippet.ranges) {
        assert.ok(start >= at && start < end && end <= snippet.text.length)
        at = end
        const inRange = wordsOf(snippet.text.slice(start, end)).map((each) => each.word)
        assert.ok(
          terms.some(({ words: wanted, prefix }) =>
            inRange.some((_, first) =>
              wanted.every((each, index) =>
                prefix && index === wanted.length - 1
                  ? inRange[first + index]?.startsWith(each)
                  : inRange[first + index] === each,
              ),
            ),
          ),
        )
      }
    }),
    { numRuns: 3_000 },
  )
})

test('a snippet of many matches in a long text is found without comparing all of them with all', () => {
  const long = 'a b '.repeat(25_000)
  assert.equal(snippetOf(long, termsOf('a b "a b" a* b*'), 200).ranges.length, 100)
})
