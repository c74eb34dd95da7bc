/** Derives all stories again in memory, as far as nothing marks them as incomplete, and compares them with the stored ones. */
import { quote } from '../../sql/sql.ts'
import { secondsOf, StoryIndex, storyReach, type StoryRecord } from '../../search/stories/story-index.ts'
import type { ReadDatabase } from '../database.ts'
import type { StoryColumns } from '../layout/columns.ts'
import type { Table } from '../layout/tables.ts'
import type { StepRow } from '../metadata/steps.ts'
import type { Damage } from './verify-counts.ts'
import { storyWordsOf } from '../stories/considered.ts'

/** Yields each record whose stored story is another. */
export async function* wrongStories(
  read: ReadDatabase,
  table: Table,
  signal?: AbortSignal,
): AsyncGenerator<Damage> {
  const { stories: columns } = table
  if (columns === null) return
  const isSqlite = read.dialect.engine === 'sqlite'
  const firsts = new StoryIndex<StoryRecord>()
  const derived = new Map<string, string>()
  for await (const row of read.readRows({ text: statementOf(table, columns, isSqlite), values: [] })) {
    signal?.throwIfAborted()
    const uri = String(row.uri)
    const expected = storyOf(row, columns, firsts, derived)
    if (expected !== null) derived.set(uri, expected)
    if (row.story !== expected)
      yield {
        name: uri,
        problem: `Its story is ${row.story ?? 'missing'} and should be ${expected ?? 'missing'}.`,
      }
  }
}

/** Null for a record without a time. */
function storyOf(
  { uri, at, json, original }: StepRow,
  columns: StoryColumns,
  firsts: StoryIndex<StoryRecord>,
  derived: ReadonlyMap<string, string>,
): string | null {
  if (at == null) return null
  const ofOriginal = derived.get(String(original))
  if (ofOriginal !== undefined) return ofOriginal
  const words = storyWordsOf(columns, JSON.parse(String(json)) as object)
  const [time, seconds] = [BigInt(at as bigint), secondsOf(BigInt(at as bigint))]
  const record = { uri: String(uri), at: time, seconds, words, isFirst: true }
  firsts.keep(seconds - storyReach, seconds)
  const joined = firsts.joinedBy(record)
  if (joined === null) firsts.add(record)
  return (joined ?? record).uri
}

/** Records before the first mark in the order of stories, and those without a time; one snapshot of both. */
function statementOf(
  { name }: Table,
  { marks, time, story, original }: StoryColumns,
  isSqlite: boolean,
): string {
  const at = `t.${quote(time.name)}`
  const uri = (base: { readonly name: string }, key: { readonly name: string }): string =>
    `(select uri from base where id = t.${quote(base.name)}) || t.${quote(key.name)}`
  return `select b.uri || t.rkey as uri, ${at} as at, ${isSqlite ? 'json(t.record)' : 't.record::text'} as json,
      ${uri(story.base, story.key)} as story,
      ${original === null ? 'null' : uri(original.base, original.key)} as original
    from ${quote(name)} t join base b on b.id = t.base
    where ${at} is null or ${at} < coalesce((select min(at) from ${quote(marks)}), ${2n ** 62n})
    order by ${at}, b.uri || t.rkey`
}
