/** Tests as SQL: whether an array of a row has elements, and whether a URI is in a list. */
import type { ColumnValue } from '../../database/database.ts'
import { repoCollectionUri } from '../../database/changes.ts'
import { splitUri } from '../../database/derive.ts'
import type { Table } from '../../database/layout/tables.ts'
import type { Sql, Value } from '../../sql/sql.ts'
import { allOf, anyOf, identifier, join, listOf, manyValues, sql } from '../../sql/sql.ts'
import { mostProbes } from '../plan/plan-facts.ts'
import type { Emitter, Row, UriParts } from './emitter.ts'
import { refuseStages } from './steps.ts'
import { jsonOf, newRow, referenceParts, referenceUri, scalarOf } from './emitter.ts'
import type { Filter } from '../plan/physical-plan.ts'
import type { ArrayOperand } from '../plan/conditions.ts'

export function hasElements(
  emitter: Emitter,
  array: ArrayOperand,
  list: readonly Value[],
  mode: 'any' | 'all',
  row: Row,
): Sql {
  const { index } = array
  // Without repetitions, so that `count(distinct)` can be compared with their number.
  const values = [...new Map(list.map((value) => [String(value), value])).values()]
  const { dialect } = emitter
  if (index === null || row.kind !== 'record') {
    if (emitter.dialect.isSpread) return areAmongElements(emitter, array, values, mode, row)
    const alias = emitter.alias()
    const value = scalarOf(emitter, sql`${alias}.value`, [], array.kind === 'reference' ? 'text' : array.kind)
    const each = dialect.each(jsonOf(row), array.path, alias)
    const isListed = (some: readonly Value[]): Sql =>
      some.length < manyValues ? sql`${value} in (${listOf(some)})` : dialect.isOneOfMany(value, some, false)
    if (mode === 'all' && values.length > mostProbes)
      return sql`((select count(distinct ${value}) from ${each} where ${isListed(values)}) = ${values.length})`
    const one = (some: readonly Value[]): Sql => sql`exists (select 1 from ${each} where ${isListed(some)})`
    return mode === 'all' ? allOf(values.map((each) => one([each]))) : one(values)
  }
  const side = identifier(index.name)
  if (values.length <= mostProbes) {
    const one = (some: readonly Value[]): Sql => {
      const entries = sql`from ${side} where value in (${listOf(some)})`
      // The planner of a cluster sees that both lie together; it pushes no correlated sub-query below `or`.
      return dialect.isSpread
        ? sql`((${row.alias}.id, ${row.alias}.shard) in (select id, shard ${entries}))`
        : sql`exists (select 1 ${entries} and id = ${row.alias}.id)`
    }
    return mode === 'all' ? allOf(values.map((each) => one([each]))) : one(values)
  }
  // Otherwise SQLite would add the ids to another index's key and search it once per id, for every outer row.
  const id = dialect.unindexed(sql`${row.alias}.id`)
  const all = mode === 'all' ? sql` group by id having count(distinct value) = ${values.length}` : sql``
  const isListed =
    array.kind === 'text' ? dialect.isOneOf(sql`value`, values) : sql`value in (${listOf(values)})`
  return sql`(${id} in (select id from ${side} where ${isListed}${all}))`
}

/** The same of an array without a side table, in a statement of stages, of which one has such records. */
function areAmongElements(
  emitter: Emitter,
  { path, kind }: ArrayOperand,
  values: readonly Value[],
  mode: 'any' | 'all',
  row: Row,
): Sql {
  if (row.kind !== 'record') return refuseStages('conditions on arrays within elements')
  const [found, alias] = [newRow(emitter, row.table), emitter.alias()]
  const value = scalarOf(emitter, sql`${alias}.value`, [], kind === 'reference' ? 'text' : kind)
  const all = mode === 'all' ? sql` having count(distinct ${value}) = ${values.length}` : sql``
  const ids = sql`select ${found.alias}.id from ${emitter.rows(row.table, found.alias)}
    cross join lateral ${emitter.dialect.each(jsonOf(found), path, alias)}
    where ${value} in (${listOf(values)}) group by 1${all}`
  return sql`(${row.alias}.id in (select id from ${emitter.step(ids)}))`
}

export function uriIsOneOf(
  emitter: Emitter,
  { of, list, negated }: Extract<Filter, { kind: 'uri' }>,
  row: Row,
): Sql {
  if (of !== null && (of.kind === 'json' || row.kind !== 'record')) {
    const uri = referenceUri(emitter, of, row)
    if (list.length >= manyValues) return emitter.dialect.isOneOfMany(uri, list, negated)
    return sql`(${uri} ${negated ? sql`not ` : sql``}in (${listOf(list)}))`
  }
  if (row.kind !== 'record') throw new Error('Only a record has a URI.')
  const parts =
    of === null
      ? { base: sql`${row.alias}.base`, key: sql`${row.alias}.rkey` }
      : referenceParts(emitter, of, row)
  const found = list.length > 1 ? uriIsAmong(parts, list) : anyOf(list.map((uri) => uriIs(parts, uri)))
  return negated ? sql`(${isNull(parts.base, false)} and ${isNotTrue(found)})` : found
}

/** The ids of the repo collections of these accounts in one collection; each account has at most one. */
export function repoCollectionIds({ collection }: Table, dids: readonly ColumnValue[]): Sql {
  const uris = dids.map((did) => sql`${repoCollectionUri({ did: String(did), collection: collection.nsid })}`)
  return sql`select id from base where uri in (${join(uris, ', ')})`
}

/** Can use the index over both parts. */
function uriIs({ base, key }: UriParts, uri: string): Sql {
  const [wantedBase, wantedKey] = splitUri(uri)
  return sql`(${base} = (select id from base where uri = ${wantedBase}) and ${key} = ${wantedKey})`
}

/** The parts of all URIs are looked up once instead of for each row. */
function uriIsAmong({ base, key }: UriParts, list: readonly string[]): Sql {
  const parts = list.map(splitUri).map(([wantedBase, wantedKey]) => sql`(${wantedBase}, ${wantedKey})`)
  const wanted = sql`(values ${join(parts, ', ')}) wanted`
  return sql`((${base}, ${key}) in (select base.id, wanted.column2 from ${wanted} join base on base.uri = wanted.column1))`
}

/** Not `not coalesce(…, false)`: to tell null from false, SQLite compares with the whole of a list. */
export function isNotTrue(condition: Sql): Sql {
  return sql`(${condition} is not true)`
}

export function isNull(value: Sql, is: boolean): Sql {
  return is ? sql`(${value} is null)` : sql`(${value} is not null)`
}
