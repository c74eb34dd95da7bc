/** What a record says in words, as far as stories compare it: the starts of its words, and how much each counts. */
import { plainWordsOf } from '../words.ts'
import { weightOf } from './weights.ts'

export interface StoryWords {
  /** Each once. */
  readonly starts: readonly string[]
  /** Of each start: at least 1, and at most three times the greatest weight. */
  readonly values: Uint8Array
  /** The sum of the values. */
  readonly total: number
}

/** Words with the same first five characters count as one, so that endings do not matter. */
const startLength = 5
/** How many times as much a start in the title counts as one in the summary alone. */
const titleFactor = 3
/** Of the name of an outlet behind a title. */
const mostOutletWords = 5

/** Starts of weight 0 do not count. */
export function storyWords(title: string | null, summary: string | null): StoryWords {
  const values = new Map<string, number>()
  const add = (text: string, factor: number): void => {
    for (const start of startsOf(text)) {
      const value = weightOf(start) * factor
      if (value > 0 && !values.has(start)) values.set(start, value)
    }
  }
  add(withoutOutlet(title ?? ''), titleFactor)
  add(summary ?? '', 1)
  return {
    starts: [...values.keys()],
    values: Uint8Array.from(values.values()),
    total: values.values().reduce((sum, value) => sum + value, 0),
  }
}

/** A title without the one to five words behind its last hyphen, dash or bar between white space. */
export function withoutOutlet(title: string): string {
  const [, before, behind] = /^(.*\S)\s+[-|–—]\s+(\S.*)$/su.exec(title) ?? []
  if (before === undefined || behind === undefined) return title
  const words = plainWordsOf(behind).length
  return words >= 1 && words <= mostOutletWords ? before : title
}

function startsOf(text: string): string[] {
  return plainWordsOf(text).map((word) =>
    word.length <= startLength ? word : Array.from(word).slice(0, startLength).join(''),
  )
}
