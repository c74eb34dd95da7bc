/**
 * The route of the agents' server: converts between the framework's requests and those of the protocol. Refusals are
 * JSON-RPC, as its clients expect. `Admit` decides who may call and what their tools query.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError, errorCodes } from '../../errors.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { mostMessageBytes, readMessage } from '../../mcp/protocol/message.ts'
import { createBodyReader } from '../http/requests.ts'
import { translate } from '../http/failures.ts'
import { assertNoKeyInUrl } from '../admission/authentication.ts'

export const agentPath = '/mcp'

/** The caller of an admitted request. */
export interface Guest {
  /** The endpoint that tools query on behalf of the caller. */
  readonly endpoint: Endpoint
  /** Await before parsing a message of this many bytes. Throws a ServiceError when the caller lacks points. */
  pay(bytes: number): Promise<void>
  /** Adds the milliseconds for which the request blocked the event loop. */
  spend(time: number): void
}

/** Counts a request by its head, before its body is read. Throws a ServiceError for callers who may not ask. */
export type Admit = (request: FastifyRequest) => Guest | Promise<Guest>

/** Takes every method, so that all but POST are counted and refused in the terms of the protocol. */
export function addAgentRoutes(app: FastifyInstance, agent: AgentHttp, admit: Admit): void {
  // Closes the agent only after the requests in flight are answered.
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

/** Measures how long a message blocks the thread: from its start and each endpoint answer to the end of the turn. */
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

/** Without CORS headers, so that no page of another site can read an answer. */
function setAgentHeaders(reply: FastifyReply): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').header('x-request-id', reply.request.id)
}

/** Without the body, which has been read; the protocol only looks at headers. */
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
