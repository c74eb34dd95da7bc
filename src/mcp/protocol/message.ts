/** Reads one message. Limits are checked before the message is parsed, because parsers and validators recurse. */
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../errors.ts'
import { jsonDepth } from '../../util/text/json-depth.ts'

/** Bytes: room for a document at its limit of 100,000 characters, with variables. */
export const mostMessageBytes = 262_144
/** Levels of brackets: a few around the arguments, and as many in the arguments as a `where` may have. */
export const mostMessageDepth = 256

/** Returns undefined for invalid JSON, which the protocol layer answers. Throws a ServiceError over a limit. */
export function readMessage(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new ServiceError('BAD_REQUEST', 'The message is not valid UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const depth = jsonDepth(text)
  if (depth > mostMessageDepth)
    throw new ServiceError(
      'QUERY_TOO_COMPLEX',
      `The message nests ${depth} levels of brackets; at most ${mostMessageDepth} are allowed.`,
      { limit: mostMessageDepth, actual: depth },
    )
  const message = parse(text)
  if (Array.isArray(message))
    throw new ServiceError('BAD_REQUEST', 'Batches are not taken: send each message by itself.')
  return message
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
