/** Builds a table from the answer of an aggregate: names instead of URIs, measures, shares. */
import { groupNames } from '../../filters/group-names.ts'
import type { Group } from '../../filters/groups.ts'
import type { Measure } from '../../filters/measures.ts'
import type { SchemaContext } from '../../filters/paths.ts'
import type { Json } from '../tool.ts'
import type { Column } from './columns.ts'
import { readSignificance, significanceColumns } from './unusual-groups.ts'

export interface Aggregated extends Json {
  readonly count: number
  /** Absent without groups. */
  readonly groupCount?: number
  readonly groups?: readonly Json[]
  readonly groupsPageInfo?: { readonly hasNextPage: boolean }
}

/** The number of records of a group, or of the whole, that meet `share`; null if it is not known. */
export type ReadMatching = (row: Json) => number | null

export interface Order {
  /** `score`: how unusual groups are. */
  readonly by: 'count' | 'key' | 'share' | 'score' | Measure
  readonly isDescending: boolean
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** True if some shares are unknown, because there are more groups than the service returns. */
  readonly isPartial: boolean
}

export function buildTable(
  groups: readonly Group[],
  further: readonly Column[],
  order: Order,
  whole: Aggregated,
  matchingOf: ReadMatching | null,
  context: SchemaContext,
): Table {
  const columns = [
    ...groups.map(({ text }) => text),
    'count',
    ...(order.by === 'score' ? significanceColumns : []),
    ...further.map(({ title }) => title),
    ...(matchingOf === null ? [] : ['matching', 'share']),
  ]
  const all = whole.groups ?? [whole]
  const names = groups.map((group) => groupNames(group, all, context))
  const shared = all.map((row) => {
    const matching = matchingOf === null ? null : matchingOf(row)
    const count = row.count as number
    return { row, count, matching, share: matching === null || count === 0 ? null : matching / count }
  })
  if (order.by === 'share') {
    const sign = order.isDescending ? -1 : 1
    shared.sort((a, b) => sign * ((a.share ?? -1) - (b.share ?? -1)))
  }
  const rows = shared.map(({ row, count, matching, share }) => [
    ...groups.map(({ field: { name } }, at) => names[at]?.get(row[name]) ?? row[name]),
    count,
    ...(order.by === 'score' ? readSignificance(row) : []),
    ...further.map(({ read }) => read(row)),
    ...(matchingOf === null ? [] : [matching, share === null ? null : round(share)]),
  ])
  const isPartial = shared.some(({ matching }) => matchingOf !== null && matching === null)
  return { columns, rows, isPartial }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
