/** Removes expired records in small transactions, as long as the program runs. */
import { setTimeout as pause } from 'node:timers/promises'
import type { MetadataStore } from '../database/metadata/metadata-store.ts'
import { whileBusy } from './retries.ts'

export interface RetentionOptions {
  readonly signal: AbortSignal
  readonly onRemoved: (records: number) => void
}

/** Rows per transaction; small, so that events do not wait long. */
const rowsAtOnce = 200
/** Milliseconds between two transactions, and between two polls: retention is in hours. */
const breath = 30
const pollInterval = 60_000

/** Ends when the signal is aborted. */
export async function enforceRetention(
  metadata: Pick<MetadataStore, 'expireRecords'>,
  { signal, onRemoved }: RetentionOptions,
): Promise<void> {
  let removed = 0
  while (!signal.aborted) {
    const some = await whileBusy(signal, () => metadata.expireRecords(rowsAtOnce))
    removed += some
    if (some === 0 && removed > 0) {
      onRemoved(removed)
      removed = 0
    }
    await pause(some === 0 ? pollInterval : breath, undefined, { signal }).catch(() => {})
  }
}
