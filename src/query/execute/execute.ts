/** What a caller of GraphQL sends and gets, whatever the transport; engine.ts answers. */
import type { GraphQLFormattedError } from 'graphql'
import type { Statement } from '../../database/database.ts'
import type { ErrorCode } from '../../errors.ts'
import type { MaybePromise } from '../../util/and-then.ts'

export interface GraphQLRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | null
  readonly operationName?: string | null
}

/** What a caller may ask for, and who is told before it is done. */
export interface Terms {
  /** Largest `first` or `last`. */
  readonly pageSize: number
  /** Points that one operation may cost. */
  readonly points: number
  /** Called once with what an operation costs, before anything is read for it; what it throws is the answer. */
  charge(points: number): void | Promise<void>
  /** Called after each piece of work that follows the charge, with the milliseconds that it kept the event loop busy. */
  worked(time: number): void
  /**
   * Called before a remote database is asked, which may let what is short wait too; disposed of when nothing more is
   * asked. It takes none of the caller's turns.
   */
  startShort(): Patience
  /** Called before a statement that may take long; disposed of when it has ended. What it throws is the answer. */
  startLong(): LongTurn | Promise<LongTurn>
  /** Called when a statement was rejected before anything was done for it, because too many are under way. */
  refund(): void
}

/** For how long somebody waits. */
export interface Patience extends Disposable {
  /** Aborted when the time is up or nobody waits any more; its reason is the answer. */
  readonly signal: AbortSignal
}

export interface LongTurn extends Patience {
  /** Whose statement it is. */
  readonly caller: string
  /** When the time is up, as `performance.now()` counts. */
  readonly deadline: number
}

/** `data`: the whole response as UTF-8. `errors`: a request error, so there is no `data`. */
export type GraphQLAnswer =
  | {
      readonly kind: 'data'
      readonly body: Uint8Array
      /** Whether nobody else has the body, or memory beside it. */
      readonly isOwn: boolean
      readonly report: AnswerReport
    }
  | {
      readonly kind: 'errors'
      readonly code: ErrorCode
      readonly errors: readonly GraphQLFormattedError[]
      /** For the operator's log, when the fault is ours. */
      readonly cause?: unknown
      readonly report: AnswerReport
    }

/** For whoever watches the service; as much as is known. */
export interface AnswerReport {
  /** Of the operation in the document; null when it has none. */
  readonly operationName: string | null
  /** What it costs; 0 when it was refused before that was known. */
  readonly points: number
  /** How the answer came about; null when there is none. */
  readonly from: 'constant' | 'memory' | 'short' | 'long' | null
  /** Milliseconds from handing the statement to the database until its answer. */
  readonly statementTime: number
  /** Records and groups in the lists of the answer's first level; null where an answer is too long to look through. */
  readonly rows: number | null
  readonly statement: Statement | null
  /** Whether the answer depends on nothing but what is stored, and not on the clock. */
  readonly isTimeless: boolean
}

export interface QueryEngine {
  /** Never throws: every failure is an answer with a code. At once where nothing has to be read for it. Without terms everything is allowed that is possible. */
  execute(request: GraphQLRequest, terms?: Terms): MaybePromise<GraphQLAnswer>
  /** The statement of an operation, and how the database would run it. Throws like `execute` answers. */
  explain(request: GraphQLRequest): Promise<Explanation>
}

export interface Explanation {
  /** Null when the operation reads no data. */
  readonly sql: string | null
  readonly values: readonly unknown[]
  /** The engine's own words, a line a step, with the index each part uses. */
  readonly steps: readonly string[]
  /** What is read, root by root, in the plan's terms. */
  readonly plan: readonly string[]
  /** Points. */
  readonly cost: number
}
