/** Gives tables a prefix, under which the next generation is filled next to the one in use. */
import type { Table } from './tables.ts'

/** `prefix` must not be the beginning of the name of any collection's table. */
export function renamedTables(tables: readonly Table[], prefix: string): readonly Table[] {
  const renamed = <Named extends { readonly name: string }>(all: readonly Named[]): readonly Named[] =>
    all.map((one) => ({ ...one, name: prefix + one.name }))
  return tables.map((table) => ({
    ...table,
    name: prefix + table.name,
    arrays: renamed(table.arrays),
    texts: renamed(table.texts),
    indexes: renamed(table.indexes),
    counts: renamed(table.counts),
    sums: renamed(table.sums).map((sums) => ({
      ...sums,
      of: prefix + sums.of,
      between: prefix + sums.between,
    })),
  }))
}
