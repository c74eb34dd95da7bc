/** What the operator may see of requests; observe.ts and metrics.ts show it. */
import type { ErrorCode } from '../../errors.ts'
import type { AnswerReport, GraphQLRequest } from '../../query/execute/execute.ts'
import type { Caller } from '../admission/caller.ts'

/** A GraphQL request that has been answered, or whose caller has gone. */
export interface Answered {
  readonly requestId: string
  /** Null when it was refused before it was known who asks. */
  readonly caller: Caller | null
  /** Null when there was none to be read. */
  readonly request: GraphQLRequest | null
  readonly report: AnswerReport | null
  /** `ok`, the code of the answer, or `gone`: nobody waited for it. */
  readonly outcome: 'ok' | 'gone' | ErrorCode
  /** Which limit of the caller's refused it. */
  readonly limit: 'rate' | 'concurrent' | 'overload' | null
  readonly status: number
  /** Of the body, as it was sent. */
  readonly bytes: number
  /** Milliseconds from when the request was there to its answer. */
  readonly duration: number
}

export interface Observer {
  /** A GraphQL request has come; `answered` follows, once. */
  asked(): void
  answered(request: Answered): void
}
