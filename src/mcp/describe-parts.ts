/** What descriptions of collections and of fields share: words for types, counts of values, and making them fit. */
import type { FieldType } from '../schema/model.ts'
import { budgets, cutText, fitValue, tokensOfJson } from './budget.ts'
import { plainText, plainValue } from './plain-text.ts'

export type Json = Readonly<Record<string, unknown>>
export interface Counted {
  readonly groupCount: number
  readonly groups: readonly (Json & { readonly count: number })[]
}

export function valuesOf({ groupCount, groups }: Counted, keyOf: (group: Json) => unknown): Json {
  const shown = groups.map((group) => [String(keyOf(group) ?? '(missing)'), group.count] as const)
  const more = groupCount - groups.length
  return Object.fromEntries([...shown, ...(more > 0 ? [['(other values)', more] as const] : [])])
}

export function typeWord(type: FieldType): string {
  switch (type.kind) {
    case 'string':
      if (type.freeText) return 'text'
      return type.code ? 'code' : type.categorical ? 'category' : (type.format ?? 'string')
    case 'array':
      return `list of ${typeWord(type.of)}`
    case 'object':
      return `object {${type.type.fields.map(({ name }) => name).join(' ')}}`
    case 'strongRef':
    case 'atUri':
      return 'reference'
    case 'datetime':
      return 'time'
    default:
      return type.kind
  }
}

/** The most frequent values, and how many others there are. */
export function fewer(values: Json, most: number): Json {
  return Object.fromEntries(
    Object.entries(values).map(([name, counts]) => {
      const { '(other values)': others = 0, ...known } = counts as Record<string, number>
      const entries = Object.entries(known)
      const more = others + Math.max(entries.length - most, 0)
      const shown = entries.slice(0, most).map(([value, count]) => [cutText(value, 40), count] as const)
      return [name, Object.fromEntries([...shown, ...(more > 0 ? [['(other values)', more] as const] : [])])]
    }),
  )
}

export function fitted(whole: Json): Json {
  const { query, ...rest } = whole
  const room = budgets.describe - tokensOfJson(query) - 50
  return { ...(fitValue(plainValue(rest), room).value as Json), query: plainText(String(query)) }
}
