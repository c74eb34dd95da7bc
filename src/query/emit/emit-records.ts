/** Records at URIs, and by ids, as SQL: each is looked up, or, in a statement of stages, one stage has them all. */
import { storedColumns, type Table } from '../../database/layout/tables.ts'
import { identifier, join, literal, type Sql, sql } from '../../sql/sql.ts'
import { type Emitter, newRow, type RecordRow, type UriParts } from './emitter.ts'

/** Left-joins the record at a URI given in parts. `isWhole`: more is read of it than columns. */
export function leftJoin(
  emitter: Emitter,
  table: Table,
  alias: Sql,
  { base, key }: UriParts,
  isWhole = false,
): Sql {
  const records = emitter.rows(table, alias)
  const columns = columnsOf(table, alias, isWhole)
  const joined = emitter.dialect.isSpread
    ? sql`${emitter.step(sql`select ${columns} from ${records}`)} ${alias}`
    : records
  return sql`left join ${joined} on ${alias}.base = ${base} and ${alias}.rkey = ${key}`
}

/**
 * A value of the record at a URI in any of the collections; null if it is not indexed. `likeliest` is
 * searched first: a record found there makes looking up the collection unnecessary.
 */
export function referencedValue(
  emitter: Emitter,
  uri: UriParts,
  tables: readonly Table[],
  value: (row: RecordRow) => Sql,
  likeliest: Table | undefined = tables.length === 1 ? tables[0] : undefined,
): Sql {
  const { base, key, joins } = uri
  const wanted = emitter.dialect.isSpread ? keysOf(emitter, uri) : null
  const found = (table: Table): Sql => {
    const row = newRow(emitter, table)
    const { alias } = row
    const isIt = sql`${alias}.base = ${base} and ${alias}.rkey = ${key}`
    if (wanted === null) return sql`(select ${value(row)} from ${emitter.rows(table, alias)} where ${isIt})`
    const from = sql`${recordsAt(emitter, table, wanted)} ${alias}`
    if (joins === undefined) return sql`(select ${value({ ...row, from })} from ${from} where ${isIt})`
    // A look-up for each row would scan the whole stage; a join is hashed.
    joins.push(sql` left join ${from} on ${isIt}`)
    return sql`case when ${alias}.id is not null then ${value({ ...row, from, joins })} end`
  }
  const first = likeliest === undefined ? null : found(likeliest)
  const cases = tables
    .filter((table) => table !== likeliest)
    .map((table) => sql`when ${literal(table.collection.nsid)} then ${found(table)}`)
  if (first !== null && cases.length === 0) return first
  const other = sql`case (select collection from base where id = ${base}) ${join(cases, ' ')} end`
  return first === null ? other : sql`coalesce(${first}, ${other})`
}

/** The URIs of rows, each once: a stage with `base` and `rkey`. */
export function keysOf(emitter: Emitter, { base, key, from }: UriParts): Sql {
  if (from === undefined) throw new Error('The rows that have these URIs are not known.')
  return emitter.step(
    sql`select distinct ${base} as base, ${key} as rkey from ${from} where ${base} is not null`,
  )
}

/** The visible records of a table at the URIs of a stage. */
function recordsAt(emitter: Emitter, table: Table, keys: Sql): Sql {
  const alias = emitter.alias()
  return emitter.step(
    sql`select ${columnsOf(table, alias)} from ${emitter.rows(table, alias)} where (${alias}.base, ${alias}.rkey) in (select base, rkey from ${keys})`,
  )
}

/** The records of a table whose `id` a relation has, for rows of it: the table, or a stage. */
export function recordsById(emitter: Emitter, table: Table, ids: Sql): Sql {
  const name = identifier(table.name)
  if (!emitter.dialect.isSpread) return name
  const alias = emitter.alias()
  return emitter.step(
    sql`select ${columnsOf(table, alias)} from ${name} ${alias} where ${alias}.id in (select id from ${ids})`,
  )
}

/** What stages carry of records: all columns but those that only indexes are over; `isWhole`: with the record itself. */
export function columnsOf(table: Table, alias: Sql, isWhole = true): Sql {
  const own = ['id', 'base', 'did', 'rkey', 'cid', 'rev', 'indexed_at', 'changed_at']
  const stored = storedColumns(table).flatMap(({ name, kind }) => (kind === 'folded' ? [] : [name]))
  return join(
    [...own, ...(isWhole ? ['record'] : []), ...stored].map((name) => sql`${alias}.${identifier(name)}`),
    ', ',
  )
}
