/**
 * Queries of other routes go through the service's own GraphQL route on behalf of their callers, so that keys, limits,
 * logs and metrics of the endpoint apply and the database has no second way in.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import { readGraphQLAnswer } from '../../endpoint/graphql-answer.ts'
import { endpoint } from '../graphql/graphql-routes.ts'

/** The endpoint of the caller of a request. `app` has the GraphQL route. */
export type EndpointFor = (request: FastifyRequest) => Endpoint

export function addInProcessEndpoint(app: FastifyInstance): EndpointFor {
  /** The abort signal of an in-process query; undefined for requests from outside. */
  const waiting = new AsyncLocalStorage<AbortSignal | undefined>()
  app.addHook('onRequest', (_request, reply, done) => {
    hangUpWith(waiting.getStore(), reply)
    done()
  })
  return ({ ip, headers }) => {
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
}

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
