/** Plans how the rows of a list are read in order, from the cursor of its page on. */
import { beyondStart } from '../plan/bounds.ts'
import { chooseForPage, isIdOrder, orderGiven, planPath, unanswered } from './access-paths.ts'
import { conjuncts, isDefaultOrder } from '../plan/plan-facts.ts'
import { filterEstimate, planConjuncts, planFilter, spansOf } from './optimize-filter.ts'
import { isUnhinted, type Optimizer, rowsOf } from './optimizer.ts'
import type { Choice } from './path-options.ts'
import type { AccessPath, Conjunct, OrderedRows, RowOrder, Span } from '../plan/physical-plan.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { ListPlan, SortKey } from '../plan/plan.ts'
import type { Condition } from '../plan/conditions.ts'

/** With at least this many candidates, they are sorted before they are verified. */
const manyCandidates = 500

export interface Wanted {
  /** Against the list's own order. */
  readonly reverse: boolean
  readonly inclusive: boolean
  readonly limit: number
}

/** The members of rows, most of which are the same if these are chosen otherwise than along a path. */
export function chosenRows(
  { table, link, sort, page }: ListPlan,
  { reverse, inclusive, limit }: Wanted,
): Omit<OrderedRows, 'order' | 'path'> {
  return {
    table,
    link,
    sort: reverse ? sort.map(reversed) : sort,
    position: page.from,
    inclusive,
    limit,
    filter: [],
    comesInOrder: false,
  }
}

/** Rows in order, starting at the page's cursor. */
export function planRows(optimizer: Optimizer, list: ListPlan, wanted: Wanted): OrderedRows {
  const { table, link } = list
  const { reverse, limit } = wanted
  const { dialect } = optimizer
  const { where, sort } = whereBeyond(optimizer, list, reverse ? list.sort.map(reversed) : list.sort)
  const found = { table, where, sort }
  optimizer.estimate.rows += filterEstimate(optimizer, table, where)
  const idOrder = isIdOrder(optimizer, table, sort)
  const isUnconditional = conjuncts(where).length === 0
  const choice: Choice = link === null ? chooseForPage(optimizer, found, idOrder, limit) : { kind: 'planner' }
  const given = orderGiven(choice, table, sort)
  const isSorted = link === null && !idOrder && given === 'none'
  const isProbed = link !== null || (choice.kind !== 'planner' && !isUnhinted(optimizer))
  const least = leastForLookups(optimizer, table, choice, isSorted ? null : limit)
  const left = unanswered(optimizer, found, choice)
  const filter = planConjuncts(optimizer, left, { isProbed, lookups: { table, least } })
  const ordered = (order: RowOrder, path: AccessPath, comesInOrder: boolean): OrderedRows => ({
    ...chosenRows(list, wanted),
    sort,
    filter,
    order,
    path,
    comesInOrder,
  })
  if (link !== null) {
    // A parent may have many children; only a scan by id returns them sorted.
    if (!idOrder || !isUnconditional) optimizer.estimate.rows = Number.POSITIVE_INFINITY
    // The index of a link holds the records of each parent in the default order.
    const inOrder = idOrder ? isUnconditional : !dialect.joinKeepsOrder && isDefaultOrder(sort)
    const order: RowOrder = idOrder ? { kind: 'ids', sorted: false } : { kind: 'sort' }
    return ordered(order, { kind: 'planner' }, link.kind === 'columns' && inOrder)
  }
  const path = (inOrder = false): AccessPath => planPath(optimizer, found, choice, inOrder)
  if (idOrder) {
    const sorted = choice.kind === 'candidate-ids'
    // A scan of another index may not return id order, so its rows may have to be sorted.
    const inOrder = sorted || (choice.kind === 'index-scan' && choice.index === null)
    return ordered({ kind: 'ids', sorted }, path(), inOrder)
  }
  const verifying = isUnhinted(optimizer) ? null : orderOfCandidates(optimizer, where, choice)
  if (verifying !== null) return ordered(verifying, path(), true)
  const [{ value: first } = { value: null }] = sort
  if (choice.kind === 'planner' && first?.kind === 'count' && first.counts !== null)
    return ordered({ kind: 'counts', of: first, counts: first.counts }, path(), false)
  if (given === 'none') return ordered({ kind: 'sort' }, path(), false)
  const spans = given === 'all' ? spansOf(optimizer, found, limit) : [null]
  const filterOf = (span: Span | null): readonly Conjunct[] =>
    span === null
      ? filter
      : planConjuncts(optimizer, left, { strategy: span.side === 'near' ? 'each' : 'once' })
  const order: RowOrder = {
    kind: 'path',
    spans: spans.map((span) => ({ span, filter: filterOf(span) })),
    keepsTies: dialect.joinKeepsOrder && keepsTies(choice, table, where, given),
  }
  // The first rows of the whole table, in an order that has an index: the planner always chooses that index.
  const isPlain = given === 'all' && list.page.from === null && isUnconditional && !optimizer.state.hiding
  const isFree = isPlain && isUnhinted(optimizer)
  return ordered(order, isFree ? { kind: 'planner' } : path(true), !dialect.joinKeepsOrder && given === 'all')
}

