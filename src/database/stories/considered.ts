/** Reads the records that stories are derived of, in their order: by time, then by URI. */
import { quote } from '../../sql/sql.ts'
import { type StoryWords, storyWords } from '../../search/stories/story-words.ts'
import { valueAt } from '../derive.ts'
import type { StoryColumns } from '../layout/story-columns.ts'
import type { Table } from '../layout/tables.ts'
import { ask, type RowKey, type StepRow, type Steps } from '../metadata/steps.ts'

export interface Considered extends RowKey {
  readonly id: bigint
  readonly uri: string
  /** In hexadecimal where the engine stores bytes. */
  readonly cid: string
  /** Microseconds. */
  readonly at: bigint
  /** The first record of its story as stored; null until it is derived. */
  readonly story: RowKey | null
  /** The record that it repeats, with its story as stored; null unless that one is before it. */
  readonly original: (RowKey & { readonly story: RowKey | null }) | null
}

/** Records from one time to another, both included. */
export function readConsidered(
  table: Table,
  columns: StoryColumns,
  from: bigint,
  to: bigint,
): Steps<readonly Considered[]> {
  return read(table, columns, `t.${quote(columns.time.name)} between ? and ?`, from, to)
}

/** First records of stories as stored, from one time to another, the latter not included. */
export function readFirsts(
  table: Table,
  columns: StoryColumns,
  from: bigint,
  to: bigint,
): Steps<readonly Considered[]> {
  const [time, base, key] = [columns.time, columns.story.base, columns.story.key].map(({ name }) =>
    quote(name),
  )
  return read(
    table,
    columns,
    `t.${time} >= ? and t.${time} < ? and t.${base} = t.base and t.${key} = t.rkey`,
    from,
    to,
  )
}

function* read(
  table: Table,
  { time, story, original }: StoryColumns,
  where: string,
  ...values: readonly bigint[]
): Steps<readonly Considered[]> {
  const name = quote(table.name)
  const at = (alias: string, column: { readonly name: string }): string => `${alias}.${quote(column.name)}`
  const selected = ['t', ...(original === null ? [] : ['o'])].map(
    (row) => `${row}.base as ${row}_base, ${row}.rkey as ${row}_key, ${row}b.uri || ${row}.rkey as ${row}_uri,
      ${at(row, time)} as ${row}_at, ${at(row, story.base)} as ${row}_story_base, ${at(row, story.key)} as ${row}_story_key`,
  )
  const originals =
    original === null
      ? ''
      : `left join ${name} o on o.base = ${at('t', original.base)} and o.rkey = ${at('t', original.key)}
         left join base ob on ob.id = o.base`
  const rows = yield* ask(
    `select t.id, t.cid, ${selected.join(', ')} from ${name} t join base tb on tb.id = t.base ${originals} where ${where}`,
    ...values,
  )
  return rows.map(consideredOf).toSorted(compare)
}

function consideredOf(row: StepRow): Considered {
  const { cid } = row
  const own = keyIn(row, 't') as RowKey & Order
  const original = keyIn(row, 'o')
  return {
    id: row.id as bigint,
    cid: cid instanceof Uint8Array ? Buffer.from(cid).toString('hex') : String(cid),
    ...own,
    original: original !== null && compare(original, own) < 0 ? original : null,
  }
}

type Order = Pick<Considered, 'uri' | 'at' | 'story'>

/** Null for an original that is missing, or has no time. */
function keyIn(row: StepRow, alias: 't' | 'o'): (RowKey & Order) | null {
  const { [`${alias}_base`]: base, [`${alias}_at`]: at, [`${alias}_story_base`]: storyBase } = row
  if (base == null || at == null) return null
  const story = { base: storyBase as bigint, rkey: String(row[`${alias}_story_key`]) }
  return {
    base: base as bigint,
    rkey: String(row[`${alias}_key`]),
    uri: String(row[`${alias}_uri`]),
    at: at as bigint,
    story: storyBase == null ? null : story,
  }
}

/** URIs are ASCII, so that code units compare as bytes. */
function compare(a: Pick<Considered, 'at' | 'uri'>, b: Pick<Considered, 'at' | 'uri'>): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1
  return a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0
}

/** Microseconds to whole seconds, rounded down. */
export function secondsOf(at: bigint): number {
  const micros = ((at % 1_000_000n) + 1_000_000n) % 1_000_000n
  return Number((at - micros) / 1_000_000n)
}

export function storyWordsOf({ title, summary }: StoryColumns, record: object): StoryWords {
  const textAt = (path: readonly string[] | null): string | null => {
    const text = path === null ? null : valueAt(record, path)
    return typeof text === 'string' ? text : null
  }
  return storyWords(textAt(title), textAt(summary))
}
