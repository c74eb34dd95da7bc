/**
 * The words of a record as a `tsvector`, built from our words instead of PostgreSQL's dictionaries. A lexeme is a word
 * behind the letters of its field, so that one vector serves all fields.
 */
import { indexedWords } from '../../../search/indexed-words.ts'
import { fieldPrefix, fieldSeparator } from '../word-query.ts'

/** What a `tsvector` holds at most: positions, counted from 1, and positions of one lexeme. */
const lastPosition = 16_383
const mostPositions = 255

/** `weights`: how much a word counts in each field. A missing text has no words. */
export function wordVector(texts: readonly (string | null)[], weights: readonly number[]) {
  const { fields, marks, length } = indexedWords(texts, weights)
  let isWhole = true
  const entries: string[] = []
  const lexemes: string[] = []
  for (const [index, words] of fields.entries()) {
    const prefix = fieldPrefix(index)
    const positions = new Map<string, number[]>()
    for (const [place, word] of words.entries()) {
      const known = positions.get(word) ?? []
      if (place < lastPosition && known.length < mostPositions) known.push(place + 1)
      else isWhole = false
      positions.set(word, known)
    }
    for (const [word, places] of positions) {
      lexemes.push(prefix + word)
      entries.push(`'${prefix}${word}'${places.length === 0 ? '' : `:${places.join(',')}`}`)
    }
  }
  for (const mark of marks) {
    lexemes.push(mark)
    entries.push(`'${mark}'`)
  }
  return {
    /** Text that the server reads as a `tsvector`, and the lexemes in it. */
    vector: entries.join(' '),
    lexemes,
    /** The words of each field between spaces, to verify phrases if the vector lacks positions, as few do. */
    text: isWhole ? null : fields.map((words) => ` ${words.join(' ')} `).join(fieldSeparator),
    /** Number of words, each counted with the weight of its field. */
    length,
  }
}
