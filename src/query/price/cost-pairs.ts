/** The size of pairs of elements of an array: reading them, and printing them. */
import type { PairsPlan } from '../plan/groups/group-plan.ts'
import { weights } from './cost-weights.ts'
import { whereSize } from './cost-where.ts'

export function pairsSize({ table, where, fields, limit }: PairsPlan): number {
  const read = weights.grouping + weights.groupArray + weights.pairs
  const printed = fields.reduce<number>(
    (sum, { output }) => sum + weights.value * (output.kind === 'values' ? 3 : 1),
    weights.value,
  )
  return read + whereSize({ table, where, link: null }, 'all') + weights.value + limit * printed
}
