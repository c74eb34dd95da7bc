/** Marks changed rows of one collection for the derivation of stories, and stores what was derived. */
import type { DatabaseSync } from 'node:sqlite'
import type { StoryColumns } from '../../layout/columns.ts'
import type { Table } from '../../layout/tables.ts'
import type { RowKey } from '../../metadata/steps.ts'
import { isSameToStories, markChanged, markDependents } from '../../stories/story-marks.ts'
import { pathLiteral } from '../dialect.ts'
import { quote } from '../layout/ddl.ts'
import { countedColumns, type CountedRow } from './materialized.ts'

export type StoryWriter = ReturnType<typeof createStoryWriter>

export function createStoryWriter(database: DatabaseSync, table: Table, columns: StoryColumns) {
  const name = quote(table.name)
  const { base, key } = columns.story
  const entered = database.prepare(markChanged(table, columns, `id = ? and ${quote(base.name)} is null`))
  const keys = `select base, rkey from ${name} where id = ?`
  const leaving = [markChanged(table, columns, 'id = ?'), ...markDependents(table, columns, keys)].map(
    (text) => database.prepare(text),
  )
  const isSame = isSameToStories(columns, (record, path) => `${record} -> ${pathLiteral(path)}`)
  const same = database.prepare(
    `select 1 from ${name} t, (select ? as record) given where t.id = ? and ${isSame}`,
  )
  const set = database.prepare(
    `update ${name} set ${quote(base.name)} = ?, ${quote(key.name)} = ? where id = ?`,
  )
  const names = countedColumns(table)
  const [baseAt, keyAt] = [names.indexOf(base.name), names.indexOf(key.name)]
  return {
    /** Call it after a row was added or changed. */
    enter: (id: number): unknown => entered.run(id),
    /** Call it before a row is changed or removed. */
    leave: (id: number): void => leaving.forEach((mark) => mark.run(id)),
    /** Whether a row keeps its story when it gets another record. */
    isSame: (id: number, json: string): boolean => same.get(json, id) !== undefined,
    set: (id: number, { base: of, rkey }: RowKey): unknown => set.run(of, rkey, id),
    /** A counted row with another story. */
    withStory: (row: CountedRow, { base: of, rkey }: RowKey): CountedRow =>
      row.with(baseAt, of).with(keyAt, rkey),
    /** A counted row with the story of another, if that has one. */
    withStoryOf: (former: CountedRow, row: CountedRow): CountedRow =>
      row.with(baseAt, former[baseAt] ?? null).with(keyAt, former[keyAt] ?? null),
  }
}
