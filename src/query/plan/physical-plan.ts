/**
 * The physical plan: how each part of a logical plan reads the database, as plain data. `optimize` builds it, `emit`
 * writes it as SQL, and `explain` shows it. Estimates are rows that may be read in addition to the requested pages.
 */
import type { ColumnValue } from '../../database/database.ts'
import type { CountTable } from '../../database/layout/counts.ts'
import type { SumTable } from '../../database/layout/sums.ts'
import type { ArrayIndex, Column, Table, TableIndex, WordIndex } from '../../database/layout/tables.ts'
import type { RankedTerm, WordMatch } from '../../sql/dialect.ts'
import type { Conjunct, Filter, RowAccess } from './access-path.ts'
import type { Fields } from './fields.ts'
import type {
  ElementFilter,
  Join,
  PairsPlan,
  SignificancePlan,
  UnusualWordsPlan,
} from './groups/group-plan.ts'
import type {
  AggregateOutput,
  AggregatePlan,
  FacetPlan,
  GroupValueOutput,
  KeyRecords,
  KeyValue,
  ListOutput,
  ListPlan,
  Ranking,
  RootOutput,
  RowsOutput,
  SamplesPlan,
  SortKey,
  TopPlan,
  WordTerm,
} from './plan.ts'
import type { Condition, ReferringCount } from './conditions.ts'

export type * from './access-path.ts'

export interface PhysicalPlan {
  readonly roots: Fields<PhysicalRoot>
  readonly estimatedRows: number
  /** The part of the logical plan's size (cost.ts) that is not read, because materialized counts or sums answer it. */
  readonly savedSize: number
  /** Number of values that candidate sources compare with, in addition to those of the operation. */
  readonly sourceValues: number
}

export type PhysicalRoot = RootOutput<PhysicalList, PhysicalAggregate, CountedTable>

/** A collection of `indexStatus`, and how its records are counted, if they are. */
export interface CountedTable {
  readonly table: Table
  readonly count: CountAccess | null
}

// Lists

/** A part of an ordered path: the first `rows` rows (near), or the rows after them (far). Null: all rows are near. */
export interface Span {
  readonly side: 'near' | 'far'
  readonly rows: number | null
}

/** Rows of a list in order, from a position on. */
export interface OrderedRows extends RowAccess {
  readonly sort: readonly SortKey[]
  readonly position: readonly ColumnValue[] | null
  /** Whether the row at the position is included. */
  readonly inclusive: boolean
  readonly limit: number
  readonly order: RowOrder
  /** Whether the path returns rows in the order of the list, so that they are not sorted. */
  readonly comesInOrder: boolean
}

export type RowOrder =
  /** Ids are in the order of the list. `sorted`: the path returns ids in order. */
  | { readonly kind: 'ids'; readonly sorted: boolean }
  /** All rows are sorted. */
  | { readonly kind: 'sort' }
  | AlongCounts
  | Distinct
  /** By relevance: the ranked candidates, and the other matching records before or after them. */
  | {
      readonly kind: 'relevance'
      readonly ranking: PhysicalRanking
      /** The other records, in the default order. */
      readonly others: OrderedRows
      /** Whether the page is read against the list's own order, so that the others come first. */
      readonly reversed: boolean
      /** Whether ids are in the default order. */
      readonly idOrder: boolean
    }
  /** Candidates are sorted first and then verified one by one until the page is full. */
  | { readonly kind: 'verify'; readonly verified: Filter; readonly unverified: readonly Filter[] }
  /** The path returns rows in the whole order, or in the order of its first key. */
  | {
      readonly kind: 'path'
      /** One filter for each span; a single entry with a null span if all rows are treated alike. */
      readonly spans: readonly { readonly span: Span | null; readonly filter: readonly Conjunct[] }[]
      /** Whether rows with equal keys are adjacent, so that they can be grouped without sorting. */
      readonly keepsTies: boolean
    }

/** Along an index over materialized counts of referring records, by which the list is sorted first. */
export interface AlongCounts {
  readonly kind: 'counts'
  readonly of: ReferringCount
  readonly counts: CountTable
}

