/** The interface of the GraphQL service that tools query, independent of its location. */

export interface EndpointQuestion {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** A GraphQL response, or the service's errors instead of one. */
export interface EndpointAnswer {
  /** Null if the request was rejected. */
  readonly data: Readonly<Record<string, unknown>> | null
  readonly errors: readonly EndpointFault[]
  /** Points, from `extensions.cost`; null without one. */
  readonly cost: number | null
}

export interface EndpointFault {
  readonly message: string
  /** `extensions.code`; null without one. */
  readonly code: string | null
  /** Seconds to wait before a retry; null if the service names none. */
  readonly retryAfter: number | null
}

export interface Endpoint {
  /** Returns the service's errors. Throws EndpointError if no GraphQL service answers, or the signal's reason. */
  ask(question: EndpointQuestion, signal: AbortSignal): Promise<EndpointAnswer>
}

/** The service could not be queried, or refused to answer; the message says why, and what to do. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  /** Of the service's first error; null if it named none. */
  readonly code: string | null
  /** Seconds to wait before a retry; null if the service named none. */
  readonly retryAfter: number | null

  constructor(
    message: string,
    options: {
      readonly cause?: unknown
      readonly code?: string | null
      readonly retryAfter?: number | null
    } = {},
  ) {
    super(message, options)
    this.code = options.code ?? null
    this.retryAfter = options.retryAfter ?? null
  }
}
