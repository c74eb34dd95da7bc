/** Searches as queries of FTS5. */
import { frequencyMark, frequencySteps } from '../../search/indexed-words.ts'
import type { RankedTerm, RankedTerms, WordMatch } from '../../sql/dialect.ts'
import { identifier, join, raw, type Sql, sql } from '../../sql/sql.ts'
import { lengthsName, wordColumn } from './layout/word-ddl.ts'

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
 * Each query finds the records whose field has a word, or has it so often; its part is added up by record. FTS5 finds
 * them together with the search, so that a frequent word costs no more than the records that match.
 */
export function frequencies({ index, candidates, terms, match }: RankedTerms): Sql {
  const table = identifier(index)
  const within = match === null ? '' : `${wordQuery(match)} AND `
  const column = (place: number): Sql => raw(`x${place}`)
  const part = (place: number, amount: number, query: string, condition: Sql): Sql => {
    const values = terms.map((_, each) => sql`${raw(String(each === place ? amount : 0))} as ${column(each)}`)
    return sql`select rowid as id, 0 as c, ${join(values, ', ')} from ${table} where ${table} match ${within + query}${condition}`
  }
  const parts = terms.flatMap((term, place) =>
    stepsOf(term).map(({ amount, query, isFurther }) =>
      part(place, amount, query, isFurther ? sql` and not ${term.isCommon}` : sql``),
    ),
  )
  const none = terms.map((_, place) => sql`0 as ${column(place)}`)
  const sums = terms.map((_, place) => sql`sum(${column(place)}) as ${column(place)}`)
  const lengths = identifier(lengthsName({ name: index }))
  return sql`select found.id, lengths.words, ${join(
    terms.map((_, place) => column(place)),
    ', ',
  )} from (
    select id, ${join(sums, ', ')} from (
      select id, 1 as c, ${join(none, ', ')} from ${candidates} union all ${join(parts, ' union all ')}
    ) group by id having sum(c) > 0) found join ${lengths} lengths on lengths.id = found.id`
}

/** What each query for a term adds to its frequency. */
function stepsOf({ words, prefix, fields }: RankedTerm) {
  return fields.flatMap(({ field, weight }) => {
    const inField = (text: string): string => `({${wordColumn(field)}} : ${text})`
    const first = {
      amount: weight,
      query: inField(`"${words.join(' ')}"${prefix ? ' *' : ''}`),
      isFurther: false,
    }
    const [word = '', ...others] = words
    if (prefix || others.length > 0) return [first]
    const further = frequencySteps.map((step, place) => ({
      amount: weight * (step - (frequencySteps[place - 1] ?? 1)),
      query: inField(`"${frequencyMark(word, step)}"`),
      isFurther: true,
    }))
    return [first, ...further]
  })
}
