/** Refusals of the GraphQL service in answers that are not those of tools: JSON-RPC errors of this server's code. */
import { ProtocolError } from '@modelcontextprotocol/server'
import type { EndpointError } from '../../endpoint/endpoint.ts'
import { plainMessage } from '../words/plain-text.ts'
import { rpcCodes } from './refusals.ts'

/** `data` has the service's code, and `retryAfter` in seconds where waiting helps. */
export function serviceFailure(error: EndpointError): ProtocolError {
  const { code, retryAfter } = error
  const data = { ...(code !== null && { code }), ...(retryAfter !== null && { retryAfter }) }
  const failure = new ProtocolError(rpcCodes.refused, plainMessage(error), data)
  failure.cause = error
  return failure
}
