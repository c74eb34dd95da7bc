/**
 * How PostgreSQL keeps sums: by triggers on both tables, which see the rows of a statement all at once and change each
 * table of sums once for it. Other tables are as they are when the statement has ended, so that sums are right in
 * whatever order rows change.
 */
import { shortName } from '../../../util/text/short-name.ts'
import { ownSums, refersTo, type SumTable, sumColumns, summedValues } from '../../layout/sums.ts'
import type { Table } from '../../layout/tables.ts'
import { columnType, quote, recordsSchema } from './ddl.ts'
import { createTriggerFunction, createTriggers, dropTriggers, type Event } from './triggers.ts'

/** Empty tables, and the function that changes them once `startSumming` has added up what is there. */
export function createSums(table: Table, schema = recordsSchema): string {
  if (table.sums.length === 0) return ''
  const tables = ownSums(table).map((sums) => {
    const name = `${schema}.${quote(sums.name)}`
    const columns = sumColumns(sums).map((column) => `${column} bigint not null`)
    // Room for what changes all the time, beside what it was. Rows of which nothing is left are found by an index.
    return `create table ${name} (base ${columnType('refBase')}, rkey ${columnType('refKey')}, ${columns.join(', ')}) with (fillfactor = 70);
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

/** Adds up all rows, when those of every table are there, and from then on those that change; by the search path. */
export function startSumming(tables: readonly Table[]): string {
  return tables.map((table) => [...ownSums(table).map(fill), triggers(table)].join('\n')).join('\n')
}

/** For a load, at whose end all rows are added up. */
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

/** What of the rows bears on any sum. */
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
 * By what each key's records become more: of those of the rows that come and go. What is fenced off is found by an
 * index, also when a plan was made while there was nothing yet.
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

/** The same of records that refer to the rows: they go from one key to another. */
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

/** Rows' keys with what they come to. */
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

/** Of the row `d` in between. */
function secondOf({ second }: SumTable): readonly string[] {
  return [`d.${quote(second.base)}`, `d.${quote(second.key)}`]
}

function columnsOf(sums: SumTable): string {
  return ['base', 'rkey', ...sumColumns(sums)].join(', ')
}
