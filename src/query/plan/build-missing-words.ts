/** Builds the output of `didYouMean`: which words of a search are looked up, and in which collections. */
import type { WordIndex } from '../../database/layout/tables.ts'
import { mostMissingWords } from '../../search/nearest-words.ts'
import { type Search, wantedTerms } from '../../search/parse-search.ts'
import type { Collected } from '../parse/prepare.ts'
import { constantOutput, fieldsBelow, namedBelow } from './build-fields.ts'
import type { Constant } from './fields.ts'
import type { MissingWordsPlan, PlanContext } from './plan.ts'

/** `search`: null if it is blank. */
export function buildMissingWords(
  context: PlanContext,
  collected: Collected,
  search: Search | null,
  indexes: readonly WordIndex[],
): MissingWordsPlan | Constant {
  const words = search === null ? [] : wholeWords(search).slice(0, mostMissingWords)
  if (words.length === 0) return constantOutput([])
  const fields = fieldsBelow(context, collected, (below) =>
    below.name === 'word'
      ? { kind: 'word' as const }
      : {
          kind: 'nearest' as const,
          fields: namedBelow<'word' | 'count'>(context, below),
        },
  )
  return { kind: 'missingWords', indexes, words, fields }
}

/** Each once; the beginning of a word is none. */
function wholeWords(search: Search): readonly string[] {
  const words = wantedTerms(search).flatMap((term) => (term.prefix ? term.words.slice(0, -1) : term.words))
  return [...new Set(words)]
}
