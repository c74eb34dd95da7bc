/**
 * The path of the agents' server: from the framework's requests to its own and back. Refusals are JSON-RPC here, as
 * its clients read them. Who may ask, and what is asked then, is given.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, errorCodes } from '../../errors.ts'
import type { Endpoint } from '../../mcp/graphql/endpoint.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { mostMessageBytes, readMessage } from '../../mcp/protocol/message.ts'
import { createBodyReader } from '../http/body.ts'
import { translate } from '../http/failures.ts'
import { assertNoKeyInUrl } from '../admission/keys-in-urls.ts'

export const agentPath = '/mcp'

/** Somebody whose request has been counted. */
export interface Guest {
  /** What is asked in their name. */
  readonly endpoint: Endpoint
  /** To be waited for before a message of so many bytes is parsed. Throws a ServiceError when it cannot be paid. */
  pay(bytes: number): Promise<void>
  /** So many milliseconds were spent on it in which nobody else was answered. */
  spend(time: number): void
}

/** Counts a request, of which nothing but the head has been read. Throws a ServiceError for those who may not ask. */
export type Admit = (request: FastifyRequest) => Guest | Promise<Guest>

/** Takes every method, to count and refuse all but POST in the terms of the protocol. */
export function addAgentRoutes(app: FastifyInstance, agent: AgentHttp, admit: Admit): void {
  // Not before those in flight are answered.
  app.addHook('onClose', () => agent.close())
  const guests = new WeakMap<FastifyRequest, Guest>()
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    guests.set(request, await admit(request))
    assertNoKeyInUrl(request.url)
    const refusal = agent.refusal(request.headers)
    if (refusal !== null) return sendRefusal(reply, 403, refusal)
    if (request.method === 'POST') return
    reply.header('allow', 'POST')
    sendRefusal(reply, 405, `The path ${agentPath} takes POST, not ${request.method}.`)
  }
  app.register(async (routes) => {
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('application/json', createBodyReader(mostMessageBytes))
    routes.all(agentPath, { onRequest, errorHandler: answerAgentFailure }, async (request, reply) => {
      const guest = guests.get(request)
      if (guest === undefined) throw new Error('Nobody has been admitted.')
      return answer(agent, guest, request, reply)
    })
  })
}

async function answer(
  agent: AgentHttp,
  guest: Guest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | void> {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
  await guest.pay(body.length)
  const work = new Work(guest)
  const message = readMessage(body)
  if (message === undefined) return sendRefusal(reply, 400, 'Parse error: Invalid JSON', -32_700)
  const leaving = new AbortController()
  reply.raw.once('close', () => leaving.abort(new ServiceError('UNAVAILABLE', 'The caller has hung up.')))
  const response = await agent.answer(asWebRequest(request, leaving.signal), message, work.endpoint)
  return setAgentHeaders(reply).send(response)
}

/** What a message takes of this thread: from its beginning, and from each answer of the endpoint, to the end of the turn. */
class Work {
  readonly endpoint: Endpoint
  readonly #guest: Guest
  #since: number | null = null

  constructor(guest: Guest) {
    this.#guest = guest
    this.#begin()
    this.endpoint = {
      ask: async (question, signal) => {
        this.#end()
        try {
          return await guest.endpoint.ask(question, signal)
        } finally {
          this.#begin()
        }
      },
    }
  }

  #begin(): void {
    this.#since ??= performance.now()
    setImmediate(() => this.#end())
  }

  #end(): void {
    if (this.#since !== null) this.#guest.spend(performance.now() - this.#since)
    this.#since = null
  }
}

/** No other site's page may read anything here, so that there are no headers for them. */
function setAgentHeaders(reply: FastifyReply): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').header('x-request-id', reply.request.id)
}

/** Without its body, which has been read; only its headers are looked at. */
function asWebRequest({ headers: given }: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  return new Request(`http://localhost${agentPath}`, { method: 'POST', headers, signal })
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
  sendRefusal(reply, status, message)
}

function sendRefusal(reply: FastifyReply, status: number, message: string, code = -32_000): void {
  setAgentHeaders(reply)
    .code(status)
    .header('cache-control', 'no-store')
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
}
