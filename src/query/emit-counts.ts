/**
 * What counts that are kept answer instead of the rows: how many records there are, also with one value, and groups
 * by one value. They count every row of a table, so that they are of use only while all may be seen.
 */
import { type CountTable, countKeys, dayLength } from '../database/counts.ts'
import type { Column, Table } from '../database/tables.ts'
import { identifier, join, raw, type Sql, sql } from '../sql/sql.ts'
import { columnOf, leftJoin, type UriParts } from './emit-operand.ts'
import { accountsOf, basesOf, emitCondition, mentionsReference } from './emit-where.ts'
import { type Emitter, type RecordRow, rowsOf } from './emitter.ts'
import { emitSemiJoinFromSources } from './candidate-sources.ts'
import type { AggregatePlan, Condition, GroupKey, Link } from './plan.ts'
import { conjuncts } from './index-matching.ts'

/** As many rows of counts take as long as one record. */
const countsPerRecord = 10
/** More rows of counts than these need not be told apart: what passes them all is long. */
const mostCounts = 20_001

/** How many records of a table there are; null while not all of them may be seen. */
export function emitTotal(emitter: Emitter, table: Table): Sql | null {
  return emitter.state.hiding ? null : sumOf(emitter, countsOf(table, 'total', []), null)
}

/** How many of them meet the condition; null where that is not counted. */
export function emitCount(emitter: Emitter, table: Table, where: Condition): Sql | null {
  const [part, ...others] = conjuncts(where)
  if (part === undefined) return emitTotal(emitter, table)
  return emitter.state.hiding || others.length > 0 ? null : countWhere(emitter, table, part)
}

/** How many records refer to one by a link. */
export function emitReferringCount(
  emitter: Emitter,
  table: Table,
  where: Condition,
  link: Link,
  parent: UriParts,
): Sql | null {
  if (emitter.state.hiding || link.kind === 'array' || conjuncts(where).length > 0) return null
  const counts = countsOf(table, 'reference', [link.base, link.key])
  return sumOf(emitter, counts, sql`base = ${parent.base} and rkey = ${parent.key}`)
}

/** Groups by the only key, as a table expression: its values, named `names`, and `n`; null where they are not counted. */
export function emitGroups(
  emitter: Emitter,
  { table, where, measures }: AggregatePlan,
  keys: readonly GroupKey[],
  name: Sql,
  names: readonly Sql[],
): Sql | null {
  const [key, ...others] = keys
  if (emitter.state.hiding || key === undefined || others.length > 0) return null
  if (measures.length > 0 || conjuncts(where).length > 0) return null
  if (key.joins.length > 0) return emitGroupsBehind(emitter, table, key, name, names)
  const counts = countsOfKey(table, key)
  if (counts === undefined) return null
  emitter.addEstimatedRows(rowsOfCounts(emitter, counts) / countsPerRecord)
  const { dialect } = emitter
  const from = identifier(counts.name)
  if (key.bucket === null) {
    const values = countKeys(counts).map(
      (column, index) => sql`${dialect.countedValue(raw(column))} as ${names[index] as Sql}`,
    )
    return sql`${name} as not materialized (select ${join(values, ', ')}, n from ${from})`
  }
  const micros = sql`${dialect.countedValue(raw('value'))} * ${raw(String(dayLength))}`
  const bucket = names[0] as Sql
  if (key.bucket === counts.kind)
    return sql`${name} as not materialized (select ${dialect.bucketKey(micros, key.bucket)} as ${bucket}, n from ${from})`
  const days = sql`(select ${micros} as micros, n from ${from}) ${emitter.alias()}`
  return sql`${name} as materialized (select ${dialect.bucketKey(raw('micros'), key.bucket)} as ${bucket}, ${dialect.sum(raw('n'))} as n
    from ${days} group by ${bucket})`
}

/** Groups by a value of the records that one reference names: so many as refer to each of them, added up. */
function emitGroupsBehind(
  emitter: Emitter,
  table: Table,
  { joins, leaf, bucket }: GroupKey,
  name: Sql,
  names: readonly Sql[],
): Sql | null {
  const [reference, ...further] = joins
  if (reference === undefined || further.length > 0) return null
  const counts = countsOf(table, 'reference', [reference.base, reference.key])
  if (counts === undefined || (leaf.kind !== 'column' && leaf.kind !== 'reference')) return null
  emitter.addEstimatedRows(rowsOfCounts(emitter, counts))
  const { dialect } = emitter
  const [each, target] = [emitter.alias(), emitter.alias()]
  const columns = leaf.kind === 'column' ? [leaf.column] : [leaf.base, leaf.key]
  const values = columns.map((column, index) => {
    const value = columnOf(emitter, target, column)
    return sql`${bucket === null ? value : dialect.bucketKey(value, bucket)} as ${names[index] as Sql}`
  })
  const parts = { base: sql`${each}.base`, key: sql`${each}.rkey` }
  const from = sql`${identifier(counts.name)} ${each} ${leftJoin(emitter, reference.table, target, parts)}`
  return sql`${name} as materialized (select ${join(values, ', ')}, ${dialect.sum(sql`${each}.n`)} as n
    from ${from} group by ${join(names, ', ')})`
}

