/** A GraphQL service on the network: one POST per query, with limits of time and size; and how its answers are read. */
import type { Endpoint, EndpointAnswer, EndpointQuestion } from '../../endpoint/endpoint.ts'
import { EndpointError, readResponse } from '../../endpoint/endpoint.ts'
import { gather } from '../../util/async/gather.ts'
import { parseJson } from '../../util/is-object.ts'
import { reasonOf } from '../../util/text/messages.ts'

export interface HttpEndpointGiven {
  /** The GraphQL endpoint, such as `https://news.example/api/graphql`. */
  readonly url: URL
  /** Sent as `X-API-Key`; null for anonymous access. */
  readonly apiKey: string | null
}

/** Milliseconds for one answer. */
const timeout = 60_000
/** The largest answer of this program's own service. */
const mostBytes = 8 * 1024 * 1024

export function createHttpEndpoint({ url, apiKey }: HttpEndpointGiven): Endpoint {
  // For messages, which must not contain a password from the URL.
  const address = `${url.origin}${url.pathname}`
  const headers = {
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json;q=0.9',
    ...(apiKey !== null && { 'x-api-key': apiKey }),
  }

  return { ask }

  async function ask(question: EndpointQuestion, signal: AbortSignal): Promise<EndpointAnswer> {
    const deadline = AbortSignal.timeout(timeout)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: JSON.stringify(question),
        // A redirect must not carry the API key to another server.
        redirect: 'manual',
        signal: AbortSignal.any([signal, deadline]),
      })
      if (response.status >= 300 && response.status < 400) throw redirected(response, address)
      return await readAnswer(response, address)
    } catch (cause) {
      signal.throwIfAborted()
      if (cause instanceof EndpointError) throw cause
      if (deadline.aborted)
        throw new EndpointError(
          `The service at ${address} has not answered within ${timeout / 1000} s; ask for less, or again later.`,
        )
      throw new EndpointError(
        `The service at ${address} cannot be reached (${reasonOf(cause)}); see whether it runs and whether the address is right.`,
        { cause },
      )
    }
  }
}

function redirected(response: Response, address: string): EndpointError {
  response.body?.cancel().catch(() => undefined)
  const target = response.headers.get('location')
  return new EndpointError(
    `The service at ${address} sends its callers elsewhere${target === null ? '' : `, to ${target.slice(0, 200)}`}; name the address that answers itself.`,
  )
}

/** Messages name the address. Throws an EndpointError if the response is not from a GraphQL service. */
async function readAnswer(response: Response, address: string): Promise<EndpointAnswer> {
  const body = await gather(response.body ?? [], mostBytes)
  if (body === null)
    throw new EndpointError(
      `The service at ${address} answers with more than ${mostBytes / 1024 / 1024} MiB; ask for less.`,
    )
  const seconds = parseSeconds(response.headers.get('retry-after'))
  const answer = readResponse(parseJson(new TextDecoder().decode(body)), seconds)
  if (answer.data !== null || answer.errors.length > 0) return answer
  const fault = faultsOfStatus[response.status]
  if (fault === undefined) throw new EndpointError(noGraphQL(response, address))
  const [code, message] = fault
  return { data: null, errors: [{ message, code, retryAfter: seconds }], cost: null }
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

function noGraphQL({ status, headers }: Response, address: string): string {
  const type = headers.get('content-type')
  const what = type === null ? `HTTP ${status}` : `HTTP ${status}, ${type.slice(0, 80)}`
  return `The server at ${address} is not a GraphQL service (${what}); name the address of GraphQL itself, such as https://news.example/api/graphql.`
}

/** Seconds; null for dates and unknown formats. */
function parseSeconds(header: string | null): number | null {
  return header !== null && /^\d{1,7}$/.test(header.trim()) ? Number(header) : null
}
