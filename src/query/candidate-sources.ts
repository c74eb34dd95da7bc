/**
 * Conditions that an index answers with ids: texts by their rarest trigrams, arrays by element, others by the table's
 * own indexes, and what is asked of other records by those that lead from them.
 * A look-up finds every record the condition holds for, and perhaps more; the condition itself is checked after.
 */
import type { ColumnValue, Statistics } from '../database/database.ts'
import type { ArrayIndex, Table, TableIndex, TextIndex } from '../database/tables.ts'
import type { OptimizationFences, OptimizerHints, TrigramMatch } from '../sql/dialect.ts'
import { foldText } from '../util/fold.ts'
import { anyOf, identifier, join, type Sql, sql } from '../sql/sql.ts'
import { columnOf } from './emit-operand.ts'
import {
  type SemiJoinCondition,
  emitCondition,
  entry,
  emitSemiJoin,
  mentionsReference,
} from './emit-where.ts'
import type { Emitter, RecordRow, Row } from './emitter.ts'
import { columnIndex, conjuncts, indexFrom, ownUris } from './index-matching.ts'
import type { Condition } from './plan.ts'

export type CandidateSource =
  | { readonly kind: 'text'; readonly index: TextIndex; readonly match: TrigramMatch }
  | { readonly kind: 'element'; readonly array: ArrayIndex; readonly value: ColumnValue }
  /** `inner`: what finds the other records that the condition asks of; none where it asks of none. */
  | {
      readonly kind: 'rows'
      readonly table: Table
      readonly index: TableIndex
      readonly part: Condition
      readonly inner: readonly CandidateSource[]
    }

/** A look-up, how many records it may find, and how many lists are merged for it. */
export interface EstimatedSource {
  readonly source: CandidateSource
  readonly estimate: number
  readonly lists: number
}

/** More trigrams than this are not merged: a needle that begins so many is a common one. */
const maxPrefixTerms = 400

/** A statement compares with 30,000 values at most, and what is looked up is compared with more than once. */
const mostValues = 100

/** SQLite merges 500 lists at most, each through all those before it. */
export const maxCandidateSources = 100

/** Others are looked up by others so many times: SQLite has a longest way into an expression, and each adds to it. */
const maxSemiJoinLevels = 3

/** Look-ups that together find every record the condition holds for; null when there are none. */
export function findCandidateSources(
  emitter: Emitter,
  table: Table,
  part: Condition,
  limit: number,
  levels = maxSemiJoinLevels,
): readonly EstimatedSource[] | null {
  const { statistics } = emitter
  if (statistics === null) return null
  switch (part.kind) {
    case 'text': {
      const found = part.index === null ? null : findText(statistics, part.index, part.needle)
      return found === null ? null : [found]
    }
    case 'has': {
      const { index } = part.array
      if (index === null || part.list.length === 0) return null
      if (part.mode === 'any' && part.list.length > maxCandidateSources) return null
      // Of values that all must be there, any one finds the record.
      const values = part.list.slice(0, maxCandidateSources)
      const found = values.map((value) => findElement(emitter, statistics, index, value, limit))
      return part.mode === 'any' ? found : [found.reduce((a, b) => (b.estimate < a.estimate ? b : a))]
    }
    case 'all': {
      const each = part.of.flatMap((inner) => [
        findCandidateSources(emitter, table, inner, limit, levels) ?? [],
      ])
      const usable = each.filter((found) => found.length > 0)
      return usable.length === 0
        ? null
        : usable.reduce((a, b) => (totalEstimate(b) < totalEstimate(a) ? b : a))
    }
    case 'any': {
      if (part.of.length > maxCandidateSources) return null
      const each = part.of.map((inner) => findCandidateSources(emitter, table, inner, limit, levels))
      return each.length === 0 || each.includes(null) ? null : each.flatMap((found) => found ?? [])
    }
    default: {
      const found = findRows(emitter, statistics, table, part, limit, levels)
      return found === null ? findWholeTexts(statistics, table, part) : [found]
    }
  }
}

