/**
 * The agents' server over HTTP, as a function from a request to a response: both revisions of the protocol, no
 * sessions, and refused to pages of other sites. It knows nothing of the framework that carries it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import type { Endpoint } from './endpoint.ts'
import { type AgentGiven, createAgentServers } from './server.ts'

export interface AgentHttpGiven extends Omit<AgentGiven, 'endpoint'> {
  /** Whether only names of this very machine may stand in `Host`. */
  readonly isLocal: boolean
}

export interface AgentHttp {
  /** `admit` gives what is asked in the name of whoever sent the request, or throws; it is called once that is no page. */
  answer(request: Request, admit: () => Endpoint | Promise<Endpoint>): Promise<Response>
  close(): Promise<void>
}

/** Bytes of a message. */
export const mostMessageBytes = 1_048_576
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
    async answer(request, admit) {
      const refusal = refuse(request, isLocal)
      if (refusal !== undefined) return refusal
      const own = { endpoint: await admit(), left: request.signal }
      return asking.run(own, () => handler.fetch(request))
    },
    close: () => handler.close(),
  }
}

/**
 * Browsers let pages of any site send requests to a server in the reader's own network, by names that are bound anew
 * (DNS rebinding), but they always say whose page it is. Programs say nothing, and come from anywhere.
 */
function refuse(request: Request, isLocal: boolean): Response | undefined {
  const host = isLocal ? hostHeaderValidationResponse(request, localhostAllowedHostnames()) : undefined
  return host ?? originValidationResponse(request, localhostAllowedOrigins())
}
