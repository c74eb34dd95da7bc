/** Groups as common table expressions: keys in their stored form, with counts and measures. */
import { allOf, identifier, join, literal, raw, type Sql, sql } from '../../../sql/sql.ts'
import { emitCountedGroups, emitSummedGroups, measureName, storedKey } from './emit-counts.ts'
import { emitFilters, emitFrom } from '../emit-access-path.ts'
import {
  columnOf,
  type Emitter,
  leftJoin,
  newRow,
  type RecordRow,
  type UriParts,
  uriText,
} from '../emitter.ts'
import type { GroupAccess, PhysicalAggregate } from '../../plan/physical-plan.ts'
import { isInstant } from '../../plan/plan-facts.ts'
import type { GroupKey, MeasurePlan } from '../../plan/plan.ts'

type Grouped = PhysicalAggregate['aggregate']

/** One set of groups. `row` is always an alias of `name`. */
export interface Grouping {
  readonly name: Sql
  /** Common table expressions, in order. */
  readonly tables: readonly Sql[]
  /**
   * URIs and DIDs of keys, read once to sort and to print: columns for `keyOrder` and `keyJson`, and joins that provide
   * them.
   */
  lookedUp(row: Sql): { readonly columns: readonly Sql[]; readonly joins: readonly Sql[] }
  keyJson(key: number, row: Sql): Sql
  /** The sort expression of a key: for URIs and DIDs, their text. */
  keyOrder(key: number, row: Sql): Sql
  /** The parts of a key that is a reference. */
  uriParts(key: number, row: Sql): UriParts
  /** The sort expressions of a measure. */
  measureValues(measure: number, row: Sql): readonly Sql[]
  measureJson(measure: number, row: Sql): Sql
}

/** Without keys, all records form one group. */
export function createGrouping(
  emitter: Emitter,
  plan: Grouped,
  keys: readonly GroupKey[],
  access: GroupAccess,
): Grouping {
  const { dialect } = emitter
  const name = emitter.alias()
  const distinct = new Map<number, Sql>()
  for (const [index, { of }] of plan.measures.entries())
    if (of.leaf.kind === 'array') distinct.set(index, emitter.alias())

  const source = createSource(emitter, plan, keys, access)
  const keyColumns = (from: Source) =>
    keys.flatMap((key, index) =>
      rawKeys(emitter, key, from).map((value, part) => ({ value, name: at(index, part) })),
    )
  const columns = keyColumns(source)
  const expressions = plan.measures.map((measure, index) =>
    distinct.has(index) ? [] : measureExpressions(emitter, measure, source),
  )
  const measures = expressions.flatMap((values, index) =>
    values.map((value, part) => sql`${value} as ${measureName(index, part)}`),
  )
  const selected = [...columns.map(named), sql`count(*) as n`, ...measures]
  const names = columns.map((column) => column.name)
  // With distinct counts, the groups without them are formed first, under another name, and then combined.
  const first = distinct.size === 0 ? name : emitter.alias()
  const main = (): Sql => {
    const key = keys[0] as GroupKey
    switch (access.kind) {
      case 'counts':
        return emitCountedGroups(emitter, access, key, { table: name, keys: names })
      case 'joined-counts':
      case 'sums':
        return emitSummedGroups(emitter, access, plan.measures, key, { table: name, keys: names })
      case 'rows':
        return sql`${first} as materialized (${source.grouped(selected, names)})`
    }
  }

  const sideTables = [...distinct].map(([index, side]) => {
    const own = createSource(emitter, plan, keys, access)
    const columns = keyColumns(own).map(named)
    const element = own.elements((plan.measures[index] as MeasurePlan).of, 'counted')
    const counted = [...columns, sql`count(distinct ${element}) as ${measureName(index)}`]
    return sql`${side} as materialized (${own.grouped(counted, names)})`
  })
  const whole =
    distinct.size === 0
      ? []
      : [
          putTogether(
            name,
            names,
            first,
            expressions.flatMap((values, index) => values.map((_, part) => measureName(index, part))),
            [...distinct].map(([index, side]) => ({ side, value: measureName(index) })),
          ),
        ]

  const measureValues = (measure: number, row: Sql): readonly Sql[] => {
    const parts = Math.max(1, expressions[measure]?.length ?? 0)
    return Array.from({ length: parts }, (_, part) => sql`${row}.${measureName(measure, part)}`)
  }
  const keyAt = (index: number): GroupKey => keys[index] as GroupKey
  const uriParts = (key: number, row: Sql): UriParts => ({
    base: sql`${row}.${at(key, 0)}`,
    key: sql`${row}.${at(key, 1)}`,
  })
  /** The URI or DID of a key, from the repo collection whose id is the first part of the key; null for other keys. */
  const referencedValue = (key: number, row: Sql, base: Sql): Sql | null => {
    const { leaf } = keyAt(key)
    if (leaf.kind === 'reference') return sql`(${base}.uri || ${row}.${at(key, 1)})`
    return leaf.kind === 'system' && leaf.name === 'did' ? sql`${base}.did` : null
  }
  const isLookedUp = (key: number): boolean => referencedValue(key, name, name) !== null
  const keyText = (key: number, row: Sql): Sql => {
    if (isLookedUp(key)) return sql`${row}.${lookedUpName(key)}`
    const value = sql`${row}.${at(key, 0)}`
    const { bucket } = keyAt(key)
    return bucket === null ? value : dialect.bucketText(value, bucket)
  }
  return {
    name,
    tables: [main(), ...sideTables, ...whole],
    uriParts,
    measureValues,
    lookedUp: (row) => {
      const found = keys.flatMap((_, key) => {
        const base = emitter.alias()
        const text = referencedValue(key, row, base)
        if (text === null) return []
        const column = sql`${text} as ${lookedUpName(key)}`
        return [{ column, join: dialect.joinRepoCollection(base, sql`${row}.${at(key, 0)}`) }]
      })
      return { columns: found.map(({ column }) => column), joins: found.map(({ join: one }) => one) }
    },
    keyOrder: (key, row) => (isLookedUp(key) ? lookedUpName(key) : sql`${row}.${at(key, 0)}`),
    keyJson: (key, row) => {
      const text = keyText(key, row)
      const { leaf, bucket } = keyAt(key)
      if (leaf.kind === 'column' && leaf.column.kind === 'boolean')
        return sql`case when ${text} is null then 'null' else ${dialect.booleanJson(sql`${text} = 1`)} end`
      return dialect.toJson(isInstant(leaf) && bucket === null ? dialect.instantText(text) : text)
    },
    measureJson: (measure, row) => {
      const values = measureValues(measure, row)
      const value = values[0] as Sql
      const { measure: kind, of } = plan.measures[measure] as MeasurePlan
      if (kind === 'sum') return dialect.toJson(dialect.checkedSum(values))
      if ((kind === 'min' || kind === 'max') && isInstant(of.leaf))
        return dialect.toJson(dialect.instantText(value))
      return kind === 'countDistinct' ? sql`coalesce(${value}, 0)` : dialect.toJson(value)
    },
  }
}

