/** Sends the refusals of the agents' server. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, errorCodes } from '../../errors.ts'
import { errorText, MessageError, refusedError, rpcCodes } from '../../mcp/protocol/refusals.ts'
import { translate } from '../http/failures.ts'

/** Sends a refusal with the id of its request; `text` is its JSON, `failure` the reason. */
export function refuseMessage(reply: FastifyReply, text: string, failure: ServiceError): FastifyReply {
  setRetryAfter(reply, failure)
  return setAgentHeaders(reply)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json')
    .send(text)
}

/** Without CORS headers, so that no page of another site can read an answer. */
export function setAgentHeaders(reply: FastifyReply): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').header('x-request-id', reply.request.id)
}

/** Answers a request whose message is unknown, so that the answer has no id. */
export function answerAgentFailure(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof MessageError) return send(reply, 400, error)
  const failure = error instanceof ServiceError ? error : translate(error)
  if (failure === undefined) {
    request.log.error({ requestId: request.id, err: error }, 'A message of an agent failed by our fault.')
    const message = `The service failed to answer. When you report it, name the request ${request.id}.`
    return send(reply, 500, { code: rpcCodes.internal, message })
  }
  const { status } = errorCodes[failure.code]
  setRetryAfter(reply, failure)
  if (status === 401) reply.header('www-authenticate', 'ApiKey header="X-API-Key"')
  send(reply, status, refusedError(failure))
}

export function sendRefusal(reply: FastifyReply, status: number, message: string): void {
  send(reply, status, { code: rpcCodes.refused, message })
}

function setRetryAfter(reply: FastifyReply, { details: { retryAfter } }: ServiceError): void {
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
}

type RpcError = Parameters<typeof errorText>[1]

function send(reply: FastifyReply, status: number, { code, message, data }: RpcError): void {
  setAgentHeaders(reply)
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(errorText(null, { code, message, ...(data !== undefined && { data }) }))
}
