/**
 * The path of the agents' server: from the framework's requests to its own and back. Refusals are JSON-RPC here, as
 * its clients read them. Who may ask, and what is asked then, is given.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, errorCodes } from '../errors.ts'
import type { Endpoint } from '../mcp/endpoint.ts'
import type { AgentHttp } from '../mcp/http.ts'
import { translate } from './failures.ts'

export const agentPath = '/mcp'

/** Who sent it is known by then to be no page of another site. Throws a ServiceError for those who may not ask. */
export type Admit = (request: FastifyRequest) => Endpoint | Promise<Endpoint>

/** Takes every method: which of them there are is the protocol's affair, and it answers the others with 405. */
export function addAgentRoutes(app: FastifyInstance, agent: AgentHttp, admit: Admit): void {
  // Not before those in flight are answered.
  app.addHook('onClose', () => agent.close())
  app.all(agentPath, { errorHandler: answerAgentFailure }, async (request, reply) => {
    // Of which there can be no request of the web's kind.
    if (request.method === 'TRACE') {
      reply.header('allow', 'POST')
      throw new ServiceError('METHOD_NOT_ALLOWED', `The path ${agentPath} takes POST, not TRACE.`)
    }
    if (isBatch(request.body))
      throw new ServiceError('BAD_REQUEST', 'Batches are not taken: send each message by itself.')
    const leaving = new AbortController()
    reply.raw.once('close', () => leaving.abort(new ServiceError('UNAVAILABLE', 'The caller has hung up.')))
    const response = await agent.answer(asWebRequest(request, leaving.signal), () => admit(request))
    return setAgentHeaders(reply).send(response)
  })
}

/** Neither revision has them any more, and a hundred messages would cost as much as one. */
function isBatch(body: unknown): boolean {
  return body instanceof Uint8Array && /^\s*\[/.test(Buffer.from(body.subarray(0, 1_000)).toString('latin1'))
}

/** No other site's page may read anything here, so that there are no headers for them. */
function setAgentHeaders(reply: FastifyReply): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').header('x-request-id', reply.request.id)
}

function asWebRequest({ method, headers: given, body, url }: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  // The host of the address means nothing: what is looked at is the header.
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers,
    signal,
    ...(body instanceof Uint8Array &&
      method !== 'GET' &&
      method !== 'HEAD' && { body: new Uint8Array(body) }),
  })
}

export function answerAgentFailure(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const failure = error instanceof ServiceError ? error : translate(error)
  if (failure === undefined)
    request.log.error({ requestId: request.id, err: error }, 'A message of an agent failed by our fault.')
  const message =
    failure?.message ?? `The service failed to answer. When you report it, name the request ${request.id}.`
  const retryAfter = failure?.details['retryAfter']
  if (typeof retryAfter === 'number') reply.header('retry-after', retryAfter)
  const status = failure === undefined ? 500 : errorCodes[failure.code].status
  if (status === 401) reply.header('www-authenticate', 'ApiKey header="X-API-Key"')
  setAgentHeaders(reply)
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }))
}
