/**
 * Refusals in the terms of the protocol. A refused request is answered with its id: a call of a tool by a tool error,
 * which clients show to the model, any other request by a JSON-RPC error.
 */
import type { ServiceError } from '../../errors.ts'
import { isObject } from '../../util/is-object.ts'
import { wordRefusal } from '../words/service-refusals.ts'
import { plainMessage } from '../words/plain-text.ts'

/** Codes of JSON-RPC 2.0, section 5.1, and the one code of this server, with the reason in `data.code`. */
export const rpcCodes = {
  parse: -32_700,
  invalidRequest: -32_600,
  internal: -32_603,
  refused: -32_000,
} as const

/** A message that cannot be read, so that its id is unknown; the HTTP status is 400. */
export class MessageError extends Error {
  override readonly name = 'MessageError'
  readonly code: typeof rpcCodes.parse | typeof rpcCodes.invalidRequest

  constructor(code: MessageError['code'], message: string) {
    super(message)
    this.code = code
  }
}

export type RequestId = string | number

/** Null for notifications, answers, and everything that is not a message. */
export function requestIdOf(message: unknown): RequestId | null {
  if (!isObject(message) || typeof message['method'] !== 'string') return null
  const { id } = message
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : null
}

/** The JSON of the answer to a request that is refused. Revision 2026-07-28 names the server with each result. */
export function refuseRequest(message: unknown, failure: ServiceError, server: object): string {
  const { method, params } = isObject(message) ? message : {}
  const id = requestIdOf(message)
  if (method !== 'tools/call' || id === null) return errorText(id, refusedError(failure))
  const { code, details } = failure
  const text = wordRefusal({ message: plainMessage(failure), code, retryAfter: details.retryAfter ?? null })
  const newer = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': server } }
  const result = { content: [{ type: 'text', text }], isError: true, ...(isOfNewerRevision(params) && newer) }
  return JSON.stringify({ jsonrpc: '2.0', id, result })
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: object
}

/** `data` has the code of docs/http.md, and `retryAfter` in seconds where waiting helps. */
export function refusedError({ code, message, details }: ServiceError): RpcError {
  return { code: rpcCodes.refused, message, data: { code, ...details } }
}

export function errorText(id: RequestId | null, error: RpcError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}

/** Its requests name their revision in `_meta`. The SDK has constants for these names, but `serve` does not load it. */
function isOfNewerRevision(params: unknown): boolean {
  const meta = isObject(params) ? params['_meta'] : undefined
  return isObject(meta) && 'io.modelcontextprotocol/protocolVersion' in meta
}
