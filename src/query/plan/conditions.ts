/** Constructors of conditions. Those that hold for all records, or for none, become constants. */
import type { TextIndex } from '../../database/layout/tables.ts'
import type { Condition, Operand, ReferenceOperand } from './plan.ts'

export const alwaysTrue: Condition = { kind: 'all', of: [] }

export function all(of: readonly Condition[]): Condition {
  const flat = of.flatMap((part) => (part.kind === 'all' ? part.of : [part]))
  if (flat.some(isNothing)) return constant(false)
  return flat.length === 1 ? (flat[0] as Condition) : { kind: 'all', of: flat }
}

export function any(of: readonly Condition[]): Condition {
  if (of.some(isAlwaysTrue)) return alwaysTrue
  const flat = of.flatMap((part) => (part.kind === 'any' ? part.of : [part]))
  return flat.length === 1 ? (flat[0] as Condition) : { kind: 'any', of: flat }
}

export function not(of: Condition): Condition {
  if (isAlwaysTrue(of) || isNothing(of)) return constant(!isAlwaysTrue(of))
  return { kind: 'not', of }
}

function isAlwaysTrue(condition: Condition): boolean {
  return condition.kind === 'all' && condition.of.length === 0
}

function isNothing(condition: Condition): boolean {
  return condition.kind === 'any' && condition.of.length === 0
}

export function constant(holds: boolean): Condition {
  return { kind: holds ? 'all' : 'any', of: [] }
}

/** A value that cannot be missing makes the condition a constant, so that nothing is read. */
export function missing(operand: Operand, is: boolean, mayMiss: boolean, index: TextIndex | null): Condition {
  return mayMiss ? { kind: 'missing', operand, index, is } : constant(!is)
}

export function absent(path: readonly string[], is: boolean, mayMiss: boolean): Condition {
  return mayMiss ? { kind: 'absent', path, is } : constant(!is)
}

export function missingReference(of: ReferenceOperand, is: boolean): Condition {
  if (of.kind === 'json') return absent(of.path, is, true)
  return missing({ kind: 'column', column: of.base }, is, true, null)
}
