/**
 * Derives the stories of a collection, as docs/stories.md defines them. A transaction derives marked records in the order
 * of time, and marks those that this concerns: records that resemble a new first record, or are in the story of one that
 * is no longer one, or repeat a record whose story is another. When no mark is left, all stories are right. A record that
 * is new gets its story as it is written, if memory tells it.
 */
import { randomInt } from 'node:crypto'
import { quote } from '../../sql/sql.ts'
import { compareRecords, secondsOf, StoryIndex, storyReach } from '../../search/stories/story-index.ts'
import type { StoryRecord } from '../../search/stories/story-index.ts'
import { repoCollectionUri } from '../changes.ts'
import type { StoryColumns } from '../layout/columns.ts'
import { storedColumns, type Table } from '../layout/tables.ts'
import { ask, jsonKeys, jsonRows, keyColumns } from '../metadata/steps.ts'
import type { RowKey, Steps, WriteDialect } from '../metadata/steps.ts'
import type { NewRow, RecordTable, StoryRow } from '../write/record-table.ts'
import { type Considered, readConsidered, storyWordsOf } from './considered.ts'
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
  readonly records: RecordTable
  readonly #table: Table
  readonly #columns: StoryColumns
  readonly #marks: string
  readonly #time: string
  /** In the order of a row's columns. */
  readonly #names: readonly string[]
  /** The records whose story is stored, in the parts that were opened, as the last transaction here left them. */
  readonly #index = new StoryIndex<Kept>()
  /** The number in the table of marks since then. It differs after a rollback, and when another process has derived. */
  #token: bigint | null = null

  constructor(records: RecordTable, columns: StoryColumns) {
    this.records = records
    this.#table = records.table
    this.#columns = columns
    this.#marks = quote(columns.marks)
    this.#time = quote(columns.time.name)
    this.#names = storedColumns(this.#table).map(({ name }) => name)
  }

  /** Derives about `limit` records up to `now`, all those of one time together. Returns whether more may be marked. */
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

  /**
   * Gives rows that are about to be added the stories that memory tells, and marks the records that this concerns. Rows
   * that stay without one are to be marked when they are added.
   */
  *place(dialect: WriteDialect, now: bigint, rows: readonly NewRow[]): Steps<readonly NewRow[]> {
    if (rows.length === 0 || !(yield* this.#takeMemory())) return rows
    const added = rows.flatMap((row) => this.#newRecord(row, now) ?? []).toSorted(compareRecords)
    const [from, to] = [added[0], added.at(-1)]
    if (from === undefined || to === undefined) return rows
    this.#index.keep(from.seconds - storyReach, to.seconds + storyReach, mostKept)
    // A removed row of the same URI may still be in memory.
    for (const record of added) this.#forget(record)
    const { begun, derived } = this.#assign(added, new Map())
    const isStored = yield* this.#findFirsts(dialect, added, [...derived.values()])
    for (const record of added)
      if (!isStored(derived.get(keyOf(record)) as Kept)) {
        this.#forget(record)
        derived.delete(keyOf(record))
      }
    yield* this.#markResembling(dialect, begun, derived)
    const keys = `select base, rkey from ${dialect.given(keyColumns)}`
    for (const mark of markDependents(this.#table, this.#columns, keys)) yield* ask(mark, jsonKeys(added))
    const { story } = this.#columns
    const [baseAt, keyAt] = [this.#names.indexOf(story.base.name), this.#names.indexOf(story.key.name)]
    return rows.map((row) => {
      const its = derived.get(keyOf(row))
      const columns = its && row.record.columns.with(baseAt, its.base).with(keyAt, its.rkey)
      return columns === undefined ? row : { ...row, record: { ...row.record, columns } }
    })
  }

  /** Whether memory is as the last transaction left it. Then it becomes that of this one. */
  *#takeMemory(): Steps<boolean> {
    const [former, token] = [this.#token, BigInt(randomInt(2 ** 47))]
    this.#token = null
    const take = `update ${this.#marks} set until = ? where at = ? and until = ? returning at`
    if (former === null || (yield* ask(take, token, tokenTime, former)).length === 0) return false
    this.#token = token
    return true
  }

  /** Null for a row that repeats another, or whose time is missing, still to come, or not in memory. */
  #newRecord({ base, rkey, did, record }: NewRow, now: bigint): Considered | null {
    const { time, original } = this.#columns
    const at = record.columns[this.#names.indexOf(time.name)]
    if (typeof at !== 'bigint' || at > now) return null
    if (original !== null && record.columns[this.#names.indexOf(original.base.name)] !== null) return null
    const [seconds, present] = [secondsOf(at), secondsOf(now)]
    if (!this.#index.covers(seconds - storyReach, Math.min(seconds + storyReach, present))) return null
    const uri = repoCollectionUri({ did, collection: this.#table.collection.nsid }) + rkey
    const words = () => storyWordsOf(this.#columns, JSON.parse(record.json))
    return { id: null, base, rkey, uri, at, seconds, words, story: null, original: null }
  }

  #forget({ at, uri }: Pick<Kept, 'at' | 'uri'>): void {
    for (const other of this.#index.at(at)) if (other.uri === uri) this.#index.remove(other)
  }

  /**
   * Whether one of these stories has its first record in the table, or among the added ones. A first record in memory may
   * have been changed or removed since: then it is marked, but a record that joined it now would not be.
   */
  *#findFirsts(dialect: WriteDialect, added: readonly Considered[], stories: readonly RowKey[]) {
    const { base, key } = this.#columns.story
    const times = new Map(added.map((record) => [keyOf(record), record.at]))
    const others = stories.filter((story) => !times.has(keyOf(story)))
    // PostgreSQL plans conditions on these columns badly.
    const rows = yield* ask<RowKey & Mark & { readonly story: bigint; readonly key: string }>(
      `select t.base, t.rkey, t.${this.#time} as at, t.${quote(base.name)} as story, t.${quote(key.name)} as key
       from ${dialect.given(keyColumns)} join ${quote(this.#table.name)} t on t.base = given.base and t.rkey = given.rkey`,
      jsonKeys(others),
    )
    for (const row of rows) if (isSame(row, { base: row.story, rkey: row.key })) times.set(keyOf(row), row.at)
    return (story: Kept): boolean => times.get(keyOf(story)) === story.at
  }

  /** Marks the records, besides those that are derived, which may join the stories that these begin. */
  *#markResembling(dialect: WriteDialect, begun: readonly Kept[], derived: ReadonlyMap<string, RowKey>) {
    const later = begun.flatMap((record) => this.#index.resembling(record))
    const concerned = later.filter((record) => !derived.has(keyOf(record)))
    if (concerned.length === 0) return
    yield* ask(
      `insert into ${this.#marks} (at, until) select at, at from ${dialect.given({ at: 'bigint' })} where true
       on conflict do nothing`,
      jsonTimes(concerned),
    )
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
    const within = `t.${time} between ? and ?`
    const rows = yield* readConsidered(this.#table, this.#columns, dialect, within, from, last)
    const { changed } = this.#assign(rows, this.#takeKnown(rows, left))
    yield* this.records.setStories(changed)
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
    const { changed, begun, derived } = this.#assign(rows, this.#takeKnown(rows, marks))
    yield* ask(`delete from ${this.#marks} where at <= ? and until = at`, last)
    yield* this.#markResembling(dialect, begun, derived)
    const ids = dialect.given({ id: 'bigint' })
    const keys = `select base, rkey from ${quote(this.#table.name)} where id in (select id from ${ids})`
    for (const mark of markDependents(this.#table, this.#columns, keys))
      yield* ask(mark, jsonRows(changed.map(({ id }) => ({ id }))))
    yield* this.records.setStories(changed)
    return marks.length
  }

  /** Reads the records that are missing in memory, those of 72 hours before included. */
  *#open(dialect: WriteDialect, from: bigint, to: bigint): Steps<void> {
    const [first, last] = [secondsOf(from) - storyReach, secondsOf(to)]
    this.#index.keep(first, last, mostKept)
    const where = `t.${this.#time} between ? and ? and t.${quote(this.#columns.story.base.name)} is not null`
    for (const times of this.#index.open(first, last)) {
      const [start, end] = times.map((seconds) => BigInt(seconds) * microseconds) as [bigint, bigint]
      const of = [this.#table, this.#columns, dialect, where] as const
      for (const row of yield* readConsidered(...of, start, end + microseconds - 1n))
        this.#index.add(keptOf(row, row.story !== null && isSame(row.story, row)))
    }
  }

  /** Derives rows; `known`: those of them in memory, by URI. */
  #assign(rows: readonly Considered[], known: ReadonlyMap<string, Kept>) {
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
      if (row.story === null || !isSame(row.story, story)) changed.push({ id: row.id as bigint, story })
    }
    return { changed, begun, derived }
  }

  /**
   * By URI: the records in memory that equal their rows. Others of these times are removed from memory. `marks`: also
   * times of rows that are gone.
   */
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

function keptOf({ base, rkey, uri, at, seconds, words }: Considered, isFirst: boolean): Kept {
  return { base, rkey, uri, at, seconds, words: words(), isFirst }
}

function jsonTimes(times: readonly Pick<Mark, 'at'>[]): string {
  return jsonRows(times.map(({ at }) => ({ at })))
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
