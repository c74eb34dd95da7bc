/** Facts that follow from a condition alone, without statistics. */
import type { ColumnValue } from '../../database/database.ts'
import type { Filter } from './physical-plan.ts'
import type { Condition, ConditionOn } from './plan.ts'

interface AnyJoin {
  readonly kind: 'target' | 'referring'
}

/** The conditions that must all hold. */
export function conjuncts<Join extends AnyJoin>(where: ConditionOn<Join>): readonly ConditionOn<Join>[] {
  return where.kind === 'all' ? where.of.flatMap((part) => conjuncts(part)) : [where]
}

/** The URIs one of which the record must have; null if the condition is not about the record's own URI. */
export function ownUris(part: Condition | Filter): readonly string[] | null {
  return part.kind === 'uri' && part.of === null && !part.negated ? part.list : null
}

/** The DIDs one of which the record must have; null if the condition is not an equality on the DID. */
export function accountsOf(part: Condition | Filter): readonly ColumnValue[] | null {
  if (part.kind !== 'compare' && part.kind !== 'in') return null
  const { operand } = part
  if (operand.kind !== 'system' || operand.name !== 'did') return null
  if (part.kind === 'compare') return part.op === 'eq' ? [part.to] : null
  return part.negated || part.list.length === 0 ? null : part.list
}

/** Whether a condition on a referenced record depends on the reference itself, and so on the row that refers. */
export function mentionsReference(condition: Condition): boolean {
  return someWithin(condition, ({ kind }) => kind === 'outerCurrent')
}

export function hasSemiJoin(condition: Condition): boolean {
  return someWithin(condition, ({ kind }) => kind === 'target' || kind === 'referring', true)
}

/** Maximum number of distinct values that are probed row by row; with more, the elements of all rows are read once. */
export const mostProbes = 4

/** Whether a condition on an array reads the elements of all rows. */
export function isCountedAtOnce({ array, list }: Extract<Condition, { kind: 'has' }>): boolean {
  return array.index !== null && new Set(list.map(String)).size > mostProbes
}

/** Whether `holds` is true for any part of a condition on one record; `inElements` includes conditions on elements. */
function someWithin(condition: Condition, holds: (part: Condition) => boolean, inElements = false): boolean {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return condition.of.some((part) => someWithin(part, holds, inElements))
    case 'not':
      return someWithin(condition.of, holds, inElements)
    case 'element':
      return holds(condition) || (inElements && someWithin(condition.where, holds, inElements))
    case 'compare':
    case 'in':
    case 'missing':
    case 'text':
    case 'absent':
    case 'has':
    case 'uri':
    case 'indexed':
    case 'current':
    case 'outerCurrent':
    case 'target':
    case 'referring':
      return holds(condition)
  }
}
