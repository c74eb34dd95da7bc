/**
 * SQL fragments. Callers' values travel only through `${…}` of the tagged template and become parameters;
 * `identifier` and `literal` are for names and texts that come from the lexicons.
 */
import { empty, join, raw, type Sql } from 'sql-template-tag'

export { default as sql, empty, join, raw, type Sql } from 'sql-template-tag'

/** A table, column or index name, quoted. */
export function identifier(name: string): Sql {
  return raw(`"${name.replaceAll('"', '""')}"`)
}

/** A text constant of ours, as a literal: the statement's text stays the same for the same operation. */
export function literal(text: string): Sql {
  return raw(`'${text.replaceAll("'", "''")}'`)
}

/** Fragments joined by ` and `; none at all is true. */
export function allOf(conditions: readonly Sql[]): Sql {
  const first = conditions[0]
  if (first === undefined) return raw('true')
  return conditions.length === 1 ? first : parenthesised(join(conditions as Sql[], ' and '))
}

/** Fragments joined by ` or `; none at all is false. */
export function anyOf(conditions: readonly Sql[]): Sql {
  const first = conditions[0]
  if (first === undefined) return raw('false')
  return conditions.length === 1 ? first : parenthesised(join(conditions as Sql[], ' or '))
}

function parenthesised(inner: Sql): Sql {
  return join([inner], '', '(', ')')
}

/** Fragments with nothing between them. */
export function sequence(parts: readonly Sql[]): Sql {
  return parts.length === 0 ? empty : join(parts as Sql[], '')
}
