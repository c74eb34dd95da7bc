/** What `serve` and its workers say to each other. Others use the same channel (metrics): what is not here is theirs. */
import type { KeyUsage } from '../../database/metadata/metadata-store.ts'
import type { LimitAnswer, LimitQuestion } from '../../server/admission/limits/messages.ts'
import type { Config } from '../settings/settings.ts'

export type ToWorker = WorkerTask | { readonly kind: 'stop' } | LimitAnswer

/** Comes first. */
export interface WorkerTask {
  readonly kind: 'start'
  readonly config: Config
  /** The package's folder. */
  readonly root: string
  /** Which of how many it is. */
  readonly id: number
  readonly of: number
  /** Whether the database is still being brought to these lexicons. */
  readonly awaits: boolean
  /** Of the lexicons by which the service answers. */
  readonly fingerprint: string
}

export type FromWorker =
  | { readonly kind: 'listening'; readonly address: string }
  /** The index is of other lexicons by now, or not ready; said again and again until something comes of it. */
  | { readonly kind: 'rebuilt' }
  /** It cannot do what it was asked to, and waits to be stopped. */
  | { readonly kind: 'refused'; readonly message: string }
  /** What keys were used for since it said so last. */
  | { readonly kind: 'usage'; readonly usage: readonly KeyUsage[] }
  | LimitQuestion
