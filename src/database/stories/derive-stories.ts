/**
 * Derives the stories of a collection, as docs/stories.md defines them. One transaction derives some records in the order
 * of time, from the first mark on, and marks where it stopped. It derives marked records, records that repeat another,
 * and within 72 hours those that a new first record resembles or whose first record is no longer one.
 */
import { quote } from '../../sql/sql.ts'
import { StoryWindow } from '../../search/stories/story-window.ts'
import type { StoryWords } from '../../search/stories/story-words.ts'
import type { StoryColumns } from '../layout/story-columns.ts'
import type { Table } from '../layout/tables.ts'
import { ask, jsonIds, type RowKey, type Steps, type WriteDialect } from '../metadata/steps.ts'
import type { RecordTable, StoryRow } from '../write/record-table.ts'
import { type Considered, readConsidered, readFirsts, secondsOf, storyWordsOf } from './considered.ts'
import { firstTime, markCopies, storySpan } from './story-marks.ts'

interface Mark {
  readonly at: bigint
  readonly until: bigint
}

interface Assigned {
  /** Rows whose stored story is another. */
  readonly changed: readonly StoryRow[]
  /** The time up to which records were looked at. */
  readonly done: bigint
  /** The time up to which records must be derived. */
  readonly until: bigint
}

/** By CID, because each transaction compares the same first records; the latest come last. */
export type WordCache = Map<string, StoryWords>

/** Records remembered between transactions: about 100 MB. */
const mostCached = 40_000

/** Records that are looked at for each that may be derived, where few are marked. */
const mostLooked = 25

export class StoryDeriver {
  readonly #records: RecordTable
  readonly #table: Table
  readonly #columns: StoryColumns
  readonly #dialect: WriteDialect
  readonly #words: WordCache
  readonly #window = new StoryWindow<RowKey>()
  /** First records that have come in this transaction, and the keys of those that have gone. */
  readonly #come = new StoryWindow<RowKey>()
  readonly #gone = new Set<string>()
  /** What this transaction has derived, by key. */
  readonly #derived = new Map<string, RowKey>()

  constructor(records: RecordTable, columns: StoryColumns, dialect: WriteDialect, words: WordCache) {
    this.#records = records
    this.#table = records.table
    this.#columns = columns
    this.#dialect = dialect
    this.#words = words
  }

