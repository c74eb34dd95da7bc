/**
 * Derives the stories of a collection, as docs/stories.md defines them. A transaction derives marked records in the order
 * of time, and marks those that this concerns: records that resemble a new first record, or are in the story of one that
 * is no longer one, or repeat a record whose story is another. When no mark is left, all stories are right.
 */
import { randomInt } from 'node:crypto'
import { quote } from '../../sql/sql.ts'
import { secondsOf, StoryIndex, storyReach, type StoryRecord } from '../../search/stories/story-index.ts'
import type { StoryColumns } from '../layout/story-columns.ts'
import type { Table } from '../layout/tables.ts'
import { ask, jsonIds, jsonRows, type RowKey, type Steps, type WriteDialect } from '../metadata/steps.ts'
import type { RecordTable, StoryRow } from '../write/record-table.ts'
import { type Considered, readConsidered, wordsOfTexts } from './considered.ts'
import { lastTime, markDependents, tokenTime } from './story-marks.ts'

type Kept = StoryRecord & RowKey

interface Mark {
  readonly at: bigint
  readonly until: bigint
}

/** Records in memory, besides those that are needed: about 100 MB. */
const mostKept = 40_000

/** Microseconds between the first and the last mark of one turn. */
const longestTurn = 86_400_000_000n

const microseconds = 1_000_000n

export class StoryDeriver {
  readonly #records: RecordTable
  readonly #table: Table
  readonly #columns: StoryColumns
  readonly #marks: string
  readonly #time: string
  /** The records whose story is stored, in the parts that were opened, as the last transaction here left them. */
  readonly #index = new StoryIndex<Kept>()
  /** The number in the table of marks since then. It differs after a rollback, and when another process has derived. */
  #token: bigint | null = null

  constructor(records: RecordTable, columns: StoryColumns) {
    this.#records = records
    this.#table = records.table
    this.#columns = columns
    this.#marks = quote(columns.marks)
    this.#time = quote(columns.time.name)
  }

