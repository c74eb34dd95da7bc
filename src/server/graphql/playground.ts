/**
 * The page a browser gets: GraphiQL, with the endpoint and a first query filled in. Nothing on it comes from another
 * host; docs/decisions/0005-playground.md says why it is this one.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import { sendAsset } from '../http/asset.ts'
import type { Playground } from './playground-files.ts'

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
  app.get('/playground/*', async (request, reply) => {
    const { assets } = await load()
    const asset = assets.get(request.url)
    if (asset === undefined) throw new ServiceError('NOT_FOUND', 'This file is not part of the playground.')
    return sendAsset(asset, { 'cache-control': 'public, max-age=31536000, immutable', vary }, request, reply)
  })
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { renderPage } = await load()
    const page = renderPage({ endpoint, query: await exampleQuery(), lexicons })
    return sendAsset(page, pageHeaders, request, reply)
  }
}

/** Bundled, or read, for the first browser. */
async function load(): Promise<Playground> {
  const { loadPlayground } = await import('./playground-files.ts')
  return loadPlayground()
}

const vary = 'accept, accept-encoding'

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

const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': contentSecurityPolicy,
  'referrer-policy': 'no-referrer',
  vary,
}
