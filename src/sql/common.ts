/** Expressions that are the same in every database, for use by dialects. */
import { join, raw, type Sql, sequence, sql } from './sql.ts'

export type Bucket = 'hour' | 'day' | 'week' | 'month' | 'year'

const microsPer = { hour: 3_600_000_000, day: 86_400_000_000, week: 604_800_000_000 }
/** Weeks begin on Monday, and 1970-01-01 was a Thursday. */
const mondayOffset = 3 * microsPer.day
/** Engines allow 100 arguments in a function call, or 99. */
const maxArguments = 99

/** The parts of a concatenation, so that nested concatenations are flattened: each level would copy the text again. */
const partsOf = new WeakMap<Sql, readonly Sql[]>()

/** Concatenates texts; null counts as the empty text. */
export function concat(parts: readonly Sql[]): Sql {
  const all = mergedLiterals(parts.flatMap((part) => partsOf.get(part) ?? [part]))
  const text = call(all)
  partsOf.set(text, all)
  return text
}

function call(parts: readonly Sql[]): Sql {
  if (parts.length === 1) return parts[0] as Sql
  if (parts.length <= maxArguments) return sql`concat(${join(parts as Sql[], ', ')})`
  const chunks: Sql[] = []
  for (let start = 0; start < parts.length; start += maxArguments)
    chunks.push(call(parts.slice(start, start + maxArguments)))
  return call(chunks)
}

function mergedLiterals(parts: readonly Sql[]): readonly Sql[] {
  const merged: Sql[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (last !== undefined && isLiteral(last) && isLiteral(part))
      merged[merged.length - 1] = raw(`${last.sql.slice(0, -1)}${part.sql.slice(1)}`)
    else merged.push(part)
  }
  return merged
}

function isLiteral({ strings, values }: Sql): boolean {
  return values.length === 0 && strings.length === 1 && /^'(?:[^']|'')*'$/.test(strings[0] ?? '')
}

/** The first microsecond of a bucket of fixed length. */
export function bucketStart(micros: Sql, bucket: 'hour' | 'day' | 'week'): Sql {
  if (bucket !== 'week') return floorTo(micros, microsPer[bucket])
  const offset = raw(String(mondayOffset))
  return sql`(${floorTo(sql`(${micros} + ${offset})`, microsPer.week)} - ${offset})`
}

/** Rounds towards the past, also before 1970, where integer division rounds towards zero. */
export function floorTo(value: Sql, unit: number): Sql {
  const by = raw(String(unit))
  return sequence([sql`(${value} - ((${value} % `, by, sql`) + `, by, sql`) % `, by, sql`)`])
}
