/** The order of groups as SQL: sort expressions, cursors, and the groups behind a cursor. */
import type { ColumnValue } from '../../../database/database.ts'
import { allOf, anyOf, join, raw, type Sql, sql } from '../../../sql/sql.ts'
import { utcBucket } from '../../../sql/time-buckets.ts'
import { groupOrderParts, type OrderPart } from '../../plan/groups/group-order.ts'
import type { PhysicalAggregate } from '../../plan/physical-plan.ts'
import type { Emitter } from '../emitter.ts'
import { type Grouping, keyOrder, measureValues } from './emit-group-values.ts'
import { shareValue } from './emit-shares.ts'

/** The order of groups. */
export type OrderedGroups = Pick<PhysicalAggregate['aggregate'], 'keys' | 'order' | 'measures'>

/** The sort expressions of the groups, for `order by`; `row` has the columns that `lookedUp` adds. */
export function groupOrder(emitter: Emitter, plan: OrderedGroups, groups: Grouping, row: Sql): Sql {
  return join(
    groupOrderParts(plan).flatMap((part) =>
      valuesOf(emitter, part, groups, row).map(
        // A count is never null, and materialized counts may have an index over them.
        (value) => sql`${value} ${emitter.dialect.ordering(part.direction, part.nullable)}`,
      ),
    ),
    ', ',
  )
}

/** The expressions of one value of the order. Only exact sums may have several. */
function valuesOf(emitter: Emitter, { of }: OrderPart, groups: Grouping, row: Sql): readonly Sql[] {
  switch (of.kind) {
    case 'key':
      return [keyOrder(groups, of.key, row)]
    case 'measure':
      return measureValues(emitter, groups, of.measure, row)
    case 'count':
      return [sql`${row}.n`]
    case 'score':
      return [sql`${row}.score`]
    case 'share':
      return [shareValue(emitter, row)]
  }
}

/** The cursor of a group, as JSON. */
export function groupCursor(
  emitter: Emitter,
  plan: OrderedGroups & { readonly binding: string },
  groups: Grouping,
  row: Sql,
): Sql {
  const { dialect } = emitter
  const values = groupOrderParts(plan).map((part) => {
    const values = valuesOf(emitter, part, groups, row)
    const value = values[0] as Sql
    switch (part.type) {
      case 'instant':
        return dialect.asText(value)
      case 'date':
        return dateOf(emitter, plan, part, value)
      case 'bigint':
      case 'wideSum':
        return dialect.sumText(values)
      case 'double':
        return dialect.numberText(value)
      case 'text':
      case 'boolean':
      case 'integer':
        return value
    }
  })
  return dialect.toJson(dialect.cursor(sql`${plan.binding}`, dialect.jsonArray(values)))
}

/** The groups behind a position: `after` has a value for each part of the order. */
export function isBehind(
  emitter: Emitter,
  plan: OrderedGroups,
  groups: Grouping,
  row: Sql,
  after: readonly ColumnValue[],
): Sql {
  const keys = groupOrderParts(plan).flatMap((part, index) => {
    const values = valuesOf(emitter, part, groups, row)
    const given = partsOf(emitter, part, after[index] ?? null)
    return values.map((value, place) => ({ ...part, value, given: given[place] ?? null }))
  })
  const behind = anyOf(
    keys.map((key, index) =>
      allOf([
        ...keys.slice(0, index).map(({ value, given }) => isSame(value, given)),
        isBeyond(key.value, key.given, key),
      ]),
    ),
  )
  const [first] = keys
  if (first === undefined || first.nullable) return behind
  // With this bound an index over counts is entered at the position.
  return allOf([sql`${first.value} ${raw(first.direction === 'asc' ? '>=' : '<=')} ${first.given}`, behind])
}

/** The first day of a bucket that is a key; in any time zone, keys are stored like those of UTC. */
function dateOf({ dialect }: Emitter, { keys }: OrderedGroups, { of }: OrderPart, value: Sql): Sql {
  const bucket = of.kind === 'key' ? (keys[of.key]?.bucket ?? null) : null
  if (bucket === null) throw new Error('Only buckets have labels.')
  return dialect.bucketText(value, utcBucket(bucket.unit))
}

/** A value of a position in the parts that its expressions have. */
function partsOf({ dialect }: Emitter, { type }: OrderPart, value: ColumnValue): readonly ColumnValue[] {
  return typeof value === 'bigint' && (type === 'bigint' || type === 'wideSum')
    ? dialect.sumParts(value, type === 'wideSum')
    : [value]
}

function isSame(value: Sql, given: ColumnValue): Sql {
  return given === null ? sql`${value} is null` : sql`${value} = ${given}`
}

/** A missing value is smaller than any value. */
function isBeyond(value: Sql, given: ColumnValue, { direction, nullable }: OrderPart): Sql {
  if (direction === 'asc') return given === null ? sql`${value} is not null` : sql`${value} > ${given}`
  if (given === null) return raw('false')
  return nullable ? sql`(${value} < ${given} or ${value} is null)` : sql`${value} < ${given}`
}