  /**
   * Derives about `limit` records whose time is not after `now`, all those of one time together. Returns whether more
   * may be marked.
   */
  *derive(dialect: WriteDialect, now: bigint, limit: number): Steps<boolean> {
    const first = `select at, until from ${this.#marks} where at <= ? order by at, until desc limit 1`
    let [mark] = yield* ask<Mark>(first, now)
    if (mark === undefined) return false
    const [found] = yield* ask<Mark>(`delete from ${this.#marks} where at = ? returning at, until`, tokenTime)
    if (found === undefined || found.until !== this.#token) this.#index.clear()
    this.#token = null
    for (let left = limit; left > 0 && mark !== undefined; [mark] = yield* ask<Mark>(first, now))
      left -= yield* mark.until > mark.at
        ? this.#deriveFrom(dialect, mark.at, now, left)
        : this.#deriveMarked(dialect, mark.at, now, left)
    const token = BigInt(randomInt(2 ** 47))
    yield* ask(`insert into ${this.#marks} (at, until) values (?, ?)`, tokenTime, token)
    this.#token = token
    return mark !== undefined
  }

  /** Derives all records from a time on. Those after them stay marked. */
  *#deriveFrom(dialect: WriteDialect, from: bigint, now: bigint, limit: number): Steps<number> {
    const [table, time, marks] = [quote(this.#table.name), this.#time, this.#marks]
    const end = earlier(now, from + longestTurn)
    const boundary = `select ${time} as at from ${table} where ${time} between ? and ? order by 1 limit 1 offset ?`
    const [row] = yield* ask<Mark>(boundary, from, end, limit - 1)
    const last = row?.at ?? end
    const left = yield* ask<Mark>(`delete from ${marks} where at <= ? returning at, until`, last)
    yield* this.#open(dialect, from, last)
    const rows = yield* readConsidered(
      this.#table,
      this.#columns,
      dialect,
      `t.${time} between ? and ?`,
      from,
      last,
    )
    const { changed } = this.#assign(rows, left)
    yield* this.#records.setStories(changed)
    yield* ask(
      `insert into ${marks} (at, until) select at, ${lastTime}
       from (select min(${time}) as at from ${table} where ${time} > ?) following where at is not null
       on conflict do nothing`,
      last,
    )
    return Math.max(rows.length, 1)
  }

  /** Derives the records of the first marks. */
  *#deriveMarked(dialect: WriteDialect, from: bigint, now: bigint, limit: number): Steps<number> {
    const given = dialect.given({ at: 'bigint' })
    const marks = yield* ask<Mark>(
      `select at, until from ${this.#marks} where at between ? and ? and until = at order by at limit ?`,
      from,
      earlier(now, from + longestTurn),
      limit,
    )
    const last = (marks.at(-1) as Mark).at
    yield* this.#open(dialect, from, earlier(now, last + BigInt(storyReach + 1) * microseconds))
    const isMarked = `t.${this.#time} in (select at from ${given})`
    const rows = yield* readConsidered(this.#table, this.#columns, dialect, isMarked, jsonTimes(marks))
    const { changed, begun, derived } = this.#assign(rows, marks)
    const concerned = begun
      .flatMap((record) => this.#index.resembling(record))
      .filter((record) => !derived.has(keyOf(record)))
    yield* ask(`delete from ${this.#marks} where at <= ? and until = at`, last)
    yield* ask(
      `insert into ${this.#marks} (at, until) select at, at from ${given} where true on conflict do nothing`,
      jsonTimes(concerned),
    )
    const ids = dialect.given({ id: 'bigint' })
    for (const mark of markDependents(this.#table, this.#columns, `id in (select id from ${ids})`))
      yield* ask(mark, jsonIds(changed))
    yield* this.#records.setStories(changed)
    return marks.length
  }

  /** Reads the records that are missing in memory, those of 72 hours before included. */
  *#open(dialect: WriteDialect, from: bigint, to: bigint): Steps<void> {
    const [first, last] = [secondsOf(from) - storyReach, secondsOf(to)]
    if (this.#index.size > mostKept) this.#index.keep(first, last)
    const where = `t.${this.#time} between ? and ? and t.${quote(this.#columns.story.base.name)} is not null`
    for (const times of this.#index.open(first, last)) {
      const [start, end] = times.map((seconds) => BigInt(seconds) * microseconds) as [bigint, bigint]
      const of = [this.#table, this.#columns, dialect, where] as const
      for (const row of yield* readConsidered(...of, start, end + microseconds - 1n))
        this.#index.add(keptOf(row, row.story !== null && isSame(row.story, row)))
    }
  }

  /** Derives rows; `marks`: their times, and those of rows that are gone. */
  #assign(rows: readonly Considered[], marks: readonly Pick<Mark, 'at'>[]) {
    const known = this.#takeKnown(rows, marks)
    const derived = new Map<string, RowKey>()
    const changed: StoryRow[] = []
    const begun: Kept[] = []
    for (const row of rows) {
      const was = row.story !== null && isSame(row.story, row)
      const former = known.get(row.uri)
      const record = former ?? keptOf(row, was)
      const { original } = row
      const ofOriginal = original === null ? null : (derived.get(keyOf(original)) ?? original.story)
      const story = ofOriginal ?? this.#index.joinedBy(record) ?? row
      derived.set(keyOf(row), story)
      record.isFirst = isSame(story, row)
      if (former === undefined) this.#index.add(record)
      if (record.isFirst && !was) begun.push(record)
      if (row.story === null || !isSame(row.story, story)) changed.push({ id: row.id, story })
    }
    return { changed, begun, derived }
  }

  /** By URI: the records in memory of these times that equal their rows; the others are removed from memory. */
  #takeKnown(rows: readonly Considered[], marks: readonly Pick<Mark, 'at'>[]): Map<string, Kept> {
    const derived = new Map(rows.flatMap((row) => (row.story === null ? [] : [[row.uri, row.at] as const])))
    const times = new Set([...rows, ...marks].map(({ at }) => at))
    const known = new Map<string, Kept>()
    for (const record of [...times].flatMap((at) => this.#index.at(at)))
      if (derived.get(record.uri) === record.at) known.set(record.uri, record)
      else this.#index.remove(record)
    return known
  }
}

function keptOf({ base, rkey, uri, at, seconds, texts }: Considered, isFirst: boolean): Kept {
  return { base, rkey, uri, at, seconds, words: wordsOfTexts(texts), isFirst }
}

function jsonTimes(times: readonly Pick<Mark, 'at'>[]): string {
  return jsonRows(times.map(({ at }) => `{"at":${at}}`))
}

function keyOf({ base, rkey }: RowKey): string {
  return `${base} ${rkey}`
}

function isSame(a: RowKey, b: RowKey): boolean {
  return a.base === b.base && a.rkey === b.rkey
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
