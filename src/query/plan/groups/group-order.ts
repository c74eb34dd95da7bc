/** The values by which groups are ordered, and the types that they have in cursors. */
import { measures } from '../../../schema/model/measures.ts'
import type { AggregatePlan } from '../plan.ts'
import type { Direction } from '../fields.ts'
import { isInstant, storedKind } from '../plan-facts.ts'
import type { GroupKey, MeasurePlan } from './group-plan.ts'

/**
 * `integer`: of at most 53 bits. `bigint`: of at most 64 bits. `wideSum`: a sum that may exceed 64 bits. `instant`:
 * microseconds. `date`: the first day of a bucket.
 */
export type OrderType = 'text' | 'boolean' | 'integer' | 'bigint' | 'double' | 'instant' | 'date' | 'wideSum'

/** One value of a total order of groups. */
export interface OrderPart {
  readonly of:
    | { readonly kind: 'key'; readonly key: number }
    | { readonly kind: 'measure'; readonly measure: number }
    | { readonly kind: 'count' | 'score' | 'share' }
  readonly type: OrderType
  readonly direction: Direction
  readonly nullable: boolean
}

/** Every order ends with the keys, so that it is total. */
export function groupOrderParts({
  keys,
  order,
  measures: all,
}: Pick<AggregatePlan, 'keys' | 'order' | 'measures'>): readonly OrderPart[] {
  const byKeys = (direction: Direction): readonly OrderPart[] =>
    keys.map((key, index) => ({
      of: { kind: 'key', key: index },
      type: typeOfKey(key),
      direction,
      nullable: true,
    }))
  const counted = (kind: 'count' | 'score', direction: Direction): OrderPart => ({
    of: { kind },
    type: 'integer',
    direction,
    nullable: false,
  })
  switch (order.by) {
    case 'key':
      return byKeys(order.direction)
    case 'score':
      return [counted('score', 'desc'), counted('count', 'desc'), ...byKeys('asc')]
    case 'count':
      return [counted('count', order.direction), ...byKeys('asc')]
    case 'share':
      return [
        { of: { kind: 'share' }, type: 'double', direction: order.direction, nullable: true },
        ...byKeys('asc'),
      ]
    case 'measure': {
      const { measure, direction } = order
      const type = typeOfMeasure(all[measure] as MeasurePlan)
      return [{ of: { kind: 'measure', measure }, type, direction, nullable: true }, ...byKeys('asc')]
    }
  }
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
