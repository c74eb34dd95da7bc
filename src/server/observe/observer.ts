/** The events of requests that observers receive; observe.ts and metrics.ts implement them. */
import type { ErrorCode } from '../../errors.ts'
import type { AnswerReport, GraphQLRequest } from '../../query/execute/execute.ts'
import type { Caller } from '../admission/tiers.ts'

/** A GraphQL request that was answered, or whose caller has disconnected. */
export interface Answered {
  readonly requestId: string
  /** Null when it was refused before authentication. */
  readonly caller: Caller | null
  /** Null when none could be parsed. */
  readonly request: GraphQLRequest | null
  readonly report: AnswerReport | null
  /** `ok`, the error code of the answer, or `gone`: the caller disconnected. */
  readonly outcome: 'ok' | 'gone' | ErrorCode
  /** The caller's limit that refused the request. */
  readonly limit: 'rate' | 'concurrent' | 'overload' | null
  readonly status: number
  /** Of the body as sent. */
  readonly bytes: number
  /** Milliseconds from the arrival of the request to its answer. */
  readonly duration: number
}

export interface Observer {
  /** A GraphQL request has arrived; `answered` follows exactly once. */
  asked(): void
  answered(request: Answered): void
}
