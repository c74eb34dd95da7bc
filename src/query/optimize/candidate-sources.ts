/**
 * Finds candidate sources, the indexes that answer a condition with ids: texts by their rarest trigrams, arrays by
 * element, other conditions by indexes of the table, and semi-joins by the index that leads from the other table.
 * Sources find every record for which the condition holds, and possibly more; the condition itself is verified
 * afterwards.
 */
import type { ColumnValue, Statistics } from '../../database/database.ts'
import type { ArrayIndex, Table, TextIndex } from '../../database/layout/tables.ts'
import { foldText } from '../../util/text/fold.ts'
import { columnIndex, conjuncts, indexFrom, mentionsReference, ownUris } from '../plan/plan-facts.ts'
import { emitSourceProbe } from '../emit/emit-access-path.ts'
import { createEmitter } from '../emit/emitter.ts'
import { planFilter, planSetJoin } from './optimize-filter.ts'
import type { Optimizer } from './optimizer.ts'
import type { CandidateSource } from '../plan/physical-plan.ts'
import type { Condition, SemiJoin } from '../plan/plan.ts'

/** A source, with the estimated number of records it finds. */
export interface EstimatedSource {
  readonly source: CandidateSource
  readonly estimate: number
  /** Number of id lists that are merged for it. */
  readonly lists: number
  /** Number of values it compares with. */
  readonly values: number
}

/** A needle with which more trigrams than this begin is too common. */
const maxPrefixTerms = 400

/** Maximum number of values of one source. */
const maxValues = 100

/** SQLite merges at most 500 lists, and merges each through all lists before it. */
export const maxCandidateSources = 100

/** Maximum nesting of semi-joins that are evaluated through sources; SQLite limits the depth of expressions. */
const maxSemiJoinLevels = 3

/** Sources that together find every record for which the condition holds; null if there are none. */
export function findCandidateSources(
  optimizer: Optimizer,
  table: Table,
  part: Condition,
  limit: number,
  levels = maxSemiJoinLevels,
): readonly EstimatedSource[] | null {
  const { statistics } = optimizer
  if (statistics === null) return null
  const find = (inner: Condition) => findCandidateSources(optimizer, table, inner, limit, levels)
  switch (part.kind) {
    case 'text': {
      const found = part.index === null ? null : findText(statistics, part.index, part.needle)
      return found === null ? null : [found]
    }
    case 'has': {
      const { index } = part.array
      if (index === null || part.list.length === 0) return null
      if (part.mode === 'any' && part.list.length > maxCandidateSources) return null
      // If all values must be present, the source of any one value finds the record.
      const values = part.list.slice(0, maxCandidateSources)
      const found = values.map((value) => findElement(optimizer, statistics, index, value, limit))
      return part.mode === 'any' ? found : [found.reduce((a, b) => (b.estimate < a.estimate ? b : a))]
    }
    case 'all': {
      const usable = part.of.flatMap((inner) => {
        const found = find(inner)
        return found === null || found.length === 0 ? [] : [found]
      })
      return usable.length === 0
        ? null
        : usable.reduce((a, b) => (totalEstimate(b) < totalEstimate(a) ? b : a))
    }
    case 'any': {
      if (part.of.length > maxCandidateSources) return null
      const each = part.of.map(find)
      return each.length === 0 || each.includes(null) ? null : each.flatMap((found) => found ?? [])
    }
    case 'compare':
    case 'in': {
      const found = findRows(optimizer, statistics, table, part, limit)
      return found === null ? findWholeTexts(statistics, table, part) : [found]
    }
    case 'uri': {
      const found = findRows(optimizer, statistics, table, part, limit)
      return found === null ? null : [found]
    }
    case 'target':
    case 'referring': {
      const found = findJoinedRows(optimizer, statistics, table, part, limit, levels)
      return found === null ? null : [found]
    }
    case 'not':
    case 'missing':
    case 'absent':
    case 'element':
    case 'indexed':
    case 'current':
    case 'outerCurrent':
      return null
  }
}

/** Sources that find the records of a semi-join's other table; null if these may be `limit` or more. */
export function findSemiJoinSources(
  optimizer: Optimizer,
  { table, where }: SemiJoin,
  limit: number,
  levels = maxSemiJoinLevels,
): readonly EstimatedSource[] | null {
  if (levels === 0 || mentionsReference(where)) return null
  const ways = conjuncts(where).flatMap((part) => {
    const found = findCandidateSources(optimizer, table, part, limit, levels - 1)
    return found === null || found.length > maxCandidateSources ? [] : [found]
  })
  const [best] = ways.sort((a, b) => totalEstimate(a) - totalEstimate(b))
  return best === undefined || totalEstimate(best) >= limit ? null : best
}

