/** Defines how refused records are stored, within limits, so that publishers cannot fill the disk. */
import { createHash } from 'node:crypto'
import type { Rejection } from '../changes.ts'
import type { StoredRejection } from '../metadata/metadata-store.ts'

/**
 * The source of rejections by a rebuild. They are never dropped or cut, because no other copy exists; only a record
 * that the publisher is known to have written later replaces them.
 */
export const rebuildSource = 'rebuild'
/** Must match the condition of the index `rejection_seen`. */
export const droppable = `source <> '${rebuildSource}'`
/** The condition under which a new rejection replaces the stored one with the same key. */
export const replaces = `(rejection.record <> excluded.record or rejection.reason <> excluded.reason
    or rejection.rev is distinct from excluded.rev)
  and (excluded.rev is not null or excluded.source = '${rebuildSource}'
    or (rejection.rev is null and rejection.${droppable}))`

/** Of longer records only the beginning is stored. In UTF-16 units, as is the next constant. */
export const maxRejectedLength = 65_536
const retainedOfLonger = 1_000
/** Bytes that fit into an index of every engine; a longer URI cannot name a record. */
const longestKey = 2_600
/** The newest rejections are stored. */
export const maxRejections = 10_000
/** Rejections that are dropped at once, so that not every new one costs a search. */
export const dropped = 500

/** Records without a URI and cut records would be refused under any lexicons. */
export function canBeJudged({ cut, uri }: StoredRejection): boolean {
  return !cut && uri !== null
}

/** A row of the table `rejection`. */
export interface RejectionRow {
  readonly key: string
  readonly source: string
  readonly uri: string | null
  readonly reason: string
  readonly message: string
  readonly record: string
  readonly seen_at: bigint
  readonly rev: string | null
  readonly cut: number
}

export function rejectionRow(
  { source, uri, reason, message, record, rev }: Rejection,
  seenAt: bigint,
): RejectionRow {
  const isShort = uri !== null && Buffer.byteLength(uri) <= longestKey
  const key = isShort ? uri : `sha256:${createHash('sha256').update(record).digest('hex')}`
  const cut = record.length > maxRejectedLength && source !== rebuildSource
  const text = cut ? record.slice(0, retainedOfLonger).toWellFormed() : record
  return {
    key,
    source,
    uri,
    reason,
    message,
    record: text,
    seen_at: seenAt,
    rev: rev ?? null,
    cut: Number(cut),
  }
}
