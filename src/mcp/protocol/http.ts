/**
 * The agents' server over HTTP, as a function from a request to a response: both revisions of the protocol, no
 * sessions, and refused to pages of other sites. It knows nothing of the framework that carries it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createMcpHandler,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { cutText } from '../words/budget.ts'
import type { Endpoint } from '../graphql/endpoint.ts'
import { mostMessageBytes } from './message.ts'
import { plainText } from '../words/plain-text.ts'
import { type AgentGiven, createAgentServers } from './server.ts'

export interface AgentHttpGiven extends Omit<AgentGiven, 'endpoint'> {
  /** Whether only names of this very machine may stand in `Host`. */
  readonly isLocal: boolean
}

export interface AgentHttp {
  /** Why a request with such headers is not answered, which is a 403; null when it is. */
  refusal(headers: Origin): string | null
  /** `message` is the body of the request, which has been read; tools ask `endpoint`. */
  answer(request: Request, message: unknown, endpoint: Endpoint): Promise<Response>
  close(): Promise<void>
}

/** Where a request comes from, as its headers say. */
export interface Origin {
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

/** Nothing here ever changes, so that there is nothing to be told of; a stream that is asked for ends at once. */
const mostSubscriptions = 16

export function createAgentHttp({ isLocal, ...given }: AgentHttpGiven): AgentHttp {
  // Who asks is known only with the request, and tools are made before, because that takes longer than a call.
  const asking = new AsyncLocalStorage<{ readonly endpoint: Endpoint; readonly left: AbortSignal }>()
  const endpoint: Endpoint = {
    ask(question, signal) {
      const own = asking.getStore()
      if (own === undefined) throw new Error('A tool asks outside of a request.')
      // In the older revision the SDK does not take a closed connection for the end of a call.
      return own.endpoint.ask(question, AbortSignal.any([signal, own.left]))
    },
  }
  const servers = createAgentServers({ ...given, endpoint })
  const handler = createMcpHandler(servers, {
    maxRequestBodySize: mostMessageBytes,
    maxSubscriptions: mostSubscriptions,
  })
  return {
    refusal: (headers) => refusalOf(headers, isLocal),
    answer: (request, parsedBody, endpoint) =>
      asking.run({ endpoint, left: request.signal }, () => handler.fetch(request, { parsedBody })),
    close: () => handler.close(),
  }
}

/**
 * Browsers let pages of any site send requests to a server in the reader's own network, by names that are bound anew
 * (DNS rebinding), but they always say whose page it is. Programs say nothing, and come from anywhere.
 */
function refusalOf({ host, origin }: Origin, isLocal: boolean): string | null {
  const named = isLocal ? validateHostHeader(host, hostnames) : ({ ok: true } as const)
  const sent = named.ok ? validateOriginHeader(origin, origins) : named
  return sent.ok ? null : cutText(plainText(sent.message), longestRefusal)
}

const hostnames = localhostAllowedHostnames()
const origins = localhostAllowedOrigins()
/** Characters: the message has what was sent in it. */
const longestRefusal = 120
