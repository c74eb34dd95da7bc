/** Reads the records that stories are derived of, in their order: by time, then by URI. */
import { quote } from '../../sql/sql.ts'
import { compareRecords, secondsOf } from '../../search/stories/story-index.ts'
import { type StoryWords, storyWords } from '../../search/stories/story-words.ts'
import { valueAt } from '../../util/is-object.ts'
import type { ColumnValue } from '../changes.ts'
import type { StoryColumns } from '../layout/columns.ts'
import type { Table } from '../layout/tables.ts'
import { ask, type RowKey, type StepRow, type Steps, type WriteDialect } from '../metadata/steps.ts'

export interface Considered extends RowKey {
  /** Null before it is added to its table. */
  readonly id: bigint | null
  readonly uri: string
  /** Microseconds. */
  readonly at: bigint
  /** The whole seconds of `at`. */
  readonly seconds: number
  readonly words: () => StoryWords
  /** The first record of its story as stored; null until it is derived. */
  readonly story: RowKey | null
  /** The record that it repeats, with its story as stored; null unless that one is before it. */
  readonly original: (RowKey & { readonly story: RowKey | null }) | null
}

/** `where`: a condition on the rows `t`. */
export function* readConsidered(
  { name, isSpread }: Pick<Table, 'name' | 'isSpread'>,
  { title, summary, time, story, original }: StoryColumns,
  dialect: WriteDialect,
  where: string,
  ...values: readonly ColumnValue[]
): Steps<readonly Considered[]> {
  const at = (alias: string, column: { readonly name: string }): string => `${alias}.${quote(column.name)}`
  const selected = ['t', ...(original === null ? [] : ['o'])].map(
    (row) => `${row}.base as ${row}_base, ${row}.rkey as ${row}_key, ${row}b.uri || ${row}.rkey as ${row}_uri,
      ${at(row, time)} as ${row}_at, ${at(row, story.base)} as ${row}_story_base, ${at(row, story.key)} as ${row}_story_key`,
  )
  const originals =
    original === null
      ? ''
      : `left join ${isSpread ? 'o' : `${quote(name)} o`} on o.base = ${at('t', original.base)} and o.rkey = ${at('t', original.key)}
         left join base ob on ob.id = o.base`
  const json = (path: readonly string[] | null): string =>
    path === null ? 'null' : dialect.jsonAt('t.record', path)
  // Several nodes join no records that lie apart: those of the condition come first, then those that they name.
  const parts = [
    `t as materialized (select * from ${quote(name)} t where ${where})`,
    ...(original === null
      ? []
      : [
          `o as materialized (select * from ${quote(name)} where (base, rkey) in (select ${at('t', original.base)}, ${at('t', original.key)} from t))`,
        ]),
  ]
  const columns = `t.id, ${json(title)} as title, ${json(summary)} as summary, ${selected.join(', ')}`
  const joined = `join base tb on tb.id = t.base ${originals}`
  const text = isSpread
    ? `with ${parts.join(', ')} select ${columns} from t ${joined}`
    : `select ${columns} from ${quote(name)} t ${joined} where ${where}`
  const rows = yield* ask(text, ...values)
  return rows.map(consideredOf).toSorted(compareRecords)
}

function consideredOf(row: StepRow): Considered {
  const own = keyIn(row, 't') as RowKey & Order
  const original = keyIn(row, 'o')
  return {
    id: row.id as bigint,
    ...own,
    seconds: secondsOf(own.at),
    words: () => storyWords(textIn(row.title), textIn(row.summary)),
    original: original !== null && compareRecords(original, own) < 0 ? original : null,
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

export function storyWordsOf({ title, summary }: StoryColumns, record: object): StoryWords {
  const at = (path: readonly string[] | null): unknown => (path === null ? null : valueAt(record, path))
  return storyWords(textOf(at(title)), textOf(at(summary)))
}

/** `json`: null without a value. */
function textIn(json: ColumnValue | undefined): string | null {
  return typeof json === 'string' ? textOf(JSON.parse(json)) : null
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
