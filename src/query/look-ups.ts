/**
 * Conditions that an index of their own answers with ids: texts by their rarest trigrams, arrays by element.
 * A look-up finds every record the condition holds for, and perhaps more; the condition itself is checked after.
 */
import type { ColumnValue, Statistics } from '../database/database.ts'
import type { ArrayIndex, TextIndex } from '../database/tables.ts'
import type { TrigramMatch } from '../sql/dialect.ts'
import { identifier, type Sql, sql } from '../sql/sql.ts'
import type { Emitter } from './emitter.ts'
import type { Condition } from './plan.ts'

export type LookUp =
  | { readonly kind: 'text'; readonly index: TextIndex; readonly match: TrigramMatch }
  | { readonly kind: 'element'; readonly array: ArrayIndex; readonly value: ColumnValue }

/** A look-up, how many records it may find, and how many lists are merged for it. */
export interface Found {
  readonly lookUp: LookUp
  readonly estimate: number
  readonly lists: number
}

/** Two noncharacters that trigram tokenizers replace, so that they are found in the text alone. */
const unindexable = /[\uFFFE\uFFFF]/

/** More trigrams than this are not merged: a needle that begins so many is a common one. */
const maxPrefixTerms = 400

/** Look-ups that together find every record the condition holds for; null when there are none. */
export function findLookUps(emitter: Emitter, part: Condition, limit: number): readonly Found[] | null {
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
      const found = part.list.map((value) => findElement(emitter, statistics, index, value, limit))
      return part.mode === 'any' ? found : [found.reduce((a, b) => (b.estimate < a.estimate ? b : a))]
    }
    case 'all': {
      const each = part.of.flatMap((inner) => [findLookUps(emitter, inner, limit) ?? []])
      const usable = each.filter((found) => found.length > 0)
      return usable.length === 0
        ? null
        : usable.reduce((a, b) => (totalEstimate(b) < totalEstimate(a) ? b : a))
    }
    case 'any': {
      const each = part.of.map((inner) => findLookUps(emitter, inner, limit))
      return each.length === 0 || each.includes(null) ? null : each.flatMap((found) => found ?? [])
    }
    default:
      return null
  }
}

export function totalEstimate(found: readonly Found[]): number {
  return found.reduce((sum, { estimate }) => sum + estimate, 0)
}

/** The ids a look-up finds, each once and in id order, as what to select from which rows. */
export function lookUpIds(
  { dialect }: Emitter,
  lookUp: LookUp,
): { readonly from: Sql; readonly id: Sql; readonly where: Sql } {
  if (lookUp.kind === 'text') return dialect.trigramIds(lookUp.index.name, lookUp.match)
  return { from: identifier(lookUp.array.name), id: sql`id`, where: sql`value = ${lookUp.value}` }
}

function findElement(
  emitter: Emitter,
  statistics: Statistics,
  array: ArrayIndex,
  value: ColumnValue,
  limit: number,
): Found {
  const lookUp: LookUp = { kind: 'element', array, value }
  const { from, where } = lookUpIds(emitter, lookUp)
  const probe = sql`select 1 from ${from} where ${where}`
  const text = emitter.dialect.text(probe)
  return { lookUp, estimate: statistics.countUpTo({ text, values: [value] }, limit), lists: 1 }
}

function findText(statistics: Statistics, index: TextIndex, needle: string): Found | null {
  const characters = [...needle]
  if (characters.length === 0) return null
  if (characters.length < 3) {
    if (unindexable.test(needle)) return null
    const { terms, records } = statistics.prefix(index, needle)
    if (terms > maxPrefixTerms) return null
    return {
      lookUp: { kind: 'text', index, match: { kind: 'prefix', needle } },
      estimate: records,
      lists: terms,
    }
  }
  const trigrams = [...new Set(characters.slice(2).map((_, at) => characters.slice(at, at + 3).join('')))]
    .filter((trigram) => !unindexable.test(trigram))
    .map((trigram) => ({ trigram, records: statistics.trigram(index, trigram) }))
    .sort((a, b) => a.records - b.records)
  if (trigrams.length === 0) return null
  const rarest = trigrams[0]?.records ?? 0
  // The rarest alone when it is rare: each further one costs a whole list to intersect.
  const used = trigrams.slice(0, rarest < 500 ? 1 : 2).map(({ trigram }) => trigram)
  return {
    lookUp: { kind: 'text', index, match: { kind: 'all', trigrams: used } },
    estimate: rarest,
    lists: 1,
  }
}
