/**
 * Which way to the records of a list: along its order, through one condition's index, or through looked-up ids.
 * Every road is exact; the choice weighs a walk that stops early against gathering and sorting.
 * Walking costs about 21 N / hits steps and gathering `hits` of them, so they meet at sqrt(21 N). Around there
 * looked-up texts are met along an index of the order, which costs a fraction of both.
 */
import type { ColumnValue, Statistics } from '../database/database.ts'
import { ownKey, type Table, type TableIndex } from '../database/tables.ts'
import { allOf, identifier, sql } from '../sql/sql.ts'
import { emitCondition, entry } from './emit-where.ts'
import { type Emitter, type Row, rowsOf } from './emitter.ts'
import { columnIndex, conjuncts, heldBy, indexesOf, leadingColumn, ownUris } from './index-matching.ts'
import {
  findCandidateSources,
  type CandidateSource,
  maxCandidateSources,
  totalEstimate,
} from './candidate-sources.ts'
import type { Condition, SortKey } from './plan.ts'

export type AccessPath =
  /** The engine's own choice. */
  | { readonly kind: 'planner' }
  /** Along one index, or along the ids; a sort follows unless the index gives the order. */
  | { readonly kind: 'index-scan'; readonly index: string | null }
  /** Through ids that any one of these look-ups finds, of which the part of the conditions holds for most. */
  | {
      readonly kind: 'candidate-ids'
      readonly of: readonly CandidateSource[]
      readonly part: Condition
      readonly estimate: number
      /** An index of the list's order, along which the page is likely to be found before long among those ids. */
      readonly along: string | null
    }

export type CandidateIds = Extract<AccessPath, { kind: 'candidate-ids' }>

interface Option {
  readonly accessPath: AccessPath
  readonly estimate: number
  /** Whether the road gives id order by itself. */
  readonly inIdOrder: boolean
}

/** The default order, where ids follow it. */
export function isIdOrder({ state }: Emitter, table: Table, sort: readonly SortKey[]): boolean {
  return state.ordered.has(table.collection.nsid) && isDefaultOrder(sort)
}

/** The default order, forward or backward. */
export function isDefaultOrder(sort: readonly SortKey[]): boolean {
  const names = sort.map(({ value }) => (value.kind === 'system' ? value.name : ''))
  return (
    names.join() === 'indexed_at,rkey,did' && sort.every(({ direction }) => direction === sort[0]?.direction)
  )
}

/** For a page in order. Tells the emitter what of the walk no page bounds. */
export function chooseAccessPath(
  emitter: Emitter,
  table: Table,
  where: Condition,
  sort: readonly SortKey[],
): AccessPath {
  const { statistics } = emitter
  if (statistics === null) {
    emitter.addEstimatedRows(Number.POSITIVE_INFINITY)
    return { kind: 'planner' }
  }
  // Rows of a hidden account that are still to be moved away are passed one by one.
  if (emitter.state.hiding) emitter.addEstimatedRows(rowsOf(emitter, table))
  const idOrder = isIdOrder(emitter, table, sort)
  const along = idOrder ? null : orderIndex(emitter, table, where, sort[0])
  const scan: AccessPath = along === undefined ? { kind: 'planner' } : { kind: 'index-scan', index: along }
  const limit = Math.ceil(Math.sqrt(21 * statistics.rows(table)))
  const options = optionsOf(emitter, table, where, limit)
  const best = options[0]
  const filtered = filteredIndexScan(emitter, table, where, sort, scan, options, limit)
  if (filtered !== null) {
    emitter.addEstimatedRows(filtered.estimate)
    return filtered
  }
  if (best !== undefined && best.estimate < limit) {
    emitter.addEstimatedRows(best.estimate)
    return best.accessPath
  }
  const ordered = idOrder ? options.find(({ inIdOrder }) => inIdOrder) : undefined
  const accessPath = ordered?.accessPath ?? scan
  emitter.addEstimatedRows(
    unbounded(emitter, table, where, sort, ordered ?? { accessPath: scan, estimate: limit }),
  )
  return accessPath
}

/**
 * Looked-up texts along an index of the list's order, where matches are neither few nor many: remembering an id takes a
 * fifth of finding its row, and seeing that an entry is none of them a hundredth of reading whether a row has a text.
 */
