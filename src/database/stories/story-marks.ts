/**
 * Marks of the times from which stories must be derived again: rows (at, until) of a side table, written in the transaction
 * that changes a record. Records from `at` to `until` are derived again, and those after them that this concerns.
 */
import { quote } from '../../sql/sql.ts'
import type { StoryColumns } from '../layout/story-columns.ts'
import type { Table } from '../layout/tables.ts'

/** Before and after every time of a record. */
export const [firstTime, lastTime] = [-(2n ** 62n), 2n ** 62n]

/** Microseconds after a record in which others may join its story, rounded up: 72 hours by whole seconds. */
export const storySpan = 259_201_000_000n

/** At first everything is to be derived. */
export function createMarks({ stories }: Pick<Table, 'stories'>, schema?: string): string {
  if (stories === null) return ''
  const name = `${schema === undefined ? '' : `${schema}.`}${quote(stories.marks)}`
  return `create table ${name} (at bigint not null, until bigint not null, primary key (at, until));
    insert into ${name} values (${firstTime}, ${lastTime});`
}

/** Marks everything, as after a load. */
export function markAll({ stories }: Table): string {
  return stories === null
    ? ''
    : `insert into ${quote(stories.marks)} values (${firstTime}, ${lastTime}) on conflict do nothing;`
}

/** Marks rows that were added or changed; `ids`: a condition on the column `id`. */
export function markChanged({ name }: Table, { marks, time }: StoryColumns, ids: string): string {
  const at = quote(time.name)
  return `insert into ${quote(marks)} (at, until) select distinct ${at}, ${at} from ${quote(name)}
    where ${ids} and ${at} is not null on conflict do nothing`
}

/** Marks, of rows that are about to change or go, the records that may be in their stories. */
export function markLeft({ name }: Table, { marks, time }: StoryColumns, ids: string): string {
  const at = quote(time.name)
  return `insert into ${quote(marks)} (at, until) select distinct ${at}, ${at} + ${storySpan} from ${quote(name)}
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

/** Marks the records whose `original` is one of these rows, if they are after a time. */
export function markCopies(
  { name }: Table,
  { marks, time, original }: StoryColumns,
  ids: string,
  after: bigint,
): string | null {
  if (original === null) return null
  const at = `c.${quote(time.name)}`
  return `insert into ${quote(marks)} (at, until) select distinct ${at}, ${at}
    from (select base, rkey from ${quote(name)} where ${ids}) o
    join ${quote(name)} c on c.${quote(original.base.name)} = o.base and c.${quote(original.key.name)} = o.rkey
    where ${at} > ${after} on conflict do nothing`
}
