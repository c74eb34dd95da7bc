/** The argument `unusual` of `aggregate`: groups that are more frequent among some records than among others. */
import { buildWhere } from '../../../ask/filters.ts'
import type { Where } from '../../../ask/where.ts'
import type { Selection } from '../../../ask/graphql-text.ts'
import type { Subject } from '../../../ask/collections.ts'
import { whyNothing } from '../../words/nothing-found.ts'
import type { Toolbox } from '../toolbox.ts'
import { AskError } from '../../../ask/ask-error.ts'
import type { Json } from '../../../util/is-object.ts'

/** The service's default of `min_count` for unusual groups. */
const leastCount = 5

interface ComparisonArguments {
  readonly by?: readonly string[]
  readonly share?: Json
  readonly unusual?: Json
  readonly order?: string
  readonly min_count?: number
}

/**
 * The records to compare with; null if nothing is compared. `isNarrowed`: whether the call counts only some records.
 * Throws an AskError if it counts all, has no groups, or asks for another order or share.
 */
export async function buildBackground(
  { unusual, by = [], order, share }: ComparisonArguments,
  isNarrowed: boolean,
  subject: Subject,
  toolbox: Toolbox,
): Promise<Where | null> {
  if (unusual === undefined) return null
  if (by.length === 0) throw new AskError('unusual compares groups: name their paths in by.')
  if (order !== undefined)
    throw new AskError('unusual orders groups by their score: leave order out, or ask without unusual.')
  if (share !== undefined)
    throw new AskError('unusual shows the share of each group: leave share out, or ask without unusual.')
  if (!isNarrowed)
    throw new AskError(
      'unusual compares some records with others: say which in search, text, filters, since or until.',
    )
  return (await buildWhere(subject, { filters: unusual }, toolbox)) ?? {}
}

export const significanceColumns = ['share', 'against_count', 'against_share', 'score'] as const

export const selectSignificance: Selection = {
  significance: { share: {}, againstCount: {}, againstShare: {}, score: {} },
}

/** In the order of the columns. */
export function readSignificance({ significance }: Json): readonly number[] {
  const { share, againstCount, againstShare, score } = significance as Readonly<Record<string, number>>
  return [rounded(share), againstCount ?? 0, rounded(againstShare), Math.round((score ?? 0) * 100) / 100]
}

/** Four significant digits, because shares may be tiny. */
export function rounded(share = 0): number {
  return Number(share.toPrecision(4))
}

export async function whyNoneUnusual(
  { unusual, min_count: minCount = leastCount }: ComparisonArguments,
  subject: Subject,
  toolbox: Toolbox,
): Promise<string> {
  const unknown = await whyNothing({ filters: unusual }, subject, toolbox)
  return (
    unknown ??
    `No group of at least ${minCount} records (min_count) is more frequent than among those compared with.`
  )
}
