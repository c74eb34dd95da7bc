/** Messages between a process and its query workers; one question at a time, and one answer to each. */
import type { IndexStatus, Statement, StoredAnswer } from '../../database.ts'
import type { Failure } from '../failures.ts'

export type ToReader =
  /** The first message; the reply is `ready`. */
  { readonly kind: 'open'; readonly path: string } | Question

export type Question =
  | { readonly kind: 'answer'; readonly statement: Statement }
  /** `now` in microseconds since 1970. */
  | { readonly kind: 'status'; readonly now: bigint }
  | { readonly kind: 'explain'; readonly statement: Statement }

export type FromReader = { readonly kind: 'ready' } | Reply

export type Reply =
  | { readonly kind: 'answer'; readonly answer: StoredAnswer }
  | { readonly kind: 'status'; readonly status: IndexStatus }
  | { readonly kind: 'explain'; readonly steps: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Failure }
