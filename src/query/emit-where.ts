/** Conditions as SQL. A comparison with a missing value is null in SQL: `not` turns that to true by way of false. */
import type { ColumnValue } from '../database/database.ts'
import { baseUriOf } from '../database/decide.ts'
import { splitUri } from '../database/derive.ts'
import type { Table } from '../database/tables.ts'
import { allOf, anyOf, identifier, join, listOf, manyValues, type Sql, sql, type Value } from '../sql/sql.ts'
import {
  columnOf,
  foldedOf,
  isVirtual,
  jsonOf,
  referencedValue,
  operandOf,
  ownParts,
  pinnedCid,
  referenceParts,
  referenceUri,
  scalarOf,
  type UriParts,
} from './emit-operand.ts'
import { type Emitter, type RecordRow, type Row, rowsOf } from './emitter.ts'
import type { ArrayOperand, Comparison, Condition } from './plan.ts'

const signs: Record<Comparison, Sql> = {
  eq: sql`=`,
  ne: sql`<>`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
}

/** Where a condition stands: behind which reference, and whether inside another condition on other records. */
interface Around {
  readonly reference: Row | null
  readonly nested: boolean
  /** How other records are to be asked, where that is settled: for each row, or once for all. */
  readonly strategy?: 'each' | 'once' | undefined
  /** Whether an index answers the condition, so that rows are not compared with it one by one. */
  readonly isEntry?: boolean
}

/** For a condition that an index answers. */
export const entry: Around = { reference: null, nested: false, isEntry: true }

