/** Filters as SQL, and the ids that indexes find for them. SQL compares nulls to null, so `not` is `is not true`. */
import type { ColumnValue } from '../../database/database.ts'
import { hashOfNormal, urlHash } from '../../util/text/normalize-url.ts'
import type { FoundIds } from '../../sql/dialect.ts'
import { allOf, anyOf, identifier, join, listOf, manyValues, raw, type Sql, sql } from '../../sql/sql.ts'
import type { Emitter, RecordRow, Row } from './emitter.ts'
import { referencedValue } from './emit-records.ts'
import {
  columnOf,
  foldedOf,
  isVirtual,
  jsonOf,
  newRow,
  operandOf,
  pinnedCid,
  recordOf,
  referenceParts,
  referenceUri,
  opaqueTermsOf,
  hintsOf,
} from './emitter.ts'
import { accountsOf, linkIndexOf } from '../plan/plan-facts.ts'
import { alone, emitStagedFilter, type FilterContext } from './emit-staged-filter.ts'
import { emitReferringCount, emitReferringCounts, linked, linkedTo } from './emit-links.ts'
import { repoCollectionIds, hasElements, isNotTrue, isNull, uriIsOneOf } from './emit-membership.ts'
import type { Direction } from '../plan/fields.ts'
import type { CandidateSource, Filter, PhysicalSemiJoin } from '../plan/physical-plan.ts'
import type { Comparison, Operand, ReferringCount } from '../plan/conditions.ts'

export const signs: Record<Comparison, Sql> = {
  eq: sql`=`,
  ne: sql`<>`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
}

/** A filter that an index answers. */
export function emitIndexed(emitter: Emitter, filter: Filter, row: Row): Sql {
  return emitFilter(emitter, filter, row, { reference: null, isIndexed: true })
}

export function emitFilter(emitter: Emitter, condition: Filter, row: Row, around = alone): Sql {
  const { dialect } = emitter
  const accounts = accountsOf(condition)
  if (accounts !== null && row.kind === 'record')
    return sql`(${row.alias}.base ${accounts.length === 1 ? sql`=` : sql`in`} (${repoCollectionIds(row.table, accounts)}))`
  const staged = dialect.isSpread ? emitStagedFilter(emitter, condition, row, emitFilter) : null
  if (staged !== null) return staged
  switch (condition.kind) {
    case 'all':
      return allOf(condition.of.map((part) => emitFilter(emitter, part, row, around)))
    case 'any':
      return anyOf(
        condition.of.map((part) => emitFilter(emitter, part, row, { ...around, isIndexed: false })),
      )
    case 'not':
      return isNotTrue(emitFilter(emitter, condition.of, row, { ...around, isIndexed: false }))
    case 'compare':
      if (condition.operand.kind === 'count' && isApart(emitter, condition.operand, around))
        return isCounted(emitter, condition.operand, condition, row)
      if (condition.op === 'eq' && isVirtual(condition.operand))
        return isOneOf(emitter, condition.operand, [condition.to], row)
      return sql`(${valueOf(emitter, condition.operand, row)} ${signs[condition.op]} ${condition.to})`
    case 'in':
      return emitIn(emitter, condition, row, around)
    case 'missing': {
      const value = operandOf(emitter, condition.operand, row)
      if (condition.index === null || row.kind !== 'record') return isNull(value, condition.is)
      const missing = dialect.textMissing(value, columnOf(emitter, row.alias, condition.index.folded))
      return condition.is ? missing : sql`(not ${missing})`
    }
    case 'text': {
      const folded = foldedOf(emitter, condition.operand, row)
      return dialect.textMatch[condition.match](folded, condition.needle)
    }
    case 'url': {
      const { operand, normal } = condition
      const isSame = sql`normalized_url(${operandOf(emitter, operand, row)}) = ${normal}`
      const hashed = hashOf(emitter, operand, row)
      return hashed === null ? sql`(${isSame})` : sql`(${hashed} = ${hashOfNormal(normal)} and ${isSame})`
    }
    case 'words':
      if (row.kind !== 'record') throw new Error('An array element has no word index.')
      return dialect.wordsMatch(row.alias, condition.index, condition.match, condition.lookup)
    case 'has':
      return hasElements(emitter, condition.array, condition.list, condition.mode, row)
    case 'element': {
      const alias = emitter.alias()
      const element: Row = { kind: 'json', value: sql`${alias}.value` }
      const where = emitFilter(emitter, condition.where, element, { ...around, reference: null })
      return sql`exists (select 1 from ${dialect.objects(jsonOf(row), condition.path, alias)} where ${where})`
    }
    case 'uri':
      return uriIsOneOf(emitter, condition, row)
    case 'indexed': {
      const parts = referenceParts(emitter, condition.of, row)
      const found = referencedValue(emitter, parts, emitter.tables, () => sql`1`)
      const present = isNull(referenceUri(emitter, condition.of, row), false)
      return sql`(${present} and ${isNull(found, !condition.is)})`
    }
    case 'current': {
      const cid = pinnedCid(emitter, condition.of, row)
      const same = ({ alias }: RecordRow): Sql => sql`${dialect.cidText(sql`${alias}.cid`)} = ${cid}`
      const parts = referenceParts(emitter, condition.of, row)
      const found = referencedValue(emitter, parts, emitter.tables, same)
      return condition.is ? found : sql`(not ${found})`
    }
    case 'outerCurrent': {
      if (around.isCurrent !== undefined) return around.isCurrent === condition.is ? sql`true` : sql`false`
      if (around.reference === null || row.kind !== 'record')
        throw new Error('There is no reference around this condition.')
      const cid = pinnedCid(emitter, condition.of, around.reference)
      return sql`(${dialect.cidText(sql`${row.alias}.cid`)} ${condition.is ? sql`=` : sql`<>`} ${cid})`
    }
    case 'target':
    case 'referring':
      return emitSemiJoin(emitter, condition, row)
  }
}

