/**
 * A physical plan: how each part of a logical plan reads the database, as plain data. `optimize` makes it, `emit` spells
 * it as SQL, and `explain` shows it. Estimates are rows that may be read besides those of the pages asked for.
 */
import type { ColumnValue } from '../../database/database.ts'
import type { CountTable } from '../../database/counts.ts'
import type { SumTable } from '../../database/sums.ts'
import type { ArrayIndex, Column, Table, TableIndex, TextIndex } from '../../database/tables.ts'
import type { TrigramMatch } from '../../sql/dialect.ts'
import type {
  AggregateOutput,
  AggregatePlan,
  ConditionOn,
  Join,
  Link,
  ListOutput,
  ListPlan,
  ReferringSemiJoin,
  RootOutput,
  Selected,
  SortKey,
  TargetSemiJoin,
} from './plan.ts'

export interface PhysicalPlan {
  readonly roots: readonly Selected<PhysicalRoot>[]
  readonly estimatedRows: number
  /** What of the logical plan's size (cost.ts) is not read, because materialized counts or sums answer it. */
  readonly savedSize: number
  /** How many values candidate sources compare with, besides those of the operation. */
  readonly sourceValues: number
}

export type PhysicalRoot = RootOutput<PhysicalList, PhysicalAggregate>

/** What a part of a plan reads. */
export interface Estimate {
  readonly estimatedRows: number
  readonly savedSize: number
}

// Filters

/** A condition with a strategy for each of its semi-joins. */
export type Filter = ConditionOn<PhysicalSemiJoin>

export type PhysicalSemiJoin = (Omit<TargetSemiJoin, 'where'> | Omit<ReferringSemiJoin, 'where'>) & {
  readonly where: Filter
  /**
   * `set`: the keys of the other table are found once for all rows and hashed. `in`: the same, and the planner may join.
   * `each`: asked for each row by itself. `once`: as a hash where the planner can. `planner`: as it chooses.
   */
  readonly strategy: 'set' | 'in' | 'each' | 'once' | 'planner'
  /** What the rows of the other table are narrowed to first; null: they are not. */
  readonly candidates: CandidatePath | null
  /** The index of the link that referring records are found by; null where the planner chooses. */
  readonly linkIndex: string | null
}

/** One conjunct of a filter. */
export interface Conjunct {
  readonly filter: Filter
  /** Whether an index answers it, so that rows are not compared with it one by one. */
  readonly isIndexed: boolean
}

// Access paths

/** What finds the ids of all records that a condition holds for, and perhaps of more. */
export type CandidateSource =
  | { readonly kind: 'text'; readonly index: TextIndex; readonly match: TrigramMatch }
  | { readonly kind: 'element'; readonly array: ArrayIndex; readonly value: ColumnValue }
  | {
      readonly kind: 'rows'
      readonly table: Table
      readonly index: TableIndex
      readonly filter: Filter
    }

export type AccessPath =
  | CandidatePath
  /** The engine's planner chooses. */
  | { readonly kind: 'planner' }
  /** Along one index, or (null) in id order, as the engine is told. */
  | { readonly kind: 'index-scan'; readonly index: string | null }
  /** The same behind an optimization fence, with nothing inside but what the index answers. */
  | {
      readonly kind: 'fenced-scan'
      readonly index: string | null
      readonly held: readonly Filter[]
      /** The first column of an index over two, which must stay a range to be part of the order. */
      readonly rangeColumn: string | null
    }

export interface CandidatePath {
  /** Through the ids that any of the sources finds; or through rows that any of them may find, behind a fence. */
  readonly kind: 'candidate-ids' | 'fenced-candidates'
  readonly sources: readonly CandidateSource[]
}

/** Rows of one table under conditions, in any order. */
export interface RowAccess {
  readonly table: Table
  readonly path: AccessPath
  readonly filter: readonly Conjunct[]
}

// Lists

/** Which rows of an ordered path: the first so many, or those that follow; null rows: all are near. */
export interface Span {
  readonly side: 'near' | 'far'
  readonly rows: number | null
}

