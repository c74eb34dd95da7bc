/** The rows of a list in order, from its page's cursor on; the caller decides what to select of them. */
import { allOf, anyOf, identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { type Access, beyondPosition, emitFilters, emitFrom, isOpaque } from '../emit-access-path.ts'
import { emitFilter } from '../emit-filter.ts'
import { countedAt } from '../emit-links.ts'
import { isNull } from '../emit-membership.ts'
import type { Emitter, EmitRows, RecordRow, SelectedValues } from '../emitter.ts'
import { newRow, opaqueTermsOf } from '../emitter.ts'
import { staged } from '../steps.ts'
import { emitDistinct } from './emit-distinct.ts'
import { orderOf, segments, keyOf, type SelectedRows } from './emit-order.ts'
import { emitRanked } from './emit-ranking.ts'
import type { AlongCounts, Conjunct, OrderedRows, RowOrder, Span } from '../../plan/physical-plan.ts'
import type { SortKey } from '../../plan/plan.ts'
import { rankingIndex } from '../../../database/layout/counts.ts'

export const emitRows: EmitRows = (emitter, rows, parent, selection) => {
  const row = newRow(emitter, rows.table)
  const selected = { ...rows, parent, selection }
  switch (rows.order.kind) {
    case 'ids':
      return inIdOrder(emitter, selected, rows.order.sorted, row)
    case 'sort':
      return sorted(emitter, selected, row)
    case 'counts':
      return emitAlongCounts(emitter, selected, rows.order)
    case 'distinct':
      return emitDistinct(emitter, selected, rows.order)
    case 'relevance':
      return emitRanked(emitter, selected, rows.order)
    case 'verify':
      return verified(emitter, selected, rows.order, row)
    case 'path':
      return alongPath(emitter, selected, rows.order, row)
  }
}

function inIdOrder(emitter: Emitter, rows: SelectedRows, isSorted: boolean, row: RecordRow): Sql {
  const { table, sort, position, inclusive, limit, parent, selection } = rows
  const value = selection.value(row)
  const direction = sort[0]?.direction ?? 'desc'
  const bound = position === null ? null : beyondPosition(emitter, table, position, direction, inclusive)
  const condition = conditionOf(emitter, rows, row, selection)
  const order = sql`order by ${row.alias}.id ${raw(direction)}`
  const end = sql`limit ${emitter.dialect.limit(limit)}`
  const { from, on } = emitFrom(emitter, rows, row, parent, { direction, bound })
  // Ids that arrive in order are not sorted again, because sorting would gather all of them first.
  return sql`select ${value} from ${from} where ${allOf([...on, condition])} ${isSorted ? sql`` : order} ${end}`
}

function sorted(emitter: Emitter, rows: SelectedRows, row: RecordRow): Sql {
  const { sort, position, inclusive, limit, parent, selection } = rows
  const value = selection.value(row)
  const condition = conditionOf(emitter, rows, row, selection)
  const { orders, joined } = orderOf(emitter, sort, row, isOpaque(rows.path))
  const starts = position === null ? [] : [anyOf(segments(emitter, sort, position, row, inclusive))]
  const beyond = isOpaque(rows.path) ? starts.map(opaqueTermsOf(emitter.dialect).condition) : starts
  const found = (): Sql => {
    const { from, on } = emitFrom(emitter, rows, row, parent)
    return sql`select ${value} from ${from}${joined} where ${allOf([...on, ...beyond, condition])}`
  }
  const limited = sql`limit ${emitter.dialect.limit(limit)}`
  // The offset would have all rows of all nodes gathered first.
  if (selection.isComputedFirst !== true || emitter.dialect.isSpread)
    return sql`${found()} order by ${join(orders, ', ')} ${limited}`
  const alias = emitter.alias()
  const by = orderOf(emitter, sort, { ...row, alias }).orders
  return sql`select * from (${found()} offset 0) ${alias} order by ${join(by, ', ')} ${limited}`
}

/** Sorts candidates, then verifies one condition until a page is full: folding texts takes longer. */
function verified(
  emitter: Emitter,
  rows: SelectedRows,
  { verified: condition, unverified }: Extract<RowOrder, { kind: 'verify' }>,
  row: RecordRow,
): Sql {
  const { sort, position, inclusive, limit, table, selection } = rows
  const { value, except } = selection
  const inner = newRow(emitter, table)
  const { from, on } = emitFrom(emitter, rows, inner, null)
  const { orders, joined } = orderOf(emitter, sort, inner)
  const beyond = position === null ? [] : [anyOf(segments(emitter, sort, position, inner, inclusive))]
  const held = allOf([...on, ...beyond, ...unverified.map((part) => emitFilter(emitter, part, inner))])
  const ids = sql`select ${inner.alias}.id as id from ${from}${joined} where ${held} order by ${join(orders, ', ')} limit -1`
  const candidate = emitter.alias()
  // The candidates are visible rows, so hidden rows need no second check.
  const found = sql`${identifier(table.name)} ${row.alias} on ${row.alias}.id = ${candidate}.id`
  const verifiedOnes = emitFilter(emitter, condition, row)
  const holds = except === undefined ? verifiedOnes : sql`${verifiedOnes} and not ${except(row)}`
  return sql`select ${value(row)} from (${ids}) ${candidate} ${emitter.dialect.join} ${found} where ${holds}
    limit ${emitter.dialect.limit(limit)}`
}

function alongPath(
  emitter: Emitter,
  rows: SelectedRows,
  order: Extract<RowOrder, { kind: 'path' }>,
  row: RecordRow,
): Sql {
  const { sort, position, inclusive, limit, path, selection } = rows
  const tied = order.keepsTies ? selection.tied?.(row) : undefined
  const value = selection.value(row)
  const [first, ...others] = sort as readonly [SortKey, ...SortKey[]]
  // Each part has missing values of the first key alone, or none, so that an index in the usual order serves it.
  const { orders, joined } = orderOf(emitter, [{ ...first, missing: undefined }, ...others], row)
  // The first column of an index by two has the same value in all rows.
  const before = path.kind === 'index-range' ? path.rangeColumn : null
  const fixed = before === null ? [] : [sql`${row.alias}.${identifier(before)} ${raw(first.direction)}`]
  const by = join([...fixed, ...orders], ', ')
  const rowsOf = (rows: number | null): Sql => opaqueTermsOf(emitter.dialect).limit(rows)
  const isOrdered = path.kind === 'index-range'
  const page = sql`limit ${emitter.dialect.limit(limit)}`
  // The limit of a part is not known to the planner, that of the page is: what is joined to it expects few rows.
  const end = isOrdered && !emitter.dialect.isSpread ? sql`limit ${rowsOf(limit)}` : page
  const part = (start: readonly Sql[], span: Span | null, filter: readonly Conjunct[]): Sql => {
    const access = { ...rows, filter }
    const { from, on } = emitFrom(emitter, access, row, null)
    const found = [...on, ...start]
    const rest = conditionOf(emitter, access, row, selection)
    const held = allOf([...found, rest])
    if (tied !== undefined) {
      const keys = sort.slice(0, -1).map((key) => keyOf(emitter, key, row))
      return sql`select ${tied} from ${from} where ${held} group by ${join(keys, ', ')} order by ${join(orders.slice(0, -1), ', ')} ${end}`
    }
    if (span === null || emitter.dialect.isSpread)
      return sql`select ${value} from ${from}${joined} where ${held} order by ${by} ${end}`
    const isNear = span.side === 'near'
    const offset = isNear ? sql`` : sql` offset ${span.rows}`
    const within = sql`(select * from ${from} where ${allOf(found)} order by ${by}
      limit ${rowsOf(isNear ? span.rows : null)}${offset}) ${row.alias}`
    return sql`select ${value} from ${within}${joined} where ${rest} order by ${by} ${end}`
  }
  // Where all is gathered from nodes, the first rows are not read apart.
  const spans = emitter.dialect.isSpread ? order.spans.slice(0, 1) : order.spans
  const segment = (start: readonly Sql[]): Sql[] => spans.map(({ span, filter }) => part(start, span, filter))
  const halves = (): Sql[] => {
    const present = [false, true].map((is) => isNull(keyOf(emitter, first, row), is))
    return first.missing === 'last' ? present : present.toReversed()
  }
  // Each segment is one range of the order's index, and the segments follow each other in order.
  const starts = position === null ? halves() : segments(emitter, sort, position, row, inclusive)
  const parts =
    position === null && first.missing === undefined
      ? segment([])
      : starts.flatMap((start) => segment([start]))
  if (position === null && parts.length === 1 && (!isOrdered || emitter.dialect.isSpread))
    return parts[0] as Sql
  const inTurn = parts.map((each) => sql`select * from ${staged(emitter, each)} ${emitter.alias()}`)
  return sql`${join(inTurn, ' union all ')} ${page}`
}

function conditionOf(emitter: Emitter, access: Access, row: RecordRow, { except }: SelectedValues): Sql {
  const filters = emitFilters(emitter, access, row)
  return except === undefined ? filters : sql`${filters} and not ${except(row)}`
}

/**
 * Rows in the order of how many records refer to them: along an index over materialized counts, which end a page early,
 * and, as no record has a count of zero, the other records before or after them.
 */
function emitAlongCounts(emitter: Emitter, rows: SelectedRows, { of, counts }: AlongCounts): Sql {
  const { table, sort, position, inclusive, limit, selection } = rows
  const { value } = selection
  const end = sql`limit ${emitter.dialect.limit(limit)}`
  const name = identifier(counts.name)
  const counted = (): Sql[] => {
    const at = emitter.alias()
    const plain = newRow(emitter, table)
    const row: RecordRow = { ...plain, counted: [{ of, n: sql`${at}.n` }] }
    // Each segment is one range of the counts.
    const starts = position === null ? [sql``] : segments(emitter, sort, position, row, inclusive)
    const { orders, joined } = orderOf(emitter, sort, row)
    const from = sql`${name} ${at}${emitter.dialect.scan(rankingIndex(counts))} ${emitter.dialect.join} ${emitter.rows(table, row.alias)} on ${countedAt(emitter, { counts }, row.alias, at)}${joined}`
    return starts.map((start) => {
      const where = allOf([...(position === null ? [] : [start]), emitFilters(emitter, rows, row)])
      return sql`select ${value(row)} from ${from} where ${where} order by ${join(orders, ', ')} ${end}`
    })
  }
  const others = (): Sql[] => {
    const [at, plain] = [emitter.alias(), newRow(emitter, table)]
    const row: RecordRow = { ...plain, counted: [{ of, n: raw('cast(0 as bigint)') }] }
    const { orders, joined } = orderOf(emitter, sort.slice(1), row)
    const start = startAmongOthers(emitter, rows, row)
    if (start === null) return []
    const isOther = sql`not exists (select 1 from ${name} ${at} where ${countedAt(emitter, { counts }, at, row.alias)})`
    const where = allOf([isOther, ...start, emitFilters(emitter, rows, row)])
    const from = sql`${emitter.rows(table, row.alias)}${joined}`
    return [sql`select ${value(row)} from ${from} where ${where} order by ${join(orders, ', ')} ${end}`]
  }
  const parts = sort[0]?.direction === 'asc' ? [...others(), ...counted()] : [...counted(), ...others()]
  const inTurn = parts.map((each) => sql`select * from ${staged(emitter, each)} ${emitter.alias()}`)
  return sql`${join(inTurn, ' union all ')} ${end}`
}

/** Where the page begins among the records without a count; null: behind them. */
function startAmongOthers(
  emitter: Emitter,
  { sort, position, inclusive }: OrderedRows,
  row: RecordRow,
): readonly Sql[] | null {
  if (position === null) return []
  const [count, ...rest] = position
  const order = Math.sign(Number(count)) * (sort[0]?.direction === 'asc' ? 1 : -1)
  if (order > 0) return null
  if (order < 0) return []
  const starts = segments(emitter, sort.slice(1), rest, row, inclusive)
  return [sql`(${join(starts, ' or ')})`]
}
