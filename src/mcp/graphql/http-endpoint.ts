/** A GraphQL service on the network: one POST per query, with limits of time and size. */
import type { Endpoint, EndpointAnswer, EndpointQuestion } from '../../endpoint/endpoint.ts'
import { EndpointError, readGraphQLAnswer } from '../../endpoint/endpoint.ts'
import { reasonOf } from '../../util/text/messages.ts'

export interface HttpEndpointGiven {
  /** The GraphQL endpoint, such as `https://news.example/api/graphql`. */
  readonly url: URL
  /** Sent as `X-API-Key`; null for anonymous access. */
  readonly apiKey: string | null
  /** Milliseconds for one answer. */
  readonly timeout?: number
}

const defaultTimeout = 60_000
/** The largest answer of this program's own service. */
const mostBytes = 8 * 1024 * 1024

export function createHttpEndpoint({ url, apiKey, timeout = defaultTimeout }: HttpEndpointGiven): Endpoint {
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
      const body = await readText(response, address)
      const { status, headers: received } = response
      const type = received.get('content-type')
      return readGraphQLAnswer({ status, type, retryAfter: received.get('retry-after'), body }, address)
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

async function readText(response: Response, address: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > mostBytes)
      throw new EndpointError(
        `The service at ${address} answers with more than ${mostBytes / 1024 / 1024} MiB; ask for less.`,
      )
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}
