/** Reads an HTTP response as a GraphQL response. It sends nothing and must not know how the request was sent. */
import { isObject } from '../../util/is-object.ts'
import { type EndpointAnswer, EndpointError, type EndpointFault } from './endpoint.ts'
import type { Json } from '../tools/tool.ts'

/** A complete HTTP response. */
export interface RawAnswer {
  readonly status: number
  /** The value of `Content-Type`; null without one. */
  readonly type: string | null
  /** The value of `Retry-After`; null without one. */
  readonly retryAfter: string | null
  readonly body: string
}

/** `place` is the address for messages. Throws EndpointError if the response is not from a GraphQL service. */
export function readGraphQLAnswer(raw: RawAnswer, place: string): EndpointAnswer {
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
  const fault = faultOfStatus(raw.status, seconds)
  if (fault === null) throw new EndpointError(noGraphQL(raw, place))
  return { data: null, errors: [fault], cost: null }
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
function faultOfStatus(status: number, retryAfter: number | null): EndpointFault | null {
  switch (status) {
    case 401:
    case 403:
      return {
        message: `The service refuses the caller (HTTP ${status}).`,
        code: 'UNAUTHENTICATED',
        retryAfter,
      }
    case 429:
      return { message: 'The service has been asked too often.', code: 'RATE_LIMITED', retryAfter }
    case 502:
    case 503:
      return { message: `The service cannot answer now (HTTP ${status}).`, code: 'UNAVAILABLE', retryAfter }
    case 504:
      return { message: 'The service took too long to answer.', code: 'TIMEOUT', retryAfter }
    default:
      return null
  }
}

function noGraphQL({ status, type }: RawAnswer, place: string): string {
  const what = type === null ? `HTTP ${status}` : `HTTP ${status}, ${type.slice(0, 80)}`
  return `What answers at ${place} is no GraphQL service (${what}); name the address of GraphQL itself, such as https://news.example/api/graphql.`
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
