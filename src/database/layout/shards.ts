/**
 * Where records lie in a database that is spread over the nodes of a cluster: each record, with the entries of its
 * arrays, by the hash of its URI; the number of records that refer to it, too.
 */
import { createHash } from 'node:crypto'
import type { Table } from './tables.ts'

/** Number of values of the column `shard`: few enough to read each by itself, and enough to spread evenly. */
export const shardValues = 64

/** The value of `shard` for the record at a URI; SQL has the same function as `shard_of`. */
export function shardOf(uri: string): number {
  return (createHash('md5').update(uri).digest()[0] ?? 0) % shardValues
}

/** The tables as they are in such a database, without what cannot be kept there. */
export function spreadTables(tables: readonly Table[]): readonly Table[] {
  return tables.map((table) => ({ ...table, isSpread: true, sums: [] }))
}
