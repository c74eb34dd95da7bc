/**
 * DDL of materialized counts and of vocabularies: triggers see all rows of a statement and change each table of counts once. They keep the
 * counts right whatever program writes.
 */
import { type CountTable, countedValues, countKeys, daysOf, rankingIndex } from '../../layout/counts.ts'
import { shortName } from '../../../util/text/short-name.ts'
import type { Table } from '../../layout/tables.ts'
import { columnType, quote, recordsSchema } from './ddl.ts'
import { changeVocabulary, createVocabulary, fillVocabulary } from './vocabulary-ddl.ts'
import { createTriggerFunction, createTriggers, dropTriggers, type Event } from './triggers.ts'

/** Creates empty tables, and the function that maintains them after `startCounting` has counted the existing rows. */
export function createCounts(table: Table, schema = recordsSchema): string {
  const kinds = new Map(table.columns.map(({ name, kind }) => [name, kind]))
  const tables = table.counts.map((counts) => {
    const keys = countKeys(counts)
    const columns = keys.map((key, index) => {
      const kind = isOfTime(counts) ? undefined : kinds.get(counts.columns[index] ?? '')
      return `${key} ${kind === undefined ? 'bigint' : columnType(kind)}, `
    })
    return `create table ${schema}.${quote(counts.name)} (${columns.join('')}n bigint not null);
      create unique index ${quote(shortName(`${counts.name}/key`))} on ${schema}.${quote(counts.name)} (${keys.join(', ')}) nulls not distinct;
      ${counts.kind === 'reference' ? `create index ${quote(shortName(rankingIndex(counts)))} on ${schema}.${quote(counts.name)} (n);` : ''}`
  })
  const changed = `${countedColumns(table, 'old_rows')} except all ${countedColumns(table, 'new_rows')}`
  const calls = createTriggerFunction(`${schema}.${functionName(table)}`, changed, (event) =>
    changeAll(table, event),
  )
  return `${tables.join('\n')}
    ${createVocabulary(table, schema)}
    ${calls}`
}

/** Counts all rows and starts the triggers, in the schema that the search path leads to. */
export function startCounting(table: Table): string {
  const name = quote(table.name)
  const fill = table.counts.map((counts) => {
    const rows =
      counts.kind === 'month' ? addDaysUp(daysOf(table.counts, counts)) : changes(counts, [[name, 1]])
    return `delete from ${quote(counts.name)}; insert into ${quote(counts.name)} ${rows};`
  })
  return [...fill, fillVocabulary(table), createTriggers('counts', table.name, functionName(table))].join(
    '\n',
  )
}

/** For a load, which counts all rows at its end. */
export function stopCounting(table: Table): string {
  return dropTriggers('counts', table.name)
}

function functionName(table: Table): string {
  return quote(shortName(`${table.name}/count`))
}

function countedColumns({ counts, words }: Table, rows: string): string {
  const names = new Set(counts.flatMap(({ columns }) => columns))
  if (words !== null) names.add('words')
  return `select ${[...names].map(quote).join(', ')} from ${rows}`
}

function changeAll({ counts, words }: Table, event: Event): string {
  const each = counts.map((values) => change(values, event))
  return [...each, words === null ? '' : changeVocabulary(words, event)].join('\n')
}

function change(counts: CountTable, event: Event): string {
  const name = `${recordsSchema}.${quote(counts.name)}`
  const keys = countKeys(counts)
  const went = ['old_rows', -1] as const
  const come = ['new_rows', 1] as const
  const rows = { insert: [come], update: [come, went], delete: [went] }[event]
  const add = `insert into ${name} as c (${keys.join(', ')}, n) ${changes(counts, rows)}
    on conflict (${keys.join(', ')}) do update set n = c.n + excluded.n;`
  if (event === 'insert') return add
  const values = valuesOf(counts)
  const met = `${values.join(', ')} from old_rows r where ${values[0]} is not null`
  // Computing the month takes longer than computing the day, and there are few days.
  const gone =
    counts.kind === 'month' ? `select ${monthOf('v')} from (select distinct ${met}) d(v)` : `select ${met}`
  // Two statements, so that each finds its rows by the index.
  return `${add}
    delete from ${name} where n = 0 and (${keys.join(', ')}) in (${gone});
    delete from ${name} where n = 0 and ${keys[0]} is null;`
}

/** Selects the change of the count for each value. */
function changes(counts: CountTable, rows: readonly (readonly [from: string, n: 1 | -1])[]): string {
  const values = valuesOf(counts)
  const names = values.map((_, index) => `v${index}`).join(', ')
  const columns = values.map((value, index) => `${value} as v${index}`).join(', ')
  const each = rows.map(([from, n]) => `select ${columns}, ${n} as n from ${from} r`)
  const grouped = `select ${names}, sum(n) as n from (${each.join(' union all ')}) d group by ${names}`
  return counts.kind === 'month'
    ? `select ${monthOf(names)} as month, sum(n) from (${grouped}) d group by month having sum(n) <> 0`
    : `${grouped} having sum(n) <> 0`
}

function valuesOf(counts: CountTable): readonly string[] {
  return countedValues(counts, (name) => `r.${quote(name)}`)
}

function addDaysUp(days: CountTable): string {
  return `select ${monthOf('value')} as month, sum(n) from ${quote(days.name)} group by month`
}

/** SQL for the first day of a day's month. */
function monthOf(day: string): string {
  const first = `date_trunc('month', (date '1970-01-01' + (${day})::int)::timestamp)::date`
  return `(${first} - date '1970-01-01')::bigint`
}

function isOfTime({ kind }: CountTable): boolean {
  return kind === 'day' || kind === 'month'
}