  /**
   * Derives about `limit` records whose time is not after `now`, all those of one time together. Returns whether more
   * may be marked.
   */
  *derive(now: bigint, limit: number): Steps<boolean> {
    const marks = quote(this.#columns.marks)
    const first = `select at, until from ${marks} where at <= ? order by at, until desc limit 1`
    const [mark] = yield* ask<Mark>(first, now)
    if (mark === undefined) return false
    const from = mark.at
    for (const cid of this.#words.keys().take(Math.max(this.#words.size - mostCached, 0)))
      this.#words.delete(cid)
    const isRange = mark.until > from
    const end = isRange || from + storySpan > now ? now : from + storySpan
    const boundary = yield* this.#boundary(from, end, isRange ? limit : limit * mostLooked)
    const last = boundary ?? end
    const rows = yield* readConsidered(this.#table, this.#columns, from, last)
    yield* this.#open(from)
    yield* this.#learn(rows)
    const passed = yield* ask<Mark>(`select at, until from ${marks} where at <= ? order by at`, last)
    const { changed, done, until } = this.#assign(rows, passed, limit, last)
    yield* this.#records.setStories(changed)
    yield* ask(`delete from ${marks} where at <= ?`, done)
    const isLast = boundary === null && done === now
    const next = isLast ? yield* this.#firstAfter(now) : done + 1n
    if (next !== null && next <= until)
      yield* ask(`insert into ${marks} (at, until) values (?, ?) on conflict do nothing`, next, until)
    yield* this.#markCopies(changed, done)
    return !isLast
  }

  /** The time of the last of `limit` records; null if there are fewer. */
  *#boundary(from: bigint, end: bigint, limit: number): Steps<bigint | null> {
    const [table, time] = [quote(this.#table.name), quote(this.#columns.time.name)]
    const [row] = yield* ask<{ at: bigint }>(
      `select ${time} as at from ${table} where ${time} >= ? and ${time} <= ? order by ${time} limit 1 offset ?`,
      from,
      end,
      limit - 1,
    )
    return row?.at ?? null
  }

  *#firstAfter(now: bigint): Steps<bigint | null> {
    const [table, time] = [quote(this.#table.name), quote(this.#columns.time.name)]
    const least = `select min(${time}) as at from ${table} where ${time} > ?`
    return (yield* ask<{ at: bigint | null }>(least, now))[0]?.at ?? null
  }

  /** Enters the first records that records of that time may join. */
  *#open(from: bigint): Steps<void> {
    const firsts = yield* readFirsts(this.#table, this.#columns, from - storySpan, from)
    yield* this.#learn(firsts)
    for (const first of firsts) this.#enter(this.#window, first)
  }

  #enter(window: StoryWindow<RowKey>, first: Considered): void {
    window.add(first, secondsOf(first.at), this.#wordsOf(first))
  }

  #assign(rows: readonly Considered[], passed: readonly Mark[], limit: number, last: bigint): Assigned {
    const changed: StoryRow[] = []
    let [derived, done] = [0, last]
    let [until, near] = [firstTime, firstTime]
    let marked = 0
    for (const row of rows) {
      if (derived >= limit && row.at > done) return { changed, done, until: later(until, near) }
      done = row.at
      for (; (passed[marked]?.at ?? row.at + 1n) <= row.at; marked += 1)
        until = later(until, (passed[marked] as Mark).until)
      const isMarked = row.story === null || row.at <= until
      const isDue = isMarked || row.original !== null || (row.at <= near && this.#mayChange(row))
      derived += Number(isDue)
      const story = isDue ? this.#storyOf(row) : (row.story as RowKey)
      this.#derived.set(keyOf(row), story)
      const [was, is] = [row.story !== null && isSame(row.story, row), isSame(story, row)]
      if (is) this.#enter(this.#window, row)
      if (was !== is) near = row.at + storySpan
      if (was && !is) this.#gone.add(keyOf(row))
      if (is && !was) this.#enter(this.#come, row)
      if (row.story === null || !isSame(row.story, story)) changed.push({ id: row.id, story })
    }
    for (const mark of passed.slice(marked)) until = later(until, mark.until)
    return { changed, done: last, until: later(until, near) }
  }

  /** Whether an unmarked record may now be in another story, because a first record has come or gone. */
  #mayChange(row: Considered): boolean {
    const isGone = row.story !== null && this.#gone.has(keyOf(row.story))
    return isGone || this.#come.find(secondsOf(row.at), this.#wordsOf(row)) !== null
  }

  #storyOf(row: Considered): RowKey {
    const { original } = row
    const ofOriginal = original === null ? null : (this.#derived.get(keyOf(original)) ?? original.story)
    return ofOriginal ?? this.#window.find(secondsOf(row.at), this.#wordsOf(row)) ?? row
  }

  /** Records that repeat a changed one are in its story, at any distance. */
  *#markCopies(changed: readonly StoryRow[], after: bigint): Steps<void> {
    const given = this.#dialect.given({ id: 'bigint' })
    const mark = markCopies(this.#table, this.#columns, `id in (select id from ${given})`, after)
    if (mark !== null && changed.length > 0) yield* ask(mark, jsonIds(changed))
  }

  /** Reads the words of records that are not in memory. */
  *#learn(rows: readonly Considered[]): Steps<void> {
    const unknown = rows.filter(({ cid }) => !this.#words.has(cid))
    if (unknown.length === 0) return
    const cids = new Map(unknown.map(({ id, cid }) => [id, cid]))
    const found = yield* ask<{ id: bigint; json: string }>(
      `select id, ${this.#dialect.recordText} as json from ${quote(this.#table.name)}
       where id in (select id from ${this.#dialect.given({ id: 'bigint' })})`,
      jsonIds(unknown),
    )
    for (const { id, json } of found)
      this.#words.set(cids.get(id) ?? '', storyWordsOf(this.#columns, JSON.parse(json) as object))
  }

  #wordsOf({ cid }: Considered): StoryWords {
    const words = this.#words.get(cid)
    if (words === undefined) throw new Error('The words of a record were not read.')
    return words
  }
}

function keyOf({ base, rkey }: RowKey): string {
  return `${base} ${rkey}`
}

function isSame(a: RowKey, b: RowKey): boolean {
  return a.base === b.base && a.rkey === b.rkey
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
