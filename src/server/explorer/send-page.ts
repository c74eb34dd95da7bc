/**
 * Sends a page. When its data take longer than a moment, the start is sent before them, so that the browser loads
 * scripts and styles meanwhile; the status is then 200, even if the data cannot be read.
 */
import { constants, createGzip, gzip } from 'node:zlib'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { FinishedPage, OpenPage } from '../../explorer/explorer.ts'
import { attachment } from '../files/send-file.ts'
import { acceptsGzip } from '../http/requests.ts'

const zip = promisify(gzip)

/** Milliseconds. Cached answers, and most refusals for lack of points, are there by then. */
const moment = 20

/** Some that were sent before a failed page, or one that lacks parts: browsers that keep it get it again. */
export const failedTags = new LRUCache<string, true>({ max: 1_000 })

/** `status`: that of the page before its data; another than 200 is waited for, and so is an answer without a body. */
export async function sendPage(
  { start, status: expected }: Pick<OpenPage, 'start' | 'status'>,
  finishing: Promise<FinishedPage>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const zips = acceptsGzip(request.headers['accept-encoding'])
  if (zips) reply.header('content-encoding', 'gzip')
  const timer = new AbortController()
  const early = await (start === '' || expected !== 200 || request.method === 'HEAD'
    ? finishing
    : Promise.race([finishing, sleep(moment, null, { signal: timer.signal }).catch(() => null)]))
  timer.abort()
  if (early !== null) {
    const { status, media, name, start: own, rest, retryAfter } = early
    if (retryAfter !== null) reply.header('retry-after', retryAfter)
    if (retryAfter !== null && status !== 200) reply.header('refresh', retryAfter)
    if (status !== 200 || retryAfter !== null) reply.removeHeader('etag').header('cache-control', 'no-store')
    reply.code(status).type(media)
    if (name !== null) reply.header('content-disposition', attachment(name))
    const whole = typeof rest === 'string' ? own + rest : rest
    return reply.send(zips ? await zip(whole, { level: 1 }) : whole)
  }
  const zipped = zips ? createGzip({ level: 1 }) : new PassThrough()
  reply.type('text/html; charset=utf-8')
  const etag = reply.getHeader('etag')
  zipped.write(start)
  if ('flush' in zipped) zipped.flush(constants.Z_SYNC_FLUSH, () => undefined)
  finishing.then(
    // A failed page has another title than the one that was sent; then only the rest follows.
    ({ start: own, rest, status, retryAfter }) => {
      const isFailed = status !== 200 || retryAfter !== null
      if (isFailed && typeof etag === 'string') failedTags.set(etag, true)
      else failedTags.delete(String(etag))
      return zipped.end(own.startsWith(start) ? own.slice(start.length) + rest : rest)
    },
    (error: Error) => zipped.destroy(error),
  )
  return reply.send(zipped)
}
