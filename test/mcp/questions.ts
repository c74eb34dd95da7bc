/**
 * The twelve questions that agents are to answer: what one that knows only the list of tools and `describe` would
 * call, and whether what it is told is what the reference evaluator counts.
 */
import type { Question } from './news.ts'
import {
  countByLanguage,
  fieldOfTheWeek,
  loudestOutlets,
  negativeShares,
  silentOutlets,
  toneByOrientation,
} from './questions-of-counts.ts'
import {
  corroboration,
  firstToTell,
  newestTen,
  outdated,
  unjudged,
  weightiest,
} from './questions-of-records.ts'

export const questions: readonly Question[] = [
  negativeShares,
  firstToTell,
  weightiest,
  loudestOutlets,
  toneByOrientation,
  newestTen,
  fieldOfTheWeek,
  corroboration,
  unjudged,
  silentOutlets,
  outdated,
  countByLanguage,
]
