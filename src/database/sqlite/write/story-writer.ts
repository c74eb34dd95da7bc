/** Marks changed rows of one collection for the derivation of stories, and stores what was derived. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ColumnValue } from '../../database.ts'
import type { StoryColumns } from '../../layout/columns.ts'
import { storedColumns, type Table } from '../../layout/tables.ts'
import { isSameToStories, markChanged, markDependents } from '../../stories/story-marks.ts'
import { pathLiteral } from '../dialect.ts'
import { quote } from '../layout/ddl.ts'
import type { CountedRow } from './materialized.ts'

export class StoryWriter {
  readonly #entered: StatementSync
  readonly #leaving: readonly StatementSync[]
  readonly #same: StatementSync
  readonly #set: StatementSync
  /** Positions of the two columns in a counted row. */
  readonly #at: readonly number[]

  constructor(database: DatabaseSync, table: Table, columns: StoryColumns) {
    const { base, key } = columns.story
    this.#entered = database.prepare(markChanged(table, columns, `id = ? and ${quote(base.name)} is null`))
    const keys = `select base, rkey from ${quote(table.name)} where id = ?`
    const leaving = [markChanged(table, columns, 'id = ?'), ...markDependents(table, columns, keys)]
    this.#leaving = leaving.map((text) => database.prepare(text))
    const isSame = isSameToStories(columns, (record, path) => `${record} -> ${pathLiteral(path)}`)
    this.#same = database.prepare(
      `select 1 from ${quote(table.name)} t, (select ? as record) given where t.id = ? and ${isSame}`,
    )
    this.#set = database.prepare(
      `update ${quote(table.name)} set ${quote(base.name)} = ?, ${quote(key.name)} = ? where id = ?`,
    )
    const names = ['base', 'indexed_at', ...storedColumns(table).map(({ name }) => name)]
    this.#at = [base, key].map(({ name }) => names.indexOf(name))
  }

  /** Call it after a row was added or changed. */
  enter(id: number): void {
    this.#entered.run(id)
  }

  /** Call it before a row is changed or removed. */
  leave(id: number): void {
    for (const mark of this.#leaving) mark.run(id)
  }

  /** Whether a row keeps its story when it gets another record. */
  isSame(id: number, json: string): boolean {
    return this.#same.get(json, id) !== undefined
  }

  set(id: number, base: bigint, rkey: string): void {
    this.#set.run(base, rkey, id)
  }

  /** A counted row with another story. */
  withStory(row: CountedRow, base: bigint, rkey: string): CountedRow {
    const values: readonly ColumnValue[] = [base, rkey]
    return row.map((value, index) => values[this.#at.indexOf(index)] ?? value)
  }

  /** A counted row with the story of another, if that has one. */
  withStoryOf(former: CountedRow, row: CountedRow): CountedRow {
    return row.map((value, index) => (this.#at.includes(index) ? (former[index] ?? null) : value))
  }
}
