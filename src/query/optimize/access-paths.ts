/**
 * Chooses the access path to the records of a list: a scan in the list's order, a scan of the index of one condition,
 * or candidate ids. Every path is exact; the choice weighs a scan that stops early against gathering and sorting.
 * Scanning costs about 21 N / hits steps and gathering costs `hits` steps, so they meet at sqrt(21 N).
 */
import type { Table } from '../../database/layout/tables.ts'
import { conjuncts, heldBy, indexesOf, isDefaultOrder } from '../plan/plan-facts.ts'
import { planFilter } from './optimize-filter.ts'
import { candidatePath, isUnhinted, type Optimizer, type Records, rowsOf } from './optimizer.ts'
import { candidateOptions, type Choice, keyOptions, optionsOf, pairs, uriOptions } from './path-options.ts'
import type { AccessPath } from '../plan/physical-plan.ts'
import type { SortKey } from '../plan/plan.ts'
import type { Condition } from '../plan/conditions.ts'

/** Whether the order is the default order of a table whose ids follow that order. */
export function isIdOrder({ state }: Optimizer, table: Table, sort: readonly SortKey[]): boolean {
  return state.ordered.has(table.collection.nsid) && isDefaultOrder(sort)
}

type Sorted = Records & { readonly sort: readonly SortKey[] }

/** Rows of a page for which the formula above holds. */
const usualPage = 21

/** The path for the first rows in order; estimates what it reads besides. `idOrder`: ids are in it. */
export function chooseForPage(optimizer: Optimizer, list: Sorted, idOrder: boolean, wanted: number): Choice {
  const { table, where, sort } = list
  const { statistics, estimate: total } = optimizer
  // Rows of a hidden account that are not yet moved away are read and skipped one by one.
  if (optimizer.state.hiding) total.rows += rowsOf(optimizer, table)
  const along = idOrder ? null : orderIndex(optimizer, list)
  const scan: Choice =
    along === undefined ? { kind: 'planner' } : { kind: 'index-scan', index: along, estimate: null }
  // Candidates in id order need no sort, so that gathering them costs nothing more for more of them.
  const page = idOrder ? usualPage : Math.max(usualPage, wanted)
  const limit = Math.ceil(Math.sqrt(page * statistics.rows(table)))
  const options = optionsOf(optimizer, list, limit)
  const best = options.find(({ estimate, values }) => estimate < limit && statistics.affordsValues(values))
  if (best !== undefined) {
    total.rows += best.estimate
    return best
  }
  const ordered = idOrder
    ? options
        .toSorted((a, b) => Number(isOfWords(b)) - Number(isOfWords(a)))
        .find(({ inIdOrder, values }) => inIdOrder && statistics.affordsValues(values))
    : undefined
  const choice = ordered ?? scan
  const inOrder = idOrder || orderGiven(choice, table, sort) === 'all'
  // A scan in the order of the list may read no rows besides those of the page.
  const isBounded =
    inOrder &&
    choice.kind === 'index-scan' &&
    heldBy(table, choice.index, where).length === conjuncts(where).length
  // Other sources are counted only up to a limit, so their estimate is not an upper bound.
  if (ordered !== undefined && isOfTexts(ordered)) total.rows += ordered.estimate
  else if (!isBounded) total.rows += rowsOf(optimizer, table)
  return choice
}

/** Verifying another condition of a record is several times as fast as looking the record up in a word index. */
function isOfWords(choice: Choice): boolean {
  return choice.kind === 'candidate-ids' && choice.part.kind === 'words'
}

/** The conditions that a path does not answer exactly, so that they are evaluated for each row it finds. */
export function unanswered(optimizer: Optimizer, { table, where }: Records, choice: Choice): Condition[] {
  const isHeld = choice.kind === 'index-scan' && isUnhinted(optimizer)
  const held = isHeld ? heldBy(table, choice.index, where) : []
  return conjuncts(where).filter(
    (part) =>
      !held.includes(part) &&
      !(choice.kind === 'candidate-ids' && part === choice.part && part.kind === 'words'),
  )
}

/** Maximum number of rows to count, except of text sources, whose estimates are stored statistics. */
const mostCounted = 20_000

function isOfTexts(choice: Choice): boolean {
  return (
    choice.kind === 'candidate-ids' && choice.sources.every(({ kind }) => kind === 'text' || kind === 'words')
  )
}

/** For counting: candidate ids if they exclude most rows, otherwise the planner's choice; estimates the rows it reads. */
export function chooseForCount(optimizer: Optimizer, records: Records): Choice {
  const { table, where } = records
  const rows = rowsOf(optimizer, table)
  const few = Math.ceil(rows / 3)
  const limit = Math.min(few, mostCounted)
  const candidates = candidateOptions(optimizer, records, limit)
  const options = [...uriOptions(table, where), ...keyOptions(optimizer, table, where), ...candidates]
  const [best] = options
    .filter((option) => (option.estimate < limit || isOfTexts(option)) && option.estimate < few)
    .sort((a, b) => a.estimate - b.estimate)
  const used = best !== undefined && optimizer.statistics.affordsValues(best.values) ? best : null
  optimizer.estimate.rows += used?.estimate ?? rows
  return used ?? { kind: 'planner' }
}

/** How the engine is made to use a path. `inOrder`: the list takes its order from the path. */
export function planPath(
  optimizer: Optimizer,
  { table, where }: Records,
  choice: Choice,
  inOrder = false,
): AccessPath {
  switch (choice.kind) {
    case 'planner':
      return choice
    case 'index-scan': {
      if (!isUnhinted(optimizer)) return choice
      const { index } = choice
      const pair = table.indexes.find(({ name, kind }) => name === index && kind === 'pair')
      const rangeColumn = inOrder ? (pair?.columns[0] ?? null) : null
      const held = heldBy(table, index, where).flatMap((part) =>
        rangeColumn === null ? [part] : asRange(part, rangeColumn),
      )
      const filters = held.map((part) => planFilter(optimizer, part))
      return { kind: 'index-range', index, held: filters, rangeColumn }
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
  const [first] = sort
  const isFirst =
    first?.value.kind === 'column'
      ? first.value.column.name === column
      : index === undefined && first?.value.kind === 'system' && first.value.name === 'indexed_at'
  if (!isFirst) return 'none'
  return index?.kind !== 'value' && sort.length === 3 ? 'all' : 'first'
}

/** The index whose order begins with this key, or does once its first column is fixed; undefined if there is none. */
function orderIndex({ state }: Optimizer, { table, where, sort: [key] }: Sorted): string | undefined {
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
