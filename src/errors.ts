/**
 * The failures that a caller may see, in one table: code, HTTP status and meaning.
 * Any error other than a `ServiceError` is a bug: the caller gets INTERNAL, the operator's log the cause.
 */
export const errorCodes = {
  GRAPHQL_PARSE_FAILED: { status: 400, meaning: 'The document does not parse.' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, meaning: 'The document does not fit the schema.' },
  BAD_USER_INPUT: { status: 400, meaning: 'A variable or an argument is out of range.' },
  INVALID_CURSOR: { status: 400, meaning: 'A cursor is damaged or belongs to another list.' },
  QUERY_TOO_COMPLEX: { status: 400, meaning: 'The operation is over a limit of size or depth.' },
  BAD_REQUEST: { status: 400, meaning: 'The HTTP request is malformed.' },
  PERSISTED_QUERY_NOT_SUPPORTED: {
    status: 200,
    meaning: 'A hash was sent instead of a document; send the document.',
  },
  NOT_FOUND: { status: 404, meaning: 'Nothing is served under this path.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path does not take this HTTP method.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive in time; send it again.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body, or the URL with its headers, is too large.' },
  UNAUTHENTICATED: { status: 401, meaning: 'The API key is unknown, revoked or expired.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body has a media type, charset or encoding that is not read.',
  },
  RATE_LIMITED: { status: 429, meaning: 'The caller has used up what its tier allows for now.' },
  UNAVAILABLE: {
    status: 503,
    meaning:
      'The database cannot be reached, or others keep the service too busy to answer in time; try again later.',
  },
  TIMEOUT: { status: 504, meaning: 'The operation took longer than it may.' },
  INTERNAL: { status: 500, meaning: 'A fault of the service.' },
} as const satisfies Record<string, { status: number; meaning: string }>

export type ErrorCode = keyof typeof errorCodes

type ErrorDetails = Readonly<Record<string, unknown>> & { readonly retryAfter?: number }

/** A failure that the caller can understand and correct; the message is one or two sentences for the caller. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly code: ErrorCode
  /** Further members of GraphQL `extensions`: `limit` and `actual`, or `retryAfter` in seconds. */
  readonly details: ErrorDetails

  /** `options.cause` goes to the operator's log only; callers never see it. */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.details = details
  }
}

/**
 * An operand or a setting of the command line is missing, superfluous, malformed or not applicable.
 * The message is one or two sentences for the operator; the command exits with status 2.
 */
export class UsageError extends Error {
  override name = 'UsageError'
}
