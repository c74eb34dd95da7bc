/** Conditions on groups. JavaScript compares a bigint with a number exactly. */
import { type Measurable, type Measured, valueOf } from './measures.ts'
import { parseInstant } from '../values.ts'
import type { Dataset } from '../dataset.ts'

export type GroupCondition = Measured & {
  readonly operator: 'GT' | 'GTE' | 'LT' | 'LTE' | 'EQ' | 'NE'
  readonly value: number | string
}

export function meetsAll(
  data: Dataset,
  collection: string,
  group: Measurable,
  conditions: readonly GroupCondition[],
): boolean {
  return conditions.every((condition) => {
    const found = valueOf(data, collection, group, condition)
    if (typeof found !== 'number' && typeof found !== 'bigint') return false
    const wanted = typeof condition.value === 'string' ? parseInstant(condition.value) : condition.value
    switch (condition.operator) {
      case 'GT':
        return found > wanted
      case 'GTE':
        return found >= wanted
      case 'LT':
        return found < wanted
      case 'LTE':
        return found <= wanted
      case 'EQ':
        return found == wanted
      case 'NE':
        return found != wanted
    }
  })
}
