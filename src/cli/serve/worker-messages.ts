/** Messages between `serve` and its workers. Metrics use the same channel, so unknown messages are ignored. */
import type { KeyUsage } from '../../database/metadata/metadata-store.ts'
import type { LimitAnswer, LimitQuestion } from '../../server/admission/limits/messages.ts'
import type { Config } from '../settings/settings.ts'

export type ToWorker = WorkerTask | { readonly kind: 'stop' } | LimitAnswer

/** The first message. */
export interface WorkerTask {
  readonly kind: 'start'
  readonly config: Config
  /** The package's folder. */
  readonly root: string
  /** The worker's number, and the number of workers. */
  readonly id: number
  readonly of: number
  /** Whether the database is still being updated to these lexicons. */
  readonly awaits: boolean
  /** Fingerprint of the lexicons of the service. */
  readonly fingerprint: string
}

export type FromWorker =
  | { readonly kind: 'listening'; readonly address: string }
  /** The index has other lexicons now, or is not ready; repeated until the primary reacts. */
  | { readonly kind: 'rebuilt' }
  /** The worker cannot serve, and waits to be stopped. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Usage of keys since the previous message. */
  | { readonly kind: 'usage'; readonly usage: readonly KeyUsage[] }
  | LimitQuestion
