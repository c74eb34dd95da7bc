/**
 * Chooses the access path to the records of a list: a scan in the list's order, a scan of the index of one condition,
 * or candidate ids. Every path is exact; the choice weighs a scan that stops early against gathering and sorting.
 * Scanning costs about 21 N / hits steps and gathering costs `hits` steps, so they meet at sqrt(21 N).
 */
import { ownKey, type Table, type TableIndex } from '../../database/layout/tables.ts'
import { findCandidateSources, maxCandidateSources } from './candidate-sources.ts'
import { columnIndex, conjuncts, heldBy, indexesOf, leadingColumn, ownUris } from '../plan/plan-facts.ts'
import { emitSourceProbe } from '../emit/emit-access-path.ts'
import { createEmitter } from '../emit/emitter.ts'
import { planFilter } from './optimize-filter.ts'
import { type BoundedStatistics, candidatePath, isFenced, type Optimizer, rowsOf } from './optimizer.ts'
import type { AccessPath, CandidateSource } from '../plan/physical-plan.ts'
import type { SortKey } from '../plan/plan.ts'
import type { Condition } from '../plan/conditions.ts'

/** A path before it is decided how to force the engine to use it. */
export type Choice =
  | { readonly kind: 'planner' }
  | {
      readonly kind: 'index-scan'
      readonly index: string | null
      /** Number of records that it finds; null if a scan in the order of the list ends early. */
      readonly estimate: number | null
    }
  | {
      readonly kind: 'candidate-ids'
      readonly sources: readonly CandidateSource[]
      /** The conjunct that the sources answer. */
      readonly part: Condition
      readonly estimate: number
    }

interface Option {
  readonly choice: Choice
  readonly estimate: number
  /** Whether the path returns rows in id order. */
  readonly inIdOrder: boolean
  /** Number of values that its sources compare with. */
  readonly values: number
}

/** Whether the order is the default order of a table whose ids follow that order. */
export function isIdOrder({ state }: Optimizer, table: Table, sort: readonly SortKey[]): boolean {
  return state.ordered.has(table.collection.nsid) && isDefaultOrder(sort)
}

/** Whether the order is the default order, forward or backward. */
export function isDefaultOrder(sort: readonly SortKey[]): boolean {
  const names = sort.map(({ value }) => (value.kind === 'system' ? value.name : ''))
  return (
    names.join() === 'indexed_at,rkey,did' && sort.every(({ direction }) => direction === sort[0]?.direction)
  )
}

/** Rows of a page for which the formula above holds. */
const usualPage = 21

/**
 * Chooses the path for the first rows in order, and estimates the rows it reads besides; `idOrder`: ids are in this
 * order.
 */
export function chooseForPage(
  optimizer: Optimizer,
  table: Table,
  where: Condition,
  sort: readonly SortKey[],
  idOrder: boolean,
  wanted: number,
): Choice {
  const { statistics, estimate: total } = optimizer
  if (statistics === null) {
    total.rows = Number.POSITIVE_INFINITY
    return { kind: 'planner' }
  }
  // Rows of a hidden account that are not yet moved away are read and skipped one by one.
  if (optimizer.state.hiding) total.rows += rowsOf(optimizer, table)
  const along = idOrder ? null : orderIndex(optimizer, table, where, sort[0])
  const scan: Choice =
    along === undefined ? { kind: 'planner' } : { kind: 'index-scan', index: along, estimate: null }
  // Candidates in id order need no sort, so that gathering them costs nothing more for more of them.
  const page = idOrder ? usualPage : Math.max(usualPage, wanted)
  const limit = Math.ceil(Math.sqrt(page * statistics.rows(table)))
  const options = optionsOf(optimizer, statistics, table, where, limit)
  const best = options.find(({ estimate, values }) => estimate < limit && statistics.affordsValues(values))
  if (best !== undefined) {
    total.rows += best.estimate
    return best.choice
  }
  const ordered = idOrder
    ? options
        .toSorted((a, b) => Number(isOfWords(b)) - Number(isOfWords(a)))
        .find(({ inIdOrder, values }) => inIdOrder && statistics.affordsValues(values))
    : undefined
  const { choice, estimate } = ordered ?? { choice: scan, estimate: limit }
  const inOrder = idOrder || orderGiven(choice, table, sort) === 'all'
  // Other sources are counted only up to a limit, so their estimate is not an upper bound.
  if (isOfTexts(choice)) total.rows += estimate
  else if (!isBounded(table, where, choice, inOrder)) total.rows += rowsOf(optimizer, table)
  return choice
}

/** Verifying another condition of a record is several times as fast as looking the record up in a word index. */
function isOfWords({ choice }: Option): boolean {
  return choice.kind === 'candidate-ids' && choice.part.kind === 'words'
}

