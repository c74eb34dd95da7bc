/**
 * DDL of materialized sums: triggers on both tables see all rows of a statement and change each table of sums once.
 * They see other tables as of the end of the statement, so that sums are right in whatever order rows change.
 */
import { shortName } from '../../../util/text/short-name.ts'
import { ownSums, refersTo, type SumTable, sumColumns, summedValues } from '../../layout/sums.ts'
import type { Table } from '../../layout/tables.ts'
import { columnType, quote, recordsSchema } from './ddl.ts'
import { createTriggerFunction, createTriggers, dropTriggers, type Event } from './triggers.ts'

/** Creates empty tables, and the function that maintains them after `startSumming` has added up the existing rows. */
export function createSums(table: Table, schema = recordsSchema): string {
  if (table.sums.length === 0) return ''
  const tables = ownSums(table).map((sums) => {
    const name = `${schema}.${quote(sums.name)}`
    const columns = sumColumns(sums).map((column) => `${column} bigint not null`)
    // An index finds rows with n = 0.
    return `create table ${name} (base ${columnType('refBase')}, rkey ${columnType('refKey')}, ${columns.join(', ')});
      create unique index ${quote(shortName(`${sums.name}/key`))} on ${name} (base, rkey) nulls not distinct;
      create index ${quote(shortName(`${sums.name}/none`))} on ${name} (n) where n = 0;`
  })
  const changed = `${summedRows(table, 'old_rows')} except ${summedRows(table, 'new_rows')}`
  const calls = createTriggerFunction(`${schema}.${functionName(table)}`, changed, (event) =>
    changeAll(table, event),
  )
  return `${tables.join('\n')}
    ${calls}`
}

/** Adds up all rows, when those of every table are there, and starts the triggers; uses the search path. */
export function startSumming(tables: readonly Table[]): string {
  return tables.map((table) => [...ownSums(table).map(fill), triggers(table)].join('\n')).join('\n')
}

/** For a load, which adds up all rows at its end. */
export function stopSumming({ name, sums }: Table): string {
  return sums.length === 0 ? '' : dropTriggers('sums', name)
}

function fill(sums: SumTable): string {
  const name = quote(sums.name)
  const from = `${quote(sums.of)} c left join ${quote(sums.between)} d on ${refersTo(sums, quote)}`
  return `delete from ${name};
    insert into ${name} (${columnsOf(sums)}) ${total(sums, [part(sums, from, secondOf(sums), 1)])};`
}

function triggers(table: Table): string {
  return table.sums.length === 0 ? '' : createTriggers('sums', table.name, functionName(table))
}

function functionName(table: Table): string {
  return quote(shortName(`${table.name}/sum`))
}

/** The columns of the rows on which any sum depends. */
function summedRows({ name, sums }: Table, rows: string): string {
  const columns = sums.flatMap(({ of, first, second, measured }) =>
    of === name ? [first.base, first.key, ...measured] : [second.base, second.key],
  )
  return `select ${['id', ...new Set(columns)].map(quote).join(', ')} from ${rows}`
}

function changeAll(table: Table, event: Event): string {
  return table.sums
    .map((sums) => change(sums, sums.of === table.name ? ownParts(sums, event) : partsBetween(sums, event)))
    .join('\n')
}

function change(sums: SumTable, parts: readonly string[]): string {
  const name = `${recordsSchema}.${quote(sums.name)}`
  const added = sumColumns(sums).map((column) => `${column} = s.${column} + excluded.${column}`)
  return `insert into ${name} as s (${columnsOf(sums)}) ${total(sums, parts)}
      on conflict (base, rkey) do update set ${added.join(', ')};
    delete from ${name} where n = 0;`
}

/**
 * Changes of the sums of each key by the rows that come and go. The fenced sub-query uses an index, even if its plan
 * was made while the table was empty.
 */
function ownParts(sums: SumTable, event: Event): readonly string[] {
  const { base, key } = sums.second
  const d = `${recordsSchema}.${quote(sums.between)} d where ${refersTo(sums, quote)}`
  const of = (rows: string, sign: 1 | -1): string => {
    const from = `${rows} c left join lateral (select ${quote(base)}, ${quote(key)} from ${d} offset 0) d on true`
    return part(sums, from, secondOf(sums), sign)
  }
  const [come, gone] = [of('new_rows', 1), of('old_rows', -1)]
  return { insert: [come], update: [come, gone], delete: [gone] }[event]
}

/** Changes of the sums by records that refer to the rows: they move from one key to another. */
function partsBetween(sums: SumTable, event: Event): readonly string[] {
  const c = `${recordsSchema}.${quote(sums.of)} c where ${refersTo(sums, quote)}`
  const of = (rows: string, key: readonly string[], sign: 1 | -1): string => {
    const from = `${rows} d cross join lateral (select ${sums.measured.map(quote).join(', ')} from ${c} offset 0) c`
    return part(sums, from, key, sign)
  }
  const nowhere = [`null::${columnType('refBase')}`, `null::${columnType('refKey')}`]
  const columns = ['base', 'rkey', quote(sums.second.base), quote(sums.second.key)].join(', ')
  const only = (rows: string, others: string): string =>
    `(select ${columns} from ${rows} except select ${columns} from ${others})`
  switch (event) {
    case 'insert':
      return [of('new_rows', secondOf(sums), 1), of('new_rows', nowhere, -1)]
    case 'update':
      return [
        of(only('new_rows', 'old_rows'), secondOf(sums), 1),
        of(only('old_rows', 'new_rows'), secondOf(sums), -1),
      ]
    case 'delete':
      return [of('old_rows', secondOf(sums), -1), of('old_rows', nowhere, 1)]
  }
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
