/** The standalone HTTP server for agents, for a GraphQL service elsewhere: one path, with limits of its own. */
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { ServiceError } from '../../errors.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { addAgentRoutes, agentPath, answerAgentFailure } from './agent-routes.ts'
import { guardServer } from '../http/listening.ts'
import { answerUnreadable } from '../http/failures.ts'
import { networkOf } from '../admission/limits/address.ts'
import { ClientScheduler, scheduleRoutes } from '../admission/client-scheduler.ts'
import { anonymousId } from '../admission/authentication.ts'

export interface AgentAppOptions {
  readonly agent: AgentHttp
  /** The endpoint that tools query on behalf of a request. */
  readonly endpoint: (request: FastifyRequest) => Endpoint
  /** For our own faults. */
  readonly log: FastifyBaseLogger
}

/** Maximum connections of all addresses together, and of one. */
const connections = { all: 500, each: 100 }

export function createAgentApp({ agent, endpoint, log }: AgentAppOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 30_000,
    // A tool call may run this long without sending a byte.
    connectionTimeout: 120_000,
    http: { headersTimeout: 10_000, maxHeaderSize: 16_384, requireHostHeader: false },
    return503OnClosing: false,
    frameworkErrors: answerAgentFailure,
    clientErrorHandler: answerUnreadable,
  })
  guardServer(app, connections)
  app.setErrorHandler(answerAgentFailure)
  app.setNotFoundHandler(() => {
    throw new ServiceError('NOT_FOUND', `Nothing is served here. The agents' server is at ${agentPath}.`)
  })
  const scheduler = new ClientScheduler()
  scheduleRoutes(app, scheduler)
  // The queried service counts points.
  addAgentRoutes(app, agent, (request) => {
    const caller = anonymousId(networkOf(request.ip))
    return {
      endpoint: endpoint(request),
      turn: () => scheduler.wait(caller),
      pay: async () => undefined,
      spend: (time) => scheduler.spend(caller, time),
    }
  })
  return app
}
