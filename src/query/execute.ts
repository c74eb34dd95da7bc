/** What a caller of GraphQL sends and gets, whatever the transport; engine.ts answers. */
import type { GraphQLFormattedError } from 'graphql'
import type { ErrorCode } from '../errors.ts'

export interface GraphQLRequest {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>> | null
  readonly operationName?: string | null
}

/** `data`: the whole response, `{"data":…}` as UTF-8. `errors`: a request error, so there is no `data`. */
export type GraphQLAnswer =
  | { readonly kind: 'data'; readonly body: Uint8Array }
  | {
      readonly kind: 'errors'
      readonly code: ErrorCode
      readonly errors: readonly GraphQLFormattedError[]
      /** For the operator's log, when the fault is ours. */
      readonly cause?: unknown
    }

export interface QueryEngine {
  /** Never throws: every failure is an answer with a code. */
  execute(request: GraphQLRequest): Promise<GraphQLAnswer>
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
}
