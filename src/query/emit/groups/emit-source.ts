/** The rows that are grouped, with the rows joined to them; each join and each array occurs once. */
import type { Table } from '../../../database/layout/tables.ts'
import { allOf, identifier, join, literal, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitFilters, emitFrom } from '../emit-access-path.ts'
import { countedAt, emitReferringCounts, isSameRecord } from '../emit-links.ts'
import { leftJoin } from '../emit-records.ts'
import { columnOf, type Emitter, newRow, type Parent, type RecordRow, scalarOf } from '../emitter.ts'
import type { NamedValue } from '../../../sql/dialect.ts'
import { groupedValue, readsRecord, storedKey } from './emit-counts.ts'
import { emitFilter } from '../emit-filter.ts'
import type { CountedRows, Filter, GroupAccess } from '../../plan/physical-plan.ts'
import type { ReferringCount } from '../../plan/conditions.ts'
import type { ElementFilter, GroupKey } from '../../plan/groups/group-plan.ts'
import { elementsOf } from '../../plan/plan-facts.ts'
import { staged } from '../steps.ts'

export interface Source {
  /** The expressions by which a key is grouped: one value, or the two parts of a reference. */
  values(key: GroupKey): readonly Sql[]
  /** An element of an array at the end of a key's joins; grouped and counted elements are separate joins. */
  elements(key: GroupKey, use: 'grouped' | 'counted'): Sql
  /** Counts records once each, although a record has one row for each of its elements. */
  readonly countRecords: Sql
  /** Selects keys, by which rows are grouped, and other columns of the groups. */
  grouped(keys: readonly Named[], others: readonly Named[]): Sql
}

export type Named = Omit<NamedValue, 'isText'>

/** Rows that several groupings read, in a step with the values of their keys. */
export interface SharedRows {
  readonly kind: 'shared'
  readonly name: Sql
  readonly keys: readonly GroupKey[]
}

/** Groups, to whose keys rows are restricted that have these keys first. */
export interface Within {
  /** Name of a relation with the columns `keys`. */
  readonly groups: Sql
  readonly keys: readonly Sql[]
}

/** What the rows are of, which elements of their arrays of objects count, and how they are found. */
export interface FoundRows {
  readonly table: Table
  readonly elements: readonly ElementFilter<Filter>[]
  readonly access: GroupAccess | SharedRows
  readonly parent: Parent
  readonly within?: Within
}

export interface RowsOfGroups extends FoundRows {
  readonly keys: readonly GroupKey[]
}

export function createSource(emitter: Emitter, rows: RowsOfGroups): Source {
  const { keys, access } = rows
  if (access.kind === 'shared') return createSharedSource(emitter, access)
  const { values, elements, id, select, restriction } = createJoins(emitter, rows)
  const restricted = restriction(keys)
  return {
    values,
    elements,
    countRecords: sql`count(distinct ${id})`,
    grouped: (grouped, others) => {
      const names = grouped.map(({ name }) => name)
      // Rows of an index scan may arrive in groups, which the engine recognizes only if they are grouped by the index's
      // own column.
      const isOfCandidates = access.kind === 'rows' && 'sources' in access.path
      const by = isOfCandidates && isOneText(keys) ? names.map(emitter.dialect.groupedText) : names
      return sql`${select([...grouped, ...others].map(named), restricted)} ${groupBy(by)}`
    },
  }
}