function emitIn(
  emitter: Emitter,
  condition: Extract<Filter, { kind: 'in' }>,
  row: Row,
  around: FilterContext,
): Sql {
  const { operand, list, negated } = condition
  const { isIndexed } = around
  if (operand.kind === 'count' && isApart(emitter, operand, around))
    return isCounted(emitter, operand, condition, row)
  const { dialect } = emitter
  const value = valueOf(emitter, operand, row)
  if (list.length >= manyValues && !isIndexed) {
    const hashed = negated ? null : hashOf(emitter, operand, row)
    const isListed = dialect.isOneOfMany(value, list, negated)
    // The index that a scan is forced to use is over the hashes.
    return hashed === null
      ? isListed
      : sql`(${dialect.isOneOfMany(hashed, list.map(hashOfUrl), false)} and ${isListed})`
  }
  if (!negated && isVirtual(operand)) return isOneOf(emitter, operand, list, row)
  return sql`(${value} ${negated ? sql`not ` : sql``}in (${listOf(list)}))`
}

/** Whether a text that is stored only in its record is one of the values. */
function isOneOf(
  emitter: Emitter,
  operand: Operand | ReferringCount,
  values: readonly ColumnValue[],
  row: Row,
): Sql {
  const value = valueOf(emitter, operand, row)
  const hashed = hashOf(emitter, operand, row)
  if (hashed === null) return emitter.dialect.isOneOf(value, values)
  const hashes = values.map(hashOfUrl)
  if (values.length === 1) return sql`(${hashed} = ${hashes[0]} and ${value} = ${values[0]})`
  return sql`(${hashed} in (${listOf(hashes)}) and ${value} in (${listOf(values)}))`
}

function hashOfUrl(value: ColumnValue): number {
  return urlHash(String(value))
}

/** The stored hash of a URL; null if there is none. */
function hashOf(emitter: Emitter, operand: Operand | ReferringCount, row: Row): Sql | null {
  if (operand.kind !== 'column' || operand.column.urlHash === undefined || row.kind !== 'record') return null
  return columnOf(emitter, row.alias, operand.column.urlHash)
}

