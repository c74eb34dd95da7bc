/** Searches as conditions on a collection's vectors of words. */
import { markedAmounts, markOf } from '../../search/indexed-words.ts'
import { spanOfNear } from '../../search/nearest-words.ts'
import type { RankedTerm, WordMatch } from '../../sql/dialect.ts'
import { allOf, anyOf, join, raw, type Sql, sql } from '../../sql/sql.ts'

/** Separates the fields in `words_text`; no word contains it. */
export const fieldSeparator = '\u001e'

/** A letter or letters before a word, by the position of its field; words have no capital letters. */
export function fieldPrefix(index: number): string {
  const letter = String.fromCharCode(0x41 + (index % 26))
  return index < 26 ? letter : fieldPrefix(Math.floor(index / 26) - 1) + letter
}

/**
 * Whether the words of a row match. A vector holds a limited number of positions. The few rows whose vectors lack
 * positions have `words_text`, by which phrases, and the absence of phrases, are verified. The first condition is the
 * one that the index answers.
 */
export function wordsMatch(alias: Sql, fieldCount: number, match: WordMatch): Sql {
  const vector = sql`${alias}.words`
  const exact = sql`${vector} @@ ${queryOf(match, fieldCount, true)}::tsquery`
  if (!hasPhrase(match)) return sql`(${exact})`
  const whole = sql`(${alias}.words_text is null and ${exact})`
  const verified = sql`(${alias}.words_text is not null and ${verify(alias, match, fieldCount)})`
  return sql`(${vector} @@ ${queryOf(match, fieldCount, false)}::tsquery and (${whole} or ${verified}))`
}

/** The text of a `tsquery`. Without `inOrder` it finds at least the same records: phrases are words in any order. */
function queryOf(match: WordMatch, fieldCount: number, inOrder: boolean): string {
  switch (match.kind) {
    case 'term': {
      const fields = match.fields ?? allFields(fieldCount)
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

/** The positions of all fields. */
function allFields(fieldCount: number): readonly number[] {
  return Array.from({ length: fieldCount }, (_, field) => field)
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

/** The same condition by `words_text`, in which each word stands between spaces. */
function verify(alias: Sql, match: WordMatch, fieldCount: number): Sql {
  switch (match.kind) {
    case 'term': {
      const { words, prefix, fields } = match
      if (words.length === 1) return sql`${alias}.words @@ ${queryOf(match, fieldCount, true)}::tsquery`
      const text = ` ${words.join(' ')}${prefix ? '' : ' '}`
      const separator = raw(`chr(${fieldSeparator.charCodeAt(0)})`)
      return anyOf(
        (fields ?? allFields(fieldCount)).map(
          (field) =>
            sql`strpos(split_part(${alias}.words_text, ${separator}, cast(${field + 1} as integer)), ${text}) > 0`,
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

/**
 * How much a term counts in a row, from its vector: by the marks of a word in any field, otherwise the highest weight of
 * a field that has the term; 0 if there is none.
 */
export function amountIn(
  row: Sql,
  fieldCount: number,
  { words, prefix, fields, isRequired }: RankedTerm,
): Sql {
  if (fields !== null) {
    const cases = [...fields]
      .sort((a, b) => b.weight - a.weight)
      .map(({ field, weight }) => {
        const present = wordsMatch(row, fieldCount, { kind: 'term', words, prefix, fields: [field] })
        return sql`when ${present} then ${raw(String(weight))}`
      })
    return sql`(case ${join(cases, ' ')} else 0 end)`
  }
  const [word = ''] = words
  const has = (lexeme: string): Sql => sql`${row}.words @@ ${`'${lexeme}'`}::tsquery`
  const marks = markedAmounts.map(
    (amount) => sql`when ${has(markOf(word, amount))} then ${raw(String(amount))}`,
  )
  const amount = sql`case ${join(marks, ' ')} else 1 end`
  if (isRequired) return sql`(${amount})`
  const all = allFields(fieldCount).map((field) => `'${fieldPrefix(field)}${word}'`)
  return sql`(case when ${row}.words @@ ${all.join(' | ')}::tsquery then ${amount} else 0 end)`
}

/**
 * A query for each `word` of one field, and the number `n` of vectors that have it, from a relation with vectors as
 * `words`. Marks, which have no capital letters before them, are not counted.
 */
export function countLexemes(read: Sql, field: number): Sql {
  const prefix = fieldPrefix(field)
  const [letters, next] = [raw(String(prefix.length)), raw(String(prefix.length + 1))]
  const isOfField = sql`left(lexeme, ${letters}) = ${raw(`'${prefix}'`)} and substr(lexeme, ${next}, 1) !~ '[A-Z]'`
  return sql`select substr(lexeme, ${next}) collate "C" as word, count(*) as n
    from ${read} cross join unnest(words) where ${isOfField} group by 1`
}

/** Words at most so many edits from one. Each edit changes one character, so that few are compared in full. */
export function nearWords(vocabulary: Sql, word: string, most: number): Sql {
  const { from, to } = spanOfNear(word)
  const { length } = [...word]
  const [given, limit] = [sql`cast(${word} as text)`, raw(String(most))]
  const edits = sql`edit_distance(${given}, word)`
  return sql`select word, n, ${edits} as edits from ${vocabulary} where word >= ${from} and word < ${to}
    and length(word) between ${raw(String(length - most))} and ${raw(String(length + most))}
    and length(translate(word, ${given}, '')) <= ${limit} and length(translate(${given}, word, '')) <= ${limit}
    and ${edits} <= ${limit}`
}
