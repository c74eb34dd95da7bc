/** Groups as common table expressions: keys in their stored form, with counts and measures. */
import { join, raw, type Sql, sql } from '../../../sql/sql.ts'
import {
  emitCountedGroups,
  emitElementGroups,
  emitRangeGroups,
  emitSummedGroups,
  measureName,
} from './emit-counts.ts'
import { measureExpressions, measureJson, measureOrder } from './emit-measures.ts'
import { createSource, groupBy, type SharedRows, type Source, type Within } from './emit-source.ts'
import { isNull } from '../emit-membership.ts'
import type { Emitter, UriParts } from '../emitter.ts'
import type { GroupAccess, PhysicalAggregate } from '../../plan/physical-plan.ts'
import { isInstant } from '../../plan/plan-facts.ts'
import type { GroupKey, MeasurePlan } from '../../plan/groups/group-plan.ts'

/** `within`: rows are restricted to the keys of these groups. */
type Grouped = Pick<PhysicalAggregate['aggregate'], 'table' | 'measures'> & { readonly within?: Within }

/** One set of groups. `row` is always an alias of `name`. */
export interface Grouping {
  readonly name: Sql
  /** Common table expressions, in order. */
  readonly tables: readonly Sql[]
  /** The columns besides `n`. */
  readonly columns: { readonly keys: readonly Sql[]; readonly measures: readonly Sql[] }
  /**
   * URIs and DIDs of keys, read once to sort and to print: columns for `keyOrder` and `keyJson`, and joins that provide
   * them.
   */
  lookedUp(row: Sql): { readonly columns: readonly Sql[]; readonly joins: readonly Sql[] }
  keyJson(key: number, row: Sql): Sql
  /** A key as text, whatever its type. */
  keyText(key: number, row: Sql): Sql
  isMissing(key: number, row: Sql, is: boolean): Sql
  /** The sort expression of a key: for URIs and DIDs, their text. */
  keyOrder(key: number, row: Sql): Sql
  /** The parts of a key that is a reference. */
  uriParts(key: number, row: Sql): UriParts
  /** The sort expressions of a measure. */
  measureValues(measure: number, row: Sql): readonly Sql[]
  measureJson(measure: number, row: Sql): Sql
}

/** Without keys, all records form one group. `parent` is the alias of the row to which linked rows refer. */
export function createGrouping(
  emitter: Emitter,
  plan: Grouped,
  keys: readonly GroupKey[],
  access: GroupAccess | SharedRows,
  parent: Sql | null = null,
): Grouping {
  const { dialect } = emitter
  const name = emitter.alias()
  const distinct = new Map<number, Sql>()
  for (const [index, { of }] of plan.measures.entries())
    if (of.leaf.kind === 'array') distinct.set(index, emitter.alias())

  const source = createSource(emitter, plan.table, keys, access, parent, plan.within)
  const keyColumns = (from: Source) =>
    keys.flatMap((key, index) => from.values(key).map((value, part) => ({ value, name: at(index, part) })))
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
      case 'ranges':
        return emitRangeGroups(emitter, plan.table, access, key, { table: name, keys: names })
      case 'elements':
        return emitElementGroups(emitter, access, { table: name, keys: names })
      case 'rows':
      case 'linked-rows':
      case 'shared':
        return sql`${first} as materialized (${source.grouped(selected, names)})`
    }
  }

  const sideTables = [...distinct].map(([index, side]) => {
    const own = createSource(emitter, plan.table, keys, access, parent, plan.within)
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

  const measureParts = (measure: number, row: Sql): readonly Sql[] => {
    const parts = Math.max(1, expressions[measure]?.length ?? 0)
    return Array.from({ length: parts }, (_, part) => sql`${row}.${measureName(measure, part)}`)
  }
  const measureAt = (index: number): MeasurePlan => plan.measures[index] as MeasurePlan
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
  const keyValue = (key: number, row: Sql): Sql => {
    if (isLookedUp(key)) return sql`${row}.${lookedUpName(key)}`
    const value = sql`${row}.${at(key, 0)}`
    const { bucket } = keyAt(key)
    return bucket === null ? value : dialect.bucketText(value, bucket)
  }
  const measureColumns = expressions.flatMap((values, index) =>
    Array.from({ length: Math.max(1, values.length) }, (_, part) => measureName(index, part)),
  )
  return {
    name,
    tables: [main(), ...sideTables, ...whole],
    columns: { keys: names, measures: measureColumns },
    uriParts,
    measureValues: (measure, row) => measureOrder(emitter, measureAt(measure), measureParts(measure, row)),
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
    isMissing: (key, row, is) => isNull(sql`${row}.${at(key, 0)}`, is),
    keyText: (key, row) => {
      const value = keyValue(key, row)
      const { leaf, bucket } = keyAt(key)
      if (bucket !== null) return dialect.asText(value)
      if (isInstant(leaf)) return dialect.instantText(value)
      if (leaf.kind !== 'column' || leaf.column.kind === 'text') return value
      return leaf.column.kind === 'boolean'
        ? sql`case ${value} when 1 then 'true' else 'false' end`
        : dialect.asText(value)
    },
    keyJson: (key, row) => {
      const text = keyValue(key, row)
      const { leaf, bucket } = keyAt(key)
      if (leaf.kind === 'column' && leaf.column.kind === 'boolean')
        return sql`case when ${text} is null then 'null' else ${dialect.booleanJson(sql`${text} = 1`)} end`
      return dialect.toJson(isInstant(leaf) && bucket === null ? dialect.instantText(text) : text)
    },
    measureJson: (measure, row) => measureJson(emitter, measureAt(measure), measureParts(measure, row)),
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

function lookedUpName(key: number): Sql {
  return raw(`text${key}`)
}

function named({ value, name }: { readonly value: Sql; readonly name: Sql }): Sql {
  return sql`${value} as ${name}`
}

function at(key: number, part: number): Sql {
  return raw(`k${key}_${part}`)
}
