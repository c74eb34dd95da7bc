/** The order of groups: its values and their types, sort expressions, cursors, and the groups behind a cursor. */
import type { ColumnValue } from '../../database/database.ts'
import { measures } from '../../schema/model/measures.ts'
import { allOf, anyOf, join, raw, type Sql, sql } from '../../sql/sql.ts'
import { utcBucket } from '../../sql/time-buckets.ts'
import type { Emitter } from '../emit/emitter.ts'
import { type Grouping, valuesOf } from '../emit/groups/emit-group-values.ts'
import { beyond, isSame } from '../emit/lists/emit-order.ts'
import type { Direction, MissingPlace } from '../plan/fields.ts'
import type { GroupKey, GroupOrder, MeasurePlan, Ranking } from '../plan/groups/group-plan.ts'
import { isInstant, storedKind } from '../plan/plan-facts.ts'
import type { AggregatePlan } from '../plan/plan.ts'
import type { OrderType, PositionPart } from '../plan/positions.ts'

/** One value of a total order of groups. */
export interface OrderPart extends PositionPart {
  readonly of: Parameters<typeof valuesOf>[2]
  readonly direction: Direction
  /** Undefined in the usual place. */
  readonly missing?: MissingPlace | undefined
}

export type OrderedGroups = Pick<AggregatePlan, 'keys' | 'order' | 'measures'>

/** Every order ends with the keys, so that it is total. */
export function groupOrderParts(plan: OrderedGroups): readonly OrderPart[] {
  const direction = plan.order.by === 'key' ? plan.order.direction : 'asc'
  const byKeys = plan.keys.map((key, index): OrderPart => {
    return { of: { kind: 'key', key: index }, type: typeOfKey(key), direction, nullable: true }
  })
  return [...partsBeforeKeys(plan), ...byKeys]
}

function partsBeforeKeys({ order, measures: all }: OrderedGroups): readonly OrderPart[] {
  const counted = (kind: 'count' | 'score', direction: Direction): OrderPart => {
    return { of: { kind }, type: 'integer', direction, nullable: false }
  }
  switch (order.by) {
    case 'key':
      return []
    case 'score':
      return [counted('score', 'desc'), counted('count', 'desc')]
    case 'count':
      return [counted('count', order.direction)]
    case 'share':
    case 'total':
      return [ranked({ kind: order.by }, order.by === 'share' ? 'double' : 'integer', order)]
    case 'measure': {
      const { measure } = order
      const type = typeOfMeasure(all[measure] as MeasurePlan)
      return [ranked({ kind: 'measure', measure }, type, order)]
    }
  }
}

function ranked(of: OrderPart['of'], type: OrderType, { direction, missing }: Ranking): OrderPart {
  return { of, type, direction, nullable: true, missing }
}

function typeOfKey({ leaf, bucket, interval }: GroupKey): OrderType {
  // The lower bound of a range is below the least integer of 53 bits when the range has that integer.
  if (interval !== null) return 'bigint'
  switch (bucket?.unit) {
    case 'hour':
    case 'day':
    case 'week':
      return 'instant'
    case 'month':
    case 'quarter':
    case 'year':
      return 'date'
    case 'hourOfDay':
    case 'weekday':
      return 'integer'
  }
  if (isInstant(leaf)) return 'instant'
  const kind = storedKind(leaf)
  if (kind === null || kind === 'text') return 'text'
  return kind === 'boolean' ? 'boolean' : 'integer'
}

function typeOfMeasure({ measure, of, isWide }: MeasurePlan): OrderType {
  switch (measures[measure].result) {
    case 'double':
      return 'double'
    case 'sum':
      return isWide ? 'wideSum' : 'bigint'
    case 'integer':
    case 'ranks':
      return 'integer'
    case 'value':
      return isInstant(of.leaf) ? 'instant' : 'integer'
  }
}

/** The sort expressions of the groups, for `order by`; `row` has the columns that `lookedUp` adds. */
export function groupOrder(emitter: Emitter, order: GroupOrder, groups: Grouping, row: Sql): Sql {
  return join(
    groupOrderParts({ ...groups, order }).flatMap((part) =>
      valuesOf(emitter, groups, part.of, row).map(
        // A count is never null, and materialized counts may have an index over them.
        (value) => sql`${value} ${emitter.dialect.ordering(part.direction, part.nullable, part.missing)}`,
      ),
    ),
    ', ',
  )
}

/** The cursor of a group, as JSON. */
export function groupCursor(
  emitter: Emitter,
  { order, page }: Pick<AggregatePlan, 'order' | 'page'>,
  groups: Grouping,
  row: Sql,
): Sql {
  const { dialect } = emitter
  const values = groupOrderParts({ ...groups, order }).map((part) => {
    const values = valuesOf(emitter, groups, part.of, row)
    const value = values[0] as Sql
    switch (part.type) {
      case 'instant':
        return sql`cast(${value} as text)`
      case 'date':
        return dateOf(emitter, groups, part, value)
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
  return dialect.toJson(sql`page_cursor(${page.binding}, ${dialect.jsonArray(values)})`)
}

/** The groups behind a position: `after` has a value for each part of the order. */
export function isBehind(
  emitter: Emitter,
  order: GroupOrder,
  groups: Grouping,
  row: Sql,
  after: readonly ColumnValue[],
): Sql {
  const keys = groupOrderParts({ ...groups, order }).flatMap((part, index) => {
    const values = valuesOf(emitter, groups, part.of, row)
    const given = partsOf(emitter, part, after[index] ?? null)
    return values.map((value, place) => ({ ...part, value, given: given[place] ?? null }))
  })
  const behind = anyOf(
    keys.map((key, index) =>
      allOf([
        ...keys.slice(0, index).map(({ value, given }) => isSame(value, given)),
        anyOf(beyond(key.value, key.given, key)),
      ]),
    ),
  )
  const [first] = keys
  if (first === undefined || first.nullable) return behind
  // With this bound an index over counts is entered at the position.
  return allOf([sql`${first.value} ${raw(first.direction === 'asc' ? '>=' : '<=')} ${first.given}`, behind])
}

/** The first day of a bucket that is a key; in any time zone, keys are stored like those of UTC. */
function dateOf({ dialect }: Emitter, { keys }: Grouping, { of }: OrderPart, value: Sql): Sql {
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
