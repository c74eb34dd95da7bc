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
import { columnIndex, conjuncts, heldBy, indexesOf, leadingColumn, ownUris } from './indexed.ts'
import { findLookUps, type LookUp, maxLookUps, totalEstimate } from './look-ups.ts'
import type { Condition, SortKey } from './plan.ts'

export type Road =
  /** The engine's own choice. */
  | { readonly kind: 'free' }
  /** Along one index, or along the ids; a sort follows unless the index gives the order. */
  | { readonly kind: 'walk'; readonly index: string | null }
  /** Through ids that any one of these look-ups finds, of which the part of the conditions holds for most. */
  | {
      readonly kind: 'ids'
      readonly of: readonly LookUp[]
      readonly part: Condition
      readonly estimate: number
      /** An index of the list's order, along which the page is likely to be found before long among those ids. */
      readonly along: string | null
    }

export type LookedUp = Extract<Road, { kind: 'ids' }>

interface Option {
  readonly road: Road
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
export function chooseRoad(emitter: Emitter, table: Table, where: Condition, sort: readonly SortKey[]): Road {
  const { statistics } = emitter
  if (statistics === null) {
    emitter.reads(Number.POSITIVE_INFINITY)
    return { kind: 'free' }
  }
  // Rows of a hidden account that are still to be moved away are passed one by one.
  if (emitter.state.hiding) emitter.reads(rowsOf(emitter, table))
  const idOrder = isIdOrder(emitter, table, sort)
  const along = idOrder ? null : orderIndex(emitter, table, where, sort[0])
  const walk: Road = along === undefined ? { kind: 'free' } : { kind: 'walk', index: along }
  const limit = Math.ceil(Math.sqrt(21 * statistics.rows(table)))
  const options = optionsOf(emitter, table, where, limit)
  const best = options[0]
  const sifting = siftingRoad(emitter, table, where, sort, walk, options, limit)
  if (sifting !== null) {
    emitter.reads(sifting.estimate)
    return sifting
  }
  if (best !== undefined && best.estimate < limit) {
    emitter.reads(best.estimate)
    return best.road
  }
  const ordered = idOrder ? options.find(({ inIdOrder }) => inIdOrder) : undefined
  const road = ordered?.road ?? walk
  emitter.reads(unbounded(emitter, table, where, sort, ordered ?? { road: walk, estimate: limit }))
  return road
}

/**
 * Looked-up texts along an index of the list's order, where matches are neither few nor many: remembering an id takes a
 * fifth of finding its row, and seeing that an entry is none of them a hundredth of reading whether a row has a text.
 */
function siftingRoad(
  { dialect }: Emitter,
  table: Table,
  where: Condition,
  sort: readonly SortKey[],
  walk: Road,
  options: readonly Option[],
  limit: number,
): LookedUp | null {
  if (dialect.steering.kind !== 'hints') return null
  if (walk.kind !== 'walk' || orderGiven(walk, table, sort) !== 'all') return null
  const option = options.find(({ road }) => isOfTexts(road))
  if (option?.road.kind !== 'ids') return null
  const { road, estimate } = option
  const best = options[0]?.estimate ?? 0
  // Of few candidates that other conditions leave fewer of, a page is not found soon.
  const isAlone = heldBy(table, walk.index, where).length === conjuncts(where).length - 1
  const isBest = best >= limit || (option === options[0] && isAlone)
  return isBest && estimate >= 0.4 * limit && estimate < 3 * limit ? { ...road, along: walk.index } : null
}

/** Rows that a road in the order of the list may pass before the page is full. */
function unbounded(
  emitter: Emitter,
  table: Table,
  where: Condition,
  sort: readonly SortKey[],
  { road, estimate }: Pick<Option, 'road' | 'estimate'>,
): number {
  switch (road.kind) {
    case 'free':
      return rowsOf(emitter, table)
    case 'walk': {
      const inOrder = isIdOrder(emitter, table, sort) || orderGiven(road, table, sort) === 'all'
      const isHeld = heldBy(table, road.index, where).length === conjuncts(where).length
      return inOrder && isHeld ? 0 : rowsOf(emitter, table)
    }
    case 'ids':
      // Elements are counted up to a limit only.
      return isOfTexts(road) ? estimate : rowsOf(emitter, table)
  }
}

/** More rows than these are not counted to choose a road for counting. What texts may find is kept, and never counted. */
const mostCounted = 20_000

function isOfTexts(road: Road): boolean {
  return road.kind === 'ids' && road.of.every(({ kind }) => kind === 'text')
}

/** For counting: look-ups when they leave out most rows, otherwise as the engine likes. */
export function chooseCountRoad(emitter: Emitter, table: Table, where: Condition): Road {
  const { statistics } = emitter
  const rows = rowsOf(emitter, table)
  const few = Math.ceil(rows / 3)
  const limit = Math.min(few, mostCounted)
  const options = statistics === null ? [] : lookUpOptions(emitter, table, where, rows, limit)
  const [best] = [...uriOptions(table, where), ...options]
    .filter(({ road, estimate }) => estimate < limit || isOfTexts(road))
    .sort((a, b) => a.estimate - b.estimate)
  const isOfUse = best !== undefined && best.estimate < few
  emitter.reads(isOfUse ? best.estimate : rows)
  return isOfUse ? best.road : { kind: 'free' }
}

/** How much of the order a road gives: all of it, that of the first key, or nothing. */
export function orderGiven(road: Road, table: Table, sort: readonly SortKey[]): 'all' | 'first' | 'none' {
  if (road.kind !== 'walk' || road.index === null) return 'none'
  const index = indexesOf(table).find(({ name }) => name === road.index)
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
    return [{ road: { kind: 'walk', index: index.name }, estimate, inIdOrder }]
  })
  const both = pairs(table, where).map(({ index, parts: held }): Option => {
    // When the index holds all that is asked, a step costs a tenth: no row is looked at before the page is known.
    const steps = held.length === parts.length ? 10 : 1
    const estimate = probe(emitter, statistics, table, index.name, held, limit * steps) / steps
    return { road: { kind: 'walk', index: index.name }, estimate, inIdOrder: false }
  })
  const lookUps = lookUpOptions(emitter, table, where, statistics.rows(table), limit)
  return [...uriOptions(table, where), ...singles, ...both, ...lookUps].sort(
    (a, b) => a.estimate - b.estimate,
  )
}

