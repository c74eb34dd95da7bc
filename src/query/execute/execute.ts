/** The interface of the query engine: GraphQL requests and answers, for any transport; engine.ts implements it. */
import type { GraphQLFormattedError } from 'graphql'
import type { Statement } from '../../database/database.ts'
import type { ErrorCode } from '../../errors.ts'
import type { MaybePromise } from '../../util/async/and-then.ts'

export interface GraphQLRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | null
  readonly operationName?: string | null
}

/** The request limits of a caller, and the callbacks that charge and schedule the request. */
export interface RequestLimits {
  /** Maximum of `first` and `last`. */
  readonly pageSize: number
  /** Maximum points of one operation. */
  readonly points: number
  /** Called once with the cost of the operation, before anything is read for it; an error it throws is the answer. */
  charge(points: number): void | Promise<void>
  /** Called after each piece of work that follows the charge, with the milliseconds it blocked the event loop. */
  worked(time: number): void
  /**
   * Called before the first query to a remote database, where even short queries may wait; disposed after the last
   * query. It takes no permit of the caller.
   */
  startShort(): QueryDeadline
  /** Called before a statement that may take long; disposed when it has ended. An error it throws is the answer. */
  startLong(): LongQueryPermit | Promise<LongQueryPermit>
  /** Called if a statement was rejected before any work was done for it, because too many are running. */
  refund(): void
}

/** The timeout of a request. */
export interface QueryDeadline extends Disposable {
  /** Aborted when the time is up or the caller has left; its reason is the answer. */
  readonly signal: AbortSignal
}

export interface LongQueryPermit extends QueryDeadline {
  /** The caller to whom the statement belongs. */
  readonly caller: string
  /** End of the timeout, in the time of `performance.now()`. */
  readonly deadline: number
}

/** `data`: the whole response as UTF-8. `errors`: a request error, so there is no `data`. */
export type GraphQLAnswer =
  | {
      readonly kind: 'data'
      readonly body: Uint8Array
      /** Whether nothing else refers to the body or to the memory around it, so that it may be released. */
      readonly isOwn: boolean
      readonly report: AnswerReport
    }
  | {
      readonly kind: 'errors'
      readonly code: ErrorCode
      readonly errors: readonly GraphQLFormattedError[]
      /** For the operator's log, if the fault is ours. */
      readonly cause?: unknown
      readonly report: AnswerReport
    }

/** Facts about a request for logs and metrics, as far as they are known. */
export interface AnswerReport {
  /** Name of the operation in the document; null if it has none. */
  readonly operationName: string | null
  /** Cost of the operation; 0 if it was refused before the cost was known. */
  readonly points: number
  /** How the answer was produced; null if there is none. */
  readonly from: 'constant' | 'memory' | 'short' | 'long' | null
  /** Milliseconds from passing the statement to the database until its answer. */
  readonly statementTime: number
  /** Records and groups in the first-level lists of the answer; null if the answer is too long to count them. */
  readonly rows: number | null
  readonly statement: Statement | null
  /** Whether the answer depends only on stored data, not on the clock. */
  readonly isTimeless: boolean
}

export interface QueryEngine {
  /**
   * Never throws: every failure is an answer with a code. Synchronous if nothing has to be read. Without terms, only
   * the absolute limits apply.
   */
  execute(request: GraphQLRequest, requestLimits?: RequestLimits): MaybePromise<GraphQLAnswer>
  /** The statement of an operation, and how the database would run it. Throws the errors that `execute` returns. */
  explain(request: GraphQLRequest): Promise<Explanation>
}

export interface Explanation {
  /** Null if the operation reads no data. */
  readonly sql: string | null
  readonly values: readonly unknown[]
  /** The engine's own description, one line for each step, with the indexes used. */
  readonly steps: readonly string[]
  /** What each root field reads, in terms of the physical plan. */
  readonly plan: readonly string[]
  /** Points. */
  readonly cost: number
}
