/** Searches in scripts without spaces, whose words a dictionary may cut in other ways than in a text. */
import { parseSearch, wantedTerms } from './parse-search.ts'

const unspaced =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Khmer}\p{scx=Lao}\p{scx=Myanmar}]&&\p{L}]/v

/** Maximum number of terms that are looked at. */
const mostTerms = 3

/** Characters for `contains` instead of words; `field`: the name of the only text to look into, or null. */
export interface Characters {
  readonly characters: string
  readonly field: string | null
}

/** What a search asks for in such scripts. `fields`: the names that may precede a colon. */
export function unspacedTerms(search: string, fields: readonly string[]): readonly Characters[] {
  const parsed = parseSearch(search, fields)
  const terms = parsed === null ? [] : wantedTerms(parsed)
  return terms
    .map(({ words, field }) => ({ characters: words.join(''), field }))
    .filter(({ characters }) => unspaced.test(characters))
    .slice(0, mostTerms)
}