/** Texts that are to be equal have the same trigrams. */
function findWholeTexts(
  statistics: Statistics,
  table: Table,
  part: Condition,
): readonly EstimatedSource[] | null {
  if (part.kind !== 'compare' && part.kind !== 'in') return null
  if (part.kind === 'compare' ? part.op !== 'eq' : part.negated || part.list.length > maxCandidateSources)
    return null
  const { operand } = part
  const index = operand.kind === 'column' && table.texts.find(({ text }) => text === operand.column)
  if (!index) return null
  const texts = (part.kind === 'compare' ? [part.to] : part.list).map((text) => foldText(String(text)))
  // It is asked of each character how many records there are.
  const length = Math.floor(mostCharacters / Math.max(texts.length, fewTexts))
  const each = texts.map((text) => findText(statistics, index, [...text].slice(0, length).join('')))
  return each.length === 0 || each.includes(null) ? null : each.flatMap((found) => found ?? [])
}

/** Of texts that are to be equal, what is looked up together, and of each of so few. */
const mostCharacters = 500
const fewTexts = 5

function findRows(
  emitter: Emitter,
  statistics: Statistics,
  table: Table,
  part: Condition,
  limit: number,
  levels: number,
): EstimatedSource | null {
  const isSemiJoin = part.kind === 'target' || part.kind === 'referring'
  const index = isSemiJoin ? indexFrom(table, part) : columnIndex(table, part)
  if (index === undefined) return null
  const inner = isSemiJoin ? findSemiJoinSources(emitter, part, limit, levels) : []
  if (inner === null) return null
  const source: CandidateSource = {
    kind: 'rows',
    table,
    index,
    part,
    inner: inner.map((found) => found.source),
  }
  const ids = rowIds(emitter, source)
  // They are said again for each row that is found.
  if (ids.where.values.length > mostValues) return null
  const estimate = ownUris(part)?.length ?? countUpTo(emitter, statistics, ids, limit, totalEstimate(inner))
  return { source, estimate, lists: 1 }
}

/** What finds the other records that a condition asks of; null where they may be many. */
function findSemiJoinSources(
  emitter: Emitter,
  { table, where }: SemiJoinCondition,
  limit: number,
  levels: number,
): readonly EstimatedSource[] | null {
  if (levels === 0 || mentionsReference(where)) return null
  const ways = conjuncts(where).flatMap((part) => {
    const found = findCandidateSources(emitter, table, part, limit, levels - 1)
    return found === null || found.length > maxCandidateSources ? [] : [found]
  })
  const [best] = ways.sort((a, b) => totalEstimate(a) - totalEstimate(b))
  return best === undefined || totalEstimate(best) >= limit ? null : best
}

export function totalEstimate(found: readonly EstimatedSource[]): number {
  return found.reduce((sum, { estimate }) => sum + estimate, 0)
}

interface Ids {
  readonly from: Sql
  readonly id: Sql
  readonly where: Sql
}

/** The ids a look-up finds, each once and in id order, as what to select from which rows. */
export function sourceIds(emitter: Emitter, { trigramIds }: OptimizerHints, source: CandidateSource): Ids {
  switch (source.kind) {
    case 'text':
      return trigramIds(source.index.name, source.match)
    case 'element':
      return elementIds(emitter, source)
    case 'rows':
      return rowIds(emitter, source)
  }
}

/** Whether any of the look-ups may find the row, as one condition that indexes answer. */
export function mayFind(
  emitter: Emitter,
  { mayHold }: OptimizationFences,
  { alias, table }: Extract<Row, { kind: 'record' }>,
  sources: readonly CandidateSource[],
): Sql {
  const texts = sources.flatMap((source) =>
    source.kind === 'text' ? [mayHold(columnOf(emitter, alias, source.index.folded), source.match)] : [],
  )
  const lists = sources.flatMap((source) => {
    if (source.kind === 'text') return []
    const { from, id, where } = source.kind === 'rows' ? rowIds(emitter, source) : elementIds(emitter, source)
    return [sql`select ${id} from ${from} where ${where}`]
  })
  if (lists.length === 0) return anyOf(texts)
  // An index over texts and a list of ids do not go together: both become ids.
  if (texts.length > 0)
    lists.push(sql`select ${alias}.id from ${identifier(table.name)} ${alias} where ${anyOf(texts)}`)
  return sql`${alias}.id in (${join(lists, ' union all ')})`
}

