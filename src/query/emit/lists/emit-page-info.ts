/** `pageInfo` as SQL: whether there is more on either side of a page, and the cursors of its ends. */
import { literal, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitObject } from '../emit-output.ts'
import type { Emitter } from '../emitter.ts'
import type { ListOutput, ListPlan } from '../../plan/plan.ts'

type PageInfo = Extract<ListOutput, { kind: 'pageInfo' }>

/** The facts about a page that depend on its rows; positions are JSON arrays. */
export interface Ends {
  readonly more: Sql
  readonly first: Sql
  readonly last: Sql
}

/**
 * `before`: emits, as JSON, whether there are rows on the side of the page that its cursor bounds. `endsOf` is called only
 * for fields that depend on the rows of the page, and once.
 */
export function emitPageInfo(
  emitter: Emitter,
  list: Pick<ListPlan, 'page' | 'binding' | 'ranking'>,
  { fields }: PageInfo,
  before: () => Sql,
  endsOf: () => Ends,
): Sql {
  const { dialect } = emitter
  const { page } = list
  let found: Ends | null = null
  const ends = (): Ends => (found ??= endsOf())
  const cursorAt = (end: 'first' | 'last'): Sql =>
    page.size === 0 ? raw(`'null'`) : sql`coalesce(${emitCursor(emitter, list, ends()[end])}, 'null')`
  const more = (): Sql => dialect.booleanJson(ends().more)
  return emitObject(emitter, fields, (field) => {
    switch (field.kind) {
      case 'hasNextPage':
        return page.backward ? before() : more()
      case 'hasPreviousPage':
        return page.backward ? more() : before()
      case 'startCursor':
        return cursorAt('first')
      case 'endCursor':
        return cursorAt('last')
    }
  })
}

/** The ends of a page whose rows are numbered: `n`, of `c`. */
export function numberedEnds(page: Sql, { backward, size }: ListPlan['page'], position: () => Sql): Ends {
  const lastOne = sql`case when ${page}.c < ${size} then ${page}.c else ${size} end`
  const positionAt = (n: Sql): Sql => sql`max(${position()}) filter (where ${page}.n = ${n})`
  const [first, last] = backward ? [lastOne, sql`1`] : [sql`1`, lastOne]
  return { more: sql`count(*) > ${size}`, first: positionAt(first), last: positionAt(last) }
}

/** A cursor as JSON. By relevance, its binding has the search, which the statement must not contain. */
export function emitCursor(
  { dialect }: Emitter,
  { binding, ranking }: Pick<ListPlan, 'binding' | 'ranking'>,
  position: Sql,
): Sql {
  return dialect.toJson(sql`page_cursor(${ranking === null ? literal(binding) : binding}, ${position})`)
}
