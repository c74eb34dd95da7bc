/** Counts that are kept, held against counting. */
import assert from 'node:assert/strict'
import { countedValues, countKeys, dayLength } from '../../src/database/counts.ts'
import type { ReadDatabase } from '../../src/database/database.ts'
import type { Table } from '../../src/database/tables.ts'
import { raw } from '../../src/sql/sql.ts'

/** Every row of every table of counts is what its collection's table has, in one snapshot each. */
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
      const text = `select 'kept' as how, ${named(kept)}, n from ${quoted(counts.name)} union all
        select 'met', ${names}, count(*) from (select ${named(met)} from ${quoted(table.name)}) each group by ${names}`
      const rows = { kept: [] as string[], met: [] as string[] }
      for await (const { how, n, ...values } of read.readRows({ text, values: [] }))
        rows[how as 'kept' | 'met'].push([...Object.values(values).map(describe), String(n)].join(' '))
      assert.deepEqual(rows.kept.sort(), rows.met.sort(), counts.name)
    }
}

function describe(value: unknown): string {
  return value === null ? 'missing' : `'${String(value)}'`
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
