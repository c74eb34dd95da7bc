/**
 * Finds candidate sources, the indexes that answer a condition with ids: texts by their rarest trigrams, arrays by
 * element, other conditions by indexes of the table, and semi-joins by the index that leads from the other table.
 * Sources find every record for which the condition holds, and possibly more; the condition itself is verified
 * afterwards.
 */
import type { Statistics } from '../../database/database.ts'
import { ownKey, type Table, type TextIndex } from '../../database/layout/tables.ts'
import { foldText } from '../../util/text/fold.ts'
import { columnIndex, conjuncts, indexFrom, mentionsReference, ownUris } from '../plan/plan-facts.ts'
import { emitCountsProbe, emitSourceProbe } from '../emit/emit-access-path.ts'
import { createEmitter } from '../emit/emitter.ts'
import { estimateWords, fewRecords, timeOfMatches } from './match-words.ts'
import { planFilter, planSetJoin } from './optimize-filter.ts'
import type { Optimizer } from './optimizer.ts'
import type { CandidateSource } from '../plan/physical-plan.ts'
import type { Condition, ReferringCount, SemiJoin } from '../plan/conditions.ts'

/** Sources that together find every record for which a condition holds. */
interface FoundSources {
  readonly sources: readonly CandidateSource[]
  /** Estimated number of records they find. */
  readonly estimate: number
  /** The number of records that are read in the time in which an index of words finds them. */
  readonly time: number
  /** Number of id lists that are merged. */
  readonly lists: number
  /** Number of values they compare with. */
  readonly values: number
}

function found(source: CandidateSource, estimate: number, values: number, lists = 1): FoundSources {
  return { sources: [source], estimate, time: 0, lists, values }
}

/** A needle with which more trigrams than this begin is too common. */
const maxPrefixTerms = 400

/** Records that may be read, or the time of as many, to count what a source finds. */
const mostProbed = 300

/** Maximum number of values of one source. */
const maxValues = 100

/** SQLite merges at most 500 lists, and merges each through all lists before it. */
export const maxCandidateSources = 100

/** Maximum nesting of semi-joins that are evaluated through sources; SQLite limits the depth of expressions. */
const maxSemiJoinLevels = 3

/** What finding sources needs, besides the table and the condition. */
interface SourceContext {
  readonly optimizer: Optimizer
  /** Records are counted up to this number. */
  readonly limit: number
  /** How many more semi-joins may nest. */
  readonly levels: number
}

/** Null if no sources find the records of a condition. */
export function findCandidateSources(
  optimizer: Optimizer,
  table: Table,
  part: Condition,
  limit: number,
): FoundSources | null {
  return find({ optimizer, limit, levels: maxSemiJoinLevels }, table, part)
}

function find(context: SourceContext, table: Table, part: Condition): FoundSources | null {
  const { statistics } = context.optimizer
  switch (part.kind) {
    case 'text':
      return part.index === null ? null : findText(statistics, part.index, part.needle)
    case 'words':
      return findWords(context, table, part)
    case 'has': {
      const { index } = part.array
      if (index === null || part.list.length === 0) return null
      if (part.mode === 'any' && part.list.length > maxCandidateSources) return null
      // If all values must be present, the source of any one value finds the record.
      const values = part.list.slice(0, maxCandidateSources)
      const found = values.map((value) => counted(context, { kind: 'element', array: index, value }))
      return part.mode === 'any' ? together(found) : cheapest(found)
    }
    case 'all':
      return cheapest(part.of.map((inner) => find(context, table, inner)))
    case 'any':
      return part.of.length > maxCandidateSources
        ? null
        : together(part.of.map((inner) => find(context, table, inner)))
    case 'compare':
    case 'in':
      if (part.operand.kind === 'count') return findCounted(context, table, part, part.operand)
      return findRows(context, table, part) ?? findWholeTexts(statistics, table, part)
    case 'uri':
    case 'url':
      return findRows(context, table, part)
    case 'target':
    case 'referring':
      return findJoinedRows(context, table, part)
  }
  return null
}

type Compared = Extract<Condition, { kind: 'compare' | 'in' }>

/** The records that enough others refer to, from materialized counts, which have no zeros. */
function findCounted(
  { optimizer, limit }: SourceContext,
  table: Table,
  part: Compared,
  { counts }: ReferringCount,
): FoundSources | null {
  if (counts === null || optimizer.state.hiding || !excludesZero(part)) return null
  const probe = emitCountsProbe(createEmitter(optimizer), counts, part)
  const values = probe.values.length
  if (values > maxValues) return null
  const filter = planFilter(optimizer, part)
  const estimate = optimizer.statistics.countUpTo(probe, limit)
  return found({ kind: 'rows', table, index: ownKey(table), filter }, estimate, values)
}

function excludesZero(part: Compared): boolean {
  if (part.kind === 'in') return !part.negated && part.list.every((value) => Number(value) > 0)
  if (part.op === 'eq' || part.op === 'gte') return Number(part.to) > 0
  return part.op === 'gt' && Number(part.to) >= 0
}

