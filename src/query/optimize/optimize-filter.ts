/** Chooses a strategy for each semi-join of a condition, and estimates the rows that semi-joins read. */
import type { Table } from '../../database/layout/tables.ts'
import {
  hasSemiJoin,
  isCountedAtOnce,
  isSemiJoin,
  mentionsReference,
  simpleConditions,
} from '../plan/plan-facts.ts'
import { emitRowsProbe } from '../emit/emit-access-path.ts'
import { createEmitter } from '../emit/emitter.ts'
import type { WordMatch } from '../../sql/dialect.ts'
import { sum } from '../price/cost-weights.ts'
import { estimateWords } from './match-words.ts'
import { candidatePath, isUnhinted, type Optimizer, type Records, rowsOf } from './optimizer.ts'
import type { CandidateSource, Conjunct, Filter, PhysicalSemiJoin, Span } from '../plan/physical-plan.ts'
import type { KeyValue, SortKey } from '../plan/plan.ts'
import type { Condition, ReferringCount, SemiJoin } from '../plan/conditions.ts'
import type { GroupKey } from '../plan/groups/group-plan.ts'

interface ConditionContext {
  /** Whether the condition is inside another semi-join. */
  readonly isNested?: boolean
  /** The strategy of semi-joins, if the caller has decided it. */
  readonly strategy?: 'each' | 'once'
  /** Whether rows are found otherwise than by the condition, and perhaps again for each row around them. */
  readonly isProbed?: boolean
  /** Conditions on words that at least so many records of the table meet are looked up row by row. */
  readonly lookups?: { readonly table: Table; readonly least: number }
}

export function planFilter(
  optimizer: Optimizer,
  condition: Condition,
  around: ConditionContext = {},
): Filter {
  const plan = (part: Condition): Filter => planFilter(optimizer, part, around)
  switch (condition.kind) {
    case 'all':
    case 'any':
      return { ...condition, of: condition.of.map(plan) }
    case 'not':
      return { ...condition, of: plan(condition.of) }
    case 'element':
      return { ...condition, where: plan(condition.where) }
    case 'words':
      return planWords(optimizer, condition, around)
    case 'target':
    case 'referring':
      return planSemiJoin(optimizer, condition, around)
    case 'compare':
    case 'in':
      return condition.operand.kind === 'count'
        ? { ...condition, operand: visibleCount(optimizer, condition.operand) }
        : condition
  }
  return condition
}

function planWords(
  optimizer: Optimizer,
  condition: Extract<Condition, { kind: 'words' }>,
  { isProbed, lookups }: ConditionContext,
): Filter {
  const { index, match } = condition
  if (lookups !== undefined && !isUnhinted(optimizer) && isOfSingleWords(match)) {
    const { statistics } = optimizer
    const rows = statistics.rows(lookups.table)
    const records = estimateWords(match, rows, (word) => statistics.word(index, word, false)) ?? 0
    if (records >= lookups.least) return { ...condition, lookup: 'row' }
  }
  return isProbed ? { ...condition, lookup: 'filter' } : condition
}

/** Looking up others is slow: a prefix is merged for each row; or how many match is not known well. */
function isOfSingleWords(match: WordMatch): boolean {
  if (match.kind === 'any') return match.of.every(isOfSingleWords)
  return match.kind === 'term' && match.words.length === 1 && !match.prefix
}

/** Materialized counts include hidden records, so these are counted one by one while there are any. */
function visibleCount({ state }: Optimizer, count: ReferringCount): ReferringCount {
  return state.hiding ? { ...count, counts: null } : count
}

export function visibleSort(optimizer: Optimizer, sort: readonly SortKey[]): readonly SortKey[] {
  return sort.map((key) => ({ ...key, value: visibleValue(optimizer, key.value) }))
}

export function visibleValue(optimizer: Optimizer, value: KeyValue): KeyValue {
  return value.kind === 'count' ? visibleCount(optimizer, value) : value
}

/** A measured value. Without materialized counts, all records that refer are read once. */
export function visibleKey(optimizer: Optimizer, key: GroupKey): GroupKey {
  if (key.leaf.kind !== 'count') return key
  const leaf = visibleCount(optimizer, key.leaf)
  if (leaf.counts === null) optimizer.estimate.rows += rowsOf(optimizer, leaf.table)
  return { ...key, leaf }
}

