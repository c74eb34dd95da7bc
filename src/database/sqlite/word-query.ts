/** Searches as queries of FTS5, and how much the terms of a search count in records. */
import { markedAmounts, markOf } from '../../search/indexed-words.ts'
import type { RankedTerm, RankedTerms, WordMatch } from '../../sql/dialect.ts'
import { identifier, join, listOf, raw, type Sql, sql } from '../../sql/sql.ts'
import { lengthsName, wordColumn } from './layout/word-ddl.ts'

/** The right side of FTS5's `match`. Words need no escaping: they contain no quotation marks. */
export function wordQuery(match: WordMatch): string {
  switch (match.kind) {
    case 'term': {
      const { words, prefix, fields } = match
      const phrase = `"${words.join(' ')}"${prefix ? ' *' : ''}`
      return fields === null ? phrase : `{${fields.map(wordColumn).join(' ')}} : ${phrase}`
    }
    case 'any':
      return `(${match.of.map(wordQuery).join(' OR ')})`
    case 'all': {
      const all = match.of.map(wordQuery).join(' AND ')
      return match.except.length === 0
        ? `(${all})`
        : `((${all}) NOT (${match.except.map(wordQuery).join(' OR ')}))`
    }
  }
}

/**
 * Each part of the union finds the records that have a mark, or a term in a field; amounts are added up by record. The
 * column `c` is 1 for candidates, so that its sum is 0 for other records. The marks of a rare word are read as a whole;
 * those of a frequent word together with the search, whose rarer words FTS5 follows.
 */
export function amountsOf({ index, candidates, terms, match, bound }: RankedTerms): Sql {
  const table = identifier(index)
  const column = (place: number): Sql => raw(`x${place}`)
  const values = (amount: (place: number) => number): Sql =>
    listOf(terms.map((_, place) => sql`${raw(String(amount(place)))} as ${column(place)}`))
  const within = bound === null ? sql`` : sql` and rowid ${bound}`
  const parts = terms.flatMap((term, place) =>
    partsOf(term).map(({ amount, query, isMark }) => {
      const found = match !== null && term.isFrequent ? `${wordQuery(match)} AND ${query}` : query
      const once = isMark ? sql` and not ${term.countsOnce}` : sql``
      const own = values((each) => (each === place ? amount : 0))
      return sql`select rowid as id, 0 as c, ${own} from ${table} where ${table} match ${found}${within}${once}`
    }),
  )
  const implied = values((place) => impliedAmount(terms[place] as RankedTerm))
  const sums = terms.map((_, place) => sql`sum(${column(place)}) as ${column(place)}`)
  const lengths = identifier(lengthsName({ name: index }))
  const all = [sql`select id, 1 as c, ${implied} from ${candidates}`, ...parts]
  return sql`select found.id, lengths.words, ${listOf(terms.map((_, place) => column(place)))} from (
    select id, ${listOf(sums)} from (${join(all, ' union all ')}) group by id having sum(c) > 0) found
    join ${lengths} lengths on lengths.id = found.id`
}

/** The amount that every candidate has at least. */
function impliedAmount({ fields, isRequired }: RankedTerm): number {
  if (!isRequired) return 0
  return fields === null ? 1 : Math.min(...fields.map(({ weight }) => weight))
}

/** Queries for a term, each with what it adds to the implied amount of the records that it finds. */
function partsOf(term: RankedTerm) {
  const { words, prefix, fields, isRequired } = term
  const text = `"${words.join(' ')}"${prefix ? ' *' : ''}`
  const marks = markedAmounts.map((amount) => ({
    amount: amount - 1,
    query: `"${markOf(words[0] ?? '', amount)}"`,
    isMark: true,
  }))
  if (fields === null) return isRequired ? marks : [{ amount: 1, query: text, isMark: false }, ...marks]
  const weights = [...new Set(fields.map(({ weight }) => weight))].sort((a, b) => a - b)
  const steps = weights.map((weight, place) => {
    const having = fields.filter((field) => field.weight >= weight).map(({ field }) => wordColumn(field))
    const amount = weight - (weights[place - 1] ?? 0)
    return { amount, query: `({${having.join(' ')}} : ${text})`, isMark: false }
  })
  return isRequired ? steps.slice(1) : steps
}
