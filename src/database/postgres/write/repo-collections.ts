/** Looks up and creates repository collections and their ids, many at once. */
import { jsonRows, jsonValue } from '../read/json-rows.ts'
import type { Transaction } from './transactions.ts'

/** Adds the ids of existing ones to `transaction.bases`. */
export async function findRepoCollections(transaction: Transaction, uris: Iterable<string>): Promise<void> {
  const { bases } = transaction
  const unknown = [...new Set(uris)].filter((uri) => !bases.has(uri))
  if (unknown.length === 0) return
  const found = await transaction.query<{ uri: string; id: bigint }>(
    'select uri, id from base where uri = any($1)',
    unknown,
  )
  for (const { uri, id } of found) bases.set(uri, id)
}

/** Creates those that `findRepoCollections` has looked for and not found. */
export async function makeRepoCollections(transaction: Transaction, uris: Iterable<string>): Promise<void> {
  const { bases } = transaction
  const missing = [...new Set(uris)].filter((uri) => !bases.has(uri))
  if (missing.length === 0) return
  const rows = missing.map((uri) => {
    const [, did, collection] = /^at:\/\/([^/]+)\/([^/]+)\/$/.exec(uri) ?? []
    const parts = [uri, did ?? null, collection ?? null].map(jsonValue)
    return `{"uri":${parts[0]},"did":${parts[1]},"collection":${parts[2]}}`
  })
  const made = await transaction.query<{ uri: string; id: bigint }>(
    `insert into base (uri, did, collection)
     select uri, did, collection from json_to_recordset($1) as given (uri text, did text, collection text)
     returning uri, id`,
    jsonRows(rows),
  )
  for (const { uri, id } of made) bases.set(uri, id)
}

/** The id of a repository collection that was found or created before. */
export function baseId({ bases }: Transaction, uri: string): bigint {
  const id = bases.get(uri)
  if (id === undefined) throw new Error(`The base of ${uri} has no id.`)
  return id
}
