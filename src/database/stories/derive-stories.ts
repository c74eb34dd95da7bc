/**
 * Derives the stories of a collection, as docs/stories.md defines them: one transaction derives some records in the order
 * of time, from the first mark on, and leaves a mark of how far it has come. It stops where all that later records
 * depend on is as before.
 */
import { quote } from '../../sql/sql.ts'
import { StoryWindow } from '../../search/stories/story-window.ts'
import type { StoryWords } from '../../search/stories/story-words.ts'
import type { StoryColumns } from '../layout/story-columns.ts'
import type { Table } from '../layout/tables.ts'
import { ask, jsonIds, type RowKey, type Steps, type WriteDialect } from '../metadata/steps.ts'
import type { RecordTable, StoryRow } from '../write/record-table.ts'
import { type Considered, readConsidered, readFirsts, secondsOf, storyWordsOf } from './considered.ts'
import { markCopies, storySpan } from './story-marks.ts'

interface Mark {
  readonly at: bigint
  readonly until: bigint
}

interface Assigned {
  /** Rows whose stored story is another. */
  readonly changed: readonly StoryRow[]
  readonly derived: number
  /** The time of the first record that need not be derived; null if there is none among those read. */
  readonly stop: bigint | null
  /** The time up to which records must be derived. */
  readonly until: bigint
}

/** By CID, because each transaction compares the same first records; the latest come last. */
export type WordCache = Map<string, StoryWords>

/** Records remembered between transactions: about 50 MB. */
const mostCached = 20_000

export class StoryDeriver {
  readonly #records: RecordTable
  readonly #table: Table
  readonly #columns: StoryColumns
  readonly #dialect: WriteDialect
  readonly #words: WordCache
  readonly #window = new StoryWindow<RowKey>()
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
   * Derives about `limit` records whose time is not after `now`, all those of one time together. Returns how many; 0 if
   * nothing is marked, and at least 1 otherwise.
   */
  *derive(now: bigint, limit: number): Steps<number> {
    const marks = quote(this.#columns.marks)
    const least = `select min(at) as "from" from ${marks} where at <= ?`
    const from = (yield* ask<{ from: bigint | null }>(least, now))[0]?.from ?? null
    if (from === null) return 0
    for (const cid of this.#words.keys().take(Math.max(this.#words.size - mostCached, 0)))
      this.#words.delete(cid)
    const boundary = yield* this.#boundary(from, now, limit)
    const last = boundary ?? now
    const rows = yield* readConsidered(this.#table, this.#columns, from, last)
    yield* this.#open(from)
    yield* this.#learn(rows)
    const passed = yield* ask<Mark>(`select at, until from ${marks} where at <= ? order by at`, last)
    const { changed, derived, stop, until } = this.#assign(rows, passed)
    yield* this.#records.setStories(changed)
    const done = stop === null ? last : stop - 1n
    yield* ask(`delete from ${marks} where at <= ?`, done)
    const next = boundary === null ? yield* this.#firstAfter(now) : done + 1n
    if (stop === null && next !== null && next <= until)
      yield* ask(`insert into ${marks} (at, until) values (?, ?) on conflict do nothing`, next, until)
    yield* this.#markCopies(changed, done)
    return Math.max(derived, 1)
  }

  /** The time of the last of `limit` records; null if there are fewer. */
  *#boundary(from: bigint, now: bigint, limit: number): Steps<bigint | null> {
    const [table, time] = [quote(this.#table.name), quote(this.#columns.time.name)]
    const [row] = yield* ask<{ at: bigint }>(
      `select ${time} as at from ${table} where ${time} >= ? and ${time} <= ? order by ${time} limit 1 offset ?`,
      from,
      now,
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
    for (const first of firsts) this.#enter(first)
  }

  #enter(first: Considered): void {
    this.#window.add(first, secondsOf(first.at), this.#wordsOf(first))
  }

  #assign(rows: readonly Considered[], passed: readonly Mark[]): Assigned {
    const changed: StoryRow[] = []
    let derived = 0
    let until = passed[0]?.until ?? 0n
    let marked = 0
    for (const row of rows) {
      for (; (passed[marked]?.at ?? row.at + 1n) <= row.at; marked += 1)
        until = later(until, (passed[marked] as Mark).until)
      if (row.at > until) return { changed, derived, stop: row.at, until }
      const story = this.#storyOf(row)
      this.#derived.set(keyOf(row), story)
      derived += 1
      if (isSame(story, row)) this.#enter(row)
      if (row.story === null || isSame(row.story, row) !== isSame(story, row))
        until = later(until, row.at + storySpan)
      if (row.story === null || !isSame(row.story, story)) changed.push({ id: row.id, story })
    }
    for (const mark of passed.slice(marked)) until = later(until, mark.until)
    return { changed, derived, stop: null, until }
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
