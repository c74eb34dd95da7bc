/** Parts of the physical plan: filters, and the paths by which rows that may meet them are found. */
import type { ColumnValue } from '../../database/database.ts'
import type { ArrayIndex, Table, TableIndex, TextIndex, WordIndex } from '../../database/layout/tables.ts'
import type { TrigramMatch, WordMatch } from '../../sql/dialect.ts'
import type { ConditionOn, Link, ReferringSemiJoin, TargetSemiJoin } from './conditions.ts'

// Filters

/** A condition with a strategy for each of its semi-joins. */
export type Filter = ConditionOn<PhysicalSemiJoin>

export type PhysicalSemiJoin = (Omit<TargetSemiJoin, 'where'> | Omit<ReferringSemiJoin, 'where'>) & {
  readonly where: Filter
  /**
   * `set`: the keys of the other table are found once for all rows and hashed. `in`: the same, but the planner may turn
   * it into a join. `each`: evaluated for each row. `once`: evaluated as a hash if the planner can. `planner`: the
   * planner chooses.
   */
  readonly strategy: 'set' | 'in' | 'each' | 'once' | 'planner'
  /** Narrows the rows of the other table first; null: no narrowing. */
  readonly candidates: CandidatePath | null
}

/** One conjunct of a filter. */
export interface Conjunct {
  readonly filter: Filter
  /** Whether an index answers the filter, so that it is not evaluated for each row. */
  readonly isIndexed: boolean
}

// Access paths

/** A source of candidate ids: the ids of all records for which a condition holds, and possibly of more. */
export type CandidateSource =
  | { readonly kind: 'text'; readonly index: TextIndex; readonly match: TrigramMatch }
  | {
      readonly kind: 'words'
      readonly table: Table
      readonly index: WordIndex
      readonly match: WordMatch
    }
  | { readonly kind: 'element'; readonly array: ArrayIndex; readonly value: ColumnValue }
  | { readonly kind: 'rows'; readonly table: Table; readonly index: TableIndex; readonly filter: Filter }

export type AccessPath =
  | CandidatePath
  /** The engine's planner chooses. */
  | { readonly kind: 'planner' }
  /** A scan of one index, or (null) of the table in id order, forced by an optimizer hint. */
  | { readonly kind: 'index-scan'; readonly index: string | null }
  /** A scan of one index that is not forced: the planner recognizes only the conditions that this index answers. */
  | {
      readonly kind: 'index-range'
      readonly index: string | null
      readonly held: readonly Filter[]
      /** The first column of an index over two columns; its equality must stay a range to be part of the order. */
      readonly rangeColumn: string | null
    }

export interface CandidatePath {
  /** `candidate-ids`: rows with ids of any source. `candidate-rows`: rows of which a condition says that one may match. */
  readonly kind: 'candidate-ids' | 'candidate-rows'
  readonly sources: readonly CandidateSource[]
}

/** Rows of one table that meet conditions, in any order; with a link, those that refer by it to the outer row. */
export interface RowAccess {
  readonly table: Table
  readonly link: Link | null
  readonly path: AccessPath
  readonly filter: readonly Conjunct[]
}
