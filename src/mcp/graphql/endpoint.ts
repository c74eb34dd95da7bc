/** The GraphQL service that tools ask, wherever it is: what a question is and what comes back. */

/** What is asked. */
export interface EndpointQuestion {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** A response of GraphQL, or what the service said instead of one. */
export interface EndpointAnswer {
  /** Null where the request was refused. */
  readonly data: Readonly<Record<string, unknown>> | null
  readonly errors: readonly EndpointFault[]
  /** Points, as `extensions.cost` says; null where it does not. */
  readonly cost: number | null
}

export interface EndpointFault {
  readonly message: string
  /** `extensions.code`; null where there is none. */
  readonly code: string | null
  /** Seconds; null where it makes no sense to ask again. */
  readonly retryAfter: number | null
}

export interface Endpoint {
  /** Never throws for what the service says; throws EndpointError where it cannot be asked at all, or the signal's reason. */
  ask(question: EndpointQuestion, signal: AbortSignal): Promise<EndpointAnswer>
}

/** The service could not be asked, or refused to answer; the message says why, and what to do. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
}
