/** SQL statements that write many rows of one collection at once. Rows arrive as one JSON text. */
import { type ArrayIndex, type Column, storedColumns, type Table } from '../../layout/tables.ts'
import { isSameToStories, markChanged, markDependents } from '../../stories/story-marks.ts'
import { columnTypes, jsonAt, quote, textAt } from '../layout/ddl.ts'
import { shardOfParts } from '../layout/spread-ddl.ts'
import { countedStatement, removeZeros, type RowEvent } from './counted-statement.ts'

export type TableStatements = ReturnType<typeof tableStatements>

/** Columns of a row besides its derived columns, which are called `c0`, `c1` and so on. */
const kept = [
  ['base', 'bigint'],
  ['did', 'text'],
  ['rkey', 'text'],
  ['cid', 'text'],
  ['rev', 'text'],
  ['indexed_at', 'bigint'],
  ['changed_at', 'bigint'],
  ['record', 'jsonb'],
] as const

/** `isCounting`: statements that change rows change counts too, and answer as `CountedAnswer`. */
export function tableStatements(table: Table, isCounting: boolean) {
  const name = quote(table.name)
  const counted = (event: RowEvent, write: string, uncounted = write): string =>
    isCounting ? countedStatement(table, event, write) : uncounted
  const stored = storedColumns(table)
  const derived = stored.map((column, index): readonly [string, string] => [
    quote(column.name),
    derivedValue(column, index),
  ])
  const types = stored.map(({ kind }, index) => `c${index} ${columnTypes[kind]}`)
  if (table.words !== null) {
    for (const column of ['words', 'words_text', 'word_count']) derived.push([column, `given.${column}`])
    types.push('words tsvector', 'words_text text', 'word_count integer')
  }
  const given = (...columns: readonly string[]): string =>
    `json_to_recordset($1) as given (${columns.join(', ')})`
  const insert = (more: readonly (readonly [string, string])[]): string => {
    const columns = [...more, ...kept]
    const placed = table.isSpread
      ? [
          ...(more.length === 0 ? [['id', `nextval('record_id')`]] : []),
          ['shard', shardOfParts('given.base', 'given.rkey')],
        ]
      : []
    const write = `insert into ${name} as t (${[...columns, ...placed, ...derived].map(([column]) => column).join(', ')})
      select ${[...columns.map(([column]) => `given.${column}`), ...[...placed, ...derived].map(([, value]) => value)].join(', ')}
      from ${given(...columns.map(([column, type]) => `${column} ${type}`), ...types)}
      on conflict (base, rkey${table.isSpread ? ', shard' : ''}) do nothing`
    return counted('insert', write, `${write} returning id, base, rkey`)
  }
  const isSame = table.stories && isSameToStories(table.stories, jsonAt)
  const keptStory = [table.stories?.story.base.name, table.stories?.story.key.name]
  const updated = (column: string, value: string): string =>
    keptStory.some((name) => name !== undefined && quote(name) === column)
      ? `, ${column} = case when ${isSame} then t.${column} end`
      : `, ${column} = ${value}`
  const changed = ['cid text', 'rev text', 'changed_at bigint', 'record jsonb']
  return {
    /** Existing rows among given pairs of `base` and `rkey`. */
    find: `select t.base, t.rkey, t.id, t.cid, t.rev, t.indexed_at as "indexedAt" from ${given('base bigint', 'rkey text')}
      join ${name} t on t.base = given.base and t.rkey = given.rkey`,
    expired: `select id, base, rkey, rev, indexed_at from ${name}
      where indexed_at < ? order by indexed_at limit ?`,
    /** Does not change existing rows; returns the keys and ids of added rows. */
    insert: insert([]),
    /** The same, for rows that have an id. */
    bringBack: insert([['id', 'bigint']]),
    /** Takes the ids too, if it counts. */
    update: counted(
      'update',
      `update ${name} t set cid = given.cid, rev = given.rev, changed_at = given.changed_at, record = given.record
      ${derived.map(([column, value]) => updated(column, value)).join('')}
      from ${given('id bigint', ...changed, ...types)} where t.id = given.id`,
    ),
    quarantine: `insert into parked (base, rkey, id, cid, rev, indexed_at, changed_at, record)
      select base, rkey, id, cid, rev, indexed_at, changed_at, record from ${name} where id = any($1)`,
    remove: counted('delete', `delete from ${name} t where id = any($1)`),
    /** Takes rows of `CountedAnswer`. */
    removeZeros: removeZeros(table),
    sides: table.arrays.map((array) => ({
      insert: insertElements(table, array),
      remove: `delete from ${quote(array.name)} where id = any($1)`,
    })),
    stories: storyStatements(table, counted),
  }
}

/** None for a table without stories. */
function storyStatements(table: Table, counted: (event: RowEvent, write: string) => string) {
  const { stories: columns } = table
  if (columns === null) return { entered: [], leaving: [], changing: [], set: [] }
  const { base, key } = columns.story
  const keys = `select base, rkey from ${quote(table.name)} where id = any($1)`
  return {
    /** These two take the ids of rows that were added or changed, or that are about to be changed or removed. */
    entered: [markChanged(table, columns, `id = any($1) and ${quote(base.name)} is null`)],
    leaving: [markChanged(table, columns, 'id = any($1)'), ...markDependents(table, columns, keys)],
    /** Takes rows of `id` and `record`; yields the ids of those that get another record to stories. */
    changing: [
      `select t.id from ${quote(table.name)} t join json_to_recordset($1) as given (id bigint, record jsonb)
       on t.id = given.id where not (${isSameToStories(columns, jsonAt)})`,
    ],
    /** Takes the ids too, if it counts. */
    set: [
      counted(
        'update',
        `update ${quote(table.name)} t set ${quote(base.name)} = given.base, ${quote(key.name)} = given.rkey
         from json_to_recordset($1) as given (id bigint, base bigint, rkey text) where t.id = given.id`,
      ),
    ],
  }
}

/** A long text that needs only ASCII lower case arrives without its folded form; the server computes it. */
function derivedValue({ kind, path }: Column, index: number): string {
  const value = `given.c${index}`
  return kind === 'folded' ? `coalesce(${value}, lower(${textAt('given.record', path)}))` : value
}

/** Entries lie with their record, which is there already. */
function insertElements(table: Table, { name, kind }: ArrayIndex): string {
  const columns = kind === 'reference' ? 'base, rkey, id' : 'value, id'
  const types =
    kind === 'reference' ? 'base bigint, rkey text' : `value ${kind === 'text' ? 'text' : 'bigint'}`
  const given = `json_to_recordset($1) as given (${types}, id bigint)`
  return table.isSpread
    ? `insert into ${quote(name)} (${columns}, shard) select ${columns.replace('id', 'given.id').replace('base, rkey', 'given.base, given.rkey')}, t.shard
      from ${given} join ${quote(table.name)} t on t.id = given.id`
    : `insert into ${quote(name)} (${columns}) select ${columns} from ${given}`
}
