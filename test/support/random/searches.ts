/** Random searches whose words mostly occur in the given texts. */
import fc from 'fast-check'
import { parseSearch, SearchError } from '../../../src/search/parse-search.ts'
import { plainWordsOf } from '../../../src/search/words.ts'
import { texts as anyTexts } from './values/scalars.ts'

/** `fields`: the names that a search may restrict words to. */
export function searches(texts: readonly string[], fields: readonly string[]): fc.Arbitrary<string> {
  const sentences = texts.map(plainWordsOf).filter((words) => words.length > 0)
  if (sentences.length === 0) return fc.constant('')
  const sentence = fc.constantFrom(...sentences)
  const word = fc.oneof(
    { weight: 9, arbitrary: sentence.chain((words) => fc.constantFrom(...words)) },
    { weight: 1, arbitrary: fc.constantFrom('news', 'a', '10', 'zebra', 'c++') },
  )
  const phrase = fc
    .tuple(sentence, fc.nat(), fc.integer({ min: 1, max: 3 }))
    .map(([words, at, length]) => words.slice(at % words.length, (at % words.length) + length).join(' '))
  const prefix = word.chain((text) => {
    const characters = [...text]
    return fc
      .integer({ min: 1, max: characters.length })
      .map((length) => `${characters.slice(0, length).join('')}*`)
  })
  const term = fc.oneof(
    { weight: 6, arbitrary: word },
    { weight: 2, arbitrary: phrase.map((text) => `"${text}"`) },
    { weight: 2, arbitrary: prefix },
    { weight: 1, arbitrary: anyTexts(60, 30) },
  )
  const field = fc.constantFrom(...fields, 'nothing')
  const { search } = fc.letrec<{ search: string; part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 6, arbitrary: term },
      { weight: 1, arbitrary: fc.tuple(field, term).map(([name, text]) => `${name}:${text}`) },
      { weight: 1, arbitrary: tie('part').map((text) => `-${text}`) },
      { weight: 1, arbitrary: tie('search').map((text) => `(${text})`) },
      { weight: 1, arbitrary: fc.tuple(field, tie('search')).map(([name, text]) => `${name}:(${text})`) },
    ),
    search: fc
      .array(fc.tuple(tie('part'), fc.constantFrom(' ', ' ', ' OR ', ' AND ', ' NOT ')), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => parts.map(([text, joint], index) => (index === 0 ? text : joint + text)).join('')),
  }))
  return search.filter((text) => hasMeaning(text, fields))
}

/** Searches without words are refused; texts may hold anything but NUL. */
export function hasMeaning(search: string, fields: readonly string[]): boolean {
  if (search.includes('\0') || search.length > 1000) return false
  try {
    parseSearch(search, fields)
    return true
  } catch (error) {
    if (error instanceof SearchError) return false
    throw error
  }
}