/** The conditions that a path does not answer exactly, so that they are evaluated for each row it finds. */
export function unanswered(where: Condition, choice: Choice): readonly Condition[] {
  return conjuncts(where).filter(
    (part) => !(choice.kind === 'candidate-ids' && part === choice.part && part.kind === 'words'),
  )
}

/** Whether a scan in the order of the list reads no rows besides those of the page. */
function isBounded(table: Table, where: Condition, choice: Choice, inOrder: boolean): boolean {
  if (choice.kind !== 'index-scan' || !inOrder) return false
  return heldBy(table, choice.index, where).length === conjuncts(where).length
}

/**
 * Maximum number of rows to count when choosing a path for a count. Text sources may exceed it: their estimates are
 * stored statistics and need no counting.
 */
const mostCounted = 20_000

function isOfTexts(choice: Choice): boolean {
  return (
    choice.kind === 'candidate-ids' && choice.sources.every(({ kind }) => kind === 'text' || kind === 'words')
  )
}

/** For counting: candidate ids if they exclude most rows, otherwise the planner's choice; estimates the rows it reads. */
export function chooseForCount(optimizer: Optimizer, table: Table, where: Condition): Choice {
  const rows = rowsOf(optimizer, table)
  const few = Math.ceil(rows / 3)
  const limit = Math.min(few, mostCounted)
  const options = [...uriOptions(table, where), ...candidateOptions(optimizer, table, where, rows, limit)]
  const [best] = options
    .filter(({ choice, estimate }) => (estimate < limit || isOfTexts(choice)) && estimate < few)
    .sort((a, b) => a.estimate - b.estimate)
  const used = best !== undefined && optimizer.statistics?.affordsValues(best.values) === true ? best : null
  optimizer.estimate.rows += used?.estimate ?? rows
  return used?.choice ?? { kind: 'planner' }
}

/** How the engine is made to use a path. `inOrder`: the list takes its order from the path. */
export function planPath(
  optimizer: Optimizer,
  table: Table,
  where: Condition,
  choice: Choice,
  inOrder = false,
): AccessPath {
  switch (choice.kind) {
    case 'planner':
      return choice
    case 'index-scan': {
      if (!isFenced(optimizer)) return choice
      const { index } = choice
      const pair = table.indexes.find(({ name, kind }) => name === index && kind === 'pair')
      const rangeColumn = inOrder ? (pair?.columns[0] ?? null) : null
      const held = heldBy(table, index, where).flatMap((part) =>
        rangeColumn === null ? [part] : asRange(part, rangeColumn),
      )
      const filters = held.map((part) => planFilter(optimizer, part))
      return { kind: 'fenced-scan', index, held: filters, rangeColumn }
    }
    case 'candidate-ids':
      return candidatePath(optimizer, choice.sources)
  }
}

/** An equality as a range, so that its column stays part of the order, which only the pair index provides. */
function asRange(part: Condition, column: string): readonly Condition[] {
  const isEquality = part.kind === 'compare' && part.op === 'eq' && part.operand.kind === 'column'
  if (!isEquality || part.operand.column.name !== column) return [part]
  return [
    { ...part, op: 'gte' },
    { ...part, op: 'lte' },
  ]
}

/** How much of the order a path provides: all of it, the order of the first key, or none. */
export function orderGiven(choice: Choice, table: Table, sort: readonly SortKey[]): 'all' | 'first' | 'none' {
  if (choice.kind !== 'index-scan' || choice.index === null) return 'none'
  const index = indexesOf(table).find(({ name }) => name === choice.index)
  const column = index?.kind === 'pair' ? index.columns[1] : index?.columns[0]
  const [first, ...rest] = sort
  const isFirst =
    first?.value.kind === 'column'
      ? first.value.column.name === column
      : index === undefined && first?.value.kind === 'system' && first.value.name === 'indexed_at'
  if (!isFirst) return 'none'
  const names = rest.map(({ value }) => (value.kind === 'system' ? value.name : ''))
  const isWhole = index?.kind !== 'value' && names.join() === 'rkey,did'
  return isWhole && rest.every(({ direction }) => direction === first?.direction) ? 'all' : 'first'
}

/** The index whose order begins with this key, or does once its first column is fixed; undefined if there is none. */
function orderIndex(
  { state }: Optimizer,
  table: Table,
  where: Condition,
  key: SortKey | undefined,
): string | undefined {
  if (key?.value.kind === 'system' && key.value.name === 'indexed_at')
    return state.ordered.has(table.collection.nsid) ? undefined : `${table.name}/indexed_at`
  if (key?.value.kind !== 'column') return undefined
  const { name } = key.value.column
  const fixed = pairs(table, where).find(({ index }) => index.columns[1] === name)
  if (fixed !== undefined) return fixed.index.name
  return table.indexes.find(
    ({ columns, kind, partial }) => columns[0] === name && kind !== 'pair' && !partial,
  )?.name
}

