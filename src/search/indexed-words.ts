/**
 * The words of a record that an index holds, field by field, with what relevance needs: how often a word occurs, and
 * how long the record is.
 */
import { plainWordsOf } from './words.ts'

/** UTF-8 bytes of words, all fields together; further words of a record are not found. Some 30,000 English words. */
export const mostBytes = 200_000

/** From this frequency on, an index also holds the word with a mark; relevance counts in these steps. */
export const frequencySteps = [2, 4, 8, 16] as const

/** No word contains the sign. */
export function frequencyMark(word: string, step: number): string {
  return `${word}~${step}`
}

/** The words of each field in order; a missing text has none. */
export function indexedWords(texts: readonly (string | null)[]): readonly (readonly string[])[] {
  let bytes = 0
  return texts.map((text) => {
    const words = text === null ? [] : plainWordsOf(text)
    const end = words.findIndex((word) => {
      bytes += Buffer.byteLength(word)
      return bytes > mostBytes
    })
    return end === -1 ? words : words.slice(0, end)
  })
}

/** The marks of words that a field has more than once, in the order of the words' first occurrences. */
export function frequencyMarks(words: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const marks: string[] = []
  for (const [word, count] of counts)
    for (const step of frequencySteps) if (count >= step) marks.push(frequencyMark(word, step))
  return marks
}
