/** DDL of materialized sums, and the statements that change them when rows of either table change. */
import { shortName } from '../../../util/text/short-name.ts'
import { ownSums, refersTo, type SumTable, sumColumns, summedValues } from '../../layout/sums.ts'
import type { Table } from '../../layout/tables.ts'
import { columnTypes, quote, recordsSchema } from './ddl.ts'
import type { ChangedRows, CountChange } from './vocabulary-ddl.ts'

/** Creates empty tables. */
export function createSums(table: Table, schema = recordsSchema): string {
  const create = (sums: SumTable): string => {
    const name = `${schema}.${quote(sums.name)}`
    const columns = sumColumns(sums).map((column) => `${column} bigint not null`)
    return `create table ${name} (base ${columnTypes.refBase}, rkey ${columnTypes.refKey}, ${columns.join(', ')});
      create unique index ${quote(shortName(`${sums.name}/key`))} on ${name} (base, rkey) nulls not distinct;`
  }
  return ownSums(table).map(create).join('\n')
}

/** Adds up all rows, when those of every table are there; uses the search path. */
export function fillSums(tables: readonly Table[]): string {
  return tables.flatMap((table) => ownSums(table).map(fill)).join('\n')
}

function fill(sums: SumTable): string {
  const name = quote(sums.name)
  const from = `${quote(sums.of)} c left join ${quote(sums.between)} d on ${refersTo(sums, quote)}`
  return `delete from ${name};
    insert into ${name} (${columnsOf(sums)}) ${total(sums, [part(sums, from, secondOf(sums), 1)])};`
}

/** Changes sums by rows of a table that come and go, by a statement that changes no other table of records. */
export function changeSums(table: Table, sums: SumTable, rows: readonly ChangedRows[]): CountChange {
  const name = quote(sums.name)
  const parts = sums.of === table.name ? ownParts(sums, rows) : partsBetween(sums, rows)
  const added = sumColumns(sums).map((column) => `${column} = c.${column} + excluded.${column}`)
  const change = `insert into ${name} as c (${columnsOf(sums)}) ${total(sums, parts)}
    on conflict (base, rkey) do update set ${added.join(', ')}`
  return { name, change }
}

/** Changes by rows of `of`. The offset makes it use an index, even if planned while the table was empty. */
function ownParts(sums: SumTable, rows: readonly ChangedRows[]): readonly string[] {
  const { base, key } = sums.second
  const d = `${quote(sums.between)} d where ${refersTo(sums, quote)}`
  return rows.map(([from, sign]) => {
    const each = `${from} c left join lateral (select ${quote(base)}, ${quote(key)} from ${d} offset 0) d on true`
    return part(sums, each, secondOf(sums), sign)
  })
}

/** Changes of the sums by records that refer to the rows: they move from one key to another. */
function partsBetween(sums: SumTable, rows: readonly ChangedRows[]): readonly string[] {
  const c = `${quote(sums.of)} c where ${refersTo(sums, quote)}`
  const columns = ['base', 'rkey', quote(sums.second.base), quote(sums.second.key)].join(', ')
  const nowhere = [`null::${columnTypes.refBase}`, `null::${columnTypes.refKey}`]
  return rows.flatMap(([from, sign]) => {
    const except = rows.flatMap(([other]) =>
      other === from ? [] : [`except select ${columns} from ${other}`],
    )
    const each = `(select ${columns} from ${from} ${except.join('')}) d
      cross join lateral (select ${sums.measured.map(quote).join(', ')} from ${c} offset 0) c`
    return [part(sums, each, secondOf(sums), sign), part(sums, each, nowhere, sign === 1 ? -1 : 1)]
  })
}

/** Selects the keys of rows with the sums of their values. */
function part(sums: SumTable, from: string, [base, key]: readonly string[], sign: 1 | -1): string {
  const values = summedValues(sums, quote).map(
    (value, index) => `${sign} * ${value} as ${sumColumns(sums)[index]}`,
  )
  return `select ${base} as base, ${key} as rkey, ${values.join(', ')} from ${from} group by 1, 2`
}

function total(sums: SumTable, parts: readonly string[]): string {
  const columns = sumColumns(sums).map((column) => `sum(${column})`)
  return `select base, rkey, ${columns.join(', ')} from (${parts.join(' union all ')}) p group by base, rkey
    having ${columns.map((column) => `${column} <> 0`).join(' or ')}`
}

/** The key in the row `d` between the two tables. */
function secondOf({ second }: SumTable): readonly string[] {
  return [`d.${quote(second.base)}`, `d.${quote(second.key)}`]
}

function columnsOf(sums: SumTable): string {
  return ['base', 'rkey', ...sumColumns(sums)].join(', ')
}
