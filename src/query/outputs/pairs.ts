/** `pairs` of an aggregate: which elements of an array occur together in one record. */
import type { GroupField } from '../../schema/model/operators.ts'
import { identifier, raw, type Sql, sql } from '../../sql/sql.ts'
import { emitAccess } from '../emit/emit-access-path.ts'
import { isSameRecord } from '../emit/emit-links.ts'
import { staged } from '../emit/steps.ts'
import { emitObject, emitRowsArray, emitTuple } from '../emit/emit-output.ts'
import { type Emitter, newRow } from '../emit/emitter.ts'
import { describeAccess } from '../optimize/describe-access.ts'
import { planCountedRows } from '../optimize/groups/optimize-count.ts'
import { joinWords } from '../optimize/match-words.ts'
import type { Optimizer } from '../optimize/optimizer.ts'
import { limits } from '../parse/limits.ts'
import { argumentsOf, type Collected, integerArgument } from '../parse/prepare.ts'
import { namedBelow } from '../plan/build-fields.ts'
import { groupKey } from '../plan/groups/build-group-key.ts'
import type { PairsPlan } from '../plan/groups/group-plan.ts'
import type { PhysicalPairs } from '../plan/physical-plan.ts'
import { conjuncts } from '../plan/plan-facts.ts'
import { sum, weights } from '../price/cost-weights.ts'
import { whereSize } from '../price/cost-where.ts'
import type { AggregateContext } from './measures.ts'

const defaultLimit = 50
/** Records with more different elements have too many pairs, and are left out. */
const mostPaired = 100

export function buildPairs(context: AggregateContext, collected: Collected): PairsPlan {
  const { table, where } = context
  const { field, minCount, limit } = argumentsOf(context.selection, collected)
  const { leaf } = groupKey(context, table, field as GroupField)
  if (leaf.kind !== 'array') throw new Error('Only arrays have pairs of elements.')
  return {
    kind: 'pairs',
    table,
    where,
    array: leaf.array,
    minCount: integerArgument('minCount', minCount, 2 ** 31 - 1, 1),
    limit: integerArgument('limit', limit, limits.pairs, defaultLimit, 1),
    fields: namedBelow(context, collected),
  }
}

/** The size of pairs of elements of an array: reading them, and printing them. */
export function pairsSize({ table, where, fields, limit }: PairsPlan): number {
  const read = weights.scan + weights.scan + weights.join
  const printed = sum(fields, ({ output }) => weights.value * (output.kind === 'values' ? 3 : 1))
  const found = whereSize({ table, where, link: null }, 'all')
  return read + found + weights.value + limit * (weights.value + printed)
}

/** Pairs of all records are found in the side table alone, unless it has elements of hidden rows. */
export function planPairs(optimizer: Optimizer, given: PairsPlan): PhysicalPairs {
  const plan = { ...given, where: joinWords(given.where) }
  const areAll = conjuncts(plan.where).length === 0 && !optimizer.state.hiding
  return { ...plan, rows: areAll ? null : planCountedRows(optimizer, plan) }
}

/** Pairs of the elements of an array that occur in one record, as a JSON array: the most frequent first, then in the order of their values. */
export function emitPairs(emitter: Emitter, plan: PhysicalPairs): Sql {
  const { dialect } = emitter
  const { array, fields, minCount, limit } = plan
  const [holder, one, other, row] = [emitter.alias(), emitter.alias(), emitter.alias(), emitter.alias()]
  const name = identifier(array.name)
  const counted = sql`select ${one}.value as v, ${other}.value as w, count(*) as n from ${staged(emitter, holders(emitter, plan))} ${holder}
    ${dialect.join} ${name} ${one} on ${one}.id = ${holder}.id
    ${dialect.join} ${name} ${other} on ${isSameRecord(emitter, other, one)} and ${other}.value > ${one}.value
    group by ${one}.value, ${other}.value having count(*) >= ${minCount}`
  const page = sql`select * from ${staged(emitter, counted)} ${emitter.alias()} order by n desc, v, w limit ${dialect.limit(limit)}`
  const text = emitObject(emitter, fields, ({ kind }) =>
    kind === 'count'
      ? sql`${row}.n`
      : emitTuple(emitter, [dialect.toJson(sql`${row}.v`), dialect.toJson(sql`${row}.w`)]),
  )
  return emitRowsArray(emitter, page, row, text)
}

/** The ids of records, without those that have too many pairs. */
function holders(emitter: Emitter, { table, array, rows }: PhysicalPairs): Sql {
  const name = identifier(array.name)
  const most = raw(String(mostPaired))
  if (rows === null) return sql`select id from ${name} group by id having count(*) between 2 and ${most}`
  const row = newRow(emitter, table)
  const side = emitter.alias()
  const size = sql`(select count(*) from ${name} ${side} where ${isSameRecord(emitter, side, row.alias)})`
  const { from, where } = emitAccess(emitter, rows, row, null, [sql`${size} <= ${most}`])
  return sql`select ${row.alias}.id as id from ${from} where ${where}`
}

export function describePairs({ array, limit, rows }: PhysicalPairs): string {
  const of = rows === null ? 'all records' : `records from ${describeAccess(rows)}`
  return `up to ${limit} pairs of elements in ${array.name} of ${of}`
}
