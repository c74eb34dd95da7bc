/** Groups as common table expressions: keys in their stored form, with counts and measures. */
import { raw, type Sql, sql } from '../../../sql/sql.ts'
import {
  emitCountedGroups,
  emitElementGroups,
  emitRangeGroups,
  emitSummedGroups,
  measureName,
} from './emit-counts.ts'
import { measureExpressions, measureJson, measureOrder } from './emit-measures.ts'
import { createSource, keyColumns, keyName, type SharedRows, type Within } from './emit-source.ts'
import {
  emitCountedNames,
  emitCountedRecords,
  emitElementMeasures,
  emitRecordsOnce,
  isAside,
  isOnePass,
  mergeMeasures,
} from './emit-elements.ts'
import { isNull } from '../emit-membership.ts'
import { type Emitter, partsOfUri, type UriParts } from '../emitter.ts'
import type { GroupAccess, PhysicalAggregate } from '../../plan/physical-plan.ts'
import { isInstant, storedKind } from '../../plan/plan-facts.ts'
import type { GroupKey, MeasurePlan } from '../../plan/groups/group-plan.ts'

/** `within`: rows are restricted to the keys of these groups. */
type Grouped = Pick<PhysicalAggregate['aggregate'], 'table' | 'measures' | 'elements'> & {
  readonly within?: Within
}

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
  given: Grouped,
  keys: readonly GroupKey[],
  access: GroupAccess | SharedRows,
  parent: Sql | null = null,
): Grouping {
  const { dialect } = emitter
  const plan = { ...given, keys, access, parent }
  const name = emitter.alias()
  const distinct = new Map<number, Sql>()
  for (const [index, { of }] of plan.measures.entries())
    if (of.leaf.kind === 'array') distinct.set(index, emitter.alias())

  const counted = emitCountedNames(emitter, plan) ?? emitCountedRecords(emitter, plan)
  const records = counted === null ? emitRecordsOnce(emitter, plan) : null
  const source = createSource(emitter, { ...plan, access: records?.rows ?? access })
  const columns = keyColumns(keys, source)
  const ofElements = isOnePass(emitter, plan)
  const expressions = plan.measures.map((measure) =>
    isAside(measure.of.leaf) && !ofElements ? [] : measureExpressions(emitter, measure, source),
  )
  const measures = expressions.flatMap((values, index) =>
    values.map((value, part) => sql`${value} as ${measureName(index, part)}`),
  )
  const count = ofElements && keys.length > 0 ? source.countRecords : sql`count(*)`
  const selected = [...columns.map(named), sql`${count} as n`, ...measures]
  const names = columns.map((column) => column.name)
  const elementMeasures = emitElementMeasures(emitter, plan)
  // With measures aside, the groups without them are formed first, under another name, and then combined.
  const isWhole = distinct.size === 0 && elementMeasures.length === 0
  const first = isWhole ? name : emitter.alias()
  const main = (): Sql => {
    const key = keys[0] as GroupKey
    if (counted !== null) return sql`${name} as materialized (${counted})`
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
    const own = createSource(emitter, plan)
    const grouped = keyColumns(keys, own).map(named)
    const element = own.elements((plan.measures[index] as MeasurePlan).of, 'counted')
    const selection = [...grouped, sql`count(distinct ${element}) as ${measureName(index)}`]
    return sql`${side} as materialized (${own.grouped(selection, names)})`
  })
  const measured = expressions.map((values, index) => {
    const columns = elementMeasures.flatMap((aside) => aside.columns.get(index) ?? [])
    if (columns.length > 0) return columns
    return Array.from({ length: Math.max(1, values.length) }, (_, part) => measureName(index, part))
  })
  const whole = isWhole
    ? []
    : [
        mergeMeasures(
          name,
          names,
          first,
          expressions.flatMap((values, index) => values.map((_, part) => measureName(index, part))),
          [
            ...[...distinct].map(([index, side]) => ({
              name: side,
              columns: [measureName(index)],
              areCounts: true,
            })),
            ...elementMeasures.map((aside) => ({
              name: aside.name,
              columns: [...aside.columns.values()].flat(),
              areCounts: false,
            })),
          ],
        ),
      ]

  const measureAt = (index: number): MeasurePlan => plan.measures[index] as MeasurePlan
  const measureParts = (measure: number, row: Sql): readonly Sql[] => {
    const values = (measured[measure] ?? []).map((column) => sql`${row}.${column}`)
    // Added groups, and those of which no record has a value, have no different ones.
    return measureAt(measure).measure === 'countDistinct'
      ? values.map((value) => sql`coalesce(${value}, 0)`)
      : values
  }
  const keyAt = (index: number): GroupKey => keys[index] as GroupKey
  const uriParts = (key: number, row: Sql): UriParts => {
    const first = sql`${row}.${keyName(key, 0)}`
    if (keyAt(key).leaf.kind === 'reference') return { base: first, key: sql`${row}.${keyName(key, 1)}` }
    return partsOfUri(emitter, first)
  }
  /** The URI or DID of a key, from the repo collection whose id is the first part of the key; null for other keys. */
  const referencedValue = (key: number, row: Sql, base: Sql): Sql | null => {
    const { leaf } = keyAt(key)
    if (leaf.kind === 'reference') return sql`(${base}.uri || ${row}.${keyName(key, 1)})`
    return leaf.kind === 'system' && leaf.name === 'did' ? sql`${base}.did` : null
  }
  const isLookedUp = (key: number): boolean => referencedValue(key, name, name) !== null
  const keyValue = (key: number, row: Sql): Sql => {
    if (isLookedUp(key)) return sql`${row}.${lookedUpName(key)}`
    const value = sql`${row}.${keyName(key, 0)}`
    const { bucket } = keyAt(key)
    return bucket === null ? value : dialect.bucketText(value, bucket)
  }
  return {
    name,
    tables: [
      ...(records === null ? [] : [records.table]),
      main(),
      ...sideTables,
      ...elementMeasures.flatMap(({ tables }) => tables),
      ...whole,
    ],
    columns: { keys: names, measures: measured.flat() },
    uriParts,
    measureValues: (measure, row) => measureOrder(emitter, measureAt(measure), measureParts(measure, row)),
    lookedUp: (row) => {
      const found = keys.flatMap((_, key) => {
        const base = emitter.alias()
        const text = referencedValue(key, row, base)
        if (text === null) return []
        const column = sql`${text} as ${lookedUpName(key)}`
        return [{ column, join: dialect.joinRepoCollection(base, sql`${row}.${keyName(key, 0)}`) }]
      })
      return { columns: found.map(({ column }) => column), joins: found.map(({ join: one }) => one) }
    },
    keyOrder: (key, row) => (isLookedUp(key) ? lookedUpName(key) : sql`${row}.${keyName(key, 0)}`),
    isMissing: (key, row, is) => isNull(sql`${row}.${keyName(key, 0)}`, is),
    keyText: (key, row) => {
      const value = keyValue(key, row)
      const { leaf, bucket } = keyAt(key)
      if (bucket !== null) return dialect.asText(value)
      if (isInstant(leaf)) return dialect.instantText(value)
      const kind = storedKind(leaf)
      if (kind === null || kind === 'text') return value
      return kind === 'boolean'
        ? sql`case ${value} when 1 then 'true' else 'false' end`
        : dialect.asText(value)
    },
    keyJson: (key, row) => {
      const text = keyValue(key, row)
      const { leaf, bucket } = keyAt(key)
      if (storedKind(leaf) === 'boolean')
        return sql`case when ${text} is null then 'null' else ${dialect.booleanJson(sql`${text} = 1`)} end`
      return dialect.toJson(isInstant(leaf) && bucket === null ? dialect.instantText(text) : text)
    },
    measureJson: (measure, row) => measureJson(emitter, measureAt(measure), measureParts(measure, row)),
  }
}

function lookedUpName(key: number): Sql {
  return raw(`text${key}`)
}

function named({ value, name }: { readonly value: Sql; readonly name: Sql }): Sql {
  return sql`${value} as ${name}`
}
