/**
 * Where records lie in a database that is spread over the nodes of a cluster: each record, with the entries of its
 * arrays, by the hash of its URI; the number of records that refer to it, too. Of small collections each node has a copy.
 */
import { createHash } from 'node:crypto'
import { findReference } from './columns.ts'
import type { CountTable } from './counts.ts'
import type { Table } from './tables.ts'

/** Number of values of the column `shard`: few enough to read each by itself, and enough to spread evenly. */
export const shardValues = 64

/** The most records of a small collection: one node reads them as fast as several, and each of their changes goes to all. */
const mostOfSmall = 20_000

/** The value of `shard` for the record at a URI; SQL has the same function as `shard_of`. */
export function shardOf(uri: string): number {
  return (createHash('md5').update(uri).digest()[0] ?? 0) % shardValues
}

/** The tables as they are in such a database, without what cannot be kept there. */
export function spreadTables(tables: readonly Table[]): readonly Table[] {
  return tables.map((table) => ({ ...table, isSpread: true, sums: [] }))
}

/** Those that are small for good, as far as can be told: a tenth of all records at most, so that a young index is spread. */
export function smallCollections(records: ReadonlyMap<string, number>): ReadonlySet<string> {
  const all = [...records.values()].reduce((sum, n) => sum + n, 0)
  const most = Math.min(mostOfSmall, all / 10)
  return new Set([...records].flatMap(([nsid, n]) => (n > 0 && n <= most ? [nsid] : [])))
}

/** Whether counts are of references that may lead to a small collection: then each node has a copy of them too. */
export function countsSmall(table: Table, { columns }: CountTable, small: ReadonlySet<string>): boolean {
  const { references } = table.collection
  const counted = references.find(({ path }) => findReference(table, path)?.base.name === columns[0])
  return counted?.targets?.some((nsid) => small.has(nsid)) ?? small.size > 0
}
