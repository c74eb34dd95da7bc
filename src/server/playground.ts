/**
 * The page a browser gets: Altair, served from its package, with the address and an example filled in.
 * Nothing on it comes from another host; docs/decisions/0005-playground.md says why it is this one.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { acceptsGzip } from './media-types.ts'
import type { Asset, Playground, PlaygroundOptions } from './playground-files.ts'

/** Adds the addresses of the page's files, and returns the function that answers with the page itself. */
export function addPlaygroundRoutes(app: FastifyInstance, options: PlaygroundOptions) {
  let playground: Promise<Playground> | undefined
  const open = (): Promise<Playground> => (playground ??= load(options))

  app.get('/playground/*', async (request, reply) => {
    const { assets } = await open()
    const asset = assets.get(request.url)
    if (asset === undefined) throw new ServiceError('NOT_FOUND', 'This file is not part of the playground.')
    return sendAsset(asset, 'public, max-age=31536000, immutable', request, reply)
  })
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { page } = await open()
    reply.header('content-security-policy', contentSecurityPolicy).header('referrer-policy', 'no-referrer')
    return sendAsset(page, 'no-cache', request, reply)
  }
}

async function load(options: PlaygroundOptions): Promise<Playground> {
  const { createPlayground } = await import('./playground-files.ts')
  return createPlayground(options)
}

/** Styles are written into the page by its editor; scripts, and everything else, come from here alone. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

async function sendAsset(asset: Asset, cacheControl: string, request: FastifyRequest, reply: FastifyReply) {
  const { plain, zipped, etag } = await asset.load()
  reply.headers({
    'cache-control': cacheControl,
    etag,
    vary: 'accept, accept-encoding',
    'x-content-type-options': 'nosniff',
  })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  reply.type(asset.type)
  if (zipped === null || !acceptsGzip(request.headers['accept-encoding'])) return reply.send(plain)
  return reply.header('content-encoding', 'gzip').send(zipped)
}
