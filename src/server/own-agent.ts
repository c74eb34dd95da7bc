/**
 * The agents' server of a service itself. Its questions go through the service's own GraphQL route, in the name of
 * whoever called the tool, so that keys, limits, logs and metrics are those of the endpoint and there is no second way
 * to the database.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Endpoint } from '../mcp/endpoint.ts'
import { readGraphQLAnswer } from '../mcp/graphql-answer.ts'
import type { AgentHttp } from '../mcp/http.ts'
import { addAgentRoutes } from './agent-routes.ts'
import { assertNoKeyInAuthorization, assertNoKeyInUrl } from './authentication.ts'
import type { Authenticate } from './caller.ts'
import { parseQueryString } from './graphql-http.ts'
import { endpoint } from './graphql-routes.ts'
import { networkOf } from './limits/address.ts'
import { rateLimited } from './limits/headers.ts'
import type { Limiter } from './limits/limiter.ts'
import { Slowdown } from './slowdown.ts'
import { ServiceError } from '../errors.ts'

export interface OwnAgentOptions {
  readonly authenticate: Authenticate
  readonly limiter: Limiter
}

export function addOwnAgent(app: FastifyInstance, agent: AgentHttp, options: OwnAgentOptions): void {
  const slowdown = new Slowdown()
  addAgentRoutes(app, agent, async (request) => {
    try {
      await enter(request, options)
    } catch (error) {
      if (error instanceof ServiceError)
        await slowdown.before(error.code, networkOf(request.ip), request.raw.socket)
      throw error
    }
    return createOwnEndpoint(app, request)
  })
}

/** A message costs a point, whatever it is: many ask nothing of the database, and are work all the same. */
async function enter(request: FastifyRequest, { authenticate, limiter }: OwnAgentOptions): Promise<void> {
  assertNoKeyInAuthorization(request.headers.authorization)
  assertNoKeyInUrl(parseQueryString(request.url))
  const caller = await authenticate(request.headers['x-api-key'], networkOf(request.ip))
  const allowance = await limiter.spend(caller, 1)
  if (allowance?.granted === false) throw rateLimited(caller, allowance, 1)
}

function createOwnEndpoint(app: FastifyInstance, { ip, headers }: FastifyRequest): Endpoint {
  const key = headers['x-api-key']
  return {
    async ask(question, signal) {
      signal.throwIfAborted()
      const response = await app
        .inject({
          method: 'POST',
          url: endpoint,
          // Who stands behind trusted proxies is known already, and sends no X-Forwarded-For here.
          remoteAddress: ip,
          headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
          payload: JSON.stringify(question),
          signal,
        })
        .catch((error: unknown) => {
          signal.throwIfAborted()
          throw error
        })
      return readGraphQLAnswer(
        {
          status: response.statusCode,
          type: String(response.headers['content-type'] ?? ''),
          retryAfter:
            response.headers['retry-after'] === undefined ? null : String(response.headers['retry-after']),
          body: response.payload,
        },
        endpoint,
      )
    },
  }
}