/** Many candidates are sorted before they are verified, unless they are exact. */
function orderOfCandidates(optimizer: Optimizer, where: Condition, choice: Choice): RowOrder | null {
  if (choice.kind !== 'candidate-ids' || choice.estimate < manyCandidates || choice.part.kind === 'words')
    return null
  const unverified = conjuncts(where).filter((part) => part !== choice.part)
  return {
    kind: 'verify',
    verified: planFilter(optimizer, choice.part),
    unverified: unverified.map((part) => planFilter(optimizer, part)),
  }
}

/** Whether rows come from an index over all sort keys except the account, one value of it after the other. */
function keepsTies(choice: Choice, table: Table, where: Condition, given: 'all' | 'first'): boolean {
  if (choice.kind !== 'index-scan' || given !== 'all') return false
  const isPair = table.indexes.some(({ name, kind }) => name === choice.index && kind === 'pair')
  return !isPair && conjuncts(where).every(({ kind }) => kind !== 'in')
}

/**
 * The conditions besides the page's start. A bound on the first sort key that the start implies is dropped; missing
 * values, which it excluded too, are then no longer part of the order.
 */
function whereBeyond(
  optimizer: Optimizer,
  { table, where, page }: ListPlan,
  sort: readonly SortKey[],
): Pick<ListPlan, 'where' | 'sort'> {
  const [first, ...others] = sort
  if (page.from === null || first === undefined) return { where, sort }
  const parts = conjuncts(where)
  const beyond = beyondStart(parts, first, page.from[0] ?? null)
  // If the start lies outside of the conditions, rows are passed.
  if (!beyond.isWithin) optimizer.estimate.rows += rowsOf(optimizer, table)
  if (beyond.parts.length === parts.length) return { where, sort }
  return { where: { kind: 'all', of: beyond.parts }, sort: [{ ...first, nullable: false }, ...others] }
}

export function reversed(key: SortKey): SortKey {
  const missing = key.missing && (key.missing === 'first' ? 'last' : 'first')
  return { ...key, direction: key.direction === 'asc' ? 'desc' : 'asc', missing }
}

/**
 * Reading a word index once for all rows takes as long as looking up one row for so many matches. If all rows found are
 * verified, that is compared with their number; if a scan ends when the page is full, with the number of rows among
 * which so many matches are expected.
 */
const matchesPerLookup = 50

/** `limit`: rows of the page at whose end a scan ends; null if all rows that are found are verified. */
function leastForLookups(optimizer: Optimizer, table: Table, choice: Choice, limit: number | null): number {
  const rows = rowsOf(optimizer, table)
  if (limit !== null) return Math.ceil(Math.sqrt(matchesPerLookup * limit * rows))
  return Math.ceil(matchesPerLookup * ((choice.kind === 'planner' ? rows : choice.estimate) ?? 0))
}