/** The condition on a row. */
export function emitCondition(
  emitter: Emitter,
  condition: Condition,
  row: Row,
  around: Around = { reference: null, nested: false },
): Sql {
  const { dialect } = emitter
  const accounts = accountsOf(condition)
  if (accounts !== null && row.kind === 'record')
    return sql`(${row.alias}.base ${accounts.length === 1 ? sql`=` : sql`in`} (${basesOf(row.table, accounts)}))`
  switch (condition.kind) {
    case 'all':
      return allOf(condition.of.map((part) => emitCondition(emitter, part, row, around)))
    case 'any':
      return anyOf(
        condition.of.map((part) => emitCondition(emitter, part, row, { ...around, isEntry: false })),
      )
    case 'not':
      return isNotTrue(emitCondition(emitter, condition.of, row, { ...around, isEntry: false }))
    case 'compare':
      if (condition.op === 'eq' && isVirtual(condition.operand))
        return dialect.isOneOf(operandOf(emitter, condition.operand, row), [condition.to])
      return sql`(${operandOf(emitter, condition.operand, row)} ${signs[condition.op]} ${condition.to})`
    case 'in': {
      const { list, negated } = condition
      const value = operandOf(emitter, condition.operand, row)
      if (list.length >= manyValues && around.isEntry !== true)
        return dialect.isOneOfMany(value, list, negated)
      if (!negated && isVirtual(condition.operand)) return dialect.isOneOf(value, list)
      return sql`(${value} ${negated ? sql`not ` : sql``}in (${listOf(list)}))`
    }
    case 'missing': {
      const value = operandOf(emitter, condition.operand, row)
      if (condition.index === null || row.kind !== 'record') return isNull(value, condition.is)
      const missing = dialect.textMissing(value, columnOf(emitter, row.alias, condition.index.folded))
      return condition.is ? missing : sql`(not ${missing})`
    }
    case 'text': {
      const folded = foldedOf(emitter, condition.operand, row)
      return dialect.hasText(folded, condition.needle, condition.match === 'startsWith')
    }
    case 'absent':
      return isNull(dialect.scalarAt(jsonOf(row), condition.path), condition.is)
    case 'has':
      return hasElements(emitter, condition.array, condition.list, condition.mode, row)
    case 'element': {
      const alias = emitter.alias()
      const element: Row = { kind: 'json', value: sql`${alias}.value` }
      const where = emitCondition(emitter, condition.where, element, { ...around, reference: null })
      return sql`exists (select 1 from ${dialect.each(jsonOf(row), condition.path, alias)} where ${where})`
    }
    case 'uri':
      return uriIsOneOf(emitter, condition, row)
    case 'indexed': {
      const found = referencedValue(
        emitter,
        referenceParts(emitter, condition.of, row),
        condition.tables,
        () => sql`1`,
      )
      const present = isNull(referenceUri(emitter, condition.of, row), false)
      return sql`(${present} and ${isNull(found, !condition.is)})`
    }
    case 'current': {
      const cid = pinnedCid(emitter, condition.of, row)
      const same = (alias: Sql): Sql => sql`${dialect.cidText(sql`${alias}.cid`)} = ${cid}`
      const found = referencedValue(
        emitter,
        referenceParts(emitter, condition.of, row),
        condition.tables,
        same,
      )
      return condition.is ? found : sql`(not ${found})`
    }
    case 'outerCurrent': {
      if (around.reference === null || row.kind !== 'record')
        throw new Error('There is no reference around this condition.')
      const cid = pinnedCid(emitter, condition.of, around.reference)
      return sql`(${dialect.cidText(sql`${row.alias}.cid`)} ${condition.is ? sql`=` : sql`<>`} ${cid})`
    }
    case 'target': {
      const set = emitUncorrelated(emitter, condition, row, around)
      if (set !== null) return set
      const alias = emitter.alias()
      const target: Row = { kind: 'record', alias, table: condition.table }
      const { base, key } = referenceParts(emitter, condition.of, row)
      const where = emitCondition(emitter, condition.where, target, { reference: row, nested: true })
      const from = emitter.rows(condition.table, alias)
      return exists(
        emitter,
        sql`select 1 from ${from} where ${alias}.base = ${base} and ${alias}.rkey = ${key} and ${where}`,
        oftenOf(condition, around),
      )
    }
    case 'referring': {
      emitter.addEstimatedRows(rowsOf(emitter, condition.table))
      const set = emitUncorrelated(emitter, condition, row, around)
      if (set !== null) return set
      if (row.kind !== 'record') throw new Error('Only records are referred to.')
      const alias = emitter.alias()
      const referring: Row = { kind: 'record', alias, table: condition.table }
      const where = emitCondition(emitter, condition.where, referring, { reference: null, nested: true })
      const { from, base, key } = linked(emitter, condition.link, referring, 'by its link')
      return exists(
        emitter,
        sql`select 1 from ${from} where ${base} = ${row.alias}.base and ${key} = ${row.alias}.rkey and ${where}`,
        oftenOf(condition, around),
      )
    }
  }
}

function exists({ dialect: { plannerControl } }: Emitter, query: Sql, often: Around['strategy']): Sql {
  return plannerControl.kind === 'hints' || often === undefined
    ? sql`exists (${query})`
    : plannerControl.exists(query, often)
}

/**
 * A condition within one on other records does not depend on the row around: what it holds for is found once. Null where
 * it has to be asked row by row, because it speaks of the reference that led to it, or is of more than a hash may hold.
 */
function emitUncorrelated(
  emitter: Emitter,
  condition: SemiJoinCondition,
  row: Row,
  { nested }: Around,
): Sql | null {
  if (!nested || (condition.kind === 'target' && mentionsReference(condition.where))) return null
  const { plannerControl } = emitter.dialect
  if (plannerControl.kind === 'hints') return emitSemiJoin(emitter, condition, row)
  return rowsOf(emitter, condition.table) > plannerControl.mostHashed
    ? null
    : plannerControl.hashed(emitSemiJoin(emitter, condition, row))
}

/** Around and within each other, conditions on other records are not made joins of: joining them in a bad order is a product. */
function oftenOf({ where }: SemiJoinCondition, { nested, strategy }: Around): Around['strategy'] {
  return strategy ?? (nested || hasSemiJoin(where) ? 'once' : undefined)
}

function hasSemiJoin(condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.some(hasSemiJoin)
    case 'not':
      return hasSemiJoin(condition.of)
    case 'element':
      return hasSemiJoin(condition.where)
    default:
      return condition.kind === 'target' || condition.kind === 'referring'
  }
}

