/**
 * SQL fragments, and the expressions that are the same in every database. Values from callers enter only through `${…}`
 * of the tagged template and become parameters; `identifier` and `literal` are for names and texts from the lexicons.
 */
import { empty, join, raw, type Sql, default as sql } from 'sql-template-tag'

export { default as sql, empty, join, raw, type Sql } from 'sql-template-tag'

/** A parameter of a statement. */
export type Value = string | number | bigint | Uint8Array | null

/** A list of at least this many values is hashed or sorted instead of being compared value by value. */
export const manyValues = 9

/** Values as parameters, and fragments, separated by commas. */
export function listOf(values: readonly (Value | Sql)[]): Sql {
  return join(values, ', ')
}

/** A quoted name of a table, column or index. */
export function identifier(name: string): Sql {
  return raw(quote(name))
}

/** The same as text. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A constant text as a literal, so that the statement text is the same for the same operation. */
export function literal(text: string): Sql {
  return raw(`'${text.replaceAll("'", "''")}'`)
}

/** Joins fragments with ` and `; an empty list is true. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? raw('true') : combined(conditions, ' and ')
}

/** Joins fragments with ` or `; an empty list is false. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? raw('false') : combined(conditions, ' or ')
}

/** Engines parse a long chain into a tree of that depth, and limit the depth; longer chains become a balanced tree. */
const longestChain = 50

function combined(conditions: readonly Sql[], operator: string): Sql {
  const [first] = conditions
  if (first !== undefined && conditions.length === 1) return first
  if (conditions.length <= longestChain) return join(conditions, operator, '(', ')')
  const size = Math.ceil(conditions.length / longestChain)
  const parts: Sql[] = []
  for (let start = 0; start < conditions.length; start += size)
    parts.push(combined(conditions.slice(start, start + size), operator))
  return combined(parts, operator)
}

/** Concatenates fragments without a separator. */
export function sequence(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? empty : join(parts, '')
}

/** Engines allow 100 arguments in a function call, or 99. */
const maxArguments = 99

/** The parts of a concatenation, so that nested concatenations are flattened: each level would copy the text again. */
const partsOf = new WeakMap<Sql, readonly Sql[]>()

/** Concatenates texts; null counts as the empty text. */
export function concat(parts: readonly Sql[]): Sql {
  const all = mergedLiterals(parts.flatMap((part) => partsOf.get(part) ?? [part]))
  const text = concatCall(all)
  partsOf.set(text, all)
  return text
}

function concatCall(parts: readonly Sql[]): Sql {
  if (parts.length === 1) return parts[0] as Sql
  if (parts.length <= maxArguments) return sql`concat(${listOf(parts)})`
  const chunks: Sql[] = []
  for (let start = 0; start < parts.length; start += maxArguments)
    chunks.push(concatCall(parts.slice(start, start + maxArguments)))
  return concatCall(chunks)
}

function mergedLiterals(parts: readonly Sql[]): readonly Sql[] {
  const merged: Sql[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (last !== undefined && isLiteral(last) && isLiteral(part))
      merged[merged.length - 1] = raw(`${last.sql.slice(0, -1)}${part.sql.slice(1)}`)
    else merged.push(part)
  }
  return merged
}

function isLiteral({ strings, values }: Sql): boolean {
  return values.length === 0 && strings.length === 1 && /^'(?:[^']|'')*'$/.test(strings[0] ?? '')
}
