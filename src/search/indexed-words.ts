/** What a word index has of a record: words by field, and marks that tell relevance how much a word counts there. */
import { plainWordsOf } from './words.ts'

/** UTF-8 bytes of words, all fields together; further words of a record are not found. Some 30,000 English words. */
export const mostBytes = 200_000

/** The amounts that relevance tells apart; an amount between two of them counts as the lower one. */
export const amounts = [1, 2, 3, 4, 6, 9, 14] as const

/** The amounts that a mark stands for; a word without a mark has the amount 1. */
export const markedAmounts = amounts.slice(1)

export interface IndexedWords {
  /** By field. */
  readonly fields: readonly (readonly string[])[]
  readonly marks: readonly string[]
  /** Number of words, each counted with the weight of its field. */
  readonly length: number
}

/** `weights`: how much a word counts in each field. A missing text has no words. */
export function indexedWords(texts: readonly (string | null)[], weights: readonly number[]): IndexedWords {
  const all = texts.map((text) => (text === null ? [] : plainWordsOf(text)))
  const characters = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  const fields = mayExceed(characters) ? firstOf(all) : all
  const counts = new Map<string, number>()
  let length = 0
  for (const [field, words] of fields.entries()) {
    const weight = weights[field] ?? 1
    length += weight * words.length
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight)
  }
  const marks: string[] = []
  for (const [word, count] of counts) if (count > 1) marks.push(markOf(word, amountOf(count)))
  return { fields, marks, length }
}

/** The words that fit into `mostBytes`. */
function firstOf(fields: readonly string[][]): readonly string[][] {
  let bytes = 0
  return fields.map((words) => {
    const end = words.findIndex((word) => {
      bytes += Buffer.byteLength(word)
      return bytes > mostBytes
    })
    return end === -1 ? words : words.slice(0, end)
  })
}

/** UTF-8 bytes that one UTF-16 unit has at most when it is folded: the Arabic ligature U+FDFA has 18 characters of two. */
const longestFolded = 36

/** Whether the words of texts with so many UTF-16 units may have more than `mostBytes`. */
export function mayExceed(characters: number): boolean {
  return characters * longestFolded > mostBytes
}

/** The highest of `amounts` up to a number. */
export function amountOf(count: number): number {
  return amounts.findLast((amount) => amount <= count) ?? 0
}

/** No word contains the sign. */
export function markOf(word: string, amount: number): string {
  return `${word}~${amount}`
}