interface Pair {
  readonly index: TableIndex
  /** The equality that fixes the first column, and comparisons with the second column. */
  readonly parts: readonly Condition[]
}

/** Indexes over two columns whose first column is fixed by an equality. */
function pairs(table: Table, where: Condition): readonly Pair[] {
  const all = conjuncts(where)
  const onColumn = (name: string | undefined) =>
    all.filter((part) => part.kind === 'compare' && part.op !== 'ne' && leadingColumn(part) === name)
  return table.indexes.flatMap((index): readonly Pair[] => {
    if (index.kind !== 'pair') return []
    const equal = onColumn(index.columns[0]).filter((part) => part.kind === 'compare' && part.op === 'eq')
    return equal.length === 0 ? [] : [{ index, parts: [...equal, ...onColumn(index.columns[1])] }]
  })
}

/** Paths by single conjuncts, the most selective first; counted up to `limit`. */
function optionsOf(
  optimizer: Optimizer,
  statistics: BoundedStatistics,
  table: Table,
  where: Condition,
  limit: number,
): readonly Option[] {
  const parts = conjuncts(where)
  const probe = (index: TableIndex, held: readonly Condition[], upTo: number): number => {
    const filter = planFilter(optimizer, { kind: 'all', of: held })
    const source = { kind: 'rows', table, index, filter } as const
    return statistics.countUpTo(emitSourceProbe(createEmitter(optimizer), source), upTo)
  }
  const scan = ({ name }: TableIndex, estimate: number, inIdOrder: boolean): Option => ({
    choice: { kind: 'index-scan', index: name, estimate },
    estimate,
    inIdOrder,
    values: 0,
  })
  const singles = parts.flatMap((part): Option[] => {
    const index = columnIndex(table, part)
    if (index === undefined || ownUris(part) !== null) return []
    const equality = part.kind === 'compare' && part.op === 'eq' && index.kind === 'value'
    const inIdOrder = equality || (part.kind === 'uri' && part.list.length === 1)
    return [scan(index, probe(index, [part], limit), inIdOrder)]
  })
  const both = pairs(table, where).map(({ index, parts: held }): Option => {
    // If the index covers all conditions, a step costs a tenth: no row is read before the page is known.
    const steps = held.length === parts.length ? 10 : 1
    return scan(index, probe(index, held, limit * steps) / steps, false)
  })
  const candidates = candidateOptions(optimizer, table, where, statistics.rows(table), limit)
  return [...uriOptions(table, where), ...singles, ...both, ...candidates].sort(
    (a, b) => a.estimate - b.estimate,
  )
}

/** Paths by the records' own URIs; each URI has at most one record. */
function uriOptions(table: Table, where: Condition): readonly Option[] {
  const index = ownKey(table).name
  return conjuncts(where).flatMap((part): readonly Option[] => {
    const uris = ownUris(part)
    if (uris === null) return []
    const estimate = uris.length
    return [
      { choice: { kind: 'index-scan', index, estimate }, estimate, inIdOrder: estimate === 1, values: 0 },
    ]
  })
}

/** Paths by candidate ids, and whether merging their sources is cheap enough to return id order. */
function candidateOptions(
  optimizer: Optimizer,
  table: Table,
  where: Condition,
  rows: number,
  limit: number,
): Option[] {
  return cheapestFirst(conjuncts(where)).flatMap((part): Option[] => {
    // A condition on an index of the table itself already has an index-scan option.
    if (columnIndex(table, part) !== undefined) return []
    const found = findCandidateSources(optimizer, table, part, limit)
    if (found === null || found.sources.length > maxCandidateSources) return []
    const { sources, estimate, lists, values } = found
    // Merging costs about 3 µs a list and scanning 0.4 µs a step; beyond this limit a scan finds its hits sooner.
    const isMerged = lists <= 4 || lists * estimate < 2.8 * rows
    const inIdOrder = isMerged && sources.every(({ kind }) => kind !== 'rows')
    return [{ choice: { kind: 'candidate-ids', sources, part, estimate }, estimate, inIdOrder, values }]
  })
}

/** The planning budget is spent on stored statistics first, then on counting. */
function cheapestFirst(parts: readonly Condition[]): readonly Condition[] {
  const isCheap = ({ kind }: Condition) => kind === 'text' || kind === 'words' || kind === 'has'
  return [...parts.filter(isCheap), ...parts.filter((part) => !isCheap(part))]
}