/** Rows of a list in order, from a position on. */
export interface OrderedRows extends RowAccess {
  readonly link: Link | null
  readonly linkIndex: string | null
  readonly sort: readonly SortKey[]
  readonly position: readonly ColumnValue[] | null
  /** Whether the row at the position counts. */
  readonly inclusive: boolean
  readonly limit: number
  readonly order: RowOrder
  /** Whether the rows come in the list's order, so that none is sorted after it was read. */
  readonly comesInOrder: boolean
  /** Whether sort keys that belong to the repository and collection are joined rather than looked up. */
  readonly joinsRepoCollection: boolean
}

export type RowOrder =
  /** Ids follow the list's order. `sorted`: the path gives it by itself. */
  | { readonly kind: 'ids'; readonly sorted: boolean }
  /** All rows are sorted. */
  | { readonly kind: 'sort' }
  /** Candidates are sorted first, and then verified one after the other until the page is full. */
  | { readonly kind: 'verify'; readonly verified: Filter; readonly unverified: readonly Filter[] }
  /** The path gives all of the order, or that of its first key. */
  | {
      readonly kind: 'path'
      readonly given: 'all' | 'first'
      /** Filters by span; one without a span where rows are not told apart. */
      readonly spans: readonly { readonly span: Span | null; readonly filter: readonly Conjunct[] }[]
      /** Whether rows with equal keys come together, so that they can be grouped without sorting. */
      readonly keepsTies: boolean
      /** Columns that are read of a row. */
      readonly columns: ReadonlySet<string>
    }

export interface PhysicalList extends Estimate {
  readonly list: Pick<ListPlan, 'table' | 'link' | 'sort' | 'page' | 'binding' | 'where'>
  readonly fields: readonly Selected<ListOutput<PhysicalList>>[]
  readonly page: PhysicalPage | null
  /** What lies on the side of the page that its cursor closes off; null where it is not asked for. */
  readonly before: OrderedRows | null
  readonly total: CountAccess | null
}

export interface PhysicalPage {
  readonly rows: OrderedRows
  /**
   * What is carried from finding rows to printing them. `texts`: they are printed where they are found. `rows`: columns
   * that are read. `ids`: rows are found again by their ids. `id-list`: ids in one value.
   */
  readonly carries: 'texts' | 'rows' | 'ids' | 'id-list'
  /** Whether rows are numbered, because their order would be lost or is reversed. */
  readonly isNumbered: boolean
  /** Whether something is said of the page's first and last row, or of what lies beyond. */
  readonly ends: boolean
  /** Whether it is asked if the list goes on where the page ends. */
  readonly more: boolean
  /** With `rows`: the columns. */
  readonly columns: ReadonlySet<string>
}

// Counts and aggregates

export type CountAccess =
  /** Materialized counts: all of them, or those whose key meets a filter. */
  | {
      readonly kind: 'counts'
      readonly counts: CountTable
      /** Columns of the collection's table that the counts' keys stand for. */
      readonly columns: readonly Column[]
      readonly filter: Filter | null
    }
  /** Materialized counts of accounts. */
  | { readonly kind: 'account-counts'; readonly counts: CountTable; readonly dids: readonly ColumnValue[] }
  /** Materialized counts of the records that refer to the row around. */
  | { readonly kind: 'link-counts'; readonly counts: CountTable }
  | { readonly kind: 'rows'; readonly rows: RowAccess }
  | {
      readonly kind: 'linked-rows'
      readonly rows: RowAccess
      readonly link: Link
      readonly linkIndex: string | null
    }

export interface PhysicalAggregate extends Estimate {
  readonly aggregate: Omit<AggregatePlan, 'fields'>
  readonly fields: readonly Selected<AggregateOutput<PhysicalList>>[]
  /** `groups`: the counts of all groups added up. */
  readonly count: CountAccess | { readonly kind: 'groups' } | null
  readonly groups: GroupAccess | null
  /** Measures of all records together. */
  readonly whole: GroupAccess | null
}

export type GroupAccess =
  | { readonly kind: 'counts'; readonly counts: CountTable }
  /** Counts by reference, joined with the records that the reference names. */
  | { readonly kind: 'joined-counts'; readonly counts: CountTable; readonly join: Join }
  /** `measured`: by measure, the position among the columns that are summed. */
  | { readonly kind: 'sums'; readonly sums: SumTable; readonly measured: readonly number[] }
  | { readonly kind: 'rows'; readonly rows: RowAccess }
