/** What groups are, and the values that each has as SQL: how they are sorted and printed. `row` is an alias of the groups. */
import { raw, type Sql, sql } from '../../../sql/sql.ts'
import { measures } from '../../../schema/model/measures.ts'
import { isInstant, storedKind } from '../../plan/plan-facts.ts'
import type { GroupKey, GroupValue, MeasurePlan } from '../../plan/groups/group-plan.ts'
import { isNull } from '../emit-membership.ts'
import { type Emitter, partsOfUri, type UriParts } from '../emitter.ts'
import { numberJson } from '../emit-output.ts'
import { keyName } from './emit-source.ts'

/** One set of groups: a relation with the number of records as `n`. */
export interface Grouping {
  readonly name: Sql
  readonly keys: readonly GroupKey[]
  readonly measures: readonly MeasurePlan[]
  /** The columns of all keys, and those of each measure. */
  readonly columns: { readonly keys: readonly Sql[]; readonly measures: readonly (readonly Sql[])[] }
}

/** Columns for `keyOrder` and `keyJson` with URIs and DIDs of keys, read once, and joins for them. */
export function lookedUp(emitter: Emitter, { keys }: Grouping, row: Sql) {
  const found = keys.flatMap((key, index) => {
    const base = emitter.alias()
    if (!isLookedUp(key)) return []
    const isReference = key.leaf.kind === 'reference'
    const text = isReference ? sql`(${base}.uri || ${row}.${keyName(index, 1)})` : sql`${base}.did`
    const column = sql`${text} as ${lookedUpName(index)}`
    return [{ column, join: emitter.dialect.joinRepoCollection(base, sql`${row}.${keyName(index, 0)}`) }]
  })
  return { columns: found.map(({ column }) => column), joins: found.map(({ join }) => join) }
}

export function keyJson(emitter: Emitter, { keys }: Grouping, key: number, row: Sql): Sql {
  const { dialect } = emitter
  const { leaf, bucket } = keyAt(keys, key)
  const text = keyValue(emitter, keys, key, row)
  if (storedKind(leaf) === 'boolean')
    return sql`case when ${text} is null then 'null' else ${dialect.booleanJson(sql`${text} = 1`)} end`
  return dialect.toJson(isInstant(leaf) && bucket === null ? sql`instant_text(${text})` : text)
}

/** A key of any type as text. */
export function keyText(emitter: Emitter, { keys }: Grouping, key: number, row: Sql): Sql {
  const { leaf, bucket } = keyAt(keys, key)
  const value = keyValue(emitter, keys, key, row)
  const kind = storedKind(leaf)
  if (bucket === null) {
    if (isInstant(leaf)) return sql`instant_text(${value})`
    if (kind === null || kind === 'text') return value
    if (kind === 'boolean') return sql`case ${value} when 1 then 'true' else 'false' end`
  }
  return sql`cast(${value} as text)`
}

export function isMissing(key: number, row: Sql, is: boolean): Sql {
  return isNull(sql`${row}.${keyName(key, 0)}`, is)
}

/** The sort expression of a key: for URIs and DIDs, their text. */
export function keyOrder({ keys }: Grouping, key: number, row: Sql): Sql {
  return isLookedUp(keyAt(keys, key)) ? lookedUpName(key) : sql`${row}.${keyName(key, 0)}`
}

/** The parts of a key that is a reference. */
export function keyUri(emitter: Emitter, { keys }: Grouping, key: number, row: Sql): UriParts {
  const first = sql`${row}.${keyName(key, 0)}`
  if (keyAt(keys, key).leaf.kind === 'reference') return { base: first, key: sql`${row}.${keyName(key, 1)}` }
  return partsOfUri(emitter, first)
}

function keyValue({ dialect }: Emitter, keys: readonly GroupKey[], key: number, row: Sql): Sql {
  if (isLookedUp(keyAt(keys, key))) return sql`${row}.${lookedUpName(key)}`
  const value = sql`${row}.${keyName(key, 0)}`
  const { bucket } = keyAt(keys, key)
  return bucket === null ? value : dialect.bucketText(value, bucket)
}

/** Whether a key is a URI or DID, from the repo collection whose id is the first part of the key. */
function isLookedUp({ leaf }: GroupKey): boolean {
  return leaf.kind === 'reference' || (leaf.kind === 'system' && leaf.name === 'did')
}

function lookedUpName(key: number): Sql {
  return raw(`text${key}`)
}

function keyAt(keys: readonly GroupKey[], key: number): GroupKey {
  return keys[key] as GroupKey
}

/** The expressions by which groups are sorted and compared by a measure; an exact sum may have several. */
function measureValues({ dialect }: Emitter, groups: Grouping, index: number, row: Sql): readonly Sql[] {
  const columns = measureColumns(groups, index, row)
  return groups.measures[index]?.measure === 'percentile'
    ? [dialect.ordered.percentileAt(columns[0] as Sql, 0)]
    : columns
}

/** The expressions by which groups are sorted and compared by one of their values. */
export function valuesOf(
  emitter: Emitter,
  groups: Grouping,
  of: GroupValue | { readonly kind: 'key'; readonly key: number } | { readonly kind: 'score' },
  row: Sql,
): readonly Sql[] {
  switch (of.kind) {
    case 'key':
      return [keyOrder(groups, of.key, row)]
    case 'measure':
      return measureValues(emitter, groups, of.measure, row)
    case 'count':
      return [sql`${row}.n`]
    case 'share':
      return [shareValue(emitter, row)]
    case 'score':
    case 'total':
      return [sql`${row}.${raw(of.kind)}`]
  }
}

/** The share of a row with `total` and `matched`. Both are exact as doubles, so one division rounds once. */
export function shareValue({ dialect }: Emitter, row: Sql): Sql {
  return sql`(${dialect.asFloat(sql`${row}.matched`)} / nullif(${row}.total, 0))`
}

export function measureJson(emitter: Emitter, groups: Grouping, index: number, row: Sql): Sql {
  const { dialect } = emitter
  const { measure, of } = groups.measures[index] as MeasurePlan
  const values = measureColumns(groups, index, row)
  const value = values[0] as Sql
  switch (measures[measure].result) {
    case 'sum':
      return dialect.toJson(dialect.checkedSum(values))
    case 'value':
      return dialect.toJson(isInstant(of.leaf) ? sql`instant_text(${value})` : value)
    case 'integer':
      return value
    case 'ranks':
      return dialect.ordered.percentilesJson(value)
    case 'double':
      return numberJson(emitter, value)
  }
}

function measureColumns({ measures: all, columns }: Grouping, index: number, row: Sql): readonly Sql[] {
  const values = (columns.measures[index] ?? []).map((column) => sql`${row}.${column}`)
  // Added groups, and those of which no record has a value, have no different ones.
  return all[index]?.measure === 'countDistinct' ? values.map((value) => sql`coalesce(${value}, 0)`) : values
}
