/** Counts and sums that are kept, held against counting and adding up. */
import assert from 'node:assert/strict'
import { countedValues, countKeys, dayLength } from '../../src/database/counts.ts'
import type { ReadDatabase } from '../../src/database/database.ts'
import type { Table } from '../../src/database/tables.ts'
import { ownSums, refersTo, sumColumns, summedValues } from '../../src/database/sums.ts'
import { raw } from '../../src/sql/sql.ts'

/** Every row of every table of counts and sums is what the collections' tables have, in one snapshot each. */
export async function assertCounts(read: ReadDatabase, tables: readonly Table[]): Promise<void> {
  for (const table of tables)
    for (const counts of table.counts) {
      const { countedValue, bucketKey } = read.dialect
      // As groups by month are told apart.
      const told = (value: string): string =>
        counts.kind === 'month' ? bucketKey(raw(`(${value} * ${dayLength})`), 'month').sql : value
      const kept = countKeys(counts).map((key) => told(countedValue(raw(key)).sql))
      const met = countedValues(counts, quoted).map(told)
      const named = (values: readonly string[]): string =>
        values.map((value, index) => `${value} as v${index}`).join(', ')
      const names = met.map((_, index) => `v${index}`).join(', ')
      await assertSame(
        read,
        counts.name,
        `${named(kept)}, n from ${quoted(counts.name)}`,
        `${names}, count(*) from (select ${named(met)} from ${quoted(table.name)}) each group by ${names}`,
      )
    }
  await assertSums(read, tables)
}

/** The same of sums alone. */
export async function assertSums(read: ReadDatabase, tables: readonly Table[]): Promise<void> {
  for (const sums of tables.flatMap(ownSums)) {
    const columns = sumColumns(sums)
    const { base, key } = sums.second
    const kept = ['base', 'rkey'].map((name) => `${read.dialect.countedValue(raw(name)).sql} as ${name}`)
    const values = summedValues(sums, quoted).map((value, index) => `${value} as ${columns[index]}`)
    await assertSame(
      read,
      sums.name,
      `${[...kept, ...columns].join(', ')} from ${quoted(sums.name)}`,
      `d.${quoted(base)}, d.${quoted(key)}, ${values.join(', ')} from ${quoted(sums.of)} c
        left join ${quoted(sums.between)} d on ${refersTo(sums, quoted)} group by d.${quoted(base)}, d.${quoted(key)}`,
    )
  }
}

async function assertSame(read: ReadDatabase, name: string, kept: string, met: string): Promise<void> {
  const text = `select 'kept' as how, ${kept} union all select 'met', ${met}`
  const rows = { kept: [] as string[], met: [] as string[] }
  for await (const { how, ...values } of read.readRows({ text, values: [] }))
    rows[how as 'kept' | 'met'].push(Object.values(values).map(describe).join(' '))
  assert.deepEqual(rows.kept.sort(), rows.met.sort(), name)
}

function describe(value: unknown): string {
  return value === null ? 'missing' : `'${String(value)}'`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
