/** Searches as conditions on a collection's vectors of words. */
import { frequencyMark, frequencySteps } from '../../search/indexed-words.ts'
import type { RankedTerm, RankedTerms, WordMatch } from '../../sql/dialect.ts'
import { allOf, anyOf, identifier, join, raw, type Sql, sql } from '../../sql/sql.ts'

/** A letter or letters before a word, by the position of its field; words have no capital letters. */
export function fieldPrefix(index: number): string {
  const letter = String.fromCharCode(0x41 + (index % 26))
  return index < 26 ? letter : fieldPrefix(Math.floor(index / 26) - 1) + letter
}

/**
 * Whether the words of a row match. Vectors hold a limited number of positions: where one lacks some, which is rare,
 * phrases are compared with the words themselves. The first condition is the one that the index answers.
 */
export function wordsMatch(alias: Sql, fieldCount: number, match: WordMatch): Sql {
  const vector = sql`${alias}.words`
  const exact = sql`${vector} @@ ${queryOf(match, fieldCount, true)}::tsquery`
  if (!hasPhrase(match)) return sql`(${exact})`
  const verified = sql`(${alias}.words_text is not null and ${verify(alias, match, fieldCount)})`
  return sql`(${vector} @@ ${queryOf(match, fieldCount, false)}::tsquery and (${exact} or ${verified}))`
}

/** As a `tsquery`; without order, it finds at least the same records. */
function queryOf(match: WordMatch, fieldCount: number, inOrder: boolean): string {
  switch (match.kind) {
    case 'term': {
      const fields = match.fields ?? Array.from({ length: fieldCount }, (_, index) => index)
      return `(${fields.map((field) => phraseOf(match, field, inOrder)).join(' | ')})`
    }
    case 'any':
      return `(${match.of.map((part) => queryOf(part, fieldCount, inOrder)).join(' | ')})`
    case 'all': {
      const without = match.except.filter((part) => inOrder || !hasPhrase(part))
      const parts = [
        ...match.of.map((part) => queryOf(part, fieldCount, inOrder)),
        ...without.map((part) => `!${queryOf(part, fieldCount, inOrder)}`),
      ]
      return `(${parts.join(' & ')})`
    }
  }
}

function phraseOf(
  { words, prefix }: Extract<WordMatch, { kind: 'term' }>,
  field: number,
  inOrder: boolean,
): string {
  const last = words.length - 1
  const lexemes = words.map(
    (word, index) => `'${fieldPrefix(field)}${word}'${prefix && index === last ? ':*' : ''}`,
  )
  return lexemes.length === 1 ? (lexemes[0] as string) : `(${lexemes.join(inOrder ? ' <-> ' : ' & ')})`
}

function hasPhrase(match: WordMatch): boolean {
  if (match.kind === 'term') return match.words.length > 1
  return [...match.of, ...(match.kind === 'all' ? match.except : [])].some(hasPhrase)
}

function verify(alias: Sql, match: WordMatch, fieldCount: number): Sql {
  switch (match.kind) {
    case 'term': {
      const { words, prefix, fields } = match
      if (words.length === 1) return sql`${alias}.words @@ ${queryOf(match, fieldCount, true)}::tsquery`
      const text = ` ${words.join(' ')}${prefix ? '' : ' '}`
      const searched = fields ?? Array.from({ length: fieldCount }, (_, index) => index)
      return anyOf(
        searched.map(
          (field) =>
            sql`strpos(split_part(${alias}.words_text, chr(30), cast(${field + 1} as integer)), ${text}) > 0`,
        ),
      )
    }
    case 'any':
      return anyOf(match.of.map((part) => verify(alias, part, fieldCount)))
    case 'all':
      return allOf([
        ...match.of.map((part) => verify(alias, part, fieldCount)),
        ...match.except.map((part) => sql`not ${verify(alias, part, fieldCount)}`),
      ])
  }
}

/** Reads the frequencies from the vector of each candidate. */
export function frequencies({ table, candidates, terms }: RankedTerms): Sql {
  const row = raw('ranked_row')
  const columns = terms.map((term, place) => sql`${frequencyOf(row, term)} as ${raw(`x${place}`)}`)
  return sql`select ${row}.id, ${row}.word_count as words, ${join(columns, ', ')}
    from ${candidates} c join ${identifier(table)} ${row} on ${row}.id = c.id`
}

function frequencyOf(row: Sql, { words, prefix, fields, isCommon }: RankedTerm): Sql {
  const sums = fields.map(({ field, weight }) => {
    const present = wordsMatch(row, field + 1, { kind: 'term', words, prefix, fields: [field] })
    const [word = '', ...others] = words
    if (prefix || others.length > 0) return sql`case when ${present} then ${raw(String(weight))} else 0 end`
    const times = timesOf(row, fieldPrefix(field), word)
    return sql`case when not ${present} then 0 when ${isCommon} then ${raw(String(weight))} else ${raw(String(weight))} * ${times} end`
  })
  return sql`(${join(sums, ' + ')})`
}

/** The greatest step that the word reaches; the next step is looked up only if the one before holds. */
function timesOf(row: Sql, prefix: string, word: string): Sql {
  return [...frequencySteps].reduceRight(
    (above, step, place) => {
      const below = frequencySteps[place - 1] ?? 1
      const mark = `'${prefix}${frequencyMark(word, step)}'`
      return sql`case when ${row}.words @@ ${mark}::tsquery then ${above} else ${raw(String(below))} end`
    },
    raw(String(frequencySteps.at(-1))),
  )
}
