/**
 * SQL fragments. Values from callers enter only through `${…}` of the tagged template and become parameters;
 * `identifier` and `literal` are for names and texts from the lexicons.
 */
import { empty, join, raw, type Sql, default as sql } from 'sql-template-tag'

export { default as sql, empty, join, raw, type Sql } from 'sql-template-tag'

/** A parameter of a statement. */
export type Value = string | number | bigint | Uint8Array | null

/** A list of at least this many values is hashed or sorted instead of being compared value by value. */
export const manyValues = 9

/** Values as parameters, separated by commas. */
export function listOf(values: readonly Value[]): Sql {
  return join(
    values.map((value) => sql`${value}`),
    ', ',
  )
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
  if (conditions.length <= longestChain) return parenthesised(join(conditions as Sql[], operator))
  const size = Math.ceil(conditions.length / longestChain)
  const parts: Sql[] = []
  for (let start = 0; start < conditions.length; start += size)
    parts.push(combined(conditions.slice(start, start + size), operator))
  return combined(parts, operator)
}

function parenthesised(inner: Sql): Sql {
  return join([inner], '', '(', ')')
}

/** Concatenates fragments without a separator. */
export function sequence(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? empty : join(parts as Sql[], '')
}