/** Through the records' own URIs, each of which has one record at most. */
function uriOptions(table: Table, where: Condition): readonly Option[] {
  const road: Road = { kind: 'walk', index: ownKey(table).name }
  return conjuncts(where).flatMap((part) => {
    const uris = ownUris(part)
    return uris === null ? [] : [{ road, estimate: uris.length, inIdOrder: uris.length === 1 }]
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
  const { steering } = emitter.dialect
  const walk = steering.kind === 'hints' ? sql` ${steering.walk(index)}` : sql``
  const found = sql`select 1 from ${identifier(table.name)} ${row.alias}${walk} where ${held}`
  const values = found.values as readonly ColumnValue[]
  return statistics.countUpTo({ text: emitter.dialect.text(found), values }, limit)
}

/** Look-ups that give ids, and whether they do so cheaply enough to follow them in id order. */
function lookUpOptions(
  emitter: Emitter,
  table: Table,
  where: Condition,
  rows: number,
  limit: number,
): Option[] {
  return cheapestFirst(conjuncts(where)).flatMap((part): Option[] => {
    // An index of the table itself is a road of its own.
    const found = columnIndex(table, part) === undefined ? findLookUps(emitter, table, part, limit) : null
    if (found === null || found.length > maxLookUps) return []
    // Merging costs about 3 µs a list and walking 0.4 µs a step: past this a walk meets its hits sooner.
    const lists = found.reduce((sum, { lists }) => sum + lists, 0)
    const estimate = totalEstimate(found)
    const isMerged = lists <= 4 || lists * estimate < 2.8 * rows
    const inIdOrder = isMerged && found.every(({ lookUp }) => lookUp.kind !== 'rows')
    const road: Road = { kind: 'ids', of: found.map(({ lookUp }) => lookUp), part, estimate, along: null }
    return [{ road, estimate, inIdOrder }]
  })
}

/** Figures are rationed: those that are kept come before those that are counted and those of whole texts. */
function cheapestFirst(parts: readonly Condition[]): readonly Condition[] {
  const isCheap = ({ kind }: Condition) => kind === 'text' || kind === 'has'
  return [...parts.filter(isCheap), ...parts.filter((part) => !isCheap(part))]
}