/** The first record of each combination of values. */
export interface Distinct {
  readonly kind: 'distinct'
  readonly keys: readonly KeyValue[]
  /** The order of the list. A page that is read backwards has the same. */
  readonly sort: readonly SortKey[]
  /** Whether ids are in that order. */
  readonly idOrder: boolean
  /** The first rows of the list, which are searched before all others; null: not apart from these. */
  readonly near: OrderedRows | null
  readonly all: CountedRows
}

/** How the combinations of values are counted. */
export type DistinctCount =
  | { readonly kind: 'distinct'; readonly keys: readonly KeyValue[]; readonly rows: CountedRows }
  /** By the number of materialized counts. */
  | { readonly kind: 'distinct-counts'; readonly counts: CountTable }

/** How candidates are found and scored. */
export interface PhysicalRanking extends Omit<Ranking, 'terms'> {
  readonly terms: readonly (WordTerm & Pick<RankedTerm, 'isRequired' | 'isFrequent'>)[]
  /** The newest matching records, of which only ids are read. */
  readonly candidates: OrderedRows
  /** A query that finds all matching records, and possibly more; null if there is none. */
  readonly match: WordMatch | null
  /** Counts the records of the collection. */
  readonly records: CountAccess
  /** Whether the only term has exactly the candidates, so that it needs no counting. */
  readonly countsCandidates: boolean
  /** Without optimizer hints: the columns of the default order, which candidates carry besides their ids. */
  readonly columns: readonly string[]
}

export interface PhysicalList {
  readonly list: Omit<ListPlan, 'fields'>
  readonly fields: Fields<PhysicalListOutput>
  readonly page: PhysicalPage | null
  /** The rows on the side of the page that its cursor bounds; null if they are not requested. */
  readonly before: OrderedRows | null
  readonly total: CountAccess | DistinctCount | null
  /** Of a list by relevance. */
  readonly ranking: PhysicalRanking | null
}

export type PhysicalListOutput =
  | Exclude<ListOutput, { kind: 'edges' | 'nodes' | 'facets' }>
  | RowsOutput<PhysicalList>
  | PhysicalFacets

export interface PhysicalPage {
  readonly rows: OrderedRows
  /**
   * What is passed from finding rows to printing them. `texts`: rows are printed where they are found. `rows`: the
   * columns to print. `ids`: ids, by which rows are read again. `id-list`: all ids in one value.
   */
  readonly carries: 'texts' | 'rows' | 'ids' | 'id-list'
  /** Whether rows are numbered, because their order would be lost or is reversed. */
  readonly isNumbered: boolean
  /** Whether the answer depends on the first and last row of the page, or on rows after it. */
  readonly ends: boolean
  /** Whether the answer says if the list continues after the page. */
  readonly more: boolean
  /** The columns to pass when `carries` is `rows`. */
  readonly columns: ReadonlySet<string>
}

// Counts and aggregates

export type CountAccess =
  /** Materialized counts: all of them, or those whose keys meet a filter. */
  | {
      readonly kind: 'counts'
      readonly counts: CountTable
      /** Columns of the collection's table that correspond to the keys of the counts. */
      readonly columns: readonly Column[]
      readonly filter: Filter | null
    }
  /** Materialized counts of accounts. */
  | { readonly kind: 'account-counts'; readonly counts: CountTable; readonly dids: readonly ColumnValue[] }
  /** Materialized counts of the records that refer to the outer row. */
  | { readonly kind: 'link-counts'; readonly counts: CountTable }
  /** Entries of a word index. */
  | { readonly kind: 'matches'; readonly index: WordIndex; readonly match: WordMatch }
  /** All records of one count but those of another, which are among them. */
  | { readonly kind: 'difference'; readonly of: CountAccess; readonly less: CountAccess }
  | CountedRows

/** Rows that are counted or grouped. */
export interface CountedRows extends RowAccess {
  readonly kind: 'rows'
  /** Rows within some groups: the index that finds those of each group instead of `path`. */
  readonly groupIndex?: TableIndex
}

/** The number of records; `groups`: what the counts of all groups add up to. */
export type TotalAccess = CountAccess | { readonly kind: 'groups' }

export type PhysicalAggregateOutput =
  | Exclude<AggregateOutput, { kind: 'groups' | 'pairs' | 'unusualWords' }>
  | { readonly kind: 'groups'; readonly fields: Fields<PhysicalGroupOutput> }
  | PhysicalPairs
  | PhysicalUnusualWords

