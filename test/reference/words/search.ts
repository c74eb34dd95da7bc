/** Which records a search finds, from the words of their texts; tokens and syntax are those of src/search. */
import type { Search, SearchTerm } from '../../../src/search/parse-search.ts'
import { plainWordsOf } from '../../../src/search/words.ts'
import { once } from '../once.ts'
import type { Field, Shape } from '../shapes.ts'
import {
  objectSubject,
  type PlainRecord,
  readField,
  shapeOf,
  type Subject,
  type Dataset,
} from '../dataset.ts'

/** The words of a free text, under the name that searches call it by. */
export interface SearchedField {
  readonly name: string
  readonly words: readonly string[]
}

/** The free texts of a record that are outside arrays, in the order of the lexicon. */
export function searchedFields(data: Dataset, record: PlainRecord): readonly SearchedField[] {
  return textsOf(shapeOf(data, record.collection))(record)
}

const textsOf = once((shape: Shape) =>
  once((record: PlainRecord) => fieldsOf({ kind: 'record', record, shape }, shape.fields, [])),
)

function fieldsOf(subject: Subject, fields: readonly Field[], path: readonly string[]): SearchedField[] {
  return fields.flatMap(({ name, kind }): SearchedField[] => {
    const { value } = readField(subject, name)
    const names = [...path, name]
    if (kind.kind === 'string')
      return isFreeText(kind.lexicon) ? [{ name: names.join('_'), words: plainWordsOf(value ?? '') }] : []
    if (kind.kind !== 'object') return []
    const inner = objectSubject(subject, kind, value ?? {})
    return inner.kind === 'object' && inner.within !== null ? fieldsOf(inner, inner.fields, names) : []
  })
}

export function isFreeText({
  maxGraphemes,
  format,
  knownValues,
  enum: listed,
  const: constant,
}: {
  readonly [key: string]: unknown
}): boolean {
  const limits = [format, knownValues, listed, constant]
  return maxGraphemes !== undefined && limits.every((limit) => limit === undefined)
}

export function searchHolds(fields: readonly SearchedField[], search: Search): boolean {
  switch (search.kind) {
    case 'all':
      return search.of.every((part) => searchHolds(fields, part))
    case 'any':
      return search.of.some((part) => searchHolds(fields, part))
    case 'not':
      return !searchHolds(fields, search.of)
    case 'term':
      return fields.some(
        ({ name, words }) => (search.field === null || search.field === name) && holdsTerm(words, search),
      )
  }
}

/** Whether the words of a field have the words of the term next to one another. */
export function holdsTerm(words: readonly string[], { words: wanted, prefix }: SearchTerm): boolean {
  return words.some((_, start) =>
    wanted.every((word, index) => {
      const found = words[start + index]
      return prefix && index === wanted.length - 1 ? found?.startsWith(word) : found === word
    }),
  )
}
