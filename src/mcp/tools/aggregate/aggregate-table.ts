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
  part: Aggregated | null,
  context: SchemaContext,
): Table {
  const columns = [
    ...groups.map(({ text }) => text),
    'count',
    ...(order.by === 'score' ? significanceColumns : []),
    ...further.map(({ title }) => title),
    ...(part === null ? [] : ['matching', 'share']),
  ]
  const all = whole.groups ?? [whole]
  const parts = part === null ? [] : (part.groups ?? [part])
  const isPartial = (part?.groupCount ?? 0) > parts.length
  const keyOf = (row: Json) => JSON.stringify(groups.map(({ field }) => row[field.name]))
  const counts = new Map(parts.map((row) => [keyOf(row), row.count as number]))
  const names = groups.map((group) => groupNames(group, all, context))
  const rows = all.map((row) => {
    const matching = counts.get(keyOf(row)) ?? (isPartial ? null : 0)
    const count = row.count as number
    const share = matching === null || count === 0 ? null : round(matching / count)
    return [
      ...groups.map(({ field: { name } }, at) => names[at]?.get(row[name]) ?? row[name]),
      count,
      ...(order.by === 'score' ? readSignificance(row) : []),
      ...further.map(({ read }) => read(row)),
      ...(part === null ? [] : [matching, share]),
    ]
  })
  if (order.by === 'share') {
    const sign = order.isDescending ? -1 : 1
    const last = (row: readonly unknown[]) => (row.at(-1) as number | null) ?? -1
    rows.sort((a, b) => sign * (last(a) - last(b)))
  }
  return { columns, rows, isPartial }
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
