/**
 * What every source of records is to the pump: deliveries in order, each with the place to go on from.
 * A source knows its protocol; it knows neither tables nor batches.
 */
import type { Change, SourceState } from '../database/database.ts'

export interface Delivery {
  /** In order; those of one repository never overtake each other. */
  readonly changes: readonly Change[]
  /** From where to go on when this delivery is stored; null leaves the last one as it is. */
  readonly cursor: string | null
  /** Microseconds: when the last event of it happened, by the source's clock; null when it does not say. */
  readonly eventAt: bigint | null
  /** Those that are passed over included. */
  readonly events: number
  /** Tells the source that the delivery is stored for good. */
  readonly acknowledge?: () => Promise<void>
}

export interface SourceContext {
  /** Where the last stored delivery of this source ended, read anew at every connection; null at first. */
  readonly cursor: () => string | null
  /** Told whenever it changes; `detail` says why, in a sentence. */
  readonly onState: (state: SourceState, detail: string | null) => void
  /** Something the operator should know and may have to act upon, in a sentence or two. */
  readonly onNotice: (text: string) => void
  /** Aborted: deliveries end without an error. */
  readonly signal: AbortSignal
}

export interface Source {
  /** What cursors and counts are kept under, such as `jetstream:wss://example.com`. */
  readonly name: string
  /** Publishers send through it as they like, so that one could leave no room for the others. */
  readonly crowded?: boolean
  /** Deliveries are to survive a loss of power before they are acknowledged. */
  readonly durable?: boolean
  /**
   * Ends when the source is at its end or the signal is aborted. What the network does wrong is a state,
   * a notice or a refused record; an error thrown here is our own fault.
   */
  deliveries(context: SourceContext): AsyncIterable<Delivery>
}