function filteredIndexScan(
  { dialect }: Emitter,
  table: Table,
  where: Condition,
  sort: readonly SortKey[],
  scan: AccessPath,
  options: readonly Option[],
  limit: number,
): CandidateIds | null {
  if (dialect.plannerControl.kind !== 'hints') return null
  if (scan.kind !== 'index-scan' || orderGiven(scan, table, sort) !== 'all') return null
  const option = options.find(({ accessPath }) => isOfTexts(accessPath))
  if (option?.accessPath.kind !== 'candidate-ids') return null
  const { accessPath, estimate } = option
  const best = options[0]?.estimate ?? 0
  // Of few candidates that other conditions leave fewer of, a page is not found soon.
  const isAlone = heldBy(table, scan.index, where).length === conjuncts(where).length - 1
  const isBest = best >= limit || (option === options[0] && isAlone)
  return isBest && estimate >= 0.4 * limit && estimate < 3 * limit
    ? { ...accessPath, along: scan.index }
    : null
}

/** Rows that a road in the order of the list may pass before the page is full. */
function unbounded(
  emitter: Emitter,
  table: Table,
  where: Condition,
  sort: readonly SortKey[],
  { accessPath, estimate }: Pick<Option, 'accessPath' | 'estimate'>,
): number {
  switch (accessPath.kind) {
    case 'planner':
      return rowsOf(emitter, table)
    case 'index-scan': {
      const inOrder = isIdOrder(emitter, table, sort) || orderGiven(accessPath, table, sort) === 'all'
      const isHeld = heldBy(table, accessPath.index, where).length === conjuncts(where).length
      return inOrder && isHeld ? 0 : rowsOf(emitter, table)
    }
    case 'candidate-ids':
      // Elements are counted up to a limit only.
      return isOfTexts(accessPath) ? estimate : rowsOf(emitter, table)
  }
}

/** More rows than these are not counted to choose a road for counting. What texts may find is kept, and never counted. */
const mostCounted = 20_000

function isOfTexts(accessPath: AccessPath): boolean {
  return accessPath.kind === 'candidate-ids' && accessPath.of.every(({ kind }) => kind === 'text')
}

/** For counting: look-ups when they leave out most rows, otherwise as the engine likes. */
export function chooseCountAccessPath(emitter: Emitter, table: Table, where: Condition): AccessPath {
  const { statistics } = emitter
  const rows = rowsOf(emitter, table)
  const few = Math.ceil(rows / 3)
  const limit = Math.min(few, mostCounted)
  const options = statistics === null ? [] : candidateOptions(emitter, table, where, rows, limit)
  const [best] = [...uriOptions(table, where), ...options]
    .filter(({ accessPath, estimate }) => estimate < limit || isOfTexts(accessPath))
    .sort((a, b) => a.estimate - b.estimate)
  const isOfUse = best !== undefined && best.estimate < few
  emitter.addEstimatedRows(isOfUse ? best.estimate : rows)
  return isOfUse ? best.accessPath : { kind: 'planner' }
}

