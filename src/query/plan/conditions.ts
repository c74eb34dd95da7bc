/** Conditions of a logical plan as plain data, and their constructors: what holds for all records, or for none, is constant. */
import type { ColumnValue } from '../../database/database.ts'
import type { CountTable } from '../../database/layout/counts.ts'
import type { ArrayIndex, Column, Table, TextIndex, WordIndex } from '../../database/layout/tables.ts'
import type { OperatorOf } from '../../schema/model/where-operators.ts'
import type { WordLookup, WordMatch } from '../../sql/dialect.ts'

/** Keys of JSON objects, from the row of an output or condition. */
export type Path = readonly string[]

/** `text`: the URI as JSON text; `strongRef`: an object with `uri`. */
export type ReferenceShape = 'text' | 'strongRef'

/** How the records of a list refer to the outer row: by columns, or by the elements of an array. */
export type Link =
  | { readonly kind: 'columns'; readonly base: Column; readonly key: Column }
  | { readonly kind: 'array'; readonly array: ArrayIndex }

/** The left side of a comparison: a column, a value in JSON, or a system field. */
export type Operand =
  | { readonly kind: 'column'; readonly column: Column }
  | { readonly kind: 'json'; readonly path: Path; readonly as: 'text' | 'integer' | 'boolean' | 'instant' }
  | {
      readonly kind: 'system'
      readonly name: 'uri' | 'cid' | 'rev' | 'did' | 'rkey' | 'collection' | 'indexed_at' | 'changed_at'
    }

/** The number of records of a table that refer to a record by a link. */
export interface ReferringCount {
  readonly kind: 'count'
  readonly table: Table
  readonly link: Link
  /** Materialized counts by the record that is referred to; null: rows are counted. */
  readonly counts: CountTable | null
}

export type Comparison = OperatorOf<'compare'>

/** True or false for a row; a comparison with a missing value is false. */
export type Condition = ConditionOn<SemiJoin>

/** Conditions whose semi-joins have the type `Join`. */
export type ConditionOn<Join> =
  | { readonly kind: 'all' | 'any'; readonly of: readonly ConditionOn<Join>[] }
  | { readonly kind: 'not'; readonly of: ConditionOn<Join> }
  | {
      readonly kind: 'compare'
      readonly operand: Operand | ReferringCount
      readonly op: Comparison
      readonly to: ColumnValue
    }
  | {
      readonly kind: 'in'
      readonly operand: Operand | ReferringCount
      readonly list: readonly ColumnValue[]
      readonly negated: boolean
    }
  | {
      readonly kind: 'missing'
      readonly operand: Operand
      /** The index of the text, if it has one. */
      readonly index: TextIndex | null
      readonly is: boolean
    }
  | {
      readonly kind: 'text'
      readonly operand: Operand
      readonly index: TextIndex | null
      readonly match: OperatorOf<'text'>
      readonly needle: string
    }
  /** Whether a text is a URL with this normal form (util/text/normalize-url.ts). */
  | { readonly kind: 'url'; readonly operand: Operand; readonly normal: string }
  /** Exactly what one query of the table's word index answers. */
  | {
      readonly kind: 'words'
      readonly index: WordIndex
      readonly match: WordMatch
      readonly lookup: WordLookup
    }
  | {
      readonly kind: 'has'
      readonly array: ArrayOperand
      readonly list: readonly ColumnValue[]
      readonly mode: 'any' | 'all'
    }
  | { readonly kind: 'element'; readonly path: Path; readonly where: ConditionOn<Join> }
  /** The URI of the record (null `of`), or the URI of a reference, is in the list. */
  | {
      readonly kind: 'uri'
      readonly of: ReferenceOperand | null
      readonly list: readonly string[]
      readonly negated: boolean
    }
  /** Whether the referenced record is indexed, or is the referenced version. */
  | { readonly kind: 'indexed' | 'current'; readonly of: ReferenceOperand; readonly is: boolean }
  /** Inside the conditions on a target: the CID in the outer reference is the CID of the target. */
  | { readonly kind: 'outerCurrent'; readonly of: ReferenceOperand; readonly is: boolean }
  | Join

/** Semi-join: the referenced record meets a condition, or some referring record does. */
export type SemiJoin = TargetSemiJoin | ReferringSemiJoin

export interface TargetSemiJoin {
  readonly kind: 'target'
  readonly of: ReferenceOperand
  readonly table: Table
  readonly where: Condition
}

export interface ReferringSemiJoin {
  readonly kind: 'referring'
  readonly table: Table
  readonly link: Link
  readonly where: Condition
}

export type ArrayOperand = {
  readonly path: Path
  readonly kind: ArrayIndex['kind']
  readonly index: ArrayIndex | null
}

/** A reference by its columns, or by its JSON if it has no columns. */
export type ReferenceOperand =
  | {
      readonly kind: 'columns'
      readonly base: Column
      readonly key: Column
      readonly path: Path
      readonly shape: ReferenceShape
    }
  | { readonly kind: 'json'; readonly path: Path; readonly shape: ReferenceShape }

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

export function isNothing(condition: Condition): boolean {
  return condition.kind === 'any' && condition.of.length === 0
}

export function constant(holds: boolean): Condition {
  return { kind: holds ? 'all' : 'any', of: [] }
}

/** A value that cannot be missing makes the condition a constant, so that nothing is read. */
export function missing(operand: Operand, is: boolean, mayMiss: boolean, index: TextIndex | null): Condition {
  return mayMiss ? { kind: 'missing', operand, index, is } : constant(!is)
}

/** The same of the object or array at a path. */
export function absent(path: Path, is: boolean, mayMiss: boolean): Condition {
  return missing({ kind: 'json', path, as: 'text' }, is, mayMiss, null)
}

export function missingReference(of: ReferenceOperand, is: boolean): Condition {
  if (of.kind === 'json') return absent(of.path, is, true)
  return missing({ kind: 'column', column: of.base }, is, true, null)
}
