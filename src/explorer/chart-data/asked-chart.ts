/** A chart before its data: what it asks, and how the answer becomes a chart. */
import type { ChartSpec } from '../charts/chart-spec.ts'
import type { Panel } from '../operation.ts'
import type { Answer } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import type { ChartTable } from './chart-table.ts'

export interface AskedChart {
  readonly problems: readonly Problem[]
  readonly panels: readonly Panel[]
  readonly chart: (answer: Answer) => DrawnChart
  /** The values for files; absent where they are the groups of one aggregate, which is exported instead. */
  readonly table?: (answer: Answer) => ChartTable
}

export interface DrawnChart {
  readonly spec: ChartSpec
  /** What a reader has to know about the values. */
  readonly notes: readonly string[]
}

/** A group of an aggregate: its count, its keys, and measures. */
export interface Group {
  readonly count: number
  readonly [key: string]: unknown
}

export interface Groups {
  readonly count?: number
  readonly groupCount?: number
  readonly groups: readonly Group[]
  readonly groupsPageInfo?: { readonly hasNextPage: boolean }
}

/** The most that an answer may have. */
export const mostGroups = 1_000
