/**
 * The HTTP server as a whole: its routes and its own limits. What a route does is in its file.
 */
import { randomBytes } from 'node:crypto'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { GraphQLSchema } from 'graphql'
import type { IndexStatus } from '../../database/database.ts'
import { ServiceError } from '../../errors.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { addOwnAgent } from '../agents/in-process-client.ts'
import { askBeforeBodies, createBodyReader } from './body.ts'
import { closeGracefully } from './closing.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'
import { addPreflightRoute } from './cross-origin.ts'
import { answerFailure, answerUnreadable } from './failures.ts'
import { addGraphQLRoutes, endpoint, type GraphQLRouteOptions } from '../graphql/graphql-routes.ts'
import { rejectBadHeads } from './request-head-checks.ts'
import { assertNoKeyInUrl } from '../admission/keys-in-urls.ts'
import { agentPath } from '../agents/agent-routes.ts'
import { addHealthRoutes } from './health.ts'
import { ClientScheduler } from '../admission/client-scheduler.ts'
import { addSchemaRoute, schemaPath } from '../graphql/schema-route.ts'

export interface AppOptions extends GraphQLRouteOptions {
  readonly schema: GraphQLSchema
  /** How far the index has come; it fails when the database does not answer. */
  readonly readStatus: () => Promise<IndexStatus>
  /** For what goes wrong on our side. */
  readonly log: FastifyBaseLogger
  /** Whose `X-Forwarded-For` is believed; addresses, networks and names as the framework takes them. */
  readonly trustedProxies: readonly string[]
  readonly connections: ConnectionLimits
  /** Seconds that the longest request may take. */
  readonly longestRequest: number
  readonly maxBodyBytes?: number
  readonly timeout?: QueryDeadline
  /** Null where agents are not served. */
  readonly agent: AgentHttp | null
}

/** Milliseconds that callers have. */
export interface QueryDeadline {
  /** For the head of a request. */
  readonly head: number
  /** For all of it. */
  readonly request: number
  /** Between two requests. */
  readonly idle: number
  /** To take a large answer. */
  readonly reading: number
  /** How often slow ones are looked for. */
  readonly check: number
}

const defaultTimeout: QueryDeadline = {
  head: 10_000,
  request: 30_000,
  idle: 72_000,
  reading: 60_000,
  check: 2_000,
}
/** Bytes of a URL and all headers. */
const maxHeadBytes = 16_384

/** The server, not yet listening. Its `close()` waits for the requests in flight. */
export function createApp(options: AppOptions): FastifyInstance {
  const { trustedProxies, connections, longestRequest, timeout = defaultTimeout, agent } = options
  const app = fastify({
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: createIds(),
    requestTimeout: timeout.request,
    keepAliveTimeout: timeout.idle,
    // Silence on a connection: its request may be worked on all that time.
    connectionTimeout: longestRequest * 1000 + timeout.request,
    http: {
      headersTimeout: timeout.head,
      connectionsCheckingInterval: timeout.check,
      maxHeaderSize: maxHeadBytes,
      // Of this, and of more, headProblem tells in our words.
      requireHostHeader: false,
    },
    // A request that comes in the moment of closing is one more in flight.
    return503OnClosing: false,
    // What checks bodies by JSON Schema takes 130 modules, and no route has such a schema.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: answerFailure,
    clientErrorHandler: answerUnreadable,
  })
  // As an option it would be one more logger for each request, and listeners for lines that are not wanted.
  app.setChildLoggerFactory(() => options.log)
  app.decorateRequest('context', null)
  app.setErrorHandler(answerFailure)
  app.setNotFoundHandler(answerUnknown)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', createBodyReader(options.maxBodyBytes ?? 1_048_576))
  app.addHook('onRequest', rejectBadHeads)
  // Where requests are counted, they are looked at after that.
  const counted = agent === null ? [endpoint] : [endpoint, agentPath]
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (!counted.some((path) => url.startsWith(path))) assertNoKeyInUrl(url)
    done()
  })
  askBeforeBodies(app.server)
  closeGracefully(app)
  limitConnections(app.server, connections)
  const scheduler = new ClientScheduler()
  app.register(async (routes) => {
    addPreflightRoute(routes)
    addHealthRoutes(routes, options.readStatus)
    addGraphQLRoutes(routes, options, timeout.reading, scheduler)
    addSchemaRoute(routes, options.schema)
    if (agent !== null) addOwnAgent(routes, agent, options, scheduler)
    routes.get('/', (_request, reply) => reply.redirect(endpoint))
  })
  return app
}

function noSchemas(): never {
  throw new Error('No route has a schema.')
}

/** Unlike those of every other process. */
function createIds(): () => string {
  const process = randomBytes(6).toString('base64url')
  let requests = 0
  return () => {
    requests += 1
    return `${process}-${requests.toString(36)}`
  }
}

/** What each path takes, for the answers 405 and 404. */
const allowedMethods = new Map([
  [endpoint, 'GET, HEAD, POST, OPTIONS'],
  ['/', 'GET, HEAD, OPTIONS'],
  [schemaPath, 'GET, HEAD, OPTIONS'],
  ['/healthz', 'GET, HEAD, OPTIONS'],
  ['/readyz', 'GET, HEAD, OPTIONS'],
])

function answerUnknown(request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?', 1)[0] ?? ''
  const allowed = allowedMethods.get(path)
  if (allowed === undefined) {
    throw new ServiceError('NOT_FOUND', `Nothing is served here. GraphQL is at ${endpoint}.`)
  }
  reply.header('allow', allowed)
  throw new ServiceError('METHOD_NOT_ALLOWED', `The path ${path} takes ${allowed}, not ${request.method}.`)
}
