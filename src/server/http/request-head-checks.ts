/** Refuses request heads that HTTP forbids but the parser accepts: proxies in front may interpret them differently. */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'

type Head = Pick<IncomingMessage, 'httpVersion' | 'headers' | 'rawHeaders'>

/** Closes the connection after a bad head, because the end of its request is uncertain. */
export function rejectBadHeads(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  done: (problem?: Error) => void,
): void {
  const problem = headProblem(raw)
  if (problem !== undefined) reply.header('connection', 'close')
  done(problem)
}

/** Checks RFC 9112, sections 2.3, 3.2 and 6.1; undefined when the head is valid. */
export function headProblem({ httpVersion, headers, rawHeaders }: Head): ServiceError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return new ServiceError('BAD_REQUEST', `HTTP/${httpVersion} is not spoken here. Write HTTP/1.1.`)
  // The framework shows only the first of two.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1'))
    return new ServiceError('BAD_REQUEST', `The request has ${hosts} Host headers. Send one.`)
  // The parser itself refuses another final coding.
  if (!/,\s*chunked$/i.test(headers['transfer-encoding'] ?? '')) return undefined
  return new ServiceError(
    'UNSUPPORTED_MEDIA_TYPE',
    'Of the transfer codings only `chunked` is read. Send the body as it is.',
  )
}
