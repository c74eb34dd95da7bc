/** DDL of materialized counts and of vocabularies, and how counts change with rows. */
import { type CountTable, countedValues, countKeys, daysOf, rankingIndex } from '../../layout/counts.ts'
import { shortName } from '../../../util/text/short-name.ts'
import type { Table } from '../../layout/tables.ts'
import { columnTypes, quote, recordsSchema } from './ddl.ts'
import { shardOfParts } from './spread-ddl.ts'
import { type ChangedRows, type CountChange, createVocabulary, fillVocabulary } from './vocabulary-ddl.ts'

/** Creates empty tables. */
export function createCounts(table: Table, schema = recordsSchema): string {
  const kinds = new Map(table.columns.map(({ name, kind }) => [name, kind]))
  const tables = table.counts.map((counts) => {
    const keys = countKeys(counts)
    const columns = keys.map((key, index) => {
      const isOfTime = counts.kind === 'day' || counts.kind === 'month'
      const kind = isOfTime ? undefined : kinds.get(counts.columns[index] ?? '')
      return `${key} ${kind === undefined ? 'bigint' : columnTypes[kind]}, `
    })
    const isSpread = liesWithTargets(table, counts)
    return `create table ${schema}.${quote(counts.name)} (${columns.join('')}${isSpread ? 'shard integer not null, ' : ''}n bigint not null);
      create unique index ${quote(shortName(`${counts.name}/key`))} on ${schema}.${quote(counts.name)} (${keysOf(table, counts).join(', ')}) nulls not distinct;
      ${counts.kind === 'reference' ? `create index ${quote(shortName(rankingIndex(counts)))} on ${schema}.${quote(counts.name)} (n);` : ''}`
  })
  return [...tables, createVocabulary(table, schema)].join('\n')
}

/** Counts all rows, in the schema that the search path leads to. */
export function fillCounts(table: Table): string {
  const name = quote(table.name)
  const fill = table.counts.map((counts) => {
    const rows =
      counts.kind === 'month'
        ? `select ${monthOf('value')} as month, sum(n) from ${quote(daysOf(table.counts, counts).name)} group by month`
        : changes(table, counts, [[name, 1]])
    const columns = `${keysOf(table, counts).join(', ')}, n`
    return `delete from ${quote(counts.name)}; insert into ${quote(counts.name)} (${columns}) ${rows};`
  })
  return [...fill, fillVocabulary(table)].join('\n')
}

/** Changes counts by rows that come and go. */
export function changeCounts(table: Table, counts: CountTable, rows: readonly ChangedRows[]): CountChange {
  const [name, keys] = [quote(counts.name), keysOf(table, counts).join(', ')]
  const change = `insert into ${name} as c (${keys}, n) ${changes(table, counts, rows)}
    on conflict (${keys}) do update set n = c.n + excluded.n`
  return { name, change }
}

/** Whether counts are spread over nodes, each with the record that it counts references to. */
function liesWithTargets({ isSpread }: Table, { kind }: CountTable): boolean {
  return isSpread && kind === 'reference'
}

function keysOf(table: Table, counts: CountTable): readonly string[] {
  const keys = countKeys(counts)
  return liesWithTargets(table, counts) ? [...keys, 'shard'] : keys
}

/** Selects the change of the count for each value. */
function changes(table: Table, counts: CountTable, rows: readonly ChangedRows[]): string {
  const values = countedValues(counts, (name) => `r.${quote(name)}`)
  const names = values.map((_, index) => `v${index}`).join(', ')
  const columns = values.map((value, index) => `${value} as v${index}`).join(', ')
  const each = rows.map(([from, n]) => `select ${columns}, ${n} as n from ${from} r`)
  const grouped = `select ${names}, sum(n) as n from (${each.join(' union all ')}) d group by ${names}`
  if (counts.kind === 'month')
    return `select ${monthOf(names)} as month, sum(n) from (${grouped}) d group by month having sum(n) <> 0`
  const all = `${grouped} having sum(n) <> 0`
  return liesWithTargets(table, counts)
    ? `select ${names}, ${shardOfParts('v0', 'v1')}, n from (${all}) k`
    : all
}

/** SQL for the first day of a day's month. */
function monthOf(day: string): string {
  const first = `date_trunc('month', (date '1970-01-01' + (${day})::int)::timestamp)::date`
  return `(${first} - date '1970-01-01')::bigint`
}
