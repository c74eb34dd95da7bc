/** Pages in stages: the rows of a page, or of those of all rows around, their numbers, then texts. */
import { identifier, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import type { OrderedRows, PhysicalList, PhysicalPage } from '../../plan/physical-plan.ts'
import type { SortKey } from '../../plan/plan.ts'
import { columnList } from '../emit-access-path.ts'
import { columnsOf, keysOf, recordsById } from '../emit-records.ts'
import { type Emitter, newRow, type Parent, type RecordRow } from '../emitter.ts'
import { refuseStages } from '../steps.ts'
import { idAndRankOf, keyOf, orderingOf } from './emit-order.ts'
import { emitRows } from './emit-rows.ts'

/**
 * The rows of a page: a row of a stage with `n`, its number, and `c`, how many there are; `rest`: joins and conditions
 * behind the stage's name, of all that has been emitted of the row.
 */
export function emitStagedPage(
  emitter: Emitter,
  { list, ranking }: PhysicalList,
  { rows, carries, columns }: PhysicalPage,
  parent: Parent,
) {
  const { table, sort } = list
  const numbered =
    parent !== null
      ? pagesOfParents(emitter, rows, parent)
      : carries === 'rows'
        ? wholeRows(emitter, rows, columns)
        : rowsById(emitter, rows)
  const alias = emitter.alias()
  const joins: Sql[] = []
  const counted = countsIn(sort).map(({ of, column }) => ({ of, n: sql`${alias}.${column}` }))
  const row: RecordRow = {
    kind: 'record',
    alias,
    table,
    from: sql`${numbered} ${alias}`,
    joins,
    ...(ranking !== null && { ranked: { score: sql`${alias}.score`, statistics: sql`${alias}.statistics` } }),
    counted,
  }
  const ofParent = parent === null ? sql`` : sql` where ${isOfParent(alias, parent)}`
  return { row, rest: (): Sql => sql`${join([sql``, ...joins], '')}${ofParent}` }
}

export function hasRowsOfParent(emitter: Emitter, rows: OrderedRows, parent: RecordRow): Sql {
  const [found, alias] = [pagesOfParents(emitter, rows, parent), emitter.alias()]
  return sql`exists (select 1 from ${found} ${alias} where ${isOfParent(alias, parent)})`
}

function isOfParent(row: Sql, { alias }: RecordRow): Sql {
  return sql`${row}.parent_base = ${alias}.base and ${row}.parent_rkey = ${alias}.rkey`
}

const numbers = sql`row_number() over () as n, count(*) over () as c`

function wholeRows(emitter: Emitter, rows: OrderedRows, columns: ReadonlySet<string>): Sql {
  const value = (row: RecordRow): Sql => sql`${columnList(row.alias, columns)}${countsOf(emitter, rows, row)}`
  const found = emitter.step(emitRows(emitter, rows, null, { value }))
  return emitter.step(sql`select *, ${numbers} from ${found}`)
}

/** Rows that are found by their ids, as by relevance. */
function rowsById(emitter: Emitter, rows: OrderedRows): Sql {
  const value = (row: RecordRow): Sql => sql`${idAndRankOf(row)}${countsOf(emitter, rows, row)}`
  const ids = emitter.step(emitRows(emitter, rows, null, { value }))
  const records = recordsById(emitter, rows.table, ids)
  const [found, record] = [emitter.alias(), emitter.alias()]
  const others = ['score', 'statistics'].map((name) => sql`, ${found}.${raw(name)}`)
  const isRanked = rows.order.kind === 'relevance'
  const counted = countsIn(rows.sort).map(({ column }) => sql`, ${found}.${column}`)
  const more = [...(isRanked ? others : []), ...counted]
  return emitter.step(sql`select ${record}.*${join([sql``, ...more], '')}, ${found}.n, ${found}.c
      from (select *, ${numbers} from ${ids}) ${found} join ${records} ${record} on ${record}.id = ${found}.id`)
}

/** How many records refer to a row, if rows are sorted by it: columns to carry. */
function countsOf(emitter: Emitter, { sort }: OrderedRows, row: RecordRow): Sql {
  const counts = countsIn(sort).map(({ key, column }) => sql`, ${keyOf(emitter, key, row)} as ${column}`)
  return join([sql``, ...counts], '')
}

/** The numbers of referring records in an order, each with a column that is named by its place. */
function countsIn(sort: readonly SortKey[]) {
  return sort.flatMap((key, place) =>
    key.value.kind === 'count' ? [{ key, of: key.value, column: raw(`referring${place}`) }] : [],
  )
}

/**
 * The first rows of each parent, in the order of the list. Each value of `shard` yields as many as a page may have, by an
 * index; their order is made of all.
 */
function pagesOfParents(emitter: Emitter, rows: OrderedRows, parent: RecordRow): Sql {
  const { kind } = rows.order
  if (kind === 'relevance' || kind === 'distinct')
    refuseStages(`${kind === 'distinct' ? '`distinctOn`' : '`search`'} in a list of referring records`)
  const { alias } = parent
  const keys = keysOf(emitter, { base: sql`${alias}.base`, key: sql`${alias}.rkey`, from: parent.from })
  const [shard, first] = [emitter.alias(), emitter.alias()]
  const around: RecordRow = { ...newRow(emitter, parent.table), shard }
  const sortColumns = rows.sort.map((_, place) => raw(`o${place}`))
  const query = emitRows(emitter, rows, around, {
    value: (row) => {
      const values = rows.sort.map(
        (key, place) => sql`, ${keyOf(emitter, key, row)} as ${sortColumns[place] as Sql}`,
      )
      return sql`${columnsOf(row.table, row.alias)}${countsOf(emitter, rows, row)}${join([sql``, ...values], '')}`
    },
  })
  const found =
    emitter.step(sql`select ${around.alias}.base as parent_base, ${around.alias}.rkey as parent_rkey, ${first}.*
      from ${identifier('shards')} ${shard} cross join ${keys} ${around.alias} cross join lateral (${query}) ${first}`)
  const by = rows.sort.map((key, place) => sql`${sortColumns[place] as Sql} ${orderingOf(emitter, key)}`)
  const within = sql`partition by parent_base, parent_rkey`
  return emitter.step(sql`select * from (select *, row_number() over (${within} order by ${join(by, ', ')}) as n, count(*) over (${within}) as c
      from ${found}) ${emitter.alias()} where n <= ${emitter.dialect.limit(rows.limit)}`)
}
