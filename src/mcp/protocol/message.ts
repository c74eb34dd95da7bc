/** One message of a caller: its bytes held to limits before they are parsed, because parsers and checkers recurse. */
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../errors.ts'
import { jsonDepth } from '../../util/text/json-depth.ts'

/** Bytes: a document at its limit of 100,000 characters, with variables. */
export const mostMessageBytes = 262_144
/** Brackets in brackets. A message has a few around its arguments, and those nest as deep as a `where` may. */
export const mostMessageDepth = 256

/** Its JSON; undefined where it is none, which the protocol has an answer for. Throws a ServiceError over a limit. */
export function readMessage(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new ServiceError('BAD_REQUEST', 'The message is not valid UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  assertShallow(text)
  const message = parse(text)
  if (Array.isArray(message))
    throw new ServiceError('BAD_REQUEST', 'Batches are not taken: send each message by itself.')
  return message
}

function assertShallow(text: string): void {
  const depth = jsonDepth(text)
  if (depth <= mostMessageDepth) return
  throw new ServiceError(
    'QUERY_TOO_COMPLEX',
    `The message nests ${depth} levels of brackets; at most ${mostMessageDepth} are allowed.`,
    { limit: mostMessageDepth, actual: depth },
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