export function totalEstimate(found: readonly EstimatedSource[]): number {
  return found.reduce((sum, { estimate }) => sum + estimate, 0)
}

export function totalValues(found: readonly EstimatedSource[]): number {
  return found.reduce((sum, { values }) => sum + values, 0)
}

/** Equal texts have equal trigrams, so trigrams find whole texts too. */
function findWholeTexts(
  statistics: Statistics,
  table: Table,
  part: Extract<Condition, { kind: 'compare' | 'in' }>,
): readonly EstimatedSource[] | null {
  if (part.kind === 'compare' ? part.op !== 'eq' : part.negated || part.list.length > maxCandidateSources)
    return null
  const { operand } = part
  const index = operand.kind === 'column' && table.texts.find(({ text }) => text === operand.column)
  if (!index) return null
  const texts = (part.kind === 'compare' ? [part.to] : part.list).map((text) => foldText(String(text)))
  // Each character costs a lookup of statistics.
  const length = Math.floor(mostCharacters / Math.max(texts.length, fewTexts))
  const each = texts.map((text) => findText(statistics, index, [...text].slice(0, length).join('')))
  return each.length === 0 || each.includes(null) ? null : each.flatMap((found) => found ?? [])
}

/** Maximum number of characters that all texts use together, and the minimum number of texts that share it. */
const mostCharacters = 500
const fewTexts = 5

function findRows(
  optimizer: Optimizer,
  statistics: Statistics,
  table: Table,
  part: Condition,
  limit: number,
): EstimatedSource | null {
  const index = columnIndex(table, part)
  if (index === undefined) return null
  const source: CandidateSource = { kind: 'rows', table, index, filter: planFilter(optimizer, part) }
  return estimated(optimizer, statistics, source, limit, 0, ownUris(part)?.length)
}

function findJoinedRows(
  optimizer: Optimizer,
  statistics: Statistics,
  table: Table,
  join: SemiJoin,
  limit: number,
  levels: number,
): EstimatedSource | null {
  const index = indexFrom(table, join)
  const inner = index === undefined ? null : findSemiJoinSources(optimizer, join, limit, levels)
  if (index === undefined || inner === null) return null
  const sources = inner.map((found) => found.source)
  const source: CandidateSource = {
    kind: 'rows',
    table,
    index,
    filter: planSetJoin(optimizer, join, sources),
  }
  return estimated(optimizer, statistics, source, limit, totalEstimate(inner))
}

function findElement(
  optimizer: Optimizer,
  statistics: Statistics,
  array: ArrayIndex,
  value: ColumnValue,
  limit: number,
): EstimatedSource {
  const source: CandidateSource = { kind: 'element', array, value }
  const probe = emitSourceProbe(createEmitter(optimizer), source)
  return { source, estimate: statistics.countUpTo(probe, limit), lists: 1, values: 1 }
}

/** Null for a source that compares with too many values. `known`: the number of records, if it needs no counting. */
function estimated(
  optimizer: Optimizer,
  statistics: Statistics,
  source: CandidateSource,
  limit: number,
  innerRows: number,
  known?: number,
): EstimatedSource | null {
  const probe = emitSourceProbe(createEmitter(optimizer), source)
  const values = probe.values.length
  if (values > maxValues) return null
  return { source, estimate: known ?? statistics.countUpTo(probe, limit, innerRows), lists: 1, values }
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
  // Only the rarest if it is rare: each further trigram costs the intersection with a whole list.
  const used = trigrams.slice(0, rarest < 500 ? 1 : 2).map(({ trigram }) => trigram)
  return {
    source: { kind: 'text', index, match: { kind: 'all', trigrams: used } },
    estimate: rarest,
    lists: 1,
    values: used.length,
  }
}

function findPrefix(statistics: Statistics, index: TextIndex, needle: string): EstimatedSource | null {
  const found = statistics.prefix(index, needle)
  if (found === null || found.terms > maxPrefixTerms) return null
  return {
    source: { kind: 'text', index, match: { kind: 'prefix', needle } },
    estimate: found.records,
    lists: found.terms,
    values: 3,
  }
}

function sequences(characters: readonly string[], length: number): readonly string[] {
  const starts = characters.slice(length - 1)
  return [...new Set(starts.map((_, at) => characters.slice(at, at + length).join('')))]
}
