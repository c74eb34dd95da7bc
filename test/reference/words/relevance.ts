/** Relevance as docs/search.md states it: BM25 over weighted fields, in whole numbers. */
import { type Search, type SearchTerm, wantedTerms } from '../../../src/search/parse-search.ts'
import { holdsTerm, type SearchedField } from './search.ts'

const titles = ['title', 'headline', 'name', 'displayName', 'subject']

/** The score of each record that matches; `all` are the texts of the whole collection, `found` those that match. */
export function scoresOf(
  search: Search,
  all: readonly (readonly SearchedField[])[],
  found: readonly (readonly SearchedField[])[],
): number[] {
  const terms = [...new Map(wantedTerms(search).map((term) => [JSON.stringify(term), term])).values()]
  const numbers = terms.map((term) => {
    const having = all.filter((fields) =>
      fields.some((field) => isSearched(field, term) && holdsTerm(field.words, term)),
    )
    return Math.min(having.length, 10_000)
  })
  const rarities = numbers.map((n) => Math.round(Math.log(1 + (all.length - n + 0.5) / (n + 0.5)) * 1e6))
  const isSomeRare = numbers.some((n) => n < 10_000)
  const words = found.reduce((sum, fields) => sum + lengthOf(fields), 0) || 1
  return found.map((fields) => {
    const length = 300 + Math.floor((900 * lengthOf(fields) * found.length) / words)
    return terms.reduce((sum, term, index) => {
      const isOnce = isSomeRare && numbers[index] === 10_000 && isPlainWord(term)
      const amount = Math.min(amountOf(fields, term), isOnce ? 1 : Number.POSITIVE_INFINITY)
      return sum + Math.floor(((rarities[index] ?? 0) * amount * 2200) / (1000 * amount + length))
    }, 0)
  })
}

function isSearched({ name }: SearchedField, { field }: SearchTerm): boolean {
  return field === null || field === name
}

function weightOf({ name }: SearchedField): number {
  return titles.includes(name.split('_').at(-1) ?? '') ? 3 : 1
}

function lengthOf(fields: readonly SearchedField[]): number {
  return fields.reduce((sum, field) => sum + weightOf(field) * field.words.length, 0)
}

function isPlainWord({ prefix, words, field }: SearchTerm): boolean {
  return !prefix && words.length === 1 && field === null
}

/** A word in any field counts by its occurrences, rounded down; other terms as their weightiest field. */
function amountOf(fields: readonly SearchedField[], term: SearchTerm): number {
  const having = fields.filter((field) => isSearched(field, term) && holdsTerm(field.words, term))
  if (!isPlainWord(term)) return Math.max(0, ...having.map(weightOf))
  const times = having.reduce(
    (sum, field) => sum + weightOf(field) * field.words.filter((word) => word === term.words[0]).length,
    0,
  )
  return [0, 1, 2, 3, 4, 6, 9, 14].findLast((amount) => amount <= times) ?? 0
}