export type PhysicalGroupOutput = GroupValueOutput | KeyRecords<PhysicalList> | PhysicalTop | PhysicalSamples

export interface PhysicalTop extends Omit<TopPlan, 'aggregate'> {
  readonly aggregate: PhysicalAggregate
  /** Whether its denominators are summed to those of the outer groups. */
  readonly isSummed: boolean
}

export interface PhysicalSamples extends SamplesPlan<PhysicalList> {
  readonly rows: CountedRows
  /** Whether the order is the default order, and ids are in it. */
  readonly inIdOrder: boolean
}

export interface PhysicalAggregate {
  readonly aggregate: Omit<AggregatePlan, 'fields' | 'elements'> & {
    readonly elements: readonly ElementFilter<Filter>[]
  }
  readonly fields: Fields<PhysicalAggregateOutput>
  readonly count: TotalAccess | null
  readonly groups: GroupAccess | null
  /** Measures over all records. */
  readonly whole: GroupAccess | null
  readonly significance: PhysicalSignificance | null
  /** Null if neither groups nor the whole are divided. */
  readonly shares: PhysicalShares | null
}

/** How the records of a denominator, and those that are divided by them, are counted. */
export interface PhysicalShares {
  readonly total: SharePart | 'count'
  readonly numerator: SharePart | 'count' | 'total'
}

/** One of both sets of records: its groups, and the number of all of them. Null if they are not selected. */
export interface SharePart {
  readonly where: Condition
  readonly groups: GroupAccess | null
  readonly count: TotalAccess | null
  /** The elements that are grouped; null: those of the aggregate. */
  readonly elements: readonly ElementFilter<Filter>[] | null
}

/** How the words of a field are counted: of the records that meet the `where`, and of the background. */
export interface PhysicalUnusualWords extends UnusualWordsPlan {
  readonly own: SampledRecords
  readonly others: SampledRecords
}

/** Records of which a sample is read, and how they are counted. */
export interface SampledRecords {
  readonly count: CountAccess
  readonly rows: CountedRows
}

export interface PhysicalPairs extends PairsPlan {
  /** Null: the elements of all records, which need no records. */
  readonly rows: CountedRows | null
}

/** How groups are compared with those of the background. */
export interface PhysicalSignificance extends Pick<SignificancePlan, 'minCount'> {
  /** The number of records that meet the `where`. */
  readonly total: TotalAccess
  /** Disjoint sets of records, or all records and what to subtract: their counts add up to those of the background. */
  readonly background: readonly BackgroundPart[]
  /** Whether the counts of the records that meet the `where` are subtracted, too. */
  readonly subtractsGroups: boolean
}

export interface BackgroundPart {
  readonly where: Condition
  readonly isSubtracted: boolean
  readonly groups: GroupAccess
  readonly total: TotalAccess
}

export type GroupAccess =
  | { readonly kind: 'counts'; readonly counts: CountTable }
  /** Counts by reference, joined with the records that the references name. */
  | { readonly kind: 'joined-counts'; readonly counts: CountTable; readonly join: Join }
  /** `measured`: for each measure, the position of its column among the summed columns. */
  | { readonly kind: 'sums'; readonly sums: SumTable; readonly measured: readonly number[] }
  /**
   * Records with one value of a code, counted in the ranges of an index by that code and an instant: one range for each
   * bucket of the instant that has records at all. The largest bucket has what is left of `total`.
   */
  | {
      readonly kind: 'ranges'
      readonly counts: CountTable
      readonly index: TableIndex
      readonly instant: Column
      readonly code: Filter
      readonly total: CountAccess
    }
  /** The elements of an array in all records, which need no records; `total` has the records without elements. */
  | { readonly kind: 'elements'; readonly array: ArrayIndex; readonly total: CountTable }
  | CountedRows

/** The facets of one field of a list. */
export interface PhysicalFacets {
  readonly kind: 'facets'
  /** Rows that several facets group; each set is found once. */
  readonly shared: readonly CountedRows[]
  readonly facets: readonly PhysicalFacet[]
}

export interface PhysicalFacet {
  readonly facet: FacetPlan
  /** `shared`: the position of its rows among those that facets share. Null if nothing is read. */
  readonly groups: GroupAccess | { readonly kind: 'shared'; readonly rows: number } | null
}
