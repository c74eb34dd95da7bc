/**
 * Lets callers in to other routes, and passes the operations of these to the engine on behalf of their callers. Each is
 * a request of its own: keys, limits, costs, logs and metrics of the GraphQL route apply, and the database has no second
 * way in.
 */
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { type Endpoint, type EndpointQuestion, readResponse } from '../../endpoint/endpoint.ts'
import { errorAnswer } from '../../query/execute/error-answer.ts'
import { type GraphQLAnswer, priceOf } from '../../query/execute/execute.ts'
import { untilAborted } from '../../util/async/promises.ts'
import { releaseBuffer } from '../../util/memory.ts'
import { assertNoKeyInAuthorization } from '../admission/authentication.ts'
import { timed } from '../admission/client-scheduler.ts'
import { networkOf } from '../admission/limits/address.ts'
import { rateLimited } from '../admission/limits/limiter.ts'
import { type CallerConnection, RequestContext } from '../admission/request-context.ts'
import { Tarpit } from '../admission/tarpit.ts'
import type { Caller } from '../admission/tiers.ts'
import { bytePoints, type GraphQLRouteOptions, headPoints } from '../graphql/graphql-routes.ts'
import { errorBody, statusOf, viewAsBuffer } from '../graphql/graphql-http.ts'
import { reportFailure } from '../http/failures.ts'

export type InProcessOptions = Omit<GraphQLRouteOptions, 'playground' | 'cacheSeconds'>

export function createInProcess(options: InProcessOptions) {
  const { authenticate, limiter, scheduler } = options
  const tarpit = new Tarpit()
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
  const spend = async (caller: Caller, points: number): Promise<void> => {
    const allowance = await limiter.spend(caller, points)
    if (allowance?.granted === false) throw rateLimited(caller, allowance, points)
  }
  const identify = async (request: FastifyRequest): Promise<Caller> => {
    assertNoKeyInAuthorization(request.headers.authorization)
    return authenticate(request.headers['x-api-key'], networkOf(request.ip))
  }
  const endpointFor = createEndpoint(options, tarpit)
  return {
    endpointFor,
    /** Charges nothing. */
    async admit(request: FastifyRequest) {
      const caller = await slowly(request, identify(request))
      return {
        caller,
        endpoint: endpointFor(request),
        turn: () => scheduler.wait(caller.id),
        /** Throws RATE_LIMITED when the caller lacks points for the request and that many bytes of a body. */
        pay: (bytes: number) => slowly(request, spend(caller, headPoints(request) + bytePoints(bytes))),
        spend(time: number): void {
          if (caller.tier.pointsPerMinute !== null) scheduler.spend(caller.id, time)
        },
      }
    },
  }
}

function createEndpoint(options: InProcessOptions, tarpit: Tarpit): (request: FastifyRequest) => Endpoint {
  const { engine, authenticate, scheduler } = options
  return (request) => ({
    price: (question) => priceOf(question, engine),
    async ask(question, signal) {
      signal.throwIfAborted()
      const context = new RequestContext(options)
      const executed = execute(request, context, question, signal)
      const answer = await untilAborted(executed, signal).catch((reason: unknown) => {
        context.end(request.id, 'gone', 0, 0)
        throw reason
      })
      if (answer.kind === 'errors') {
        const { code } = answer
        await tarpit.before(code, context.caller?.id ?? networkOf(request.ip), request.raw.socket)
        const errors = reportFailure(answer, { id: request.id, context }, request.log)
        const bytes = Buffer.byteLength(errorBody(errors))
        context.end(request.id, code, statusOf(code, 'application/json'), bytes)
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
  ): Promise<GraphQLAnswer> {
    try {
      const caller = await authenticate(headers['x-api-key'], networkOf(ip))
      context.caller = caller
      await scheduler.wait(caller.id)
      // As many as for the same question in a body.
      await context.spend(caller, 1 + bytePoints(Buffer.byteLength(JSON.stringify(question))))
      const limits = context.requestLimits(caller, connectionOf(signal))
      context.question = question
      const answer = await timed(() => engine.execute(question, limits), limits.worked)
      context.report = answer.report
      return answer
    } catch (error) {
      return errorAnswer(error)
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