/** Sources that find the records of a semi-join's other table; null if these may be `limit` or more. */
export function findSemiJoinSources(
  optimizer: Optimizer,
  { table, where }: SemiJoin,
  limit: number,
  levels = maxSemiJoinLevels,
): FoundSources | null {
  if (levels === 0 || mentionsReference(where)) return null
  const best = cheapest(
    conjuncts(where).map((part) => {
      const one = find({ optimizer, limit, levels: levels - 1 }, table, part)
      return one === null || one.sources.length > maxCandidateSources ? null : one
    }),
  )
  return best === null || best.estimate >= limit ? null : best
}

/** Null if there are none, or if any part has none. */
function together(parts: readonly (FoundSources | null)[]): FoundSources | null {
  if (parts.length === 0) return null
  return parts.reduce((all, part) =>
    all === null || part === null
      ? null
      : {
          sources: [...all.sources, ...part.sources],
          estimate: all.estimate + part.estimate,
          time: all.time + part.time,
          lists: all.lists + part.lists,
          values: all.values + part.values,
        },
  )
}

function cheapest(found: readonly (FoundSources | null)[]): FoundSources | null {
  return found.reduce((a, b) => (a === null || (b !== null && b.estimate < a.estimate) ? b : a), null)
}

/** Equal texts have equal trigrams, so trigrams find whole texts too. */
function findWholeTexts(statistics: Statistics, table: Table, part: Compared): FoundSources | null {
  if (part.kind === 'compare' ? part.op !== 'eq' : part.negated || part.list.length > maxCandidateSources)
    return null
  const { operand } = part
  const index = operand.kind === 'column' && table.texts.find(({ text }) => text === operand.column)
  if (!index) return null
  const texts = (part.kind === 'compare' ? [part.to] : part.list).map((text) => foldText(String(text)))
  // Each character costs a lookup of statistics.
  const length = Math.floor(mostCharacters / Math.max(texts.length, fewTexts))
  return together(texts.map((text) => findText(statistics, index, [...text].slice(0, length).join(''))))
}

/** Maximum number of characters that all texts use together, and the minimum number of texts that share it. */
const mostCharacters = 500
const fewTexts = 5

function findRows(context: SourceContext, table: Table, part: Condition): FoundSources | null {
  const index = columnIndex(table, part)
  if (index === undefined) return null
  const filter = planFilter(context.optimizer, part)
  return counted(context, { kind: 'rows', table, index, filter }, 0, ownUris(part)?.length)
}

function findJoinedRows(context: SourceContext, table: Table, join: SemiJoin): FoundSources | null {
  const { optimizer, limit, levels } = context
  const { statistics } = optimizer
  const index = indexFrom(table, join)
  const inner = index === undefined ? null : findSemiJoinSources(optimizer, join, limit, levels)
  if (index === undefined || inner === null) return null
  const filter = planSetJoin(optimizer, join, inner.sources)
  const read = Math.max(inner.time, inner.estimate)
  // Each record refers to one target; of those that refer, the usual number is assumed.
  const perRecord = Math.max(1, statistics.rows(table) / statistics.rows(join.table))
  const known = read > mostProbed ? Math.ceil(inner.estimate * perRecord) : undefined
  return counted(context, { kind: 'rows', table, index, filter }, read, known)
}

/** Null for a source that compares with too many values. `known`: the number of records, if it needs no counting. */
function counted(
  { optimizer, limit }: SourceContext,
  source: CandidateSource,
  innerRows = 0,
  known?: number,
): FoundSources | null {
  const probe = emitSourceProbe(createEmitter(optimizer), source)
  const values = probe.values.length
  if (values > maxValues) return null
  return found(source, known ?? optimizer.statistics.countUpTo(probe, limit, innerRows), values)
}

/** Exactly the records for which the condition holds. */
function findWords(
  context: SourceContext,
  table: Table,
  { index, match }: Extract<Condition, { kind: 'words' }>,
): FoundSources {
  const { optimizer, limit } = context
  const { statistics } = optimizer
  const source = { kind: 'words', table, index, match } as const
  const time = timeOfMatches(optimizer, index, match)
  const isCounted = time <= mostProbed
  const known = estimateWords(
    match,
    statistics.rows(table),
    (word, isPrefix) => statistics.word(index, word, isPrefix) ?? (isCounted ? null : fewRecords),
  )
  const assumed = { ...found(source, known ?? limit, 2), time }
  // A search with many phrases may compare with too many values to be counted.
  return known !== null ? assumed : { ...(counted(context, source, time) ?? assumed), time }
}

function findText(statistics: Statistics, index: TextIndex, needle: string): FoundSources | null {
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
  return found({ kind: 'text', index, match: { kind: 'all', trigrams: used } }, rarest, used.length)
}

function findPrefix(statistics: Statistics, index: TextIndex, needle: string): FoundSources | null {
  const { terms, records } = statistics.prefix(index, needle, maxPrefixTerms + 1) ?? { terms: Infinity }
  if (terms > maxPrefixTerms || records === undefined) return null
  return found({ kind: 'text', index, match: { kind: 'prefix', needle } }, records, 3, terms)
}

function sequences(characters: readonly string[], length: number): readonly string[] {
  const starts = characters.slice(length - 1)
  return [...new Set(starts.map((_, at) => characters.slice(at, at + length).join('')))]
}
