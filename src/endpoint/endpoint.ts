/** The interface of the GraphQL service that is asked, independent of its location, and how its responses are read. */
import { isObject, valueAt } from '../util/is-object.ts'

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
  /** Points of an operation, before it runs; null, or no such function, where that is not known. */
  readonly price?: (question: EndpointQuestion) => number | null
}

/** The service could not be queried, or refused to answer; the message says why, and what to do. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError'
  /** Of the service's first error; null if it named none. */
  readonly code: string | null

  constructor(message: string, { code = null, ...options }: ErrorOptions & { code?: string | null } = {}) {
    super(message, options)
    this.code = code
  }
}

/** `seconds`: how long to wait after errors that do not say it. */
export function readResponse(given: unknown, seconds: number | null = null): EndpointAnswer {
  const data = valueAt(given, ['data'])
  const errors = valueAt(given, ['errors'])
  const cost = valueAt(given, ['extensions', 'cost'])
  return {
    data: isObject(data) ? data : null,
    errors: Array.isArray(errors) ? errors.map((error) => asFault(error, seconds)) : [],
    cost: typeof cost === 'number' ? cost : null,
  }
}

function asFault(error: unknown, seconds: number | null): EndpointFault {
  const message = valueAt(error, ['message'])
  const code = valueAt(error, ['extensions', 'code'])
  const retryAfter = valueAt(error, ['extensions', 'retryAfter'])
  return {
    message: typeof message === 'string' ? message : 'The service names an error without saying which.',
    code: typeof code === 'string' ? code : null,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : seconds,
  }
}
