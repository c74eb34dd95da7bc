/** A chart before its data: what it asks, and how the answers become a chart. */
import type { ChartSpec } from '../charts/chart-spec.ts'
import type { Panel } from '../../ask/operation.ts'
import type { Answer } from '../page.ts'
import type { Problem } from '../view/problem.ts'
import type { ChartTable } from './chart-table.ts'

export interface AskedChart {
  readonly problems: readonly Problem[]
  /** What is asked first, such as the range and the largest values. */
  readonly panels: readonly Panel[]
  /**
   * The panels of the second request, from the answer to the first; none where that has everything. With null: panels
   * that cost at least as much, for their price.
   */
  readonly more: (answer: Answer | null) => readonly Panel[]
  /** The answer has the panels of both. */
  readonly chart: (answer: Answer) => DrawnChart
  /** The values for files. */
  readonly table?: (answer: Answer) => ChartTable
  /** The aggregate whose groups are exported instead. */
  readonly exported?: Panel
}

/** Makes a chart once for each answer, because the figure and the menu of a page need it. */
export function chartOnce(make: AskedChart['chart']): AskedChart['chart'] {
  const made = new WeakMap<Answer, DrawnChart>()
  return (answer) => {
    const chart = made.get(answer) ?? make(answer)
    made.set(answer, chart)
    return chart
  }
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
