/** The names of groups by records: equal names are told apart. */
import { recordKey } from '../../util/text/record-key.ts'
import { type Group, readGroupName } from './groups.ts'
import type { SchemaContext } from './paths.ts'
import type { Json } from '../tools/tool.ts'

/**
 * The names of records by their URIs, which are the values of the group. Records that share a name have their record key
 * after it, as in "The Courier (courier.example)", or their URI where they share that too.
 */
export function groupNames(
  group: Group,
  rows: readonly Json[],
  context: SchemaContext,
): ReadonlyMap<unknown, string> {
  // With further groups, a record stands in several rows.
  const byUri = new Map(
    rows.map((row) => [String(row[group.field.name]), readGroupName(group, row, context)]),
  )
  const named = [...byUri].flatMap(([uri, name]) => (name === null ? [] : [{ uri, name }]))
  const withKeys = tellApart(named, recordKey)
  return new Map(tellApart(withKeys, (uri) => uri).map(({ uri, name }) => [uri, name]))
}

interface Named {
  readonly uri: string
  readonly name: string
}

function tellApart(named: readonly Named[], mark: (uri: string) => string): readonly Named[] {
  const same = Map.groupBy(named, ({ name }) => name)
  return named.map(({ uri, name }) =>
    same.get(name)?.length === 1 ? { uri, name } : { uri, name: `${name} (${mark(uri)})` },
  )
}
