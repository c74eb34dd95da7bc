/** Orders of lists as SQL: sort expressions, positions in an order, and the ranges beyond a position. */
import type { ColumnValue } from '../../../database/database.ts'
import { allOf, identifier, type Sql, sql } from '../../../sql/sql.ts'
import type { Emitter, Parent, RecordRow, SelectedValues } from '../emitter.ts'
import { columnOf, opaqueTermsOf, uriText } from '../emitter.ts'
import { emitReferringCount } from '../emit-links.ts'
import { placeOfMissing } from '../../plan/fields.ts'
import { isInstant } from '../../plan/plan-facts.ts'
import type { OrderedRows } from '../../plan/physical-plan.ts'
import type { SortKey } from '../../plan/plan.ts'

/** Rows with what is selected of them; `parent`: the row to which their link refers. */
export interface SelectedRows extends OrderedRows {
  readonly parent: Parent
  readonly selection: SelectedValues
}

export function idOf({ alias }: RecordRow): Sql {
  return sql`${alias}.id as id`
}

/** The id of a row, and its relevance if the list is in that order. */
export function idAndRankOf(row: RecordRow): Sql {
  if (row.ranked === undefined) return idOf(row)
  return sql`${idOf(row)}, ${row.ranked.score} as score, ${row.ranked.statistics} as statistics`
}

/** The sort expressions of rows, and the join that they need. `isOpaque`: the planner sees no index in this order. */
export function orderOf(
  emitter: Emitter,
  sort: readonly SortKey[],
  row: RecordRow,
  isOpaque = false,
): { readonly orders: readonly Sql[]; readonly joined: Sql } {
  const { dialect } = emitter
  // A subquery starts again for each row; a join reads the repo collection of a row in half the time.
  const joins = dialect.joinKeepsOrder && sort.some((key) => columnOfRepoCollection(key) !== null)
  const base = joins ? emitter.alias() : null
  const orders = sort.map((key, index) => {
    const column = columnOfRepoCollection(key)
    const value = base === null || column === null ? keyOf(emitter, key, row) : sql`${base}.${column}`
    const at = isOpaque && index === 0 ? opaqueTermsOf(dialect).value(value) : value
    return sql`${at} ${orderingOf(emitter, key)}`
  })
  const joined = base === null ? sql`` : sql` ${dialect.join} base ${base} on ${base}.id = ${row.alias}.base`
  return { orders, joined }
}

/** The suffix of a sort expression. */
export function orderingOf({ dialect }: Emitter, { value, direction, missing }: SortKey): Sql {
  return dialect.ordering(direction, value.kind !== 'system' && value.kind !== 'count', missing)
}

function columnOfRepoCollection({ value }: SortKey): Sql | null {
  if (value.kind !== 'system') return null
  if (value.name === 'did') return sql`did`
  return value.name === 'baseUri' ? sql`uri` : null
}

/** What is beyond a position, as disjoint ranges in order: in each, some leading keys equal its own. */
export function segments(
  emitter: Emitter,
  sort: readonly SortKey[],
  position: readonly ColumnValue[],
  row: RecordRow,
  inclusive: boolean,
): Sql[] {
  const same = (key: SortKey, index: number): Sql => isSame(keyOf(emitter, key, row), position[index] ?? null)
  const found: Sql[] = inclusive ? [allOf(sort.map(same))] : []
  for (const [last, key] of [...sort.entries()].toReversed())
    for (const range of beyond(keyOf(emitter, key, row), position[last] ?? null, key))
      found.push(allOf([...sort.slice(0, last).map(same), range]))
  return found
}

export function isSame(value: Sql, given: ColumnValue): Sql {
  return given === null ? sql`${value} is null` : sql`${value} = ${given}`
}

/** The values beyond that of a position, in the order of a key, as disjoint ranges. */
export function beyond(
  value: Sql,
  given: ColumnValue,
  { direction, nullable, missing = placeOfMissing(direction) }: Omit<SortKey, 'value'>,
): readonly Sql[] {
  if (given === null) return missing === 'last' ? [] : [sql`${value} is not null`]
  const further = direction === 'asc' ? sql`${value} > ${given}` : sql`${value} < ${given}`
  return missing === 'last' && nullable ? [further, sql`${value} is null`] : [further]
}

export function keyOf(emitter: Emitter, { value }: SortKey, { alias, ranked, counted }: RecordRow): Sql {
  switch (value.kind) {
    case 'column':
      return columnOf(emitter, alias, value.column)
    case 'uriText':
      return uriText(columnOf(emitter, alias, value.base), columnOf(emitter, alias, value.key))
    case 'system':
      if (value.name === 'did') return emitter.dialect.did(alias)
      if (value.name === 'baseUri') return sql`(select uri from base where id = ${alias}.base)`
      return sql`${alias}.${identifier(value.name)}`
    case 'count':
      return counted?.find(({ of }) => of === value)?.n ?? emitReferringCount(emitter, value, alias)
    case 'relevance':
      if (ranked === undefined) throw new Error('The row has no relevance.')
      return ranked.score
  }
}

/** The position of a row in the order, as a JSON array; in a list by relevance, with its statistics. */
export function positionOf(emitter: Emitter, sort: readonly SortKey[], row: RecordRow): Sql {
  const { dialect } = emitter
  const values = sort.map((key) =>
    isInstant(key.value) ? sql`cast(${keyOf(emitter, key, row)} as text)` : keyOf(emitter, key, row),
  )
  return dialect.jsonArray(row.ranked === undefined ? values : [...values, row.ranked.statistics])
}
