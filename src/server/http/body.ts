/** Reads request bodies, and limits their length and the number of tiny chunks. It must not know their meaning. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'

type Done = (error: Error | null, body?: Buffer) => void

/** Maximum bytes that are still read of a body that is too long: a client that is still sending sees no answer. */
const mostDropped = 16 * 1024 * 1024
/** Parsing a chunk takes as long as reading a kilobyte. Beyond this number of chunks ... */
const piecesLookedOver = 1_000
/** ... their average length must be at least this many bytes. */
const leastAverage = 64

/** Requests that wait for permission to send their body (`Expect: 100-continue`). */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Sends 100 Continue only where a body is read: a request that its head refuses need not send its body. */
export function askBeforeBodies(server: Server): void {
  server.on('checkContinue', (request, response) => {
    waiting.set(request, response)
    server.emit('request', request, response)
  })
}

/** A body parser for the framework, which closes the connection after a failure. */
export function createBodyReader(
  limit: number,
): (request: FastifyRequest, payload: IncomingMessage, done: Done) => void {
  return (request, payload, done) => {
    const waits = waiting.get(payload)
    const most = waits === undefined ? mostDropped : limit
    if (Number(request.headers['content-length']) > most) return done(tooLarge(limit))
    waits?.writeContinue()
    let pieces: Buffer[] = []
    let count = 0
    let length = 0
    payload.on('data', onData).on('end', onEnd).on('error', onError)

    function onData(piece: Buffer): void {
      count += 1
      length += piece.length
      if (length <= limit) pieces.push(piece)
      else pieces = []
      if (length > mostDropped) finish(tooLarge(limit))
      else if (count > piecesLookedOver && length < count * leastAverage) {
        // Stops parsing the rest of the body. The connection is closed after the answer.
        payload.pause()
        finish(partialChunks)
      }
    }

    function onEnd(): void {
      if (length > limit) finish(tooLarge(limit))
      else finish(null, join(pieces, length))
    }

    function onError(): void {
      finish(new ServiceError('BAD_REQUEST', 'The body ended too soon.'))
    }

    function finish(error: Error | null, body?: Buffer): void {
      payload.off('data', onData).off('end', onEnd).off('error', onError)
      done(error, body)
    }
  }
}

/** Most bodies are one chunk, which needs no copy unless it is a view of the connection's read buffer. */
function join(pieces: readonly Buffer[], length: number): Buffer {
  const [first] = pieces
  return first !== undefined && first.buffer.byteLength === length ? first : Buffer.concat(pieces, length)
}

const partialChunks = new ServiceError(
  'BAD_REQUEST',
  `The body comes in too many small pieces. Send it in pieces of at least ${leastAverage} bytes.`,
)

function tooLarge(limit: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The body is over the limit of ${limit} bytes.`, { limit })
}
