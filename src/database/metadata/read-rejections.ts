/** Reads stored rejections, in SQL for every engine. */
import type { Change, RejectionJudge } from '../database.ts'
import type { StoredRejection } from './metadata-store.ts'
import type { RebuildCounters } from '../rebuild/rebuild-report.ts'
import { canBeJudged } from '../write/rejections.ts'
import { ask, type Steps } from './steps.ts'

/** In the order of their keys, after `after`. */
export function* readRejections(limit: number, after: string | null): Steps<readonly StoredRejection[]> {
  const rows = yield* ask<Omit<StoredRejection, 'rev' | 'cut'> & { rev: string | null; cut: bigint }>(
    `select key, source, uri, reason, message, record, seen_at as "seenAt", rev, cut from rejection
     where key > ? order by key limit ?`,
    after ?? '',
    limit,
  )
  return rows.map(({ rev, cut, ...row }) => ({ ...row, ...(rev !== null && { rev }), cut: cut === 1n }))
}

export interface JudgedRejections {
  readonly changes: readonly Change[]
  /** The key after which the next batch begins. */
  readonly last: string
}

/** Rejections in one batch. */
const judgedAtOnce = 500

/** Judges the next rejections after a key again, and counts them; null when there are none. */
export function* judgeRejections(
  judge: RejectionJudge,
  counters: RebuildCounters,
  after: string | null = null,
): Steps<JudgedRejections | null> {
  const some = yield* readRejections(judgedAtOnce, after)
  const last = some.at(-1)
  if (last === undefined) return null
  const changes = some.filter(canBeJudged).map(judge)
  for (const change of changes) counters.addJudged(change)
  return { changes, last: last.key }
}