/**
 * Combines groups with their separate distinct counts. It groups a union of both instead of joining them: in a join a
 * missing key equals no other key, and comparing each group with every other takes quadratic time.
 */
function putTogether(
  name: Sql,
  names: readonly Sql[],
  first: Sql,
  measures: readonly Sql[],
  counted: readonly { readonly side: Sql; readonly value: Sql }[],
): Sql {
  const own = [raw('n'), ...measures]
  // The first part of the union determines the types of columns.
  const none = counted.map(({ value }) => sql`cast(null as bigint) as ${value}`)
  const parts = [
    sql`select ${join([...names, ...own, ...none], ', ')} from ${first}`,
    ...counted.map(({ side, value }) => {
      const others = counted.map((other) => (other.value === value ? value : sql`null`))
      return sql`select ${join([...names, ...own.map(() => sql`null`), ...others], ', ')} from ${side}`
    }),
  ]
  const most = [...own, ...counted.map(({ value }) => value)].map((value) => sql`max(${value}) as ${value}`)
  return sql`${name} as materialized (select ${join([...names, ...most], ', ')}
    from (${join(parts, ' union all ')}) parts ${groupBy(names)})`
}

/** Records with the rows joined to them; each join and each array occurs once. */
interface Source {
  readonly row: RecordRow
  /** Alias of the row at the end of a key's joins; all its columns are null if there is no such target. */
  joined(key: GroupKey): Sql
  /** An element of an array at the end of a key's joins; grouped and counted elements are separate joins. */
  elements(key: GroupKey, use: 'grouped' | 'counted'): Sql
  /** Selects these columns of the groups; `names` are the names of the keys. */
  grouped(selected: readonly Sql[], names: readonly Sql[]): Sql
}

