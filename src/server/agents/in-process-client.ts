/**
 * The agents' server inside a service. Its queries go through the service's own GraphQL route on behalf of the caller
 * of the tool, so that keys, limits, logs and metrics of the endpoint apply and the database has no second way in.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../mcp/graphql/endpoint.ts'
import { readGraphQLAnswer } from '../../mcp/graphql/graphql-answer.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { addAgentRoutes } from './agent-routes.ts'
import { assertNoKeyInAuthorization, type Authenticate } from '../admission/authentication.ts'
import type { Caller } from '../admission/tiers.ts'
import { bytePoints, endpoint, headPoints } from '../graphql/graphql-routes.ts'
import { networkOf } from '../admission/limits/address.ts'
import { type Limiter, rateLimited } from '../admission/limits/limiter.ts'
import type { ClientScheduler } from '../admission/client-scheduler.ts'
import { Tarpit } from '../admission/tarpit.ts'
import { ServiceError } from '../../errors.ts'

export interface OwnAgentOptions {
  readonly authenticate: Authenticate
  readonly limiter: Limiter
}

/** `scheduler` is shared with the GraphQL route, so that both count as one caller's work. */
export function addOwnAgent(
  app: FastifyInstance,
  agent: AgentHttp,
  { authenticate, limiter }: OwnAgentOptions,
  scheduler: ClientScheduler,
): void {
  const tarpit = new Tarpit()
  const waiting: Waiting = new AsyncLocalStorage()
  app.addHook('onRequest', (_request, reply, done) => {
    hangUpWith(waiting.getStore(), reply)
    done()
  })
  const spend = async (caller: Caller, points: number): Promise<void> => {
    const allowance = await limiter.spend(caller, points)
    if (allowance?.granted === false) throw rateLimited(caller, allowance, points)
  }
  /** Delays the error when the caller continues after refusals. */
  const slowly = async <Result>(request: FastifyRequest, work: Promise<Result>): Promise<Result> => {
    try {
      return await work
    } catch (error) {
      if (error instanceof ServiceError)
        await tarpit.before(error.code, networkOf(request.ip), request.raw.socket)
      throw error
    }
  }

  /** Charges every request, because one that reads nothing from the database uses CPU too. */
  const enter = async (request: FastifyRequest): Promise<Caller> => {
    assertNoKeyInAuthorization(request.headers.authorization)
    const caller = await authenticate(request.headers['x-api-key'], networkOf(request.ip))
    await spend(caller, headPoints(request))
    return caller
  }

  addAgentRoutes(app, agent, async (request) => {
    const caller = await slowly(request, enter(request))
    return {
      endpoint: createOwnEndpoint(app, waiting, request),
      async pay(bytes) {
        await scheduler.wait(caller.id)
        const points = bytePoints(bytes)
        if (points > 0) await slowly(request, spend(caller, points))
      },
      spend(time) {
        if (caller.tier.pointsPerMinute !== null) scheduler.spend(caller.id, time)
      },
    }
  })
}

/** The abort signal of an in-process query; undefined for requests from outside. */
type Waiting = AsyncLocalStorage<AbortSignal | undefined>

/**
 * An in-process request has no connection whose end would cancel it. The framework's own cancellation
 * stops working after the last byte of the body.
 */
function hangUpWith(signal: AbortSignal | undefined, { raw }: FastifyReply): void {
  if (signal === undefined) return
  const hangUp = (): void => void raw.destroy(signal.reason)
  signal.addEventListener('abort', hangUp)
  raw.once('close', () => signal.removeEventListener('abort', hangUp))
}

function createOwnEndpoint(
  app: FastifyInstance,
  waiting: Waiting,
  { ip, headers }: FastifyRequest,
): Endpoint {
  const key = headers['x-api-key']
  const request = {
    method: 'POST' as const,
    url: endpoint,
    // Already the caller behind trusted proxies; no X-Forwarded-For is sent.
    remoteAddress: ip,
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': String(key) }) },
  }
  return {
    async ask(question, signal) {
      signal.throwIfAborted()
      // `inject` starts when it is awaited, so the await must be inside `run`.
      const response = await waiting
        .run(signal, async () => await app.inject({ ...request, payload: JSON.stringify(question) }))
        .catch((error: unknown) => {
          signal.throwIfAborted()
          throw error
        })
      const { 'content-type': type, 'retry-after': retryAfter } = response.headers
      return readGraphQLAnswer(
        {
          status: response.statusCode,
          type: String(type ?? ''),
          retryAfter: retryAfter === undefined ? null : String(retryAfter),
          body: response.payload,
        },
        endpoint,
      )
    },
  }
}
