/**
 * The argument `share`: how many records of each group meet its filters. They are conditions on the record besides
 * `filters`: what each says of a referring record or an element may be met by another one.
 */
import { limits } from '../../../query/parse/limits.ts'
import { elementArray } from '../../../schema/model/leaves.ts'
import type { Group } from '../../filters/groups.ts'
import type { Where } from '../../filters/where.ts'
import type { Selection } from '../../graphql/graphql-text.ts'
import type { Json } from '../tool.ts'
import type { Aggregated, ReadMatching } from './aggregate-table.ts'

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
  const both = where === null ? share : { AND: [where, share] }
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