/** How much of the order a road gives: all of it, that of the first key, or nothing. */
export function orderGiven(
  accessPath: AccessPath,
  table: Table,
  sort: readonly SortKey[],
): 'all' | 'first' | 'none' {
  if (accessPath.kind !== 'index-scan' || accessPath.index === null) return 'none'
  const index = indexesOf(table).find(({ name }) => name === accessPath.index)
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

/** The index whose order begins with this key, or does once its first column is settled; undefined when there is none. */
function orderIndex(
  { state }: Emitter,
  table: Table,
  where: Condition,
  key: SortKey | undefined,
): string | undefined {
  if (key?.value.kind === 'system' && key.value.name === 'indexed_at')
    return state.ordered.has(table.collection.nsid) ? undefined : `${table.name}/indexed_at`
  if (key?.value.kind !== 'column') return undefined
  const { name } = key.value.column
  const settled = pairs(table, where).find(({ index }) => index.columns[1] === name)
  if (settled !== undefined) return settled.index.name
  return table.indexes.find(
    ({ columns, kind, partial }) => columns[0] === name && kind !== 'pair' && !partial,
  )?.name
}

interface Pair {
  readonly index: TableIndex
  /** The equality that settles the first column, and comparisons with the second. */
  readonly parts: readonly Condition[]
}

/** Indexes over two columns of which the first is settled by an equality. */
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

/** Ways through single conditions that must hold, the most selective first; counted up to `limit`. */
function optionsOf(emitter: Emitter, table: Table, where: Condition, limit: number): readonly Option[] {
  const { statistics } = emitter
  if (statistics === null) return []
  const parts = conjuncts(where)
  const singles = parts.flatMap((part): Option[] => {
    const index = columnIndex(table, part)
    if (index === undefined || ownUris(part) !== null) return []
    const equality = part.kind === 'compare' && part.op === 'eq' && index.kind === 'value'
    const inIdOrder = equality || (part.kind === 'uri' && part.list.length === 1)
    const estimate = probe(emitter, statistics, table, index.name, [part], limit)
    return [{ accessPath: { kind: 'index-scan', index: index.name }, estimate, inIdOrder }]
  })
  const both = pairs(table, where).map(({ index, parts: held }): Option => {
    // When the index holds all that is asked, a step costs a tenth: no row is looked at before the page is known.
    const steps = held.length === parts.length ? 10 : 1
    const estimate = probe(emitter, statistics, table, index.name, held, limit * steps) / steps
    return { accessPath: { kind: 'index-scan', index: index.name }, estimate, inIdOrder: false }
  })
  const sources = candidateOptions(emitter, table, where, statistics.rows(table), limit)
  return [...uriOptions(table, where), ...singles, ...both, ...sources].sort(
    (a, b) => a.estimate - b.estimate,
  )
}

/** Through the records' own URIs, each of which has one record at most. */
function uriOptions(table: Table, where: Condition): readonly Option[] {
  const accessPath: AccessPath = { kind: 'index-scan', index: ownKey(table).name }
  return conjuncts(where).flatMap((part) => {
    const uris = ownUris(part)
    return uris === null ? [] : [{ accessPath, estimate: uris.length, inIdOrder: uris.length === 1 }]
  })
}

/** How many rows these conditions leave of an index, counted up to a limit; hidden ones may count in an estimate. */
function probe(
  emitter: Emitter,
  statistics: Statistics,
  table: Table,
  index: string,
  parts: readonly Condition[],
  limit: number,
): number {
  const row: Row = { kind: 'record', alias: emitter.alias(), table }
  const held = allOf(parts.map((part) => emitCondition(emitter, part, row, entry)))
  const { plannerControl } = emitter.dialect
  const scan = plannerControl.kind === 'hints' ? sql` ${plannerControl.scan(index)}` : sql``
  const found = sql`select 1 from ${identifier(table.name)} ${row.alias}${scan} where ${held}`
  const values = found.values as readonly ColumnValue[]
  return statistics.countUpTo({ text: emitter.dialect.text(found), values }, limit)
}

/** Look-ups that give ids, and whether they do so cheaply enough to follow them in id order. */
function candidateOptions(
  emitter: Emitter,
  table: Table,
  where: Condition,
  rows: number,
  limit: number,
): Option[] {
  return cheapestFirst(conjuncts(where)).flatMap((part): Option[] => {
    // An index of the table itself is a road of its own.
    const found =
      columnIndex(table, part) === undefined ? findCandidateSources(emitter, table, part, limit) : null
    if (found === null || found.length > maxCandidateSources) return []
    // Merging costs about 3 µs a list and walking 0.4 µs a step: past this a walk meets its hits sooner.
    const lists = found.reduce((sum, { lists }) => sum + lists, 0)
    const estimate = totalEstimate(found)
    const isMerged = lists <= 4 || lists * estimate < 2.8 * rows
    const inIdOrder = isMerged && found.every(({ source }) => source.kind !== 'rows')
    const accessPath: AccessPath = {
      kind: 'candidate-ids',
      of: found.map(({ source }) => source),
      part,
      estimate,
      along: null,
    }
    return [{ accessPath, estimate, inIdOrder }]
  })
}

/** Figures are rationed: those that are kept come before those that are counted and those of whole texts. */
function cheapestFirst(parts: readonly Condition[]): readonly Condition[] {
  const isCheap = ({ kind }: Condition) => kind === 'text' || kind === 'has'
  return [...parts.filter(isCheap), ...parts.filter((part) => !isCheap(part))]
}