/** A condition that asks of other records: of the one that is referred to, or of those that refer. */
export type SemiJoinCondition = Extract<Condition, { kind: 'target' | 'referring' }>

/** The same as that condition, asked of all other records at once; `narrow` may say more of those that are looked at. */
export function emitSemiJoin(
  emitter: Emitter,
  condition: SemiJoinCondition,
  row: Row,
  narrow: (other: RecordRow) => readonly Sql[] = () => [],
): Sql {
  const other: RecordRow = { kind: 'record', alias: emitter.alias(), table: condition.table }
  const where = (): Sql =>
    allOf([
      ...narrow(other),
      emitCondition(emitter, condition.where, other, { reference: null, nested: true }),
    ])
  if (condition.kind === 'target') {
    const { base, key } = referenceParts(emitter, condition.of, row)
    const from = emitter.rows(condition.table, other.alias)
    return sql`((${base}, ${key}) in (select ${other.alias}.base, ${other.alias}.rkey from ${from} where ${where()}))`
  }
  if (row.kind !== 'record') throw new Error('Only records are referred to.')
  const { from, base, key } = linked(emitter, condition.link, other, 'at once')
  return sql`((${row.alias}.base, ${row.alias}.rkey) in (select ${base}, ${key} from ${from} where ${where()}))`
}

/**
 * Conditions within conditions are not asked again for every row around them: the engine finds what they hold
 * for once. One that speaks of the reference that led to it cannot be had without its row.
 */
export function mentionsReference(condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.some(mentionsReference)
    case 'not':
      return mentionsReference(condition.of)
    default:
      return condition.kind === 'outerCurrent'
  }
}

/**
 * Records that refer by a link: what to read from, and the parts of the URI they refer to. `by its link`: they are
 * looked up for each outer record, through the index of the link. SQLite would choose an index over their own condition,
 * even one that all of them meet.
 */
export function linked(
  emitter: Emitter,
  link: Extract<Condition, { kind: 'referring' }>['link'],
  { alias, table }: Extract<Row, { kind: 'record' }>,
  found: 'by its link' | 'at once',
): { readonly from: Sql } & UriParts {
  const index =
    link.kind === 'columns' &&
    found === 'by its link' &&
    table.indexes.find(({ kind, columns }) => kind === 'reference' && columns[0] === link.base.name)
  const { plannerControl } = emitter.dialect
  const scan = index && plannerControl.kind === 'hints' ? plannerControl.scan(index.name) : undefined
  const rows = emitter.rows(table, alias, scan)
  if (link.kind === 'columns')
    return { from: rows, base: columnOf(emitter, alias, link.base), key: columnOf(emitter, alias, link.key) }
  const side = emitter.alias()
  return {
    from: sql`${identifier(link.array.name)} ${side} ${emitter.dialect.join} ${rows} on ${alias}.id = ${side}.id`,
    base: sql`${side}.base`,
    key: sql`${side}.rkey`,
  }
}

/** Not `not coalesce(…, false)`: to tell null from false, SQLite compares what is not in a list with all of the list. */
function isNotTrue(condition: Sql): Sql {
  return sql`(${condition} is not true)`
}

function isNull(value: Sql, is: boolean): Sql {
  return is ? sql`(${value} is null)` : sql`(${value} is not null)`
}