/** The counts that one key's groups are made of. An hour, or a moment, is no whole of days. */
function countsOfKey(table: Table, { leaf, bucket }: GroupKey): CountTable | undefined {
  if (bucket === 'hour') return undefined
  const kind = bucket === null ? 'value' : bucket === 'month' || bucket === 'year' ? 'month' : 'day'
  switch (leaf.kind) {
    case 'column':
      return countsOf(table, kind, [leaf.column])
    case 'reference':
      return countsOf(table, 'reference', [leaf.base, leaf.key])
    case 'system':
      if (leaf.name === 'collection') return undefined
      return countsOf(table, kind, [{ name: leaf.name === 'did' ? 'base' : 'indexed_at' }])
    default:
      return undefined
  }
}

function countsOf(
  table: Table,
  kind: CountTable['kind'],
  columns: readonly Pick<Column, 'name'>[],
): CountTable | undefined {
  return table.counts.find(
    (counts) =>
      counts.kind === kind &&
      counts.columns.length === columns.length &&
      counts.columns.every((name, index) => name === columns[index]?.name),
  )
}

/** Of one equality, or a list of values: ranges and what is missing are counted as they are met. */
function countWhere(emitter: Emitter, table: Table, part: Condition): Sql | null {
  const holds = (row: RecordRow): Sql => emitCondition(emitter, part, row)
  if (part.kind === 'uri') {
    if (part.negated || part.of?.kind !== 'columns') return null
    const { base, key } = part.of
    return sumWith(emitter, countsOf(table, 'reference', [base, key]), [base, key], table, holds)
  }
  if (part.kind === 'target') return countBehind(emitter, table, part)
  const accounts = accountsOf(part)
  if (accounts !== null) {
    const bases = basesOf(table, accounts)
    return sumOf(emitter, countsOf(table, 'value', [{ name: 'base' }]), sql`value in (${bases})`)
  }
  const isEquality = part.kind === 'compare' ? part.op === 'eq' : part.kind === 'in' && !part.negated
  if (!isEquality || (part.kind !== 'compare' && part.kind !== 'in')) return null
  const { operand } = part
  if (operand.kind !== 'column') return null
  return sumWith(emitter, countsOf(table, 'value', [operand.column]), [operand.column], table, holds)
}

/** How many refer to the records that a condition holds for, where each of those has many. */
function countBehind(
  emitter: Emitter,
  table: Table,
  part: Extract<Condition, { kind: 'target' }>,
): Sql | null {
  if (part.of.kind !== 'columns' || mentionsReference(part.where)) return null
  const { base, key } = part.of
  const counts = countsOf(table, 'reference', [base, key])
  const rows = rowsOf(emitter, part.table)
  if (counts === undefined || rows * fewReferring > rowsOf(emitter, table)) return null
  emitter.addEstimatedRows(rows)
  return sumWith(emitter, counts, [base, key], table, (row) =>
    emitSemiJoinFromSources(emitter, part, row, rows),
  )
}

/** Where so many refer to a record, counting them one by one is dearer than asking all that may be referred to. */
const fewReferring = 8

/** The condition is asked of counts under the names that their values have in the collection's table. */
function sumWith(
  emitter: Emitter,
  counts: CountTable | undefined,
  columns: readonly Column[],
  table: Table,
  holds: (row: RecordRow) => Sql,
): Sql | null {
  if (counts === undefined) return null
  const row: RecordRow = { kind: 'record', alias: emitter.alias(), table }
  const named = countKeys(counts).map(
    (key, index) => sql`${raw(key)} as ${identifier(columns[index]?.name ?? '')}`,
  )
  const from = sql`(select ${join(named, ', ')}, n from ${identifier(counts.name)}) ${row.alias}`
  return sql`(select coalesce(${emitter.dialect.sum(raw('n'))}, 0) from ${from} where ${holds(row)})`
}

function sumOf({ dialect }: Emitter, counts: CountTable | undefined, where: Sql | null): Sql | null {
  if (counts === undefined) return null
  const condition = where === null ? sql`` : sql` where ${where}`
  return sql`(select coalesce(${dialect.sum(raw('n'))}, 0) from ${identifier(counts.name)}${condition})`
}

/** Up to so many that it does not matter. */
export function rowsOfCounts({ statistics }: Emitter, { name }: Pick<CountTable, 'name'>): number {
  if (statistics === null) return Number.POSITIVE_INFINITY
  return statistics.countUpTo({ text: `select 1 from ${identifier(name).sql}`, values: [] }, mostCounts)
}
