/** Reads an HTTP response as a GraphQL response. It sends nothing and must not know how the request was sent. */
import { isObject } from '../util/is-object.ts'
import { type EndpointAnswer, EndpointError, type EndpointFault } from './endpoint.ts'
type Json = Readonly<Record<string, unknown>>

/** A complete HTTP response. */
export interface RawAnswer {
  readonly status: number
  /** The value of `Content-Type`; null without one. */
  readonly type: string | null
  /** The value of `Retry-After`; null without one. */
  readonly retryAfter: string | null
  readonly body: string
}

/** Messages name the address. Throws EndpointError if the response is not from a GraphQL service. */
export function readGraphQLAnswer(raw: RawAnswer, address: string): EndpointAnswer {
  const response = parseObject(raw.body)
  const errors = Array.isArray(response?.['errors']) ? response['errors'] : []
  const data = asObject(response?.['data'])
  const seconds = parseSeconds(raw.retryAfter)
  if (data !== null || errors.length > 0) {
    const cost = asObject(response?.['extensions'])?.['cost']
    return {
      data,
      errors: errors.map((error) => asFault(error, seconds)),
      cost: typeof cost === 'number' ? cost : null,
    }
  }
  const fault = faultsOfStatus[raw.status]
  if (fault === undefined) throw new EndpointError(noGraphQL(raw, address))
  const [code, message] = fault
  return { data: null, errors: [{ message, code, retryAfter: seconds }], cost: null }
}

function asFault(error: unknown, seconds: number | null): EndpointFault {
  const { message, extensions } = asObject(error) ?? {}
  const { code, retryAfter } = asObject(extensions) ?? {}
  return {
    message: typeof message === 'string' ? message : 'The service names an error without saying which.',
    code: typeof code === 'string' ? code : null,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : seconds,
  }
}

/** Proxies and gateways in front of a service answer without GraphQL, although the address is right. */
const faultsOfStatus: Readonly<Record<number, readonly [code: string, message: string]>> = {
  401: ['UNAUTHENTICATED', 'The service refuses the caller (HTTP 401).'],
  403: ['UNAUTHENTICATED', 'The service refuses the caller (HTTP 403).'],
  429: ['RATE_LIMITED', 'The service has been asked too often.'],
  502: ['UNAVAILABLE', 'The service cannot answer now (HTTP 502).'],
  503: ['UNAVAILABLE', 'The service cannot answer now (HTTP 503).'],
  504: ['TIMEOUT', 'The service took too long to answer.'],
}

function noGraphQL({ status, type }: RawAnswer, address: string): string {
  const what = type === null ? `HTTP ${status}` : `HTTP ${status}, ${type.slice(0, 80)}`
  return `The server at ${address} is not a GraphQL service (${what}); name the address of GraphQL itself, such as https://news.example/api/graphql.`
}

/** Seconds; null for dates and unknown formats. */
function parseSeconds(header: string | null): number | null {
  return header !== null && /^\d{1,7}$/.test(header.trim()) ? Number(header) : null
}

function parseObject(text: string): Json | null {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}

function asObject(value: unknown): Json | null {
  return isObject(value) ? value : null
}
