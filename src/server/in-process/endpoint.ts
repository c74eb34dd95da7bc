/**
 * Passes the operations of other routes to the engine on behalf of their callers. Each is a request of its own: keys,
 * limits, costs, logs and metrics of the GraphQL route apply, and the database has no second way in.
 */
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { type Endpoint, type EndpointQuestion, readResponse } from '../../endpoint/endpoint.ts'
import type { GraphQLAnswer } from '../../query/execute/execute.ts'
import { untilAborted } from '../../util/async/promises.ts'
import { releaseBuffer } from '../../util/memory.ts'
import type { ClientScheduler } from '../admission/client-scheduler.ts'
import { networkOf } from '../admission/limits/address.ts'
import { type CallerConnection, RequestContext } from '../admission/request-context.ts'
import { Tarpit } from '../admission/tarpit.ts'
import { bytePoints, type GraphQLRouteOptions } from '../graphql/graphql-routes.ts'
import { errorBody, formatError, statusOf, viewAsBuffer } from '../graphql/graphql-http.ts'
import { reportFailure } from '../http/failures.ts'

export type InProcessOptions = Pick<GraphQLRouteOptions, 'engine' | 'authenticate' | 'limiter' | 'observer'>

/** The endpoint of the caller of a request. */
export type EndpointFor = (request: FastifyRequest) => Endpoint

/** `scheduler` is shared by all routes. */
export function createInProcessEndpoint(
  { engine, authenticate, limiter, observer }: InProcessOptions,
  scheduler: ClientScheduler,
): EndpointFor {
  const tarpit = new Tarpit()
  return (request) => ({
    async ask(question, signal) {
      signal.throwIfAborted()
      const context = new RequestContext(observer)
      const executed = execute(request, context, question, signal)
      const answer = await untilAborted(executed, signal).catch((reason: unknown) => {
        context.end(request.id, 'gone', 0, 0)
        throw reason
      })
      if (answer.kind === 'errors') {
        const { code } = answer
        await tarpit.before(code, context.caller?.id ?? networkOf(request.ip), request.raw.socket)
        const errors = reportFailure(answer, { id: request.id, context }, request.log)
        context.end(
          request.id,
          code,
          statusOf(code, 'application/json'),
          Buffer.byteLength(errorBody(errors)),
        )
        return readResponse({ errors })
      }
      const bytes = viewAsBuffer(answer.body)
      context.end(request.id, 'ok', 200, bytes.length)
      const response = readResponse(JSON.parse(bytes.toString('utf8')))
      if (answer.isOwn) releaseBuffer(bytes)
      return response
    },
  })

  async function execute(
    { headers, ip }: FastifyRequest,
    context: RequestContext,
    question: EndpointQuestion,
    signal: AbortSignal,
  ): Promise<GraphQLAnswer | Omit<Extract<GraphQLAnswer, { kind: 'errors' }>, 'report'>> {
    try {
      const caller = await authenticate(headers['x-api-key'], networkOf(ip))
      context.caller = caller
      await scheduler.wait(caller.id)
      // As many as for the same question in a body.
      await context.spend(limiter, caller, 1 + bytePoints(Buffer.byteLength(JSON.stringify(question))))
      const limits = context.requestLimits(limiter, scheduler, caller, connectionOf(signal))
      context.question = question
      const answer = await context.timed(limits, () => engine.execute(question, limits))
      context.report = answer.report
      return answer
    } catch (error) {
      if (!(error instanceof ServiceError))
        return { kind: 'errors', code: 'INTERNAL', errors: [], cause: error }
      return { kind: 'errors', code: error.code, errors: [formatError(error)] }
    }
  }
}

/** The end of the signal is that of the connection. */
function connectionOf(signal: AbortSignal): CallerConnection {
  return {
    raw: {
      get destroyed() {
        return signal.aborted
      },
      once: (_, end) => signal.addEventListener('abort', end, { once: true }),
      off: (_, end) => signal.removeEventListener('abort', end),
    },
  }
}
