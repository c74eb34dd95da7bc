/** SQL functions for the dialect that SQLite lacks, in JavaScript: folding, instants, CIDs, cursors, means. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { formatCid } from '../../../lexicon/records/encoding.ts'
import { encodeCursor } from '../../../util/cursor.ts'
import { sumOutOfRange } from '../../refusals.ts'
import { defineStatistics, exactMean } from './statistics-functions.ts'
import { indexedWords, mayExceed } from '../../../search/indexed-words.ts'
import { editDistance } from '../../../search/nearest-words.ts'
import { plainWordsOf } from '../../../search/words.ts'
import { foldText } from '../../../util/text/fold.ts'
import { normalizeUrl } from '../../../util/text/normalize-url.ts'
import { formatInstant, parseRecordInstant } from '../../../util/instant.ts'

export function defineFunctions(database: DatabaseSync): void {
  const pure = { deterministic: true, directOnly: true } as const
  database.function('fold', pure, (text) => (typeof text === 'string' ? foldText(text) : null))
  database.function('normalized_url', pure, (text) => (typeof text === 'string' ? normalizeUrl(text) : null))
  database.function('instant', pure, (text) => (typeof text === 'string' ? parseRecordInstant(text) : null))
  database.function('instant_text', { ...pure, useBigIntArguments: true }, (micros) =>
    typeof micros === 'bigint' ? formatInstant(micros) : null,
  )
  database.function('cid_text', pure, (bytes) => (bytes instanceof Uint8Array ? formatCid(bytes) : null))
  database.function('page_cursor', pure, (binding, position) =>
    position === null ? null : encodeCursor(String(binding), String(position)),
  )
  database.function('edit_distance', pure, (from, to, most) =>
    editDistance(String(from), String(to), Number(most)),
  )
  // A sum in two parts, the lower of 26 bits: together they may exceed the 64 bits of SQLite's integers.
  database.function('exact_mean', { ...pure, useBigIntArguments: true }, (high, low, count) =>
    exactMean((BigInt(high as bigint) << 26n) + BigInt(low as bigint), BigInt(count as bigint)),
  )
  database.function('sum_text', { ...pure, useBigIntArguments: true }, (high, low) =>
    high === null ? null : String((BigInt(high as bigint) << 26n) + BigInt(low as bigint)),
  )
  // SQLite writes up to 17 digits where fewer identify the number, and a fraction of zero.
  database.function('number_text', pure, (value) => (value === null ? null : String(value)))
  defineStatistics(database)
  database.aggregate('count_words', {
    varargs: true,
    directOnly: true,
    ...wordCounter,
  })
  database.aggregate('count_records', { directOnly: true, ...recordCounter })
  database.aggregate('count_names', { directOnly: true, ...nameCounter })
  database.function('sum_out_of_range', { directOnly: true }, () => {
    throw sumOutOfRange()
  })
}

/** Node accepts a state of any type, although the declared types allow only values of SQLite. */
const wordCounter = {
  start: () => new Map<string, number>() as unknown as null,
  step: (counts: unknown, ...texts: SQLOutputValue[]) =>
    addWords(counts as Map<string, number>, ...texts) as unknown as null,
  result: (counts: unknown) => JSON.stringify([...(counts as Map<string, number>)]),
}

/** Counts each word of the last text once. Those before it are read only if they may use up what an index holds. */
function addWords(counts: Map<string, number>, ...texts: SQLOutputValue[]): Map<string, number> {
  const given = texts.map((text) => (typeof text === 'string' ? text : null))
  const characters = given.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  const text = given.at(-1) ?? ''
  const words = mayExceed(characters) ? (indexedWords(given, []).fields.at(-1) ?? []) : plainWordsOf(text)
  for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Counts the records of each key; the rows of a record are adjacent. */
const recordCounter = {
  start: () => new Map<SQLOutputValue, RecordCount>() as unknown as null,
  step: (counts: unknown, id: SQLOutputValue, key: SQLOutputValue) => {
    const known = counts as Map<SQLOutputValue, RecordCount>
    const count = known.get(key)
    if (count === undefined) known.set(key, { id, records: 1 })
    else if (count.id !== id) {
      count.id = id
      count.records += 1
    }
    return counts as null
  },
  result: (counts: unknown) =>
    JSON.stringify(
      Array.from(counts as Map<SQLOutputValue, RecordCount>, ([key, { records }]) => [key, records]),
    ),
}

/**
 * Counts the records of each name. A record without elements is one without a name. Lists of names are parsed a hundred
 * at a time: parsing each by itself takes a third longer.
 */
const nameCounter = {
  start: () => ({ counts: new Map(), lists: [] }) satisfies NameCounts as unknown as null,
  step: (state: unknown, names: SQLOutputValue) => {
    const { lists } = state as NameCounts
    lists.push(typeof names === 'string' ? names.slice(1, -1) : 'null')
    if (lists.length === 100) addNames(state as NameCounts)
    return state as null
  },
  result: (state: unknown) => {
    addNames(state as NameCounts)
    return JSON.stringify([...(state as NameCounts).counts])
  },
}

interface NameCounts {
  readonly counts: Map<string | null, number>
  /** JSON arrays without their brackets, which are not counted yet. */
  readonly lists: string[]
}

function addNames({ counts, lists }: NameCounts): void {
  for (const name of JSON.parse(`[${lists.join(',')}]`) as readonly (string | null)[])
    counts.set(name, (counts.get(name) ?? 0) + 1)
  lists.length = 0
}

interface RecordCount {
  /** Of the last record that has the key. */
  id: SQLOutputValue
  records: number
}
