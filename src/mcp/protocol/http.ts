/**
 * The agents' server over HTTP, as a function from request to response: both revisions of the protocol, no sessions,
 * no access for pages of other sites. It must not know the HTTP framework.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingHttpHeaders } from 'node:http'
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
} from '@modelcontextprotocol/server'
import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { ServiceError } from '../../errors.ts'
import { mostMessageBytes, refuseRequest } from './message.ts'
import { cutPlain } from '../words/plain-text.ts'
import { type AgentGiven, createAgentServers, refuseUnserved, serverInfo } from './server.ts'

export interface AgentHttpGiven extends Omit<AgentGiven, 'endpoint'> {
  /** True if `Host` may contain only names of the local machine. */
  readonly isLocal: boolean
}

export type AgentHttp = ReturnType<typeof createAgentHttp>

type Origin = Pick<IncomingHttpHeaders, 'host' | 'origin'>

/** Tools never change, so that there are no notifications; a requested stream ends at once. */
const mostSubscriptions = 16

export function createAgentHttp({ isLocal, ...given }: AgentHttpGiven) {
  // The caller is known only per request; tools are created before, because creating them takes longer than a call.
  const asking = new AsyncLocalStorage<{ readonly endpoint: Endpoint; readonly left: AbortSignal }>()
  const endpoint: Endpoint = {
    price: (question) => asking.getStore()?.endpoint.price?.(question) ?? null,
    ask(question, signal) {
      const own = asking.getStore()
      if (own === undefined) throw new Error('A tool asks outside of a request.')
      // In the older revision of the protocol, the SDK does not cancel a call when its connection closes.
      return own.endpoint.ask(question, AbortSignal.any([signal, own.left]))
    },
  }
  const servers = createAgentServers({ ...given, endpoint })
  const handler = createMcpHandler(servers, {
    maxRequestBodySize: mostMessageBytes,
    maxSubscriptions: mostSubscriptions,
  })
  return {
    /** The reason for a 403; null if requests with these headers are answered. */
    refusal: (headers: Origin) => refusalOf(headers, isLocal),
    refuse: (message: unknown, failure: ServiceError) => refuseRequest(message, failure, serverInfo(given)),
    /** `parsedBody`: of `request`; tools send their queries to `endpoint`. */
    async answer(request: Request, parsedBody: unknown, endpoint: Endpoint): Promise<Response> {
      const refused = refuseUnserved(parsedBody, request.headers.get('mcp-protocol-version'))
      if (refused !== null) {
        const { text, status } = refused
        return new Response(text, { status, headers: { 'content-type': 'application/json' } })
      }
      return asking.run({ endpoint, left: request.signal }, () => handler.fetch(request, { parsedBody }))
    },
    close: () => handler.close(),
  }
}

/**
 * Rejects pages of other sites: through DNS rebinding, browsers let any page send requests to a server in the user's
 * network, but they always name the page's site. Other programs send no `Origin` and may come from anywhere.
 */
function refusalOf({ host, origin }: Origin, isLocal: boolean): string | null {
  const named = isLocal ? validateHostHeader(host, localhostAllowedHostnames()) : ({ ok: true } as const)
  const sent = named.ok ? validateOriginHeader(origin, localhostAllowedOrigins()) : named
  // The message quotes the caller's headers.
  return sent.ok ? null : cutPlain(sent.message, 120)
}
