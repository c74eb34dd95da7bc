import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { snippetOf as expectedSnippet } from '../../test/reference/words/snippet.ts'
import { parseSearch, type SearchTerm, wantedTerms } from './parse-search.ts'
import { snippetOf } from './snippet.ts'
import { wordsOf } from './words.ts'

const text = 'One two three four five six seven, eight nine ten. Eleven twelve thirteen fourteen fifteen!'

function termsOf(search: string): readonly SearchTerm[] {
  const parsed = parseSearch(search, [])
  return parsed === null ? [] : wantedTerms(parsed)
}

/** The passage with what was found in brackets. */
function marked(given: string, search: string, length: number): string {
  const { text: passage, ranges } = snippetOf(given, termsOf(search), length)
  return ranges
    .toReversed()
    .reduce(
      (rest, { start, end }) => `${rest.slice(0, start)}[${rest.slice(start, end)}]${rest.slice(end)}`,
      passage,
    )
}

test('a text that is short enough is shown as a whole', () => {
  assert.equal(
    marked(`… ${text}`, 'one fifteen', 30),
    `… ${text.replace('One', '[One]').replace('fifteen', '[fifteen]')}`,
  )
})

test('a passage begins a fifth of its words before what was found', () => {
  assert.equal(marked(text, 'eight', 5), 'seven, [eight] nine ten. Eleven')
  assert.equal(
    marked(text, 'eight', 10),
    'six seven, [eight] nine ten. Eleven twelve thirteen fourteen fifteen!',
  )
})

test('a passage ends with the text, if what was found is near its end', () => {
  assert.equal(marked(text, 'fifteen', 5), 'Eleven twelve thirteen fourteen [fifteen]!')
})

test('without anything found it is the beginning', () => {
  assert.equal(marked(text, 'zebra', 3), 'One two three')
  assert.equal(marked(text, '', 3), 'One two three')
  assert.equal(marked('', 'zebra', 3), '')
  assert.equal(marked('…', 'zebra', 3), '…')
})

test('a passage with more different terms comes before one with more matches, and the first of equals', () => {
  assert.equal(marked('a a a x x x x x a b x x', 'a b', 3), '[a] [b] x')
  assert.equal(marked('x a x x x x a a x', 'a', 3), '[a] [a] x')
  assert.equal(marked('x a x x x x x a x', 'a', 3), '[a] x x')
})

test('phrases and prefixes are one range each', () => {
  assert.equal(
    marked(text, '"two three" elev*', 30),
    text.replace('two three', '[two three]').replace('Eleven', '[Eleven]'),
  )
})

test('a phrase needs its words in order, and a prefix may end it', () => {
  assert.equal(marked('b a-b ba a bcd', 'a-b*', 9), 'b [a-b] ba [a bcd]')
})

test('ranges that overlap are one', () => {
  assert.equal(marked('a b c d', '"a b" "b c" c', 9), '[a b c] d')
  assert.equal(marked('北京气候', '北京 气候', 9), '[北京][气候]')
  assert.equal(marked('1½', '11 2', 9), '[1½]')
})

test('accents, case and marks of formatting in the text are shown as they are', () => {
  assert.equal(marked('l’Élection, CO\u00adOP', 'election coop', 9), 'l’[Élection], [CO\u00adOP]')
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
