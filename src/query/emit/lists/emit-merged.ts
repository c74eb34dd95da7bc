/** Several lists as one: of the rows of their pages, the first in the default order, then by collection. */
import { identifier, join, literal, raw, type Sql, sql } from '../../../sql/sql.ts'
import { recordsById } from '../emit-records.ts'
import { type Emitter, newRow } from '../emitter.ts'
import { staged } from '../steps.ts'
import type { PhysicalList } from '../../plan/physical-plan.ts'
import type { RowsOutput } from '../../plan/plan.ts'
import { idOf } from './emit-order.ts'
import { type Ends, numberedEnds } from './emit-page-info.ts'
import { emitRows } from './emit-rows.ts'
import { emitElement, printedList } from './emit-list.ts'

/** The lists have the same page, and select the same, except of their records. */
export function emitMerged(emitter: Emitter, lists: readonly PhysicalList[]): Sql {
  const { dialect } = emitter
  const [first] = lists as readonly [PhysicalList, ...PhysicalList[]]
  const { list, page } = first
  const { size } = list.page
  const row = emitter.alias()
  const position = dialect.jsonArray([
    sql`cast(${row}.indexed_at as text)`,
    sql`${row}.rkey`,
    sql`${row}.did`,
    sql`${row}.collection`,
  ])
  const ends = (): Ends => numberedEnds(row, list.page, () => position)
  const rows = page === null ? raw('') : staged(emitter, numberedRows(emitter, lists, page.rows.limit))
  const elements = (output: RowsOutput<PhysicalList>): Sql => {
    const index = first.fields.findIndex((field) => field.output === output)
    const text = elementOf(emitter, lists, index, { row, rows, position })
    return dialect.joinedBy(sql`${row}.n`, text, sql`${row}.n <= ${size}`)
  }
  const printed = printedList(emitter, { ...first, parent: null }, elements, ends, lists)
  return page === null ? printed : sql`(select ${printed} from ${rows} ${row})`
}

/** The rows of the page, and whether there is one more, with all that their positions consist of. */
function numberedRows(emitter: Emitter, lists: readonly PhysicalList[], limit: number): Sql {
  const { dialect } = emitter
  const parts = lists.flatMap(({ list: { table }, page }) => {
    if (page === null) return []
    const [found, alias] = [emitter.alias(), emitter.alias()]
    const rows = emitRows(emitter, page.rows, null, { value: idOf })
    const keys = sql`${alias}.id, ${alias}.indexed_at, ${alias}.rkey, ${dialect.did(alias)} as did`
    // The rows are visible, so hidden rows need no second check.
    const all = sql`select ${dialect.constant(table.collection.nsid)} as collection, ${keys}
        from ${staged(emitter, rows)} ${found} ${dialect.join} ${identifier(table.name)} ${alias} on ${alias}.id = ${found}.id`
    return [dialect.isSpread ? sql`select * from ${emitter.step(all)}` : all]
  })
  const first = sql`select * from (${unionAll(emitter, parts)}) ${emitter.alias()}
    order by indexed_at desc, rkey desc, did desc, collection limit ${dialect.limit(limit)}`
  return sql`select *, row_number() over () as n, count(*) over () as c from (${first}) ${emitter.alias()}`
}

/** SQLite combines at most 500 queries. */
const mostCombined = 400

function unionAll(emitter: Emitter, parts: readonly Sql[]): Sql {
  if (parts.length <= mostCombined) return join(parts as Sql[], ' union all ')
  const half = parts.length >> 1
  const halves = [parts.slice(0, half), parts.slice(half)]
  return unionAll(
    emitter,
    halves.map((each) => sql`select * from (${unionAll(emitter, each)}) ${emitter.alias()}`),
  )
}

/** An edge or record, from the collection of the row. */
function elementOf(
  emitter: Emitter,
  lists: readonly PhysicalList[],
  index: number,
  { row, rows, position }: { readonly row: Sql; readonly rows: Sql; readonly position: Sql },
): Sql {
  const cases = lists.map((each) => {
    const { table } = each.list
    const record = newRow(emitter, table)
    const { nsid } = table.collection
    const output = each.fields[index]?.output as RowsOutput<PhysicalList>
    const ids = sql`${rows} ${emitter.alias()} where collection = ${literal(nsid)}`
    const from = sql`${recordsById(emitter, table, ids)} ${record.alias}`
    const element = emitElement(emitter, each, output, { ...record, from }, position)
    return sql`when ${literal(nsid)} then
      (select ${element} from ${from} where ${record.alias}.id = ${row}.id)`
  })
  return sql`case ${row}.collection ${join(cases, ' ')} end`
}