/** Rows within groups: the values of keys, `id`, and `nth`, their number within the group by `order`. */
export function emitNumberedRows(
  emitter: Emitter,
  rows: Omit<FoundRows, 'parent'> & { readonly access: CountedRows; readonly within: Within },
  keys: readonly GroupKey[],
  order: (row: RecordRow) => { readonly orders: readonly Sql[]; readonly joined: Sql },
): Sql {
  const { row, values, select, restriction } = createJoins(emitter, { ...rows, parent: null })
  const parts = keys.flatMap(values)
  const { orders, joined } = order(row)
  // A record has a row for each element with the keys.
  const isRepeated = keys.some((key) => elementsOf(key) !== null)
  const number = sql`${raw(isRepeated ? 'dense_rank' : 'row_number')}() over (partition by ${join(parts, ', ')} order by ${join([...orders], ', ')}) as nth`
  const named = parts.map((value, index) => sql`${value} as ${rows.within.keys[index] as Sql}`)
  return select([...named, sql`${row.alias}.id as id`, number], restriction(keys), joined, isRepeated)
}

/** The rows of each group by an index over the first keys, if there is one; `is` matches missing keys. */
function fromGroups(emitter: Emitter, row: RecordRow, { access, within }: FoundRows) {
  const index = access.kind === 'rows' ? access.groupIndex : undefined
  if (index === undefined || within === undefined) return null
  const { name, columns } = index
  const { groups, keys } = within
  const group = emitter.alias()
  const first = keys.slice(0, columns.length)
  const on = first.map(
    (key, index) => sql`${row.alias}.${identifier(columns[index] ?? '')} is ${group}.${key}`,
  )
  const found = sql`(select distinct ${join(first, ', ')} from ${groups}) ${group}`
  const rows = emitter.rows(row.table, row.alias, name)
  return { from: sql`${found} ${emitter.dialect.join} ${rows} on ${allOf(on)}`, on: [] }
}

/**
 * A step with rows that have the values of some keys; instead of elements of side tables it has the id of
 * their row. `once`: rows that differ in nothing else are once for each record, or for each element through which a key
 * leads.
 */
export function emitSharedRows(
  emitter: Emitter,
  rows: FoundRows,
  keys: readonly GroupKey[],
  once: 'record' | GroupKey | null = null,
): SharedRows {
  const { values, joined, object, id, select } = createJoins(emitter, rows)
  const columns = keys.flatMap((key, index) => {
    const parts = key.leaf.kind === 'array' ? [sql`${joined(key)}.id`] : values(key)
    return parts.map((value, part) => sql`${value} as ${sharedName(index, part)}`)
  })
  const same = once === null ? [] : once === 'record' ? [id] : [id, sql`${object(once)}.key`]
  const name = emitter.step(select([...same, ...columns], [], raw(''), once !== null))
  return { kind: 'shared', name, keys }
}

function createSharedSource(emitter: Emitter, { name, keys }: SharedRows): Source {
  const row = emitter.alias()
  const joins: Sql[] = []
  const elements = (key: GroupKey): Sql => {
    const side = emitter.alias()
    joins.push(
      sql` left join ${elementsApart(emitter, key)} ${side} on ${side}.id = ${row}.${sharedName(keys.indexOf(key), 0)}`,
    )
    return sql`${side}.value`
  }
  return {
    elements,
    countRecords: sql`count(*)`,
    values: (key) => {
      if (key.leaf.kind === 'array') return [elements(key)]
      const parts = key.leaf.kind === 'reference' ? [0, 1] : [0]
      return parts.map((part) => sql`${row}.${sharedName(keys.indexOf(key), part)}`)
    },
    grouped: (grouped, others) => {
      const columns = join([...grouped, ...others].map(named), ', ')
      const from = sql`${name} ${row}${join([raw(''), ...joins], '')}`
      return sql`select ${columns} from ${from} ${groupBy(grouped.map((column) => column.name))}`
    },
  }
}

