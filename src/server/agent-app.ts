/** The HTTP server of agents alone, beside a service that is somewhere else: one path, and its own limits. */
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { ServiceError } from '../errors.ts'
import { type AgentHttp, mostMessageBytes } from '../mcp/http.ts'
import { type Admit, addAgentRoutes, agentPath, answerAgentFailure } from './agent-routes.ts'
import { createBodyReader } from './body.ts'
import { closeGracefully } from './closing.ts'
import { limitConnections } from './connections.ts'
import { answerUnreadable } from './failures.ts'
import { refuseHeads } from './heads.ts'

export interface AgentAppOptions {
  readonly agent: AgentHttp
  readonly admit: Admit
  /** For what goes wrong on our side. */
  readonly log: FastifyBaseLogger
}

/** Of everybody, and of one address. */
const connections = { all: 500, each: 100 }

/** The server, not yet listening. */
export function createAgentApp({ agent, admit, log }: AgentAppOptions): FastifyInstance {
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
  app.decorateRequest('visit', null)
  app.setErrorHandler(answerAgentFailure)
  app.setNotFoundHandler(() => {
    throw new ServiceError('NOT_FOUND', `Nothing is served here. The agents' server is at ${agentPath}.`)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', createBodyReader(mostMessageBytes))
  app.addHook('onRequest', refuseHeads)
  closeGracefully(app)
  limitConnections(app.server, connections)
  addAgentRoutes(app, agent, admit)
  return app
}
