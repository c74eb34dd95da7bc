/**
 * The syntax of searches: `word`, `"a phrase"`, `prefix*`, `-not`, `OR`, parentheses, `field:word`. Whatever somebody
 * types has a meaning; only a search without any word, or with too many, is refused.
 */
import { isBlank, placesOfVisible, withoutInvisible } from '../util/text/visible.ts'
import { plainWordsOf } from './words.ts'

/** What a search asks of a record. */
export type Search =
  | SearchTerm
  | { readonly kind: 'all' | 'any'; readonly of: readonly Search[] }
  | { readonly kind: 'not'; readonly of: Search }

/** Words that follow one another in one field. */
export interface SearchTerm {
  readonly kind: 'term'
  /** At least one, as they are indexed. */
  readonly words: readonly string[]
  /** Whether the last word stands for all words that begin with it. */
  readonly prefix: boolean
  /** Null: any searchable field. */
  readonly field: string | null
}

/** Maximum number of terms of a search, and maximum depth of parentheses within parentheses. */
export const mostTerms = 64
export const mostParentheses = 16

export class SearchError extends Error {
  /** Of the character in the search that the message is about, in UTF-16 units. */
  readonly position: number

  constructor(message: string, position: number) {
    super(`${message} (character ${position + 1} of the search)`)
    this.name = 'SearchError'
    this.position = position
  }
}

/**
 * Null if the search is blank and restricts nothing. `fields`: the names that may precede a colon. Throws a SearchError
 * if the search has no word, too many terms, or parentheses that nest too deep.
 */
export function parseSearch(text: string, fields: readonly string[]): Search | null {
  if (isBlank(text)) return null
  const search = new Parser(text, new Set(fields)).parse()
  if (search === null)
    throw new SearchError('A search needs a word; letters and digits make words. `contains` finds signs', 0)
  return search
}

/** The terms that a matching record may contain: those that are not excluded, or excluded twice. */
export function wantedTerms(search: Search, isWanted = true): readonly SearchTerm[] {
  switch (search.kind) {
    case 'term':
      return isWanted ? [search] : []
    case 'not':
      return wantedTerms(search.of, !isWanted)
    case 'all':
    case 'any':
      return search.of.flatMap((part) => wantedTerms(part, isWanted))
  }
}

/** Whether a text without words matches, because the search only excludes some. */
export function holdsWithoutWords(search: Search): boolean {
  switch (search.kind) {
    case 'term':
      return false
    case 'not':
      return !holdsWithoutWords(search.of)
    case 'all':
      return search.of.every(holdsWithoutWords)
    case 'any':
      return search.of.some(holdsWithoutWords)
  }
}

/** Scripts without spaces, whose words a dictionary may cut in other ways than in a text. */
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

const space = /\s+/y
/** A word, and what is attached to it, up to a space, a quotation mark or a parenthesis. */
const chunk = /[^\s"“”„()]+/y
/** A star at the end, perhaps with punctuation after it, makes a word a prefix. */
const isPrefix = /\*[^\p{L}\p{M}\p{N}]*$/u
const hyphens = /-+/y
const quotationMark = /["“”„]/y
const quoted = /[^"“”„]*/y
const and = /AND(?=[\s()"“”„]|$)/y
const or = /OR(?=[\s()"“”„]|$)/y
const not = /NOT(?=[\s()"“”„]|$)/y
const endOfSequence = /OR(?=[\s()"“”„]|$)|\)|$/y
/** A field with something behind it; otherwise it is a word. */
const fieldName = /([A-Za-z_]\w*):\s*(?=[^\s)])/y

/**
 * Parses by recursive descent; null stands for a part without words, which its parent passes over. A field before a
 * parenthesis is passed down to the terms inside.
 *
 *     search       = alternatives { ")" alternatives }
 *     alternatives = sequence { "OR" sequence }
 *     sequence     = { "AND" | part }
 *     part         = [ "NOT" | "-" { "-" } ] [ field ":" [ "-" { "-" } ] ] primary
 *     primary      = "(" alternatives [ ")" ] | '"' phrase [ '"' ] | chunk
 */
class Parser {
  readonly #written: string
  /** Without invisible characters. */
  readonly #text: string
  readonly #fields: ReadonlySet<string>
  #at = 0
  #terms = 0

  constructor(text: string, fields: ReadonlySet<string>) {
    this.#written = text
    this.#text = withoutInvisible(text)
    this.#fields = fields
  }

  parse(): Search | null {
    const parts: (Search | null)[] = []
    // A closing parenthesis that nothing has opened is passed over.
    do parts.push(this.#alternatives(null, 0))
    while (this.#take(/\)/y) !== undefined)
    return combine('all', parts)
  }

  #alternatives(field: string | null, depth: number): Search | null {
    const parts: (Search | null)[] = []
    do parts.push(this.#sequence(field, depth))
    while (this.#take(or) !== undefined)
    return combine('any', parts)
  }

  #sequence(field: string | null, depth: number): Search | null {
    const parts: (Search | null)[] = []
    for (;;) {
      this.#take(space)
      endOfSequence.lastIndex = this.#at
      if (endOfSequence.test(this.#text)) break
      if (this.#take(and) === undefined) parts.push(this.#part(field, depth))
    }
    return combine('all', parts)
  }

  #part(field: string | null, depth: number): Search | null {
    const isNegated = this.#take(not) !== undefined
    if (isNegated) this.#take(space)
    const isExcluded = isNegated || this.#take(hyphens) !== undefined
    const named = this.#takeField()
    // `title:-word` is `-title:word`; a phrase of the field's name and the word would find something else.
    const isExcludedThere = named !== undefined && this.#take(hyphens) !== undefined
    const part = this.#primary(named ?? field, depth)
    return isExcluded !== isExcludedThere && part !== null ? { kind: 'not', of: part } : part
  }

  #primary(field: string | null, depth: number): Search | null {
    const start = this.#at
    if (this.#take(/\(/y) !== undefined) {
      if (depth === mostParentheses)
        throw this.#error(`Parentheses nest at most ${mostParentheses} deep`, start)
      const inner = this.#alternatives(field, depth + 1)
      this.#take(/\)/y)
      return inner
    }
    if (this.#take(quotationMark) !== undefined) {
      const phrase = this.#take(quoted) ?? ''
      this.#take(quotationMark)
      return this.#term(phrase, false, field, start)
    }
    const text = this.#take(chunk) ?? ''
    return this.#term(text, isPrefix.test(text), field, start)
  }

  #term(text: string, prefix: boolean, field: string | null, position: number): SearchTerm | null {
    const words = plainWordsOf(text)
    if (words.length === 0) return null
    this.#terms += 1
    if (this.#terms > mostTerms)
      throw this.#error(`A search has at most ${mostTerms} words and phrases`, position)
    return { kind: 'term', words, prefix, field }
  }

  #error(message: string, at: number): SearchError {
    return new SearchError(message, placesOfVisible(this.#written)[at] ?? at)
  }

  #takeField(): string | undefined {
    fieldName.lastIndex = this.#at
    const name = fieldName.exec(this.#text)?.[1]
    if (name === undefined || !this.#fields.has(name)) return undefined
    this.#at = fieldName.lastIndex
    return name
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    if (found !== undefined) this.#at = pattern.lastIndex
    return found
  }
}

function combine(kind: 'all' | 'any', parts: readonly (Search | null)[]): Search | null {
  const of = parts.filter((part) => part !== null)
  return of.length <= 1 ? (of[0] ?? null) : { kind, of }
}