/** Rows with the rows that keys need joined to them. */
export function createJoins(emitter: Emitter, rows: FoundRows) {
  const { dialect } = emitter
  const { table, elements: filters, access, parent, within } = rows
  const row = newRow(emitter, table)
  const joins = new Map<string, { readonly alias: Sql; readonly text: Sql }>()
  const joinOnce = (id: string, text: (alias: Sql) => Sql): Sql => {
    const known = joins.get(id)
    if (known !== undefined) return known.alias
    const alias = emitter.alias()
    joins.set(id, { alias, text: text(alias) })
    return alias
  }
  /** Alias of the row at the end of a key's joins; all its columns are null if there is no such target. */
  const joined = (grouped: GroupKey): Sql => {
    let [from, id] = [row.alias, '']
    const isWhole = emitter.dialect.isSpread && readsRecord(grouped)
    for (const { base, key, table: target } of grouped.joins) {
      const parts = { base: columnOf(emitter, from, base), key: columnOf(emitter, from, key) }
      id += ` ${from.sql}.${base.name}${isWhole ? ' record' : ''}`
      from = joinOnce(id, (alias) => leftJoin(emitter, target, alias, parts, isWhole))
    }
    return from
  }
  const elements = (key: GroupKey, use: 'grouped' | 'counted'): Sql => {
    const holder = joined(key)
    const side = joinOnce(`${holder.sql} ${arrayName(key).sql} ${use}`, (alias) =>
      joinElements(emitter, alias, key, holder, holder === row.alias),
    )
    return sql`${side}.value`
  }
  /** Alias of the element of an array of objects; all keys through one array are of the same element. */
  const object = (key: GroupKey): Sql => {
    const { leaf, joins: path } = key
    if (leaf.kind !== 'element') throw new Error('The key leads through no array of objects.')
    const holder = joined(key)
    return joinOnce(elementsOf(key) ?? '', (alias) => {
      const objects = dialect.objects(sql`${holder}.record`, leaf.array, alias)
      const isOfKey = ({ array }: ElementFilter<Filter>) => array.join('.') === leaf.array.join('.')
      const filter = path.length === 0 ? filters.find(isOfKey) : undefined
      if (filter === undefined) return sql`left join ${objects} on true`
      const value = { kind: 'json', value: sql`${alias}.value` } as const
      return sql`${dialect.join} ${objects} on ${emitFilter(emitter, filter.where, value)}`
    })
  }
  const values = (key: GroupKey): readonly Sql[] => {
    const { leaf } = key
    if (leaf.kind === 'array') return [elements(key, 'grouped')]
    if (leaf.kind === 'count') return [countOf(emitter, leaf, row.alias, joinOnce)]
    if (leaf.kind !== 'element') return singleValues(emitter, key, joined(key), table)
    return [groupedValue(emitter, key, scalarOf(emitter, sql`${object(key)}.value`, leaf.path, leaf.as))]
  }
  return {
    row,
    joined,
    elements,
    object,
    id: sql`${row.alias}.id`,
    values,
    /** Each value of keys is among those of the groups; not all combinations of these values need to be. */
    restriction: (given: readonly GroupKey[]): readonly Sql[] => {
      if (within === undefined) return []
      const compared = given.flatMap((of) => values(of).map((value) => ({ of, value })))
      return valuesWithin(within, access, compared)
    },
    /** Selects expressions of the rows; all joins must have been asked for before. */
    select: (
      selected: readonly Sql[],
      conditions: readonly Sql[] = [],
      joined: Sql = raw(''),
      isDistinct = false,
    ): Sql => {
      if (access.kind !== 'rows') throw new Error('These groups are not read from records.')
      const { from, on } = fromGroups(emitter, row, rows) ?? emitFrom(emitter, access, row, parent)
      const all = Array.from(joins.values(), ({ text }) => text)
      const condition = allOf([...on, emitFilters(emitter, access, row), ...conditions])
      const found = sql`${from} ${all.length === 0 ? raw('') : join(all, ' ')}${joined} where ${condition}`
      return sql`select ${raw(isDistinct ? 'distinct ' : '')}${join(selected as Sql[], ', ')} from ${found}`
    },
  }
}

