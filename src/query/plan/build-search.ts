/** Builds conditions from searches: as few queries of a word index as possible, composed by AND, OR and NOT. */
import type { Table, WordField, WordIndex } from '../../database/layout/tables.ts'
import type { Search, SearchTerm } from '../../search/parse-search.ts'
import { parseSearch, SearchError, wantedTerms } from '../../search/parse-search.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import { all, any, type Condition, constant, not } from './conditions.ts'
import { badInput, checkedText } from '../parse/prepare.ts'
import { assertWithin } from '../parse/limits.ts'
import type { WordTerm } from './plan.ts'

/** A search within one field, by its position; null: in all fields. */
type FieldPosition = number | null

/** A `search` argument that is not blank. */
export interface ListSearch {
  readonly text: string
  readonly parsed: Search
  readonly index: WordIndex
  readonly condition: Condition
  /** What it asks for, without what it excludes, each once. */
  readonly terms: readonly WordTerm[]
}

/** Null if there is no search, or a blank one, which holds for every record. */
export function buildSearch(table: Table, text: unknown): ListSearch | null {
  if (text === undefined || text === null) return null
  const { words } = table
  if (words === null)
    throw badInput(
      `The records of ${table.collection.nsid} have no free text that \`search\` could find. Leave it out, and use \`where\`.`,
    )
  const search = readSearch('search', String(text), words.fields)
  if (search === null) return null
  const terms = wantedTerms(search).map((term) => termMatch(term, words, null))
  const unique = [...new Map(terms.map((term) => [JSON.stringify(term), term])).values()]
  return {
    text: String(text),
    parsed: search,
    index: words,
    condition: searchCondition(search, words, null),
    terms: unique,
  }
}

/** Null if the search is blank. `fields`: those that it may name. */
export function readSearch(
  name: string,
  text: string,
  fields: readonly Pick<WordField, 'name'>[],
): Search | null {
  checkedText(name, text)
  assertWithin('needle', text.length, `\`${name}\` has too many characters`)
  try {
    return parseSearch(
      text,
      fields.map((field) => field.name),
    )
  } catch (error) {
    if (error instanceof SearchError) throw badInput(`\`${name}\`: ${error.message}.`)
    throw error
  }
}

export function searchCondition(search: Search, index: WordIndex, within: FieldPosition): Condition {
  const match = matchOf(search, index, within)
  if (match !== null) return { kind: 'words', index, match, lookup: 'set' }
  switch (search.kind) {
    case 'term':
      return constant(false)
    case 'not':
      return not(searchCondition(search.of, index, within))
    case 'any':
      return any(search.of.map((part) => searchCondition(part, index, within)))
    case 'all':
      return all(search.of.map((part) => searchCondition(part, index, within)))
  }
}

/** Null if one query of the index does not answer it: it only excludes words, or names a field of another collection. */
function matchOf(search: Search, index: WordIndex, within: FieldPosition): WordMatch | null {
  switch (search.kind) {
    case 'term': {
      const isKnown = search.field === null || index.fields.some(({ name }) => name === search.field)
      return isKnown ? termMatch(search, index, within) : null
    }
    case 'not':
      return null
    case 'any': {
      const of = search.of.map((part) => matchOf(part, index, within))
      return of.every((part) => part !== null) ? { kind: 'any', of } : null
    }
    case 'all': {
      const excluded = search.of.flatMap((part) => (part.kind === 'not' ? [part.of] : []))
      const of = search.of.filter(({ kind }) => kind !== 'not').map((part) => matchOf(part, index, within))
      const except = excluded.map((part) => matchOf(part, index, within))
      const isWhole =
        of.length > 0 && of.every((part) => part !== null) && except.every((part) => part !== null)
      return isWhole ? { kind: 'all', of, except } : null
    }
  }
}

function termMatch(
  { words, prefix, field }: SearchTerm,
  { fields }: WordIndex,
  within: FieldPosition,
): WordTerm {
  const position = field === null ? within : fields.findIndex(({ name }) => name === field)
  return { kind: 'term', words, prefix, fields: position === null ? null : [position] }
}
