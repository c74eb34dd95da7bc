/** Ranges that begin after they end: no record can match them. */
import { parseInstant } from '../../util/instant.ts'
import type { ShownField } from '../fields/shown-field.ts'
import { isDate } from './conditions.ts'
import { changed, type View } from './view.ts'

export interface ReversedRange {
  readonly field: ShownField
  /** The view with the bounds the other way round. */
  readonly swapped: View
}

/** Of times and numbers. */
export function reversedRanges(view: View): readonly ReversedRange[] {
  return view.conditions.flatMap((from) => {
    const { field } = from
    const to = view.conditions.find((each) => each.field.name === field.name && each.operator === 'to')
    const [low, high] = [from.values[0]?.trim(), to?.values[0]?.trim()]
    if (from.operator !== 'from' || to === undefined || low === undefined || high === undefined) return []
    if (!isAfter(field, low, high)) return []
    const conditions = view.conditions.map((each) => {
      if (each === from) return { ...from, values: to.values }
      return each === to ? { ...to, values: from.values } : each
    })
    return [{ field, swapped: changed(view, { conditions }) }]
  })
}

function isAfter({ type: { kind } }: ShownField, from: string, to: string): boolean {
  if (kind === 'integer') return Number(from) > Number(to)
  const [low, high] = [parseInstant(from), parseInstant(to)]
  if (kind !== 'datetime' || low === null || high === null) return false
  // A date means its whole day.
  return isDate(to) ? low >= high + aDay : low > high
}

/** Microseconds. */
const aDay = 86_400_000_000n
