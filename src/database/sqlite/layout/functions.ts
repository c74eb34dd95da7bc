/** SQL functions for the dialect that SQLite lacks, in JavaScript: folding, instants, CIDs, cursors, means. */
import type { AggregateOptions, DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { formatCid } from '../../../lexicon/records/encoding.ts'
import { encodeCursor } from '../../../util/cursor.ts'
import { sumOutOfRange } from '../../refusals.ts'
import { defineStatistics, exactMean } from './statistics-functions.ts'
import { indexedWords, mayExceed } from '../../../search/indexed-words.ts'
import { plainWordsOf } from '../../../search/words.ts'
import { foldText } from '../../../util/text/fold.ts'
import { editDistance } from '../../../util/text/nearest.ts'
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
    editDistance([...String(from)], [...String(to)], Number(most), true),
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
  database.aggregate('count_words', { ...wordCounter, varargs: true })
  database.aggregate('count_records', recordCounter)
  database.aggregate('count_names', nameCounter)
  database.function('sum_out_of_range', { directOnly: true }, () => {
    throw sumOutOfRange()
  })
}

/** Node accepts a state of any type, although the declared types allow only values of SQLite. */
function aggregateOf<State>(given: {
  readonly start: () => State
  readonly step: (state: State, ...values: SQLOutputValue[]) => State
  readonly result: (state: State) => string
}): AggregateOptions {
  return { ...given, directOnly: true } as unknown as AggregateOptions
}

interface WordCounts {
  /** `last`: the number of the last record that has the word. */
  readonly counts: Map<string, { records: number; last: number }>
  records: number
}

const wordCounter = aggregateOf({
  start: (): WordCounts => ({ counts: new Map(), records: 0 }),
  step: addWords,
  result: ({ counts }) => JSON.stringify(Array.from(counts, ([word, { records }]) => [word, records])),
})

/** Counts each word of the last text once. Those before it are read only if they may use up what an index holds. */
function addWords(state: WordCounts, ...texts: SQLOutputValue[]): WordCounts {
  const given = texts.map((text) => (typeof text === 'string' ? text : null))
  const characters = given.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  const text = given.at(-1) ?? ''
  const words = mayExceed(characters) ? (indexedWords(given, []).fields.at(-1) ?? []) : plainWordsOf(text)
  const record = ++state.records
  for (const word of words) {
    const count = state.counts.get(word)
    if (count === undefined) state.counts.set(word, { records: 1, last: record })
    else if (count.last !== record) {
      count.last = record
      count.records += 1
    }
  }
  return state
}

/** Counts the records of each key; the rows of a record are adjacent. `id`: of the last record that has the key. */
const recordCounter = aggregateOf({
  start: () => new Map<SQLOutputValue, { id: SQLOutputValue; records: number }>(),
  step(counts, id: SQLOutputValue, key: SQLOutputValue) {
    const count = counts.get(key)
    if (count === undefined) counts.set(key, { id, records: 1 })
    else if (count.id !== id) {
      count.id = id
      count.records += 1
    }
    return counts
  },
  result: (counts) => JSON.stringify(Array.from(counts, ([key, { records }]) => [key, records])),
})

interface NameCounts {
  readonly counts: Map<string | null, number>
  /** JSON arrays without their brackets, which are not counted yet. */
  readonly lists: string[]
}

/**
 * Counts the records of each name. A record without elements is one without a name. Lists of names are parsed a hundred
 * at a time: parsing each by itself takes a third longer.
 */
const nameCounter = aggregateOf({
  start: (): NameCounts => ({ counts: new Map(), lists: [] }),
  step(state, names: SQLOutputValue) {
    state.lists.push(typeof names === 'string' ? names.slice(1, -1) : 'null')
    return state.lists.length === 100 ? addNames(state) : state
  },
  result: (state) => JSON.stringify([...addNames(state).counts]),
})

function addNames(state: NameCounts): NameCounts {
  const { counts, lists } = state
  for (const name of JSON.parse(`[${lists.join(',')}]`) as readonly (string | null)[])
    counts.set(name, (counts.get(name) ?? 0) + 1)
  lists.length = 0
  return state
}