/** Each once, but not in id order. */
function rowIds(
  emitter: Emitter,
  { table, index, part, inner }: Extract<CandidateSource, { kind: 'rows' }>,
): Ids {
  const { plannerControl } = emitter.dialect
  const row: RecordRow = { kind: 'record', alias: emitter.alias(), table }
  const along = plannerControl.kind === 'hints' ? plannerControl.scan(index.name) : undefined
  const where =
    part.kind === 'target' || part.kind === 'referring'
      ? emitSemiJoin(emitter, part, row, (other) => [isFound(emitter, other, inner)])
      : emitCondition(emitter, part, row, entry)
  return { from: emitter.rows(table, row.alias, along), id: sql`${row.alias}.id`, where }
}

/** A condition on other records, asked of all of them at once: of those alone that look-ups find, where these are fewer than `limit`. */
export function emitSemiJoinFromSources(
  emitter: Emitter,
  part: SemiJoinCondition,
  row: Row,
  limit: number,
): Sql {
  const found = findSemiJoinSources(emitter, part, limit, maxSemiJoinLevels)
  if (found === null) return emitSemiJoin(emitter, part, row)
  const sources = found.map(({ source }) => source)
  return emitSemiJoin(emitter, part, row, (other) => [isFound(emitter, other, sources)])
}

function isFound(emitter: Emitter, row: RecordRow, sources: readonly CandidateSource[]): Sql {
  const { plannerControl } = emitter.dialect
  if (plannerControl.kind === 'fences') return mayFind(emitter, plannerControl, row, sources)
  const lists = sources.map((source) => {
    const { from, id, where } = sourceIds(emitter, plannerControl, source)
    return sql`select ${id} from ${from} where ${where}`
  })
  return sql`${row.alias}.id in (${join(lists, ' union all ')})`
}

/** `inner`: rows that are looked at to count. */
function countUpTo(
  emitter: Emitter,
  statistics: Statistics,
  { from, where }: Ids,
  limit: number,
  inner = 0,
): number {
  const probe = sql`select 1 from ${from} where ${where}`
  const values = probe.values as readonly ColumnValue[]
  return statistics.countUpTo({ text: emitter.dialect.text(probe), values }, limit, inner)
}

function elementIds({ dialect }: Emitter, { array, value }: Extract<CandidateSource, { kind: 'element' }>) {
  const where = array.kind === 'text' ? dialect.isOneOf(sql`value`, [value]) : sql`value = ${value}`
  return { from: identifier(array.name), id: sql`id`, where }
}

function findElement(
  emitter: Emitter,
  statistics: Statistics,
  array: ArrayIndex,
  value: ColumnValue,
  limit: number,
): EstimatedSource {
  const source: CandidateSource = { kind: 'element', array, value }
  return { source, estimate: countUpTo(emitter, statistics, elementIds(emitter, source), limit), lists: 1 }
}

function findText(statistics: Statistics, index: TextIndex, needle: string): EstimatedSource | null {
  const characters = [...needle]
  if (characters.length === 0) return null
  if (characters.length < 3) return findPrefix(statistics, index, needle)
  const trigrams = sequences(characters, 3)
    .flatMap((trigram) => {
      const records = statistics.trigram(index, trigram)
      return records === null ? [] : [{ trigram, records }]
    })
    .sort((a, b) => a.records - b.records)
  if (trigrams.length === 0) {
    const pairs = sequences(characters, 2).flatMap((pair) => findPrefix(statistics, index, pair) ?? [])
    return pairs.sort((a, b) => a.estimate - b.estimate)[0] ?? null
  }
  const rarest = trigrams[0]?.records ?? 0
  // The rarest alone when it is rare: each further one costs a whole list to intersect.
  const used = trigrams.slice(0, rarest < 500 ? 1 : 2).map(({ trigram }) => trigram)
  return {
    source: { kind: 'text', index, match: { kind: 'all', trigrams: used } },
    estimate: rarest,
    lists: 1,
  }
}

function findPrefix(statistics: Statistics, index: TextIndex, needle: string): EstimatedSource | null {
  const found = statistics.prefix(index, needle)
  if (found === null || found.terms > maxPrefixTerms) return null
  return {
    source: { kind: 'text', index, match: { kind: 'prefix', needle } },
    estimate: found.records,
    lists: found.terms,
  }
}

function sequences(characters: readonly string[], length: number): readonly string[] {
  const starts = characters.slice(length - 1)
  return [...new Set(starts.map((_, at) => characters.slice(at, at + length).join('')))]
}
