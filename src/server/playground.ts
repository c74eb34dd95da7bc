/**
 * The page a browser gets: GraphiQL, with the endpoint and a first query filled in. Nothing on it comes from another
 * host; docs/decisions/0005-playground.md says why it is this one.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { acceptsGzip, matchesEtag } from './media-types.ts'
import type { Asset, Playground } from './playground-files.ts'

/** The service's own part of the page. */
export interface PlaygroundContent {
  /** What a newcomer is shown; it depends on which collections have records. */
  readonly exampleQuery: () => Promise<string>
  /** A name for the lexicons that are served: what a browser keeps is kept for each. */
  readonly lexicons: string
}

/** Adds the addresses of the page's files, and returns the function that answers with the page itself. */
export function addPlaygroundRoutes(
  app: FastifyInstance,
  endpoint: string,
  { exampleQuery, lexicons }: PlaygroundContent,
) {
  let playground: Promise<Playground> | undefined
  const open = (): Promise<Playground> => {
    // Whoever asks after a failure has it tried again.
    playground ??= load().catch((error) => {
      playground = undefined
      throw error
    })
    return playground
  }

  app.get('/playground/*', async (request, reply) => {
    const { assets } = await open()
    const asset = assets.get(request.url)
    if (asset === undefined) throw new ServiceError('NOT_FOUND', 'This file is not part of the playground.')
    return sendAsset(asset, 'public, max-age=31536000, immutable', request, reply)
  })
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { renderPage } = await open()
    reply.header('content-security-policy', contentSecurityPolicy).header('referrer-policy', 'no-referrer')
    const page = renderPage({ endpoint, query: await exampleQuery(), lexicons })
    return sendAsset(page, 'no-cache', request, reply)
  }
}

async function load(): Promise<Playground> {
  const { createPlayground } = await import('./playground-files.ts')
  return createPlayground()
}

/** Styles are written into the page by its editor, whose icons are in its style sheet; all else comes from here alone. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'font-src data:',
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

async function sendAsset(asset: Asset, cacheControl: string, request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'cache-control': cacheControl,
    etag: asset.etag,
    vary: 'accept, accept-encoding',
    'x-content-type-options': 'nosniff',
  })
  if (matchesEtag(request.headers['if-none-match'], asset.etag)) return reply.code(304).send()
  reply.type(asset.type)
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(asset.plain)
  return reply.header('content-encoding', 'gzip').send(await asset.zipped())
}
