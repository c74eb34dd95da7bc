/**
 * Constructors of conditions for plan building. Conditions that hold for all records, or for none, become constants.
 */
import {
  findArray,
  findColumn,
  findReference,
  type Table,
  type TextIndex,
} from '../../database/layout/tables.ts'
import type { Reference } from '../../schema/model/model.ts'
import type { Condition, Link, Operand, ReferenceOperand, ReferenceShape } from './plan.ts'

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

export function operand(
  table: Table | null,
  path: readonly string[],
  as: 'text' | 'integer' | 'boolean' | 'instant',
): Operand {
  const column = table === null ? undefined : findColumn(table, path, as)
  return column === undefined ? { kind: 'json', path, as } : { kind: 'column', column }
}

export function textIndexOf(table: Table | null, path: readonly string[]) {
  const column = table === null ? undefined : findColumn(table, path, 'text')
  return table?.texts.find(({ text }) => text === column) ?? null
}

/** The columns by which records that refer to a row are found: those of the reference, or of its side table when there are many. */
export function linkOf(holder: Table, reference: Reference): Link {
  if (reference.many) {
    const array = findArray(holder, reference.path, true)
    if (array !== undefined) return { kind: 'array', array }
  } else {
    const columns = findReference(holder, reference.path)
    if (columns !== undefined) return { kind: 'columns', ...columns }
  }
  throw new Error(`The reference ${reference.collection}#${reference.path.join('.')} has no columns.`)
}

/** A reference at a path of a row: its columns, or its JSON if it has none or the row is not a record. */
export function referenceOperand(
  table: Table | null,
  path: readonly string[],
  shape: ReferenceShape,
): ReferenceOperand {
  const columns = table === null ? undefined : findReference(table, path)
  return columns === undefined ? { kind: 'json', path, shape } : { kind: 'columns', ...columns, path, shape }
}
