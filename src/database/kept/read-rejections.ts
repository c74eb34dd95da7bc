/** Refused records as they are kept, in SQL that every engine understands. */
import type { RejectionReason } from '../database.ts'
import type { KeptRejection } from '../ledger.ts'
import { ask, type Steps } from './steps.ts'

/** In order of their keys, after `after`. */
export function* readRejections(limit: number, after: string | null): Steps<readonly KeptRejection[]> {
  const rows = yield* ask(
    `select key, source, uri, reason, message, record, seen_at, rev, cut from rejection
     where key > ? order by key limit ?`,
    after ?? '',
    limit,
  )
  return rows.map((row) => ({
    key: String(row.key),
    source: String(row.source),
    uri: row.uri as string | null,
    reason: row.reason as RejectionReason,
    message: String(row.message),
    record: String(row.record),
    ...(row.rev !== null && { rev: String(row.rev) }),
    cut: row.cut === 1n,
    seenAt: row.seen_at as bigint,
  }))
}
