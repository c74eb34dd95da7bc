/**
 * Which way to the records of a list: along its order, through one condition's index, or through trigrams.
 * Every road is exact; the choice weighs a walk that stops early against gathering and sorting.
 * Walking costs about 21 N / hits steps and gathering `hits` of them, so they meet at sqrt(21 N).
 */
import type { Statistics } from '../database/database.ts'
import type { Table, TextIndex } from '../database/tables.ts'
import type { TrigramMatch } from '../sql/dialect.ts'
import { identifier, sql } from '../sql/sql.ts'
import { emitCondition } from './emit-where.ts'
import type { Emitter, Row } from './emitter.ts'
import type { Condition, SortKey } from './plan.ts'

export type Road =
  /** The engine's own choice. */
  | { readonly kind: 'free' }
  /** Along one index, or along the ids; a sort follows unless the index gives the order. */
  | { readonly kind: 'walk'; readonly index: string | null }
  /** Through trigrams: the ids in any one of these. */
  | { readonly kind: 'text'; readonly matches: readonly TextMatch[] }

export interface TextMatch {
  readonly index: TextIndex
  readonly match: TrigramMatch
}

interface Option {
  readonly road: Road
  readonly estimate: number
  /** Whether the road gives id order by itself. */
  readonly inIdOrder: boolean
}

/** Two noncharacters that trigram tokenizers replace, so that they are found in the text alone. */
const unindexable = /[\uFFFE\uFFFF]/

/** More trigrams than this are not merged: a needle that begins so many is a common one. */
const maxPrefixTerms = 400

/** Keys are (indexed_at, rkey, did) in one direction, and ids follow them. */
export function isIdOrder({ state }: Emitter, table: Table, sort: readonly SortKey[]): boolean {
  const names = sort.map(({ value }) => (value.kind === 'system' ? value.name : ''))
  return (
    state.ordered.has(table.collection.nsid) &&
    names.join() === 'indexed_at,rkey,did' &&
    sort.every(({ direction }) => direction === sort[0]?.direction)
  )
}

/** For a page in order. */
export function chooseRoad(emitter: Emitter, table: Table, where: Condition, sort: readonly SortKey[]): Road {
  const { statistics } = emitter
  if (statistics === null) return { kind: 'free' }
  const idOrder = isIdOrder(emitter, table, sort)
  const along = idOrder ? null : orderIndex(emitter, table, sort[0])
  const walk: Road = along === undefined ? { kind: 'free' } : { kind: 'walk', index: along }
  const limit = Math.ceil(Math.sqrt(21 * statistics.rows(table)))
  const options = optionsOf(emitter, table, where, limit)
  const best = options[0]
  if (best === undefined) return walk
  if (best.estimate < limit) return best.road
  const ordered = idOrder ? options.find(({ inIdOrder }) => inIdOrder) : undefined
  return ordered?.road ?? walk
}

/** For counting: trigrams when they leave out most rows, otherwise as the engine likes. */
export function chooseCountRoad(emitter: Emitter, table: Table, where: Condition): Road {
  const { statistics } = emitter
  if (statistics === null) return { kind: 'free' }
  const rows = statistics.rows(table)
  const text = textOptions(statistics, where, rows).sort((a, b) => a.estimate - b.estimate)[0]
  return text !== undefined && text.estimate < rows / 3 ? text.road : { kind: 'free' }
}

/** The index whose order begins with this key; undefined when there is none. */
function orderIndex({ state }: Emitter, table: Table, key: SortKey | undefined): string | undefined {
  if (key?.value.kind === 'system' && key.value.name === 'indexed_at')
    return state.ordered.has(table.collection.nsid) ? undefined : `${table.name}/indexed_at`
  if (key?.value.kind !== 'column') return undefined
  const { name } = key.value.column
  return table.indexes.find(({ columns, partial }) => columns[0] === name && columns.length <= 2 && !partial)
    ?.name
}

