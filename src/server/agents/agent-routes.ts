/**
 * The route of the agents' server: converts between the framework's requests and those of the protocol. Refusals are
 * JSON-RPC, as its clients expect. `Admit` decides who may call and what their tools query.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import type { AgentHttp } from '../../mcp/protocol/http.ts'
import { mostMessageBytes, readMessage } from '../../mcp/protocol/message.ts'
import { MessageError, requestIdOf } from '../../mcp/protocol/refusals.ts'
import { createBodyReader } from '../http/requests.ts'
import { assertNoKeyInUrl, holdsKeySomewhere } from '../admission/authentication.ts'
import { answerAgentFailure, sendJson, sendRefusal, setAgentHeaders } from './agent-replies.ts'
import { type Admit, type Guest, isTransient, refusedGuest, Work } from './guest.ts'
import { Turns } from './turns.ts'

export const agentPath = '/mcp'

/** Bytes of a message that is parsed before it is paid for; a longer one is none of the prebuilt answers' requests. */
const shortMessage = 4_000

/** Takes every method, so that all but POST are counted and refused in the terms of the protocol. */
export function addAgentRoutes(app: FastifyInstance, agent: AgentHttp, admit: Admit): void {
  // Closes the agent only after the requests in flight are answered.
  app.addHook('onClose', () => agent.close())
  const guests = new WeakMap<FastifyRequest, Guest>()
  const turns = new Turns()
  const charged = new WeakSet<FastifyRequest>()
  const charge = (request: FastifyRequest, guest: Guest, bytes: number): Promise<void> => {
    charged.add(request)
    return guest.pay(bytes)
  }
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const isPost = request.method === 'POST'
    const guest = await enter(admit, request, isPost)
    guests.set(request, guest)
    const refusal = agent.refusal(request.headers)
    // A message is charged when it has come, because its answer has its id.
    if (isPost && refusal === null && !holdsKeySomewhere(request.url)) return
    await charge(request, guest, 0)
    assertNoKeyInUrl(request.url)
    if (refusal !== null) return sendRefusal(reply, 403, refusal)
    reply.header('allow', 'POST')
    sendRefusal(reply, 405, `The path ${agentPath} takes POST, not ${request.method}.`)
  }
  /** A body that cannot be read is charged like any other. */
  const errorHandler = async (error: Error, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    let failure = error
    try {
      if (!charged.has(request)) await guests.get(request)?.pay(0)
    } catch (refused) {
      failure = refused as Error
    }
    answerAgentFailure(failure, request, reply)
  }
  app.register(async (routes) => {
    routes.removeAllContentTypeParsers()
    routes.addContentTypeParser('application/json', createBodyReader(mostMessageBytes))
    routes.all(agentPath, { onRequest, errorHandler }, async (request, reply) => {
      const guest = guests.get(request)
      if (guest === undefined) throw new Error('Nobody has been admitted.')
      return answer(agent, { guest, turns, charge: (bytes) => charge(request, guest, bytes) }, request, reply)
    })
  })
}

/** A caller who may not ask for now is told so in the answer to its message. */
async function enter(admit: Admit, request: FastifyRequest, isPost: boolean): Promise<Guest> {
  try {
    return await admit(request)
  } catch (error) {
    if (!isPost || !isTransient(error)) throw error
    return refusedGuest(error)
  }
}

interface Admitted {
  readonly guest: Guest
  readonly turns: Turns
  charge(bytes: number): Promise<void>
}

async function answer(
  agent: AgentHttp,
  { guest, turns, charge }: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | void> {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
  await guest.turn()
  await turns.next()
  const work = new Work(guest, turns)
  const read = body.length <= shortMessage ? tryRead(body) : null
  const prebuilt = read === null ? null : await agent.prebuilt(request.headers, read.message)
  if (prebuilt !== null && (await guest.isFree())) return sendPrebuilt(reply, prebuilt)
  try {
    await charge(body.length)
  } catch (error) {
    if (!isTransient(error)) throw error
    // Reading a long message that is not paid for takes one of the free ones.
    const known = read ?? ((await guest.isFree()) ? tryRead(body) : null)
    if (known === null || requestIdOf(known.message) === null) throw error
    return sendJson(reply, agent.refuse(known.message, error), error)
  }
  if (prebuilt !== null) return sendPrebuilt(reply, prebuilt)
  const { message, problem } = read ?? tryRead(body)
  if (problem !== null) throw problem
  const leaving = new AbortController()
  reply.raw.once('close', () => leaving.abort(new ServiceError('UNAVAILABLE', 'The caller has hung up.')))
  const response = await agent.answer(asWebRequest(request, leaving.signal), message, work.endpoint)
  return setAgentHeaders(reply).send(response)
}

interface Read {
  readonly message: unknown
  readonly problem: MessageError | null
}

function tryRead(body: Uint8Array): Read {
  try {
    return { message: readMessage(body), problem: null }
  } catch (error) {
    if (error instanceof MessageError) return { message: undefined, problem: error }
    throw error
  }
}

/** An empty answer is that to a notification. */
function sendPrebuilt(reply: FastifyReply, text: string): FastifyReply {
  return text === '' ? setAgentHeaders(reply).code(202).send() : sendJson(reply, text)
}

/** Without the body, which has been read; the protocol only looks at headers. */
function asWebRequest({ headers: given }: FastifyRequest, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  return new Request(`http://localhost${agentPath}`, { method: 'POST', headers, signal })
}
