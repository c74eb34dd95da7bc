/** Reads one message. Limits are checked before the message is parsed, because parsers and validators recurse. */
import { isUtf8 } from 'node:buffer'
import { parseJson } from '../../util/is-object.ts'
import { measureJson } from '../../util/text/json-depth.ts'
import { MessageError, rpcCodes } from './refusals.ts'

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
  if (depth > mostMessageDepth)
    throw new MessageError(
      rpcCodes.invalidRequest,
      `The message nests ${depth} levels of brackets; at most ${mostMessageDepth} are allowed.`,
    )
  if (parts > mostMessageParts)
    throw new MessageError(
      rpcCodes.invalidRequest,
      `The message has ${parts} names, elements and brackets; at most ${mostMessageParts} are allowed. Send fewer values at once.`,
    )
  const message = parseJson(text)
  if (message === undefined) throw new MessageError(rpcCodes.parse, 'Parse error: Invalid JSON')
  if (Array.isArray(message))
    throw new MessageError(rpcCodes.invalidRequest, 'Batches are not taken: send each message by itself.')
  return message
}
