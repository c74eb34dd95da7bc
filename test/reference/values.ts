/**
 * The values a plain evaluator compares: text folding, instants, and one order over all of them.
 * Written from the dialect's sentences alone, so that it can contradict the program.
 */

import { letters } from '../../src/util/text/letters.ts'

/** A present value, ready to compare; instants are microseconds since 1970. `undefined` is a missing one. */
export type Key = string | number | boolean | bigint | undefined

/**
 * Accents without a letter as apostrophes; NFKD; marks of no script but the Japanese voicing, marks of Arabic, Cyrillic,
 * Hebrew and Syriac, tatweel and ignorable characters removed; NFC; lower case; the table of letters, and dashes as
 * hyphens.
 */
export function fold(text: string): string {
  const typed = text.replaceAll(/[´\u1ffd΄᾽᾿῾]/g, "'").normalize('NFKD')
  const bare = [...typed].filter((character) => !isOptional(character)).join('')
  return Array.from(
    bare.normalize('NFC').toLowerCase(),
    (character) => letters.get(character) ?? (/\p{Dash}/u.test(character) ? '-' : character),
  ).join('')
}

function isOptional(character: string): boolean {
  if (character === 'ـ' || /\p{DI}/u.test(character)) return true
  if (/\p{sc=Inherited}/u.test(character)) return character !== '\u3099' && character !== '\u309a'
  return /\p{M}/u.test(character) && /[\p{sc=Arab}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Syrc}]/u.test(character)
}

/** Missing first, then false before true, numbers and instants by size, text by code point. */
/** In a direction; a missing value is smaller than any, unless `nulls` says where it is. */
export function compareOrdered(
  a: Key,
  b: Key,
  {
    direction,
    nulls,
  }: { readonly direction?: 'ASC' | 'DESC' | undefined; readonly nulls?: 'FIRST' | 'LAST' },
): number {
  if (nulls !== undefined && (a === undefined) !== (b === undefined))
    return (a === undefined) === (nulls === 'FIRST') ? -1 : 1
  return direction === 'DESC' ? -compareKeys(a, b) : compareKeys(a, b)
}

export function compareKeys(a: Key, b: Key): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a !== typeof b) throw new Error(`Cannot compare a ${typeof a} with a ${typeof b}.`)
  return a < b ? -1 : a > b ? 1 : 0
}

export function compareText(a: string, b: string): number {
  let at = 0
  while (at < a.length && at < b.length) {
    const [left = 0, right = 0] = [a.codePointAt(at), b.codePointAt(at)]
    if (left !== right) return left - right
    at += left > 0xffff ? 2 : 1
  }
  return a.length - b.length
}

const datetimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/

/** The same few thousand are compared again and again. */
const instants = new Map<string, bigint>()

/** An RFC 3339 datetime, or a date meaning midnight UTC, in microseconds; finer digits are cut off. */
export function parseInstant(text: string): bigint {
  const instant = instants.get(text) ?? readInstant(text)
  instants.set(text, instant)
  return instant
}

function readInstant(text: string): bigint {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return parseInstant(`${text}T00:00:00Z`)
  const [, date, time, fraction = '', offset] = datetimePattern.exec(text) ?? []
  const milliseconds = Date.parse(`${date}T${time}${offset}`)
  if (Number.isNaN(milliseconds)) throw new Error(`"${text}" is no datetime.`)
  return BigInt(milliseconds) * 1000n + BigInt(`${fraction}000000`.slice(0, 6))
}

/** In UTC with three digits of a second, or six when three do not say it all. */
export function printInstant(instant: bigint): string {
  const micros = ((instant % 1000n) + 1000n) % 1000n
  const text = new Date(Number((instant - micros) / 1000n)).toISOString()
  return micros === 0n ? text : `${text.slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}

export const buckets = ['hour', 'day', 'week', 'month', 'quarter', 'year'] as const
export type Bucket = (typeof buckets)[number]

/** The first moment of the bucket an instant falls into. */
export function startOf(bucket: Bucket, instant: bigint): bigint {
  const date = new Date(Number((instant - (((instant % 1000n) + 1000n) % 1000n)) / 1000n))
  date.setUTCMinutes(0, 0, 0)
  if (bucket !== 'hour') date.setUTCHours(0)
  if (bucket === 'week') date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  if (bucket === 'month' || bucket === 'quarter' || bucket === 'year') date.setUTCDate(1)
  if (bucket === 'quarter') date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3))
  if (bucket === 'year') date.setUTCMonth(0)
  return BigInt(date.getTime()) * 1000n
}

export function hourOfDay(instant: bigint): number {
  return new Date(Number(startOf('hour', instant) / 1000n)).getUTCHours()
}

/** 1 for Monday to 7 for Sunday. */
export function weekday(instant: bigint): number {
  return new Date(Number(startOf('day', instant) / 1000n)).getUTCDay() || 7
}

/** `2026-11-16`, for hours `2026-11-16T13:00:00Z`. */
export function printBucket(bucket: Bucket, instant: bigint): string {
  const text = new Date(Number(instant / 1000n)).toISOString()
  return bucket === 'hour' ? `${text.slice(0, 19)}Z` : text.slice(0, 10)
}