/** Plans all conjuncts, each on its own, to be evaluated for each row. */
export function planConjuncts(
  optimizer: Optimizer,
  where: readonly Condition[],
  around?: ConditionContext,
): readonly Conjunct[] {
  return where.map((part) => ({ filter: planFilter(optimizer, part, around), isIndexed: false }))
}

/** How many rows an index finds for a condition, counted up to a limit. */
export function countFound(optimizer: Optimizer, table: Table, filter: Filter, limit: number): number {
  return optimizer.statistics.countUpTo(emitRowsProbe(createEmitter(optimizer), table, filter), limit)
}

/** Plans a semi-join over the keys of the other table, which `sources` narrow. */
export function planSetJoin(
  optimizer: Optimizer,
  join: SemiJoin,
  sources: readonly CandidateSource[] | null,
): PhysicalSemiJoin {
  const where = planFilter(optimizer, join.where, { isNested: true })
  const candidates = sources === null ? null : candidatePath(optimizer, sources)
  return { ...join, where, strategy: 'in', candidates }
}

/**
 * A nested semi-join that does not depend on the outer row is evaluated once for all rows, unless its table exceeds the
 * maximum size of a hash. Other semi-joins that nest are not turned into joins: joined in a bad order, they form a
 * product.
 */
function planSemiJoin(optimizer: Optimizer, join: SemiJoin, around: ConditionContext): PhysicalSemiJoin {
  const isCorrelated = join.kind === 'target' && mentionsReference(join.where)
  const isSet =
    around.isNested === true && !isCorrelated && rowsOf(optimizer, join.table) <= optimizer.dialect.mostHashed
  const isProbed = !isSet && !isUnhinted(optimizer)
  const where = planFilter(optimizer, join.where, { isNested: true, isProbed })
  if (isSet) return { ...join, where, strategy: 'set', candidates: null }
  const isNesting = around.isNested || hasSemiJoin(join.where)
  const strategy = around.strategy ?? (isNesting ? 'once' : 'planner')
  return { ...join, where, strategy, candidates: null }
}

/** Rows that a condition may read in addition to the rows it is evaluated for. */
export function filterEstimate(optimizer: Optimizer, table: Table, where: Condition): number {
  return sum(simpleConditions(where), (part) => {
    if (part.kind === 'has') return isCountedAtOnce(part) ? rowsOf(optimizer, table) : 0
    if ((part.kind === 'compare' || part.kind === 'in') && part.operand.kind === 'count')
      return visibleCount(optimizer, part.operand).counts === null ? rowsOf(optimizer, part.operand.table) : 0
    if (part.kind === 'element') return filterEstimate(optimizer, table, part.where)
    if (!isSemiJoin(part)) return 0
    const read = part.kind === 'referring' ? rowsOf(optimizer, part.table) : 0
    return read + filterEstimate(optimizer, part.table, part.where)
  })
}

/** An index lookup takes as long as reading this many records and hashing their references. */
const recordsPerProbe = 8

/**
 * Decides how far a page evaluates its semi-joins row by row. In an ordered scan, the first rows probe the other table
 * by index, which suffices if the page fills early; only later rows use a hash of the whole other table. The worst case
 * is therefore twice the cheaper of the two methods. One null span if treating rows differently has no use.
 */
export function spansOf(optimizer: Optimizer, { table, where }: Records, limit: number): (Span | null)[] {
  if (!isUnhinted(optimizer)) return [null]
  const joined = semiJoinedTables(where)
  if (joined === null || joined.length === 0) return [null]
  const average = sum(joined, (other) => rowsOf(optimizer, other)) / joined.length
  // Rounded to a power of two, so that statements stay the same while the table grows.
  const rows = 2 ** Math.round(Math.log2(2 * limit + 1 + average / recordsPerProbe))
  if (!Number.isFinite(rows)) return [null]
  // The number of rows is an estimate, and there may be more when the statement runs. If no row is expected to be far,
  // the near span has no end.
  if (rowsOf(optimizer, table) < rows / 2) return [{ side: 'near', rows: null }]
  return [
    { side: 'near', rows },
    { side: 'far', rows },
  ]
}

/** The tables of semi-joins that are evaluated for every row; null if semi-joins nest. */
function semiJoinedTables(where: Condition): readonly Table[] | null {
  const joins = simpleConditions(where).filter(isSemiJoin)
  const isNesting = joins.some((join) => simpleConditions(join.where).some(isSemiJoin))
  return isNesting ? null : joins.map(({ table }) => table)
}
