/**
 * The route of the agents' server: converts between the framework's requests and those of the protocol. Refusals are
 * JSON-RPC, as its clients expect. `Admit` decides who may call and what their tools query.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errorCodes, ServiceError } from '../../errors.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { errorText, mostMessageBytes, readMessage, refusedError } from '../../mcp/protocol/message.ts'
import { MessageError, requestIdOf, rpcCodes, type RpcError } from '../../mcp/protocol/message.ts'
import { translate } from '../http/failures.ts'
import { createBodyReader } from '../http/requests.ts'
import { assertNoKeyInUrl, holdsKeySomewhere } from '../admission/authentication.ts'
import type { Endpoint } from '../../endpoint/endpoint.ts'

export const agentPath = '/mcp'

/** Bytes of a message that is read for the id of its refusal: as many as a point covers. */
const shortMessage = 4_000

/** Takes every method, so that all but POST are counted and refused in the terms of the protocol. */
export function addAgentRoutes(app: FastifyInstance, agent: AgentHttp, admit: Admit): void {
  // Closes the agent only after the requests in flight are answered.
  app.addHook('onClose', () => agent.close())
  /** Of requests that are not charged yet. */
  const callers = new WeakMap<FastifyRequest, AgentCaller>()
  const next = createQueue()
  const charge = (request: FastifyRequest, caller: AgentCaller, bytes: number): Promise<void> => {
    callers.delete(request)
    return caller.pay(bytes)
  }
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const isPost = request.method === 'POST'
    const caller = await enter(admit, request, isPost)
    callers.set(request, caller)
    const refusal = agent.refusal(request.headers)
    // A message is charged when it has come, because its answer has its id.
    if (isPost && refusal === null && !holdsKeySomewhere(request.url)) return
    await caller.turn()
    await charge(request, caller, 0)
    assertNoKeyInUrl(request.url)
    if (refusal !== null) return sendRefusal(reply, 403, refusal)
    reply.header('allow', 'POST')
    sendRefusal(reply, 405, `The path ${agentPath} takes POST, not ${request.method}.`)
  }
  /** A body that cannot be read is charged like any other. */
  const errorHandler = async (error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    let failure = error
    try {
      await callers.get(request)?.pay(0)
    } catch (refused) {
      failure = refused as Error
    }
    answerAgentFailure(failure, request, reply)
  }
  app.register(async (routes) => {
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('application/json', createBodyReader(mostMessageBytes))
    const config = { turn: 'own' } as const
    routes.all(agentPath, { onRequest, errorHandler, config }, async (request, reply) => {
      const caller = callers.get(request)
      if (caller === undefined) throw new Error('Nobody has been admitted.')
      return answer(caller, request, reply)
    })
  })

  async function answer(
    caller: AgentCaller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | void> {
    const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
    await caller.turn()
    await next()
    const endpoint = meterEndpoint(caller, next)
    try {
      await charge(request, caller, body.length)
    } catch (error) {
      if (!isTransient(error)) throw error
      const message = body.length <= shortMessage ? tryRead(body) : null
      if (requestIdOf(message) === null) throw error
      setRetryAfter(reply, error)
      return sendJson(reply, 'application/json', agent.refuse(message, error))
    }
    const message = readMessage(body)
    const leaving = new AbortController()
    reply.raw.once('close', () => leaving.abort(new ServiceError('UNAVAILABLE', 'The caller has hung up.')))
    const response = await agent.answer(asWebRequest(request, leaving.signal), message, endpoint)
    return setAgentHeaders(reply).send(response)
  }
}

/** A caller who may not ask for now reads so in the answer to its message. */
async function enter(admit: Admit, request: FastifyRequest, isPost: boolean): Promise<AgentCaller> {
  try {
    return await admit(request)
  } catch (error) {
    if (!isPost || !isTransient(error)) throw error
    const refuse = (): Promise<never> => Promise.reject(error)
    return { endpoint: { ask: refuse }, turn: () => undefined, pay: refuse, spend: () => undefined }
  }
}

/** Null if the message cannot be read. */
function tryRead(body: Uint8Array): unknown {
  try {
    return readMessage(body)
  } catch (error) {
    if (error instanceof MessageError) return null
    throw error
  }
}

/** Without the body, which has been read; the protocol only looks at headers. */
function asWebRequest({ headers: given }: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  return new Request(`http://localhost${agentPath}`, { method: 'POST', headers, signal })
}

/** Without CORS headers, so that no page of another site can read an answer. */
function setAgentHeaders(reply: FastifyReply): FastifyReply {
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

function sendRefusal(reply: FastifyReply, status: number, message: string): void {
  send(reply, status, { code: rpcCodes.refused, message })
}

function setRetryAfter(reply: FastifyReply, { details: { retryAfter } }: ServiceError): void {
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
}

function send(reply: FastifyReply, status: number, { code, message, data }: RpcError): void {
  const text = errorText(null, { code, message, ...(data !== undefined && { data }) })
  sendJson(reply.code(status), 'application/json; charset=utf-8', text)
}

function sendJson(reply: FastifyReply, type: string, text: string): FastifyReply {
  return setAgentHeaders(reply).header('cache-control', 'no-store').header('content-type', type).send(text)
}

interface AgentCaller {
  /** The endpoint that tools query on behalf of the caller. */
  readonly endpoint: Endpoint
  /** Await before reading a message; the messages of a caller stay in order. */
  turn(): Promise<void> | undefined
  /** Charges a request with a body of this many bytes. Throws a ServiceError when the caller lacks points. */
  pay(bytes: number): Promise<void>
  /** Adds the milliseconds for which the request blocked the event loop. */
  spend(time: number): void
}

/** Finds the caller by the head of a request. Throws a ServiceError for callers who may not ask. */
type Admit = (request: FastifyRequest) => AgentCaller | Promise<AgentCaller>

/** True for refusals that end by themselves; others are about the request. */
function isTransient(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.code === 'RATE_LIMITED' || error.code === 'UNAVAILABLE')
}

/**
 * The caller's endpoint for one message. Counts for how long the message blocks the thread: from now, in a turn of the
 * queue, and from the turn after each answer, to the end of that turn.
 */
function meterEndpoint(caller: AgentCaller, next: () => Promise<void>): Endpoint {
  let since: number | null = null
  const end = (): void => {
    if (since !== null) caller.spend(performance.now() - since)
    since = null
  }
  const begin = (): void => {
    since ??= performance.now()
    setImmediate(end)
  }
  begin()
  return {
    price: (question) => caller.endpoint.price?.(question) ?? null,
    async ask(question, signal) {
      end()
      try {
        await next()
        return await caller.endpoint.ask(question, signal)
      } finally {
        await next()
        begin()
      }
    },
  }
}

/**
 * Lets one piece of agents' work begin in each turn of the event loop, so that other requests are answered between two
 * pieces for any number of agents. A piece is the work of a message until it waits for the database. What it returns is
 * awaited before a piece; pieces keep their order.
 */
export function createQueue(): () => Promise<void> {
  let last = Promise.resolve()
  return () => (last = last.then(() => nextTurn()))
}
