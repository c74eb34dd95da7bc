/**
 * SQL fragments. Callers' values travel only through `${…}` of the tagged template and become parameters;
 * `identifier` and `literal` are for names and texts that come from the lexicons.
 */
import { empty, join, raw, type Sql, default as sql } from 'sql-template-tag'

export { default as sql, empty, join, raw, type Sql } from 'sql-template-tag'

/** A parameter of a statement. */
export type Value = string | number | bigint | Uint8Array | null

/** A list of at least this many values is hashed or sorted, and not compared with rows value by value. */
export const manyValues = 9

/** Values as parameters, with commas. */
export function listOf(values: readonly Value[]): Sql {
  return join(
    values.map((value) => sql`${value}`),
    ', ',
  )
}

/** A table, column or index name, quoted. */
export function identifier(name: string): Sql {
  return raw(quote(name))
}

/** The same as text. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text constant of ours, as a literal: the statement's text stays the same for the same operation. */
export function literal(text: string): Sql {
  return raw(`'${text.replaceAll("'", "''")}'`)
}

/** Fragments joined by ` and `; none at all is true. */
export function allOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? raw('true') : combined(conditions, ' and ')
}

/** Fragments joined by ` or `; none at all is false. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? raw('false') : combined(conditions, ' or ')
}

/** Engines read a long chain as a tree as deep as it is long, and limit that depth: it is cut into a tree of ours. */
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

/** Fragments with nothing between them. */
export function sequence(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? empty : join(parts as Sql[], '')
}
