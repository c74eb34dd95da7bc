/** The collections with records, those that the lexicons no longer have included. */
import { ask, type Steps } from './steps.ts'

export interface StoredCollection {
  readonly name: string
  /** The name of its table. */
  readonly table: string
  /** 1 if ids follow the default order. */
  readonly ordered: bigint
  /** 0: the lexicons that the tables are derived from do not have it. */
  readonly served: bigint
}

export function readCollections(): Steps<readonly StoredCollection[]> {
  return ask('select nsid as name, table_name as "table", ordered, served from collection order by nsid')
}

/** Names of tables by collection. */
export function* tableNames(): Steps<ReadonlyMap<string, string>> {
  return new Map((yield* readCollections()).map(({ name, table }) => [name, table]))
}
