/** Builds a table from the answer of an aggregate: names instead of URIs, measures, shares. */
import { type Group, groupNames } from '../../../ask/groups.ts'
import { leaves, type Selection } from '../../../ask/graphql-text.ts'
import type { Measure } from '../../../ask/measures.ts'
import type { SchemaContext } from '../../../ask/paths.ts'
import type { Json } from '../../../util/is-object.ts'
import type { Column } from './columns.ts'
import { readSignificance, rounded, significanceColumns } from './unusual-groups.ts'

export interface Aggregated extends Json {
  readonly count: number
  /** Absent without groups. */
  readonly groupCount?: number
  readonly groups?: readonly Json[]
  readonly groupsPageInfo?: { readonly hasNextPage: boolean }
}

export interface Order {
  /** `score`: how unusual groups are. */
  readonly by: 'count' | 'key' | 'share' | 'score' | Measure
  readonly isDescending: boolean
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

/** How many records of each group, or of the whole, meet the filters of `share`. */
export const selectShares: Selection = leaves('matching', 'share')

export function buildTable(
  groups: readonly Group[],
  further: readonly Column[],
  order: Order,
  whole: Aggregated,
  hasShares: boolean,
  context: SchemaContext,
): Table {
  const columns = [
    ...groups.map(({ text }) => text),
    'count',
    ...(order.by === 'score' ? significanceColumns : []),
    ...further.map(({ title }) => title),
    ...(hasShares ? Object.keys(selectShares) : []),
  ]
  const all = whole.groups ?? [whole]
  const names = groups.map((group) => groupNames(group, all, context))
  const rows = all.map((row) => [
    ...groups.map(({ field: { name } }, at) => names[at]?.get(row[name]) ?? row[name]),
    row['count'],
    ...(order.by === 'score' ? readSignificance(row) : []),
    ...further.map(({ read }) => read(row)),
    ...(hasShares ? [row['matching'], row['share'] === null ? null : rounded(Number(row['share']))] : []),
  ])
  return { columns, rows }
}
