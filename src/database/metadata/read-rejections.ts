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

/** Rejections in one batch. */
const judgedAtOnce = 500

/** Judges all rejections again, counts them, and applies what becomes of them. */
export function* judgeRejections(
  judge: RejectionJudge,
  counters: RebuildCounters,
  apply: ((changes: readonly Change[]) => Steps<unknown>) | null,
): Steps<void> {
  for (let after: string | undefined; ; ) {
    const some: readonly StoredRejection[] = yield* readRejections(judgedAtOnce, after ?? null)
    after = some.at(-1)?.key
    if (after === undefined) return
    const changes = some.filter(canBeJudged).map(judge)
    for (const change of changes) counters.addJudged(change)
    if (apply !== null) yield* apply(changes)
  }
}
