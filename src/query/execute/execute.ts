/** The interface of the query engine: GraphQL requests and answers, for any transport; engine.ts implements it. */
import type { GraphQLFormattedError } from 'graphql'
import type { Statement } from '../../database/database.ts'
import type { FileStream } from '../../database/files/file-source.ts'
import type { FileForm } from '../../files/file-spec.ts'
import { type ErrorCode, ServiceError } from '../../errors.ts'
import type { MaybePromise } from '../../util/async/promises.ts'
import { limits } from '../parse/limits.ts'

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
  /** Maximum points of one file; absent for any number. */
  readonly filePoints?: number
  /** Called once with the cost of the operation, before anything is read for it; an error it throws is the answer. */
  charge(points: number): void | Promise<void>
  /** Called after each piece of work that follows the charge, with the milliseconds it blocked the event loop. */
  worked(time: number): void
  /** Called before the first query to a remote database, where even short ones may wait; disposed after the last. */
  startShort(): QueryDeadline
  /** Called before a statement that may take long; disposed when it has ended. An error it throws is the answer. */
  startLong(): LongQueryPermit | Promise<LongQueryPermit>
  /** The same for the rows of a list as a file; absent if these have no limits of their own. */
  startFile?(): Promise<LongQueryPermit>
  /** Gives back points of a file that has fewer rows than were paid for; absent if nothing is charged. */
  giveBack?(points: number): void
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

/** Facts about a request for logs and metrics, filled in while it is executed. */
export class ExecutionReport {
  /** Name of the operation in the document; null if it has none. */
  operationName: string | null = null
  /** Cost of the operation; 0 if it was refused before the cost was known. */
  points = 0
  /** How the answer was produced; null if there is none. */
  from: 'constant' | 'memory' | 'short' | 'long' | null = null
  /** Milliseconds from passing the statement to the database until its answer. */
  statementTime = 0
  statement: Statement | null = null
  /** Whether the answer depends only on stored data, not on the clock. */
  isTimeless = true
  /** The answer; null until there is one. */
  body: Uint8Array | null = null
  /** Whether nothing else refers to the body, so that it may be released. */
  isOwn = false

  /** Records and groups in the first-level lists of the answer, counted on demand; null if it is too long to count them. */
  get rows(): number | null {
    const { body } = this
    if (body === null) return 0
    return body.length > countedBytes ? null : countRows(body)
  }
}

export type AnswerReport = Readonly<ExecutionReport>

/** Bytes. Counting the rows of a longer answer would delay other requests. */
const countedBytes = 262_144

export interface QueryEngine {
  /**
   * Never throws: every failure is an answer with a code. Synchronous if nothing has to be read. Without limits, only
   * the absolute limits apply.
   */
  execute(request: GraphQLRequest, requestLimits?: RequestLimits): MaybePromise<GraphQLAnswer>
  /** Points of an operation. Throws the errors that `execute` returns, except that it costs too much. */
  price(request: GraphQLRequest): number
  /**
   * Opens the rows of one list or one aggregate as a file. Throws the errors that `execute` returns. Until the file of a
   * list is disposed of, it counts as a long statement of its caller.
   */
  openFile(
    request: GraphQLRequest,
    form: FileForm,
    requestLimits: RequestLimits,
    report: ExecutionReport,
  ): Promise<OpenedFile>
  /** What is known of that file before its rows are read. */
  describeFile(
    request: GraphQLRequest,
    requestLimits: RequestLimits,
    report: ExecutionReport,
  ): Promise<FileHead>
  /** The statement of an operation, and how the database would run it. Throws the errors that `execute` returns. */
  explain(request: GraphQLRequest): Promise<Explanation>
}

export interface FileHead {
  /** By the collection of the rows, without an ending. */
  readonly name: string
  readonly rows: number
  /** Records or groups without a limit. */
  readonly total: number
  readonly isTruncated: boolean
  /** Points. */
  readonly cost: number
}

export interface OpenedFile extends FileStream {
  readonly head: FileHead
  /** Aborted when the time is up or the caller has left. */
  readonly signal: AbortSignal
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

/** The request limits of the operator, who is not charged: only the absolute limits apply. */
export const unlimited: RequestLimits = {
  pageSize: 1_000,
  points: limits.points,
  charge: () => undefined,
  worked: () => undefined,
  startShort: endlessPermit,
  startLong: endlessPermit,
  refund: () => undefined,
}

function endlessPermit(): LongQueryPermit {
  return {
    signal: new AbortController().signal,
    caller: '',
    deadline: Number.POSITIVE_INFINITY,
    [Symbol.dispose]: () => undefined,
  }
}

/** Throws QUERY_TOO_COMPLEX if an operation costs more than its caller may spend on one. */
export function assertAffordable(points: number, allowed: number): void {
  if (points <= allowed) return
  throw new ServiceError(
    'QUERY_TOO_COMPLEX',
    `The operation costs ${points} points, and the limit is ${allowed}. Ask for smaller pages, above all of lists within lists, for fewer totals and groupings, or filter by fields with an index.`,
    { limit: allowed, actual: points },
  )
}

/** Null for an operation that is refused for another reason. */
export function priceOf(operation: GraphQLRequest, engine: Pick<QueryEngine, 'price'>): number | null {
  try {
    return engine.price(operation)
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}

const quote = 0x22
const backslash = 0x5c
const open = { brace: 0x7b, bracket: 0x5b } as const
const close = { brace: 0x7d, bracket: 0x5d } as const
/** Depth below `{"data":{"root":{"edges":[`. */
const elementDepth = 4

/** Objects in the arrays that are members of the root fields: edges, nodes, facets, groups. */
function countRows(body: Uint8Array): number {
  let depth = 0
  let rows = 0
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte === quote) at = endOfString(body, at)
    else if (byte === open.brace || byte === open.bracket) {
      if (byte === open.brace && depth === elementDepth) rows += 1
      depth += 1
    } else if (byte === close.brace || byte === close.bracket) depth -= 1
  }
  return rows
}

function endOfString(body: Uint8Array, start: number): number {
  let at = start + 1
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1
  return at
}