function hasElements(
  emitter: Emitter,
  array: ArrayOperand,
  list: readonly Value[],
  mode: 'any' | 'all',
  row: Row,
): Sql {
  const { index } = array
  // Each once, so that they can be counted.
  const values = [...new Map(list.map((value) => [String(value), value])).values()]
  const { dialect } = emitter
  if (index === null || row.kind !== 'record') {
    const alias = emitter.alias()
    const value = scalarOf(emitter, sql`${alias}.value`, [], array.kind === 'reference' ? 'text' : array.kind)
    const each = dialect.each(jsonOf(row), array.path, alias)
    const isListed = (some: readonly Value[]): Sql =>
      some.length < manyValues ? sql`${value} in (${listOf(some)})` : dialect.isOneOfMany(value, some, false)
    if (mode === 'all' && values.length > mostProbes)
      return sql`((select count(distinct ${value}) from ${each} where ${isListed(values)}) = ${values.length})`
    const one = (some: readonly Value[]): Sql => sql`exists (select 1 from ${each} where ${isListed(some)})`
    return mode === 'all' ? allOf(values.map((each) => one([each]))) : one(values)
  }
  const side = identifier(index.name)
  if (values.length <= mostProbes) {
    const one = (some: readonly Value[]): Sql =>
      sql`exists (select 1 from ${side} where value in (${listOf(some)}) and id = ${row.alias}.id)`
    return mode === 'all' ? allOf(values.map((each) => one([each]))) : one(values)
  }
  emitter.addEstimatedRows(rowsOf(emitter, row.table))
  // SQLite would add the ids to the key of another index, and so search it once for each of them, for every row around.
  const id = dialect.unindexed(sql`${row.alias}.id`)
  const all = mode === 'all' ? sql` group by id having count(distinct value) = ${values.length}` : sql``
  const isListed =
    array.kind === 'text' ? dialect.isOneOf(sql`value`, values) : sql`value in (${listOf(values)})`
  return sql`(${id} in (select id from ${side} where ${isListed}${all}))`
}

/** More values than these are not looked for in each row by itself: what has them is found for all rows at once. */
const mostProbes = 4

function uriIsOneOf(
  emitter: Emitter,
  { of, list, negated }: Extract<Condition, { kind: 'uri' }>,
  row: Row,
): Sql {
  const own = row.kind === 'record' ? ownParts(emitter, of, row.alias) : null
  if (own === null) {
    if (of === null) throw new Error('Only a record has a URI.')
    const uri = referenceUri(emitter, of, row)
    if (list.length >= manyValues) return emitter.dialect.isOneOfMany(uri, list, negated)
    return sql`(${uri} ${negated ? sql`not ` : sql``}in (${listOf(list)}))`
  }
  const [base, key] = own
  const found =
    list.length > 1 ? uriIsAmong([base, key], list) : anyOf(list.map((uri) => uriIs([base, key], uri)))
  return negated ? sql`(${isNull(base, false)} and ${isNotTrue(found)})` : found
}

/** The DIDs of which a condition says that the record has one; null where it says something else. */
export function accountsOf(part: Condition): readonly ColumnValue[] | null {
  if (part.kind !== 'compare' && part.kind !== 'in') return null
  const { operand } = part
  if (operand.kind !== 'system' || operand.name !== 'did') return null
  if (part.kind === 'compare') return part.op === 'eq' ? [part.to] : null
  return part.negated || part.list.length === 0 ? null : part.list
}

/** The ids of the bases that a collection's records have in these accounts, one in each. */
export function basesOf({ collection }: Table, dids: readonly ColumnValue[]): Sql {
  const uris = dids.map((did) => sql`${baseUriOf({ did: String(did), collection: collection.nsid })}`)
  return sql`select id from base where uri in (${join(uris, ', ')})`
}

/** Can use the index over both parts. */
function uriIs([base, key]: readonly [Sql, Sql], uri: string): Sql {
  const [wantedBase, wantedKey] = splitUri(uri)
  return sql`(${base} = (select id from base where uri = ${wantedBase}) and ${key} = ${wantedKey})`
}

/** The parts of all URIs are looked up once, and not for each row that is met. */
function uriIsAmong([base, key]: readonly [Sql, Sql], list: readonly string[]): Sql {
  const parts = list.map(splitUri).map(([wantedBase, wantedKey]) => sql`(${wantedBase}, ${wantedKey})`)
  const wanted = sql`(values ${join(parts, ', ')}) wanted`
  return sql`((${base}, ${key}) in (select base.id, wanted.column2 from ${wanted} join base on base.uri = wanted.column1))`
}