/** Ways through single conditions that must hold, the most selective first; counted up to `limit`. */
function optionsOf(emitter: Emitter, table: Table, where: Condition, limit: number): readonly Option[] {
  const { statistics } = emitter
  if (statistics === null) return []
  const columns = conjuncts(where).flatMap((part): Option[] => {
    const index = columnIndex(table, part)
    if (index === undefined) return []
    const alias = emitter.alias()
    const row: Row = { kind: 'record', alias, table }
    const probe = sql`select 1 from ${identifier(table.name)} ${alias} ${emitter.dialect.walk(index.name)}
      where ${emitCondition(emitter, part, row)}`
    const estimate = statistics.countUpTo(
      { text: emitter.dialect.text(probe), values: probe.values as never },
      limit,
    )
    const single = part.kind === 'compare' && part.op === 'eq' && index.columns.length === 1
    const reference = part.kind === 'uri'
    return [{ road: { kind: 'walk', index: index.name }, estimate, inIdOrder: single || reference }]
  })
  return [...columns, ...textOptions(statistics, where, statistics.rows(table))].sort(
    (a, b) => a.estimate - b.estimate,
  )
}

function columnIndex(table: Table, part: Condition): Table['indexes'][number] | undefined {
  const leading = leadingColumn(part)
  if (leading === undefined) return undefined
  return table.indexes.find(({ columns }) => columns[0] === leading)
}

/** The column whose index a condition can be looked up in. */
function leadingColumn(part: Condition): string | undefined {
  switch (part.kind) {
    case 'compare':
      return part.operand.kind === 'column' && part.op !== 'ne' ? part.operand.column.name : undefined
    case 'in':
      return part.operand.kind === 'column' && !part.negated && part.list.length > 0
        ? part.operand.column.name
        : undefined
    case 'uri':
      return part.of?.kind === 'columns' && !part.negated && part.list.length === 1
        ? part.of.base.name
        : undefined
    default:
      return undefined
  }
}

/** Conditions that must all hold. */
export function conjuncts(where: Condition): readonly Condition[] {
  return where.kind === 'all' ? where.of.flatMap(conjuncts) : [where]
}

function textOptions(statistics: Statistics, where: Condition, rows: number): Option[] {
  return conjuncts(where).flatMap((part): Option[] => {
    const found = textMatches(statistics, part)
    if (found === null) return []
    const estimate = found.reduce((sum, { estimate }) => sum + estimate, 0)
    // Merging costs about 3 µs a list and walking 0.4 µs a step: past this a walk meets its hits sooner.
    const lists = found.reduce((sum, { lists }) => sum + lists, 0)
    const inIdOrder = lists <= 4 || lists * estimate < 2.8 * rows
    return [{ road: { kind: 'text', matches: found.map(({ match }) => match) }, estimate, inIdOrder }]
  })
}

/** A look-up, how many records it may find, and how many lists are merged for it. */
interface Found {
  readonly match: TextMatch
  readonly estimate: number
  readonly lists: number
}

/** Trigram look-ups that together find every record the condition holds for; null when they cannot. */
function textMatches(statistics: Statistics, part: Condition): readonly Found[] | null {
  if (part.kind === 'text') {
    const found = part.index === null ? null : matchOf(statistics, part.index, part.needle)
    return found === null ? null : [found]
  }
  if (part.kind === 'all') {
    const found = part.of.flatMap((inner) => textMatches(statistics, inner) ?? [])
    return found.length === 0 ? null : [found.reduce((a, b) => (b.estimate < a.estimate ? b : a))]
  }
  if (part.kind !== 'any' || part.of.length === 0) return null
  const each = part.of.map((inner) => textMatches(statistics, inner))
  return each.some((found) => found === null) ? null : each.flatMap((found) => found ?? [])
}

function matchOf(statistics: Statistics, index: TextIndex, needle: string): Found | null {
  const characters = [...needle]
  if (characters.length === 0) return null
  if (characters.length < 3) {
    if (unindexable.test(needle)) return null
    const { terms, records } = statistics.prefix(index, needle)
    if (terms > maxPrefixTerms) return null
    return { match: { index, match: { kind: 'prefix', needle } }, estimate: records, lists: terms }
  }
  const trigrams = [...new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join('')))]
    .filter((trigram) => !unindexable.test(trigram))
    .map((trigram) => ({ trigram, records: statistics.trigram(index, trigram) }))
    .sort((a, b) => a.records - b.records)
  if (trigrams.length === 0) return null
  const rarest = trigrams[0]?.records ?? 0
  // The rarest alone when it is rare: each further one costs a whole list to intersect.
  const used = trigrams.slice(0, rarest < 500 ? 1 : 2).map(({ trigram }) => trigram)
  return { match: { index, match: { kind: 'all', trigrams: used } }, estimate: rarest, lists: 1 }
}
