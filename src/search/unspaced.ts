/** Searches in scripts without spaces, whose words a dictionary may cut in other ways than in a text. */
import { parseSearch, type SearchTerm, wantedTerms } from './parse-search.ts'

const unspaced =
  /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Khmer}\p{scx=Lao}\p{scx=Myanmar}]&&\p{L}]/v

/** The first three terms of a search in such scripts, as characters. `fields`: the names that may precede a colon. */
export function unspacedTerms(
  search: string,
  fields: readonly string[],
): readonly (Pick<SearchTerm, 'field'> & { readonly characters: string })[] {
  const parsed = parseSearch(search, fields)
  return (parsed === null ? [] : wantedTerms(parsed))
    .map(({ words, field }) => ({ characters: words.join(''), field }))
    .filter(({ characters }) => unspaced.test(characters))
    .slice(0, 3)
}
