/** The HTTP server of agents alone, beside a service that is somewhere else: one path, and its own limits. */
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { ServiceError } from '../../errors.ts'
import type { Endpoint } from '../../mcp/graphql/endpoint.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { addAgentRoutes, agentPath, answerAgentFailure } from './agent-routes.ts'
import { askBeforeBodies } from '../http/body.ts'
import { closeGracefully } from '../http/closing.ts'
import { limitConnections } from '../http/connections.ts'
import { answerUnreadable } from '../http/failures.ts'
import { rejectBadHeads } from '../http/request-head-checks.ts'
import { networkOf } from '../admission/limits/address.ts'
import { ClientScheduler } from '../admission/client-scheduler.ts'

export interface AgentAppOptions {
  readonly agent: AgentHttp
  /** What the tools ask in the name of whoever sent a request. */
  readonly endpoint: (request: FastifyRequest) => Endpoint
  /** For what goes wrong on our side. */
  readonly log: FastifyBaseLogger
}

/** Of everybody, and of one address. */
const connections = { all: 500, each: 100 }

/** The server, not yet listening. */
export function createAgentApp({ agent, endpoint, log }: AgentAppOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: 30_000,
    // A call of a tool may be worked on so long without a byte.
    connectionTimeout: 120_000,
    http: { headersTimeout: 10_000, maxHeaderSize: 16_384, requireHostHeader: false },
    return503OnClosing: false,
    frameworkErrors: answerAgentFailure,
    clientErrorHandler: answerUnreadable,
  })
  app.decorateRequest('context', null)
  app.setErrorHandler(answerAgentFailure)
  app.removeAllContentTypeParsers()
  app.setNotFoundHandler(() => {
    throw new ServiceError('NOT_FOUND', `Nothing is served here. The agents' server is at ${agentPath}.`)
  })
  app.addHook('onRequest', rejectBadHeads)
  askBeforeBodies(app.server)
  closeGracefully(app)
  limitConnections(app.server, connections)
  // Points are counted by the service that is asked.
  const scheduler = new ClientScheduler()
  addAgentRoutes(app, agent, (request) => {
    const caller = networkOf(request.ip)
    return {
      endpoint: endpoint(request),
      pay: async () => scheduler.wait(caller),
      spend: (time) => scheduler.spend(caller, time),
    }
  })
  return app
}
