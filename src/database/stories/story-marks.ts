/**
 * Marks of what must be derived: rows (at, until) of a side table, written in the transaction that changes a record. `at`
 * is the time of the records; `until` is the same, or `lastTime` for all records from then on.
 */
import { quote } from '../../sql/sql.ts'
import type { StoryColumns } from '../layout/columns.ts'
import type { Table } from '../layout/tables.ts'

/** Before and after every time of a record. */
export const [firstTime, lastTime] = [-(2n ** 62n), 2n ** 62n]

/** The `at` of a row that marks nothing. Its `until` is random, new in each transaction that has derived stories. */
export const tokenTime = 2n ** 62n + 1n

/** At first everything is to be derived. */
export function createMarks({ stories }: Pick<Table, 'stories'>, schema?: string): string {
  if (stories === null) return ''
  const name = `${schema === undefined ? '' : `${schema}.`}${quote(stories.marks)}`
  return `create table ${name} (at bigint not null, until bigint not null, primary key (at, until));
    insert into ${name} values (${firstTime}, ${lastTime});`
}

/** Marks everything, as after a load. What is known of stories in memory holds no longer. */
export function markAll({ stories }: Table): string {
  if (stories === null) return ''
  const marks = quote(stories.marks)
  return `delete from ${marks}; insert into ${marks} values (${firstTime}, ${lastTime});`
}

/** Marks rows that were added, or changed, or that are about to change or go; `ids`: a condition on the column `id`. */
export function markChanged({ name }: Table, { marks, time }: StoryColumns, ids: string): string {
  const at = quote(time.name)
  return `insert into ${quote(marks)} (at, until) select distinct ${at}, ${at} from ${quote(name)}
    where ${ids} and ${at} is not null on conflict do nothing`
}

/**
 * Whether a row `t` and a record that replaces its own are the same to stories: then the row keeps its story, and nothing
 * is marked. `at`: the JSON at a path of `t.record` or `given.record`.
 */
export function isSameToStories(
  { title, summary, time, original }: StoryColumns,
  at: (record: string, path: readonly string[]) => string,
): string {
  return [title, summary, time.path, original?.base.path]
    .flatMap((path) =>
      path == null ? [] : [`${at('t.record', path)} is not distinct from ${at('given.record', path)}`],
    )
    .join(' and ')
}

/**
 * Statements that mark the records that depend on rows which are new, or about to change or go: those in stories that they
 * begin, and those whose `original` they are. `keys`: a query of `base` and `rkey`.
 */
export function markDependents(
  { name }: Table,
  { marks, time, story, original }: StoryColumns,
  keys: string,
): readonly string[] {
  const at = `d.${quote(time.name)}`
  return [story, ...(original === null ? [] : [original])].map(
    ({
      base,
      key,
    }) => `insert into ${quote(marks)} (at, until) select distinct ${at}, ${at} from ${quote(name)} d
      where (d.${quote(base.name)}, d.${quote(key.name)}) in (${keys})
      and ${at} is not null on conflict do nothing`,
  )
}
