/** What is kept of refused records, within bounds so that what a publisher sends cannot fill the disk. */
import { createHash } from 'node:crypto'
import type { Rejection } from '../changes.ts'
import type { StoredRejection } from '../metadata/metadata-store.ts'

/**
 * Of what a rebuild puts aside nothing is dropped or cut: there is no other copy. Only what its publisher is
 * known to have written since takes its place.
 */
export const rebuildSource = 'rebuild'
/** As the index `rejection_seen` has it. */
export const droppable = `source <> '${rebuildSource}'`
/** Whether a new one takes the place of one that is kept under its key. */
export const replaces = `(rejection.record <> excluded.record or rejection.reason <> excluded.reason
    or rejection.rev is distinct from excluded.rev)
  and (excluded.rev is not null or excluded.source = '${rebuildSource}'
    or (rejection.rev is null and rejection.${droppable}))`

/** Longer records are kept by their beginning only. In UTF-16 units, as the next one. */
export const maxRejectedLength = 65_536
const retainedOfLonger = 1_000
/** Bytes that an index of every engine takes; a longer URI is that of no record. */
const longestKey = 2_600
/** The newest are kept. */
export const maxRejections = 10_000
/** Dropped at once, so that not every new one costs a search. */
export const dropped = 500

/** What is no record, or was kept by its beginning only, would be refused whatever the lexicons say. */
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
