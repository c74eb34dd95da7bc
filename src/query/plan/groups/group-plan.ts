/** Parts of the logical plan of an aggregate: keys, measures, order, and how groups are compared with a background. */
import type { ColumnValue } from '../../../database/database.ts'
import type { ArrayIndex, Column, Table } from '../../../database/layout/tables.ts'
import type { FieldMeasureName } from '../../../schema/model/measures.ts'
import type { TimeBucket } from '../../../sql/time-buckets.ts'
import type { Comparison, Condition, Path, ReferringCount } from '../conditions.ts'
import type { Direction, Fields, MissingPlace } from '../fields.ts'

/** Groups are compared with those of a background: the records that meet `against`, but not the aggregate's `where`. */
export interface SignificancePlan {
  readonly against: Condition
  readonly background: Condition
  /** Smaller groups are left out, before groups are counted. */
  readonly minCount: number
}

/** Groups are divided by the groups of a denominator, as is the whole, or their records of a numerator by their own. */
export interface SharePlan {
  /** The records that `total` counts; `count`: all that meet `where`. */
  readonly denominator: Condition | 'count'
  /**
   * The records that are divided by them: those that meet both conditions. `count`: all that meet `where`, and `total`:
   * all of the denominator, because one condition implies the other.
   */
  readonly numerator: Condition | 'count' | 'total'
  /** The elements that are grouped of the records of `numerator`; null: those of the aggregate. */
  readonly elements: readonly ElementFilter[] | null
}

/** A group key, or the argument of `countDistinct`: a leaf behind references, an array element, or a time bucket. */
export interface GroupKey {
  readonly joins: readonly Join[]
  readonly leaf: KeyLeaf
  readonly bucket: TimeBucket | null
  /** The size of the ranges of an integer, each of which is grouped as its lower bound; null: each value by itself. */
  readonly interval: number | null
}

/** Groups that are added: time buckets, or the groups of the denominator. */
export type FillPlan =
  | { readonly kind: 'denominator' }
  /** `seconds`: first moments of hours; of longer buckets, their first local days as if midnights were in UTC. */
  | {
      readonly kind: 'buckets'
      readonly bucket: TimeBucket
      readonly seconds: readonly number[]
      /** Whether records may have times of other buckets, or none, because only the denominator has both bounds. */
      readonly mayExceed: boolean
    }

export interface Join {
  readonly base: Column
  readonly key: Column
  readonly table: Table
}

export type KeyLeaf =
  | { readonly kind: 'column'; readonly column: Column }
  | { readonly kind: 'reference'; readonly base: Column; readonly key: Column }
  | { readonly kind: 'array'; readonly array: ArrayIndex }
  | ElementLeaf
  | ReferringCount
  | { readonly kind: 'system'; readonly name: 'did' | 'collection' | 'indexed_at' }

/** A value in the elements of an array of objects; `path` starts at the element. */
export interface ElementLeaf {
  readonly kind: 'element'
  readonly array: Path
  readonly path: Path
  readonly as: 'text' | 'integer' | 'boolean' | 'instant'
  /** The column that has the values of all elements; null if only the elements have them. */
  readonly names: Column | null
}

/** The elements of an array of the record that are grouped and measured; all elements of arrays without a filter. */
export interface ElementFilter<Where = Condition> {
  readonly array: Path
  readonly where: Where
}

export interface MeasurePlan {
  readonly measure: FieldMeasureName
  readonly of: GroupKey
  /** Of a duration: the time at which it begins; `of` is that at which it ends. */
  readonly from: GroupKey | null
  /** Of `percentile`: the ranks, in millionths of the number of values. */
  readonly ranks: readonly number[]
  /** Whether the measured integers exceed 32 bits, so that a sum may exceed 64 bits. */
  readonly isWide: boolean
}

/** What is known of a group besides its keys; `measure` is a position in the list of the plan. */
export type GroupValue =
  | { readonly kind: 'count' | 'share' | 'total' }
  | { readonly kind: 'measure'; readonly measure: number }

/** A condition on groups. A missing value meets none. */
export interface HavingPlan {
  readonly of: GroupValue
  readonly test: GroupTest
}

/** Compares integers and instants with a bigint, other numbers with a double; `constant`: any value passes, or none. */
export type GroupTest =
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly to: number | bigint }
  | { readonly kind: 'constant'; readonly passes: boolean }

/** `missing`: where groups without the value are; undefined in the usual place. */
export interface Ranking {
  readonly direction: Direction
  readonly missing: MissingPlace | undefined
}

export type GroupOrder =
  | { readonly by: 'count' | 'key'; readonly direction: Direction }
  | ({ readonly by: 'share' | 'total' } & Ranking)
  | ({ readonly by: 'measure'; readonly measure: number } & Ranking)
  /** The highest score of significance first. */
  | { readonly by: 'score' }

/** Where a page of groups begins, and what its cursors are bound to. */
export interface GroupPage {
  /** The field, and the arguments that define its groups and their order. */
  readonly binding: string
  /** The values of the order of the group behind which the page begins; null for the first page. */
  readonly after: readonly ColumnValue[] | null
}

/** `measure` and `key` are positions in the lists of the plan. */
export interface MeasureOutput {
  readonly kind: 'measure'
  readonly measure: number
}

export type MeasuresOutput =
  | MeasureOutput
  | { readonly kind: 'measures'; readonly fields: Fields<MeasureOutput> }

/** The words of a field that are more frequent than in the background. */
export interface UnusualWordsPlan extends SignificancePlan {
  readonly kind: 'unusualWords'
  readonly table: Table
  readonly where: Condition
  /** The position of the field in the collection's index over words. */
  readonly field: number
  readonly limit: number
  readonly fields: Fields<UnusualWordsOutput>
}

export type UnusualWordsOutput =
  | { readonly kind: 'recordsRead' | 'againstRecordsRead' }
  | { readonly kind: 'words'; readonly fields: Fields<UnusualWordOutput> }

export type UnusualWordOutput =
  | { readonly kind: 'word' | 'count' }
  | { readonly kind: 'significance'; readonly fields: Fields<SignificanceOutput> }

/** Which elements of an array occur together in one record. */
export interface PairsPlan {
  readonly kind: 'pairs'
  readonly table: Table
  readonly where: Condition
  readonly array: ArrayIndex
  readonly minCount: number
  readonly limit: number
  readonly fields: Fields<{ readonly kind: 'values' | 'count' }>
}

export interface SignificanceOutput {
  readonly kind: 'share' | 'againstCount' | 'againstShare' | 'score'
}
