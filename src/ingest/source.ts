/** The interface of sources, which know a protocol but no tables or batches, to the pump: deliveries in order. */
import type { Change, SourceState } from '../database/database.ts'

export interface Delivery {
  /** In order, at least among the changes of one repository. */
  readonly changes: readonly Change[]
  /** Where to resume once this delivery is stored; null leaves the last cursor unchanged. */
  readonly cursor: string | null
  /** Time of the last event in microseconds, by the source's clock; null when the event has none. */
  readonly eventAt: bigint | null
  /** Number of events, including skipped ones. */
  readonly events: number
  /** Called after the delivery was committed; with it, the commit survives a loss of power. */
  readonly acknowledge?: () => Promise<void>
}

export interface SourceContext {
  /** Cursor of the last stored delivery, to be read at every connection; null at first. */
  readonly cursor: () => string | null
  /** Reports a change of state; `detail` says why, in a sentence. */
  readonly onState: (state: SourceState, detail: string | null) => void
  /** Tells the operator, in a sentence or two, something that may need action. */
  readonly onNotice: (text: string) => void
  /** When aborted, deliveries end without an error. */
  readonly signal: AbortSignal
}

export interface Source {
  /** Key of cursors and counts, such as `jetstream:wss://example.com`. */
  readonly name: string
  /** Publishers send at any rate, so that the flood guard must limit them. */
  readonly crowded?: boolean
  /**
   * Ends at the end of the source or when the signal is aborted. Faults of the network become a state, a notice or a
   * refused record; a thrown error is a bug of ours.
   */
  deliveries(context: SourceContext): AsyncIterable<Delivery>
}
