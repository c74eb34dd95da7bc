/** What a process that reads is told and what it tells; one question at a time, and an answer to each. */
import type { IndexStatus, Statement, StoredAnswer } from '../../database.ts'
import type { Failure } from '../failures.ts'

export type ToReader =
  /** The first; `ready` is the answer. */
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
