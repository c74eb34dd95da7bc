/**
 * Builds a table from the answer of an aggregate: names instead of URIs, measures, and how many records of each group meet
 * the filters of `share`. They are conditions on the record besides `filters`: what each says of a referring record or an
 * element may be met by another one.
 */
import { type Group, groupNames } from '../../../ask/groups.ts'
import type { Selection } from '../../../ask/graphql-text.ts'
import { andWhere, type Where } from '../../../ask/where.ts'
import { limits } from '../../../query/parse/limits.ts'
import { elementArray } from '../../../schema/model/leaves.ts'
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
    ...(matchingOf === null ? [] : [matching, share === null ? null : rounded(share)]),
  ])
  const isPartial = shared.some(({ matching }) => matchingOf !== null && matching === null)
  return { columns, rows, isPartial }
}

/** Pages of groups that are read to order them by share. */
const mostPages = 5
export const mostRead = mostPages * limits.groups

export interface Shares {
  /** The `denominator` of the groups; undefined if they are counted a second time instead. */
  readonly denominator: Where | undefined
  /** The `where` of the second count; undefined with a denominator. */
  readonly both: Where | undefined
  readonly select: Selection
}

/**
 * The service counts the records of each group that a `denominator` has: here those that meet both. It leaves a search
 * out of these, and of conditions on an array of objects, which also select its elements: there, groups are counted twice.
 */
export function planShares(
  where: Where | null,
  share: Where,
  groups: readonly Group[],
  isSearched: boolean,
): Shares {
  const both = andWhere(where, share)
  if (isSearched || groups.some(({ field }) => elementArray(field.leaf) !== null))
    return { denominator: undefined, both, select: {} }
  const select = { total: {}, ...(groups.length > 0 && { groups: { total: {} } }) }
  return { denominator: both, both: undefined, select }
}

export function selectKeys(groups: readonly Group[]): Selection {
  if (groups.length === 0) return { count: {} }
  const keys = Object.fromEntries(groups.map(({ field }) => [field.name, {}]))
  return {
    count: {},
    groups: { ...keys, count: {}, cursor: {} },
    groupsPageInfo: { hasNextPage: {} },
  }
}

/** `part`: the groups of the second count; null with a denominator. */
export function readMatching(groups: readonly Group[], part: Aggregated | null): ReadMatching {
  if (part === null) return ({ total }) => total as number
  const { groups: parts = [], groupsPageInfo } = part
  const none = groupsPageInfo?.hasNextPage === true ? null : 0
  const keyOf = (row: Json) => JSON.stringify(groups.map(({ field }) => row[field.name]))
  const counts = new Map(parts.map((row) => [keyOf(row), row['count'] as number]))
  return (row) => (groups.length === 0 || 'groups' in row ? part.count : (counts.get(keyOf(row)) ?? none))
}

/** Adds the groups behind the first page, up to the last of `mostPages`. */
export async function readFurther(
  first: Aggregated,
  readAfter: (cursor: string) => Promise<Aggregated>,
): Promise<Aggregated> {
  const groups = [...(first.groups ?? [])]
  let { groupsPageInfo } = first
  for (let page = 1; page < mostPages && groupsPageInfo?.hasNextPage === true; page++) {
    const next = await readAfter(String(groups.at(-1)?.['cursor']))
    groups.push(...(next.groups ?? []))
    groupsPageInfo = next.groupsPageInfo
  }
  return { ...first, groups, ...(groupsPageInfo && { groupsPageInfo }) }
}
