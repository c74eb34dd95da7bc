/** Assembles the HTTP server: its routes and its own limits. Each route's behaviour is in its own file. */
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
import { andThen } from '../../util/async/promises.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { createBodyReader, prefersHtml } from './requests.ts'
import { guardServer } from './listening.ts'
import type { ConnectionLimits } from './connections.ts'
import { addPreflightRoute, crossOriginHeaders } from './cross-origin.ts'
import { answerFailure, answerUnreadable } from './failures.ts'
import type { GraphQLRouteOptions } from '../graphql/graphql-routes.ts'
import { addGraphQLRoutes, endpoint } from '../graphql/graphql-routes.ts'
import { createInProcess } from '../in-process/endpoint.ts'
import { assertNoKeyInUrl } from '../admission/authentication.ts'
import { addAgentRoutes, agentPath } from '../agents/agent-routes.ts'
import { addHealthRoutes } from './health.ts'
import { addCollectionFiles, exportPath } from '../files/collection-file.ts'
import { anonymousTurn, ClientScheduler, scheduleRoutes } from '../admission/client-scheduler.ts'
import { schemaText } from '../../schema/schema-text.ts'
import { createTextAsset, sendAsset } from './asset.ts'
import type { AnswerPage, ExplorerRoutes } from '../explorer/explorer-routes.ts'
import { addExplorerRoutes, crawlerPaths, pagePaths } from '../explorer/explorer-routes.ts'

export interface AppOptions extends Omit<GraphQLRouteOptions, 'scheduler'> {
  readonly schema: GraphQLSchema
  /** Reads the state of the index; fails when the database does not answer. */
  readonly readStatus: () => Promise<IndexStatus>
  /** For our own faults. */
  readonly log: FastifyBaseLogger
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, networks and names in the framework's form. */
  readonly trustedProxies: readonly string[]
  readonly connections: ConnectionLimits
  /** Maximum duration of a request, in seconds. */
  readonly longestRequest: number
  readonly timeout?: QueryDeadline
  /** Null where the agents' server is disabled. */
  readonly agent: AgentHttp | null
  /** Null where the explorer is disabled. */
  readonly explorer: ExplorerRoutes | null
}

/** Timeouts of callers, in milliseconds. */
export interface QueryDeadline {
  /** To send the head of a request. */
  readonly head: number
  /** To send the whole request. */
  readonly request: number
  /** Between two requests. */
  readonly idle: number
  /** To read a large answer. */
  readonly reading: number
  /** To take the next piece of a file; 30,000 by default. */
  readonly stall?: number
  /** Interval of the checks for slow requests. */
  readonly check: number
}

const defaultTimeout: QueryDeadline = {
  head: 10_000,
  request: 30_000,
  idle: 72_000,
  reading: 60_000,
  check: 2_000,
}
/** Maximum bytes of the URL and all headers together. */
const maxHeadBytes = 16_384
const maxBodyBytes = 1_048_576

/** Creates the server, not yet listening. Its `close()` waits for the requests in flight. */
export function createApp(options: AppOptions): FastifyInstance {
  const { trustedProxies, connections, longestRequest, timeout = defaultTimeout, agent, explorer } = options
  const scheduler = new ClientScheduler()
  const app = fastify({
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: createIds(),
    requestTimeout: timeout.request,
    keepAliveTimeout: timeout.idle,
    // The connection is silent for as long as its request is executed.
    connectionTimeout: longestRequest * 1000 + timeout.request,
    http: {
      headersTimeout: timeout.head,
      connectionsCheckingInterval: timeout.check,
      maxHeaderSize: maxHeadBytes,
      // headProblem checks this and more, with our own error messages.
      requireHostHeader: false,
    },
    // A request that arrives during closing is still answered.
    return503OnClosing: false,
    // The JSON Schema validator of the framework loads 130 modules, and no route has such a schema.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    frameworkErrors: (error, request, reply) =>
      void andThen(anonymousTurn(scheduler, request), () => answerFailure(error, request, reply)),
    clientErrorHandler: answerUnreadable,
  })
  // The option `loggerInstance` would create a logger per request, and listeners for lines that are not wanted.
  app.setChildLoggerFactory(() => options.log)
  guardServer(app, connections)
  app.setErrorHandler(answerFailure)
  let answerPage: AnswerPage | null = null
  const pages = explorer === null ? [] : pagePaths
  const crawled = explorer === null ? [] : crawlerPaths
  app.setNotFoundHandler(unknownAnswer([exportPath, ...pages, ...crawled], () => answerPage))
  app.addContentTypeParser('application/json', createBodyReader(maxBodyBytes))
  // Routes that count requests check their URLs after counting.
  const counted = [endpoint, exportPath, ...(agent === null ? [] : [agentPath]), ...pages]
  app.addHook('onRequest', ({ url }, _reply, done) => {
    if (!counted.some((path) => url.startsWith(path))) assertNoKeyInUrl(url)
    done()
  })
  scheduleRoutes(app, scheduler)
  app.register(async (routes) => {
    addPreflightRoute(routes)
    addHealthRoutes(routes, options.readStatus)
    const given = { ...options, scheduler }
    const answer = addGraphQLRoutes(routes, given, timeout)
    addCollectionFiles(routes, options.schema, answer)
    addSchemaRoute(routes, options.schema)
    if (agent !== null) addAgentRoutes(routes, agent, createInProcess(given).admit)
    if (explorer === null) routes.get('/', (_request, reply) => reply.redirect(endpoint))
    else answerPage = addExplorerRoutes(routes, explorer, given)
  })
  return app
}

function noSchemas(): never {
  throw new Error('No route has a schema.')
}

export const schemaPath = '/schema.graphql'

/** The schema as text, for code generators; printed and compressed once: requests cost no points. */
export function addSchemaRoute(app: FastifyInstance, schema: GraphQLSchema): void {
  const asset = createTextAsset('text/plain; charset=utf-8')
  const headers = { ...crossOriginHeaders, 'cache-control': 'public, no-cache', vary: 'accept-encoding' }
  app.get(schemaPath, (request, reply) => sendAsset(asset(schemaText(schema).text), headers, request, reply))
}

/** Request ids that are unique across processes. */
function createIds(): () => string {
  const process = randomBytes(6).toString('base64url')
  let requests = 0
  return () => {
    requests += 1
    return `${process}-${requests.toString(36)}`
  }
}

/** Paths that are only read, for the answers 405 and 404. */
const readPaths: readonly string[] = ['/', schemaPath, '/healthz', '/readyz']

/** `read`: the beginnings of paths that are only read. Browsers get a page, where there are pages. */
function unknownAnswer(read: readonly string[], pages: () => AnswerPage | null) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.url.split('?', 1)[0] ?? ''
    const isRead = readPaths.includes(path) || read.some((each) => path.startsWith(each))
    if (!isRead && path !== endpoint)
      throw new ServiceError('NOT_FOUND', `Nothing is served here. GraphQL is at ${endpoint}.`)
    const allowed = isRead ? 'GET, HEAD, OPTIONS' : 'GET, HEAD, POST, OPTIONS'
    reply.header('allow', allowed)
    const message = `The path ${path} takes ${allowed}, not ${request.method}.`
    const isPage = path === '/' || pagePaths.some((each) => path.startsWith(each))
    const answerPage = isPage && prefersHtml(request.headers.accept) ? pages() : null
    if (answerPage === null) throw new ServiceError('METHOD_NOT_ALLOWED', message)
    return answerPage(request, reply, { code: 'METHOD_NOT_ALLOWED', message, retryAfter: null })
  }
}