function valueOf(emitter: Emitter, operand: Operand | ReferringCount, row: Row): Sql {
  if (operand.kind !== 'count') return operandOf(emitter, operand, row)
  return emitReferringCount(emitter, operand, recordOf(row).alias)
}

/** Whether a number of referring records is not read for each row. */
function isApart({ dialect }: Emitter, { counts }: ReferringCount, { isIndexed }: FilterContext): boolean {
  return isIndexed || (dialect.isSpread && counts === null)
}

/** Whether the number of records that refer to the record, 0 included, meets a condition. */
function isCounted(emitter: Emitter, of: ReferringCount, condition: Counting, row: Row): Sql {
  const { alias } = recordOf(row)
  const counts = emitReferringCounts(emitter, of)
  const isAmong = (where: Sql): Sql =>
    sql`((${alias}.base, ${alias}.rkey) in (select base, rkey from ${counts} ${emitter.alias()} where ${where}))`
  const found = isAmong(countCondition(condition))
  if (of.counts !== null) return found
  return sql`(${found} or (${countCondition(condition, raw('0'))} and ${isNotTrue(isAmong(raw('true')))}))`
}

type Counting = Extract<Filter, { kind: 'compare' | 'in' }>

/** A condition on a materialized count, which an index over counts answers. */
export function countCondition(condition: Counting, n = raw('n')): Sql {
  if (condition.kind === 'compare') return sql`${n} ${signs[condition.op]} ${condition.to}`
  return sql`${n} ${condition.negated ? sql`not ` : sql``}in (${listOf(condition.list)})`
}

function emitSemiJoin(emitter: Emitter, semiJoin: PhysicalSemiJoin, row: Row): Sql {
  const { dialect } = emitter
  switch (semiJoin.strategy) {
    case 'set':
      return dialect.hashed(isInSet(emitter, semiJoin, row))
    case 'in':
      return isInSet(emitter, semiJoin, row)
    case 'each':
    case 'once':
      return dialect.exists(correlated(emitter, semiJoin, row), semiJoin.strategy)
    case 'planner':
      return sql`exists (${correlated(emitter, semiJoin, row)})`
  }
}

/** A query for the other records of a row that meet the semi-join's conditions. */
function correlated(emitter: Emitter, semiJoin: PhysicalSemiJoin, row: Row): Sql {
  const other = newRow(emitter, semiJoin.table)
  // For each row only the link may be looked up: PostgreSQL's planner does not look behind `is true`.
  const only = (where: Sql): Sql => (semiJoin.strategy === 'each' ? sql`(${where} is true)` : where)
  if (semiJoin.kind === 'target') {
    const { base, key } = referenceParts(emitter, semiJoin.of, row)
    const where = only(emitFilter(emitter, semiJoin.where, other, { reference: row, isIndexed: false }))
    const from = emitter.rows(semiJoin.table, other.alias)
    return sql`select 1 from ${from} where ${other.alias}.base = ${base} and ${other.alias}.rkey = ${key} and ${where}`
  }
  const where = only(emitFilter(emitter, semiJoin.where, other))
  const { from, on } = linkedTo(
    emitter,
    semiJoin.link,
    other,
    recordOf(row),
    linkIndexOf(semiJoin.table, semiJoin.link),
  )
  return sql`select 1 from ${from} where ${on} and ${where}`
}

/** Whether the row is among the keys that a query over the whole other table returns. */
function isInSet(emitter: Emitter, semiJoin: PhysicalSemiJoin, row: Row): Sql {
  const other = newRow(emitter, semiJoin.table)
  const { candidates } = semiJoin
  const narrowed =
    candidates?.kind === 'candidate-rows' ? [mayBeCandidate(emitter, candidates.sources, other)] : []
  const where = (): Sql => allOf([...narrowed, emitFilter(emitter, semiJoin.where, other)])
  // The candidates come first: in a condition, SQLite may look up each of them together with another list.
  const among = (from: Sql): Sql => {
    if (candidates?.kind !== 'candidate-ids') return from
    const found = emitter.alias()
    return sql`(${emitIds(emitter, candidates.sources)}) ${found} cross join ${from} on ${other.alias}.id = ${found}.id`
  }
  if (semiJoin.kind === 'target') {
    const { base, key } = referenceParts(emitter, semiJoin.of, row)
    const from = among(emitter.rows(semiJoin.table, other.alias))
    return sql`((${base}, ${key}) in (select ${other.alias}.base, ${other.alias}.rkey from ${from} where ${where()}))`
  }
  const { alias } = recordOf(row)
  const { from, base, key } = linked(emitter, semiJoin.link, other, null)
  return sql`((${alias}.base, ${alias}.rkey) in (select ${base}, ${key} from ${among(from)} where ${where()}))`
}

