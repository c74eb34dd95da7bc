/**
 * Reads one message, and refuses it in the terms of the protocol. Limits are checked before a message is parsed, because
 * parsers and validators recurse. A refused request is answered with its id: a call of a tool by a tool error, which
 * clients show to the model, any other request by a JSON-RPC error.
 */
import { isUtf8 } from 'node:buffer'
import type { ServiceError } from '../../errors.ts'
import { isObject, parseJson, valueAt } from '../../util/is-object.ts'
import { measureJson } from '../../util/text/json-depth.ts'
import { wordRefusal } from '../words/service-refusals.ts'
import { plainMessage } from '../words/plain-text.ts'

/** Bytes: room for a document at its limit of 100,000 characters, with variables. */
export const mostMessageBytes = 262_144
/** Levels of brackets: a few around the arguments, and as many in the arguments as a `where` may have. */
export const mostMessageDepth = 256
/** Names, elements and brackets: validators take up to 4 µs for each. Lists of values have at most 1,000. */
export const mostMessageParts = 5_000

/** Throws a MessageError. Whether the message fits the protocol is not checked. */
export function readMessage(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new MessageError(rpcCodes.parse, 'The message is not valid UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const { depth, parts } = measureJson(text)
  const invalid = (wrong: string) => new MessageError(rpcCodes.invalidRequest, wrong)
  if (depth > mostMessageDepth)
    throw invalid(`The message nests ${depth} levels of brackets; at most ${mostMessageDepth} are allowed.`)
  if (parts > mostMessageParts)
    throw invalid(
      `The message has ${parts} names, elements and brackets; at most ${mostMessageParts} are allowed. Send fewer values at once.`,
    )
  const message = parseJson(text)
  if (message === undefined) throw new MessageError(rpcCodes.parse, 'Parse error: Invalid JSON')
  if (Array.isArray(message)) throw invalid('Batches are not taken: send each message by itself.')
  return message
}

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
  return valueAt(params, ['_meta', 'io.modelcontextprotocol/protocolVersion']) !== undefined
}
