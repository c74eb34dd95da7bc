/** Counts and sums that are kept, held against counting and adding up. */
import assert from 'node:assert/strict'
import { countedValues, countKeys, dayLength } from '../../../src/database/layout/counts.ts'
import type { ReadDatabase } from '../../../src/database/database.ts'
import type { Table } from '../../../src/database/layout/tables.ts'
import { ownSums, refersTo, sumColumns, summedValues } from '../../../src/database/layout/sums.ts'
import { raw } from '../../../src/sql/sql.ts'
import { utcBucket } from '../../../src/sql/time-buckets.ts'

/** Every row of every table of counts and sums is what the collections' tables have, in one snapshot. */
export async function assertCounts(read: ReadDatabase, tables: readonly Table[]): Promise<void> {
  const counted = tables.flatMap((table) => table.counts.map((counts) => countsPair(read, table, counts)))
  await assertSame(read, [...counted, ...sumsPairs(read, tables)])
}

/** The same of sums alone. */
export async function assertSums(read: ReadDatabase, tables: readonly Table[]): Promise<void> {
  await assertSame(read, sumsPairs(read, tables))
}

/** Two queries that must yield the same rows, whose columns are named `v0` and so on. */
interface Pair {
  readonly name: string
  readonly columns: number
  readonly kept: string
  readonly met: string
}

function countsPair(read: ReadDatabase, table: Table, counts: Table['counts'][number]): Pair {
  const { countedValue, bucketKey } = read.dialect
  // As groups by month are told apart.
  const told = (value: string): string =>
    counts.kind === 'month' ? bucketKey(raw(`(${value} * ${dayLength})`), utcBucket('month')).sql : value
  const kept = countKeys(counts).map((key) => told(countedValue(raw(key)).sql))
  const met = countedValues(counts, quoted).map(told)
  const names = met.map((_, index) => `v${index}`).join(', ')
  return {
    name: counts.name,
    columns: met.length + 1,
    kept: `select ${named([...kept, 'n'])} from ${quoted(counts.name)}`,
    met: `select ${names}, count(*) as v${met.length}
      from (select ${named(met)} from ${quoted(table.name)}) each group by ${names}`,
  }
}

function sumsPairs(read: ReadDatabase, tables: readonly Table[]): Pair[] {
  return tables.flatMap(ownSums).map((sums) => {
    const columns = sumColumns(sums)
    const { base, key } = sums.second
    const keys = [`d.${quoted(base)}`, `d.${quoted(key)}`]
    const kept = ['base', 'rkey'].map((name) => read.dialect.countedValue(raw(name)).sql)
    return {
      name: sums.name,
      columns: columns.length + 2,
      kept: `select ${named([...kept, ...columns])} from ${quoted(sums.name)}`,
      met: `select ${named([...keys, ...summedValues(sums, quoted)])} from ${quoted(sums.of)} c
        left join ${quoted(sums.between)} d on ${refersTo(sums, quoted)} group by ${keys.join(', ')}`,
    }
  })
}

function named(values: readonly string[]): string {
  return values.map((value, index) => `${value} as v${index}`).join(', ')
}

/** Asked at once, because on PostgreSQL each question takes a connection of its own, which costs more than it. */
async function assertSame(read: ReadDatabase, pairs: readonly Pair[]): Promise<void> {
  const width = Math.max(0, ...pairs.map(({ columns }) => columns))
  const rows = new Map(pairs.map(({ name }) => [name, { kept: [] as string[], met: [] as string[] }]))
  const text = (pair: Pair, how: 'kept' | 'met'): string => {
    const columns = Array.from({ length: width }, (_, index) =>
      index < pair.columns ? `cast(v${index} as text)` : 'null',
    )
    return `select '${pair.name.replaceAll("'", "''")}' as name, '${how}' as how, ${named(columns)}
      from (${pair[how]}) ${how}`
  }
  for (let start = 0; start < pairs.length; start += pairsAtOnce) {
    const some = pairs.slice(start, start + pairsAtOnce)
    const statement = some.flatMap((pair) => [text(pair, 'kept'), text(pair, 'met')]).join(' union all ')
    for await (const { name, how, ...values } of read.readRows({ text: statement, values: [] }))
      rows.get(String(name))?.[how as 'kept' | 'met'].push(Object.values(values).map(describe).join(' '))
  }
  for (const [name, { kept, met }] of rows) assert.deepEqual(kept.sort(), met.sort(), name)
}

/** SQLite takes five hundred queries in one. */
const pairsAtOnce = 100

function describe(value: unknown): string {
  return value === null ? 'missing' : `'${String(value)}'`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