/** The direction of an id order, and the bound at which it starts. */
export interface IdOrder {
  readonly direction: Direction
  readonly bound: Sql | null
}

/** The ids that a source finds. Text indexes and arrays return each id once, in id order. */
export function sourceIds(emitter: Emitter, source: CandidateSource): FoundIds {
  const { dialect } = emitter
  switch (source.kind) {
    case 'text':
      return hintsOf(dialect).trigramIds(source.index.name, source.match)
    case 'words':
      return dialect.wordIds(source.table.name, source.index, source.match)
    case 'element': {
      const { array, value } = source
      const where = array.kind === 'text' ? dialect.isOneOf(sql`value`, [value]) : sql`value = ${value}`
      return { from: identifier(array.name), id: sql`id`, where }
    }
    case 'rows': {
      const { table, index, filter } = source
      const row = newRow(emitter, table)
      const where = emitIndexed(emitter, filter, row)
      return { from: emitter.rows(table, row.alias, index.name), id: sql`${row.alias}.id`, where }
    }
  }
}

/** The ids that the sources find, each once. */
export function emitIds(emitter: Emitter, sources: readonly CandidateSource[], order?: IdOrder): Sql {
  const lists = sources.map((source) => {
    const { from, id, where } = sourceIds(emitter, source)
    const within = order?.bound == null ? sql`` : sql` and ${id} ${order.bound}`
    return sql`select ${id} as id from ${from} where ${where}${within}`
  })
  const ids = join(lists, ' union ')
  // With `order by` inside, SQLite merges the sorted lists of the union and stops early. `limit -1`, which limits
  // nothing, keeps the order; SQLite drops the order of a subquery without it.
  if (order !== undefined) return sql`${ids} order by 1 ${raw(order.direction)} limit -1`
  // `limit -1` also keeps outer conditions out of the subquery: one that never holds would replace the condition that
  // makes a partial index usable.
  return sources.some(({ kind }) => kind === 'rows') ? sql`${ids} limit -1` : ids
}

function idsOf(emitter: Emitter, source: CandidateSource): Sql {
  const { from, id, where } = sourceIds(emitter, source)
  return sql`select ${id} from ${from} where ${where}`
}

/** Whether any of the sources may find the row, as one condition that indexes answer. */
export function mayBeCandidate(
  emitter: Emitter,
  sources: readonly CandidateSource[],
  { alias, table }: RecordRow,
): Sql {
  const { mayHold } = opaqueTermsOf(emitter.dialect)
  const isText = ({ kind }: CandidateSource): boolean => kind === 'text' || kind === 'words'
  const texts = sources.flatMap((source) => {
    if (source.kind === 'words') return [emitter.dialect.wordsMatch(alias, source.index, source.match, 'set')]
    return source.kind === 'text'
      ? [mayHold(columnOf(emitter, alias, source.index.folded), source.match)]
      : []
  })
  const lists = sources.filter((source) => !isText(source)).map((source) => idsOf(emitter, source))
  if (lists.length === 0) return anyOf(texts)
  // A text index and a list of ids cannot be combined in one condition, so both become ids.
  if (texts.length > 0)
    lists.push(sql`select ${alias}.id from ${identifier(table.name)} ${alias} where ${anyOf(texts)}`)
  return sql`${alias}.id in (${join(lists, ' union all ')})`
}