function valuesWithin(
  { keys, groups }: Within,
  access: FoundRows['access'],
  compared: readonly { readonly of: GroupKey; readonly value: Sql }[],
): readonly Sql[] {
  // The index has found the groups of the first values.
  const found = access.kind === 'rows' ? (access.groupIndex?.columns.length ?? 0) : 0
  return compared.slice(0, keys.length).flatMap(({ of, value }, index) => {
    // The name of the collection is the same in all rows.
    if (index < found || (of.leaf.kind === 'system' && of.leaf.name === 'collection')) return []
    return sql`(${value} is null or ${value} in (select ${keys[index] as Sql} from ${groups}))`
  })
}

/** How many records refer: joined, because the expressions of measures name it several times. */
function countOf(
  emitter: Emitter,
  of: ReferringCount,
  row: Sql,
  joinOnce: (id: string, text: (alias: Sql) => Sql) => Sql,
): Sql {
  const { table, link } = of
  const by = link.kind === 'columns' ? link.base : link.array
  const at = joinOnce(`count ${table.name} ${by.name}`, (alias) => {
    return sql`left join ${emitReferringCounts(emitter, of)} ${alias} on ${countedAt(emitter, of, alias, row)}`
  })
  return sql`coalesce(${at}.n, 0)`
}

function singleValues(emitter: Emitter, key: GroupKey, alias: Sql, table: Table): readonly Sql[] {
  const { leaf } = key
  if (leaf.kind !== 'system') return storedKey(emitter, key, alias)
  switch (leaf.name) {
    case 'indexed_at': {
      const value = sql`${alias}.indexed_at`
      return [groupedValue(emitter, key, value)]
    }
    case 'did':
      return [sql`${alias}.base`]
    case 'collection':
      return [literal(table.collection.nsid)]
  }
}

/** `isOwn`: of the rows themselves, with which their elements lie. */
function joinElements(emitter: Emitter, alias: Sql, key: GroupKey, holder: Sql, isOwn: boolean): Sql {
  if (isOwn) return sql`left join ${arrayName(key)} ${alias} on ${isSameRecord(emitter, alias, holder)}`
  return sql`left join ${elementsApart(emitter, key)} ${alias} on ${alias}.id = ${holder}.id`
}

/** The elements of rows that need not lie with them. */
function elementsApart(emitter: Emitter, key: GroupKey): Sql {
  const name = arrayName(key)
  return emitter.dialect.isSpread ? staged(emitter, sql`select * from ${name}`) : name
}

function arrayName({ leaf }: GroupKey): Sql {
  if (leaf.kind !== 'array') throw new Error('Only arrays have elements.')
  return identifier(leaf.array.name)
}

function isOneText(keys: readonly GroupKey[]): boolean {
  return keys.length === 1 && keys[0]?.leaf.kind === 'column' && keys[0].leaf.column.kind === 'text'
}

function sharedName(key: number, part: number): Sql {
  return raw(`c${key}_${part}`)
}

/** The values of keys, each with the name of its column in a table of groups. */
export function keyColumns(keys: readonly GroupKey[], values: Source['values']): readonly NamedValue[] {
  return keys.flatMap((key, index) => {
    const { leaf } = key
    const kind = leaf.kind === 'element' ? leaf.as : leaf.kind === 'array' ? leaf.array.kind : null
    return values(key).map((value, part) => ({ value, name: keyName(index, part), isText: kind === 'text' }))
  })
}

/** The names of the columns of keys: a reference has two. */
export function keyNames(keys: readonly GroupKey[]): readonly Sql[] {
  return keys.flatMap(({ leaf }, index) =>
    Array.from({ length: leaf.kind === 'reference' ? 2 : 1 }, (_, part) => keyName(index, part)),
  )
}

export function keyName(key: number, part: number): Sql {
  return raw(`k${key}_${part}`)
}

function named({ value, name }: Named): Sql {
  return sql`${value} as ${name}`
}

export function groupBy(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? raw('') : sql`group by ${join(columns as Sql[], ', ')}`
}