function createSource(
  emitter: Emitter,
  { table }: Grouped,
  keys: readonly GroupKey[],
  access: GroupAccess,
): Source {
  const row = newRow(emitter, table)
  const joins = new Map<string, { readonly alias: Sql; readonly text: Sql }>()
  const joinOnce = (id: string, text: (alias: Sql) => Sql): Sql => {
    const known = joins.get(id)
    if (known !== undefined) return known.alias
    const alias = emitter.alias()
    joins.set(id, { alias, text: text(alias) })
    return alias
  }
  const joined = ({ joins: path }: GroupKey): Sql => {
    let from = row.alias
    let id = ''
    for (const { base, key, table: target } of path) {
      const parts = { base: columnOf(emitter, from, base), key: columnOf(emitter, from, key) }
      id += ` ${from.sql}.${base.name}`
      from = joinOnce(id, (alias) => leftJoin(emitter, target, alias, parts))
    }
    return from
  }
  return {
    row,
    joined,
    elements: (key, use) => {
      if (key.leaf.kind !== 'array') throw new Error('Only arrays have elements.')
      const name = identifier(key.leaf.array.name)
      const holder = joined(key)
      const side = joinOnce(
        `${holder.sql} ${name.sql} ${use}`,
        (alias) => sql`left join ${name} ${alias} on ${alias}.id = ${holder}.id`,
      )
      return sql`${side}.value`
    },
    grouped: (selected, names) => {
      if (access.kind !== 'rows') throw new Error('Materialized groups read no rows.')
      const { from, on } = emitFrom(emitter, access.rows, row)
      const all = [...joins.values()].map(({ text }) => text)
      const condition = allOf([...on, emitFilters(emitter, access.rows.filter, row)])
      // Rows of an index scan may arrive in groups, which the engine recognizes only if they are grouped by the index's
      // own column.
      const isOfCandidates = 'sources' in access.rows.path
      const by = isOfCandidates && isOneText(keys) ? names.map(emitter.dialect.groupedText) : names
      const rows = sql`${from} ${all.length === 0 ? raw('') : join(all, ' ')} where ${condition}`
      return sql`select ${join(selected as Sql[], ', ')} from ${rows} ${groupBy(by)}`
    },
  }
}

function isOneText(keys: readonly GroupKey[]): boolean {
  return keys.length === 1 && keys[0]?.leaf.kind === 'column' && keys[0].leaf.column.kind === 'text'
}

/** The expressions by which a key is grouped: one value, or the two parts of a reference. */
function rawKeys(emitter: Emitter, key: GroupKey, source: Source): readonly Sql[] {
  const { leaf, bucket } = key
  const alias = source.joined(key)
  switch (leaf.kind) {
    case 'column':
    case 'reference':
      return storedKey(emitter, key, alias)
    case 'array':
      return [source.elements(key, 'grouped')]
    case 'system':
      if (leaf.name === 'indexed_at') {
        const value = sql`${alias}.indexed_at`
        return [bucket === null ? value : emitter.dialect.bucketKey(value, bucket)]
      }
      return leaf.name === 'did' ? [sql`${alias}.base`] : [literal(source.row.table.collection.nsid)]
  }
}

/** Columns of a measure; an exact sum may have several. */
function measureExpressions(
  emitter: Emitter,
  { measure, of, isWide }: MeasurePlan,
  source: Source,
): readonly Sql[] {
  const { dialect } = emitter
  const [value, key] = rawKeys(emitter, of, source) as readonly [Sql, Sql?]
  switch (measure) {
    case 'avg':
      // Computed from the exact sum, because the engine's own mean adds floating-point numbers.
      return [dialect.mean(dialect.exactSum(value, isWide), sql`count(${value})`)]
    case 'sum':
      return dialect.exactSum(value, isWide)
    case 'min':
    case 'max':
      return [sql`${raw(measure)}(${value})`]
    case 'countDistinct':
      return [sql`count(distinct ${key === undefined ? value : uriText(value, key)})`]
  }
}

function lookedUpName(key: number): Sql {
  return raw(`text${key}`)
}

function named({ value, name }: { readonly value: Sql; readonly name: Sql }): Sql {
  return sql`${value} as ${name}`
}

function groupBy(columns: readonly Sql[]): Sql {
  return columns.length === 0 ? raw('') : sql`group by ${join(columns as Sql[], ', ')}`
}

function at(key: number, part: number): Sql {
  return raw(`k${key}_${part}`)
}
