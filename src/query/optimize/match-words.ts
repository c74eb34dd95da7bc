/** Conditions on words: joining several of them into one query of a word index, and estimating how many records match. */
import type { WordIndex } from '../../database/layout/tables.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import { all, type Condition } from '../plan/conditions.ts'
import { conjuncts } from '../plan/plan-facts.ts'
import { sum } from '../price/cost-weights.ts'
import { isUnhinted, type Optimizer } from './optimizer.ts'

/** Joins the conjuncts on words, and what they exclude, so that one query of the index answers them together. */
export function joinWords(where: Condition): Condition {
  const parts = conjuncts(where)
  const [first, ...further] = parts.filter((part) => part.kind === 'words')
  if (first === undefined) return where
  const { index } = first
  const same = further.filter((part) => part.index === index)
  const except = parts.flatMap((part) => excludedBy(part, index))
  if (same.length === 0 && except.length === 0) return where
  const joined = [first, ...same]
  const matches = joined.map(({ match }) => match)
  const match: WordMatch = {
    kind: 'all',
    of: matches.flatMap((each) => (each.kind === 'all' ? each.of : [each])),
    except: [...matches.flatMap((each) => (each.kind === 'all' ? each.except : [])), ...except],
  }
  const others = parts.filter(
    (part) => !joined.some((each) => each === part) && excludedBy(part, index).length === 0,
  )
  return all([{ ...first, match }, ...others])
}

function excludedBy(part: Condition, index: WordIndex): readonly WordMatch[] {
  return part.kind === 'not' && part.of.kind === 'words' && part.of.index === index ? [part.of.match] : []
}

/** Estimates the number of records with a word, or with any word that begins so; null if they should be counted. */
type RecordsOf = (word: string, isPrefix: boolean) => number | null

/** Assumed number of records of a word that few have. */
export const fewRecords = 500

/** Entries of an index that SQLite reads in the time of one record; those of a prefix are merged first. */
const entriesPerRecord = { word: 20, prefix: 5 } as const

/** Records read in the time of finding matches, at most: FTS5 may read all words, excluded ones too. */
export function timeOfMatches(optimizer: Optimizer, index: WordIndex, match: WordMatch): number {
  const { statistics } = optimizer
  const timeOf = (part: WordMatch): number => {
    if (part.kind === 'term')
      return sum([...part.words.entries()], ([place, word]) => {
        const isPrefix = part.prefix && place === part.words.length - 1
        const entries = statistics.word(index, word, isPrefix) ?? fewRecords
        return isUnhinted(optimizer) ? entries : entries / entriesPerRecord[isPrefix ? 'prefix' : 'word']
      })
    return sum(part.kind === 'all' ? [...part.of, ...part.except] : part.of, timeOf)
  }
  return timeOf(match)
}

/** Estimates how many of `rows` records match; null if they are so few that they should be counted. */
export function estimateWords(match: WordMatch, rows: number, records: RecordsOf): number | null {
  switch (match.kind) {
    case 'term': {
      const { words, prefix } = match
      const estimates = words.map((word, place) => records(word, prefix && place === words.length - 1))
      return jointly(estimates, rows)
    }
    case 'all':
    case 'any': {
      const estimates = match.of.map((part) => estimateWords(part, rows, records))
      if (match.kind === 'all') return jointly(estimates, rows)
      // Words without an estimate are rare, so that they hardly change the sum.
      const known = estimates.filter((estimate) => estimate !== null)
      return known.length === 0 ? null : sum(known, (estimate) => estimate)
    }
  }
}

/**
 * Records that have all of several words: the geometric mean between what independent words would give and the records
 * of the rarest word, since words that are searched for together often occur together. Null if one of them is unknown.
 */
function jointly(estimates: readonly (number | null)[], rows: number): number | null {
  const known = estimates.filter((estimate) => estimate !== null)
  if (known.length < estimates.length) return null
  const [rarest = 0, ...others] = known.toSorted((a, b) => a - b)
  return others.reduce((joint, records) => joint * Math.sqrt(Math.min(1, records / rows)), rarest)
}
