/** The page of groups that is shown, to which what lies within groups is restricted. */
import { type Sql, sql } from '../../../../sql/sql.ts'
import type { Emitter } from '../../emitter.ts'

export interface OuterPage {
  /** Name of a relation of the groups with the columns of their keys, a `place`, and a `token` of their keys. */
  readonly name: Sql
  /** The columns of the keys. */
  readonly keys: readonly Sql[]
}

/** What is printed within each group: a relation with the `place` of a group and the `text` in it. */
export interface Nested {
  /** Common table expressions, in order. */
  readonly tables: readonly Sql[]
  readonly name: Sql
}

/** The keys as one text. Joins on it are hashed, and match missing keys, which equal nothing. */
export function tokenOf({ dialect }: Emitter, keys: readonly Sql[], row: Sql): Sql {
  return dialect.jsonArray(keys.map((key) => sql`${row}.${key}`))
}

/** Joins the `place` of its outer group to each row on the left. */
export function joinPlace(emitter: Emitter, { name, keys }: OuterPage, row: Sql, place: Sql): Sql {
  return sql`${emitter.dialect.join} (select place, token from ${name}) ${place} on ${place}.token = ${tokenOf(emitter, keys, row)}`
}
